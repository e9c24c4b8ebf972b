import { Buffer } from 'node:buffer';
import { encodeTransactionData } from '../../src/devnet/transactions/encode-transaction.ts';
import { createProgrammableBuilder } from '../../src/devnet/transactions/programmable-builder.ts';
import { transactionDigest } from '../../src/transactions/digest.ts';

/** The payment of a reservation. */
export interface Paying {
  readonly sponsorAddress: string;
  readonly gasCoins: readonly { readonly objectId: string; readonly version: number; readonly digest: string }[];
  readonly gasBudget: number;
}

export interface SponsoredTransaction {
  /** Base64. */
  readonly txBytes: string;
  /** A signature of the right length that verifies for nobody. */
  readonly userSig: string;
  readonly digest: string;
}

const sender = `0x${'a'.padStart(64, '0')}`;
const userSig = Buffer.alloc(97, 7).toString('base64');

/**
 * @param number distinguishes transactions with the same payment
 * @param shared an object used as a shared input
 */
export function toSponsoredTransaction(paying: Paying, number: number, shared?: string): SponsoredTransaction {
  const builder = createProgrammableBuilder();
  builder.call('0x2::hero::mint', [builder.u64(number)]);
  const kind = builder.build();
  const taken = { kind: 'shared', objectId: shared ?? '', initialSharedVersion: 1, mutable: true } as const;
  const bytes = encodeTransactionData({
    kind: shared === undefined ? kind : { ...kind, inputs: [...kind.inputs, taken] },
    sender,
    gas: { payment: paying.gasCoins, owner: paying.sponsorAddress, price: 1_000n, budget: BigInt(paying.gasBudget) },
    expirationEpoch: null,
  });
  return toSent(bytes);
}

/** The transaction in a future version of TransactionData. */
export function toNewerForm({ txBytes }: SponsoredTransaction): SponsoredTransaction {
  const bytes = Buffer.from(txBytes, 'base64');
  bytes[0] = 1;
  return toSent(bytes);
}

function toSent(bytes: Uint8Array): SponsoredTransaction {
  return { txBytes: Buffer.from(bytes).toString('base64'), userSig, digest: transactionDigest(bytes) };
}
