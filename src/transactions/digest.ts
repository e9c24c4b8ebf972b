import { base58 } from '@scure/base';
import { hash256 } from './hash256.ts';

const transactionSalt = Buffer.from('TransactionData::');

/** The text form of a 32-byte digest. */
export function toDigest(hash: Uint8Array): string {
  return base58.encode(hash);
}

/** The 32 bytes of a digest's text form; throws on anything else. */
export function parseDigest(digest: string): Uint8Array {
  const bytes = base58.decode(digest);
  if (bytes.length !== 32) throw new RangeError(`a digest has 32 bytes, got ${bytes.length}`);
  return bytes;
}

/**
 * The digest under which the ledger knows a transaction, as every SDK and every node computes it.
 * @param bytes BCS of the TransactionData
 */
export function transactionDigest(bytes: Uint8Array): string {
  return toDigest(hash256(transactionSalt, bytes));
}
