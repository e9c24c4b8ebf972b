import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';

/** A gas coin as the sponsor writes it. */
export interface SponsorCoin {
  readonly objectId: string;
  readonly version: number;
  readonly digest: string;
}

/** With which the sponsor lets a caller in. */
export const sponsorToken = 'bench';
export const sponsorAddress = `0x${createHash('sha256').update('sponsor').digest('hex')}`;

/** Budgets from here on are paid with many coins, smaller ones with a single one. */
export const manyCoinsBudget = 1_000_000_000;
const manyCoins = 20;

/** So many sets of coins take turns, for as many budgets in a row. */
export const coinSets = 64;
const sets = new Map<string, readonly SponsorCoin[]>();

/** The coins that a budget reserves. */
export function coinsOf(gasBudget: number): readonly SponsorCoin[] {
  const count = gasBudget < manyCoinsBudget ? 1 : manyCoins;
  const key = `${count}.${gasBudget % coinSets}`;
  const known = sets.get(key);
  if (known) return known;
  const coins = Array.from({ length: count }, (_, index) => {
    const hash = createHash('sha256').update(`${key}.${index}`).digest();
    return {
      objectId: `0x${hash.toString('hex')}`,
      version: 1_000_000 + (hash.readUInt32BE() % 1_000_000),
      // Of numbers from 2^255 on each has 44 digits.
      digest: base58.encode(Uint8Array.from(hash, (byte, at) => (at === 0 ? byte | 0x80 : byte))),
    };
  });
  sets.set(key, coins);
  return coins;
}

/** What every transaction costs, as the sponsor writes it. */
export const gasUsed = {
  computationCost: '1000000',
  computationCostBurned: '1000000',
  storageCost: '2964000',
  storageRebate: '1956000',
  nonRefundableStorageFee: '0',
} as const;

/** The sponsor's answer to an execution. */
export function executedText(transactionDigest: string): string {
  const coin = {
    objectId: `0x${'c'.repeat(64)}`,
    version: 1_000_001,
    digest: base58.encode(new Uint8Array(32).fill(8)),
  };
  const change = { owner: { AddressOwner: sponsorAddress }, reference: coin };
  const effects = {
    messageVersion: 'v1',
    status: { status: 'success' },
    executedEpoch: '12',
    gasUsed,
    modifiedAtVersions: [{ objectId: coin.objectId, sequenceNumber: '1000000' }],
    transactionDigest,
    mutated: [change],
    gasObject: change,
    dependencies: [coin.digest],
  };
  return JSON.stringify({ effects, error: null });
}
