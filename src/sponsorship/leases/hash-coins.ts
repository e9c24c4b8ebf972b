import { hash } from 'node:crypto';

/** A gas coin at one version. */
export interface CoinReference {
  /** Hex with 0x prefix, in any spelling. */
  readonly objectId: string;
  /** Exact decimal text. */
  readonly version: string;
  /** Base58. */
  readonly digest: string;
}

/**
 * One short text for a set of coins, the same in whichever order they are named and however their ids are spelt: the
 * sponsor takes them in any order too.
 * @returns 32 bytes as base64url
 */
export function hashCoins(coins: readonly CoinReference[]): string {
  const names = coins.map(({ objectId, version, digest }) => JSON.stringify([spell(objectId), version, digest]));
  return hash('sha256', names.sort().join(), 'base64url');
}

/** Lower case, with as many digits as every id of the ledger has. */
function spell(objectId: string): string {
  const digits = /^0x([0-9a-f]{1,64})$/i.exec(objectId)?.[1];
  return digits === undefined ? objectId : digits.toLowerCase().padStart(64, '0');
}
