import { encodeTransactionData } from '../../../../src/devnet/transactions/encode-transaction.ts';
import {
  createProgrammableBuilder,
  type ProgrammableBuilder,
} from '../../../../src/devnet/transactions/programmable-builder.ts';
import { hashCoins } from '../../../../src/sponsor/leases.ts';
import type { ReservationTerms } from '../../../../src/sponsor/preflight.ts';
import type { GasData, ProgrammableTransaction } from '../../../../src/transactions/transaction-bcs.ts';

export const user = `0x${'a'.padStart(64, '0')}`;
export const sponsor = `0x${'5'.padStart(64, '0')}`;
const digests = ['4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi', '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR'];

/** Gas coins that were reserved. */
export const coins = digests.map((digest, index) => ({
  objectId: `0x${String(index + 1).padStart(64, 'c')}`,
  version: 7 + index,
  digest,
}));

export const terms: ReservationTerms = {
  sponsorAddress: sponsor,
  coinsHash: hashCoins(coins.map((coin) => ({ ...coin, version: String(coin.version) }))),
  gasBudget: 5_000_000,
};

export interface SampleChanges {
  readonly sender?: string;
  readonly gas?: Partial<GasData>;
  readonly kind?: ProgrammableTransaction;
}

/** A transaction as its reservation wants it, but for the changes. */
export function sampleTransaction(
  { sender = user, gas, kind }: SampleChanges = {},
  fill: (builder: ProgrammableBuilder) => void = () => {},
): Uint8Array {
  const builder = createProgrammableBuilder();
  fill(builder);
  return encodeTransactionData({
    kind: kind ?? builder.build(),
    sender,
    gas: { payment: coins, owner: sponsor, price: 1000n, budget: 5_000_000n, ...gas },
    expirationEpoch: null,
  });
}
