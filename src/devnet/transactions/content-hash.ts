import { hash } from 'node:crypto';

/**
 * A hash for digests that only the ledger itself computes (objects, events, checkpoints): the first half of Node's
 * BLAKE2b-512, at a fraction of the cost of `hash256`. A start computes thousands.
 */
export function contentHash(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(hash('blake2b512', bytes, 'buffer').subarray(0, 32));
}
