import { createKeypair, type Keypair } from '../transactions/keypair.ts';

/** The key pairs of a devnet with a given seed. */
export interface DevnetAccounts {
  /** Owns the gas coins of the sponsor face, and no other code spends them. */
  readonly sponsor: Keypair;
  /** Pays for some of the history's transactions. */
  readonly patron: Keypair;
  /** Signs the transactions that the devnet makes on request. */
  readonly visitor: Keypair;
  /** The senders of the history. */
  readonly users: readonly [Keypair, ...Keypair[]];
}

const userNames = ['bianca', 'chidi', 'dara', 'emeka', 'farah', 'goran', 'hana', 'ines', 'jonas'] as const;

export function createDevnetAccounts(seed: number): DevnetAccounts {
  const key = (name: string) => createKeypair(seed, name);
  return {
    sponsor: key('sponsor'),
    patron: key('patron'),
    visitor: key('visitor'),
    users: [key('amara'), ...userNames.map(key)],
  };
}
