import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';

/** A gas coin as the sponsor writes it. */
export interface SponsorCoin {
  readonly objectId: string;
  readonly version: number;
  readonly digest: string;
}

export const sponsorAddress = `0x${createHash('sha256').update('sponsor').digest('hex')}`;

/** Budgets from here on are paid with many coins, smaller ones with a single one. */
export const manyCoinsBudget = 1_000_000_000;
const manyCoins = 20;

/** The coins that a budget reserves; each budget has its own. */
export function coinsOf(gasBudget: number): readonly SponsorCoin[] {
  return Array.from({ length: gasBudget < manyCoinsBudget ? 1 : manyCoins }, (_, index) => {
    const hash = createHash('sha256').update(`${gasBudget}.${index}`).digest();
    return {
      objectId: `0x${hash.toString('hex')}`,
      version: 1_000_000 + (hash.readUInt32BE() % 1_000_000),
      digest: base58.encode(hash).padEnd(44, '1'),
    };
  });
}
