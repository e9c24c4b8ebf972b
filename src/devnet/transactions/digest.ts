import { hash } from 'node:crypto';
import { blake2b } from '@noble/hashes/blake2.js';
import { base58 } from '@scure/base';

const transactionSalt = Buffer.from('TransactionData::');

/** BLAKE2b with 32 bytes of output over the parts, one after the other. */
export function hash256(...parts: readonly Uint8Array[]): Uint8Array {
  const only = parts[0];
  return blake2b(parts.length === 1 && only !== undefined ? only : Buffer.concat(parts), { dkLen: 32 });
}

/**
 * A hash for digests that only the ledger itself computes (objects, events, checkpoints): the first half of Node's
 * BLAKE2b-512, at a tenth of the cost of `hash256`. A start computes thousands.
 */
export function contentHash(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(hash('blake2b512', bytes, 'buffer').subarray(0, 32));
}

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

/** The digest every SDK and every node computes for a transaction, from the BCS of its TransactionData. */
export function transactionDigest(bytes: Uint8Array): string {
  return toDigest(hash256(transactionSalt, bytes));
}
