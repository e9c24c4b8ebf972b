import { blake2b } from '@noble/hashes/blake2.js';
import { base58 } from '@scure/base';
import wasm from 'hash-wasm/dist/blake2b.umd.min.js';

let quick: Awaited<ReturnType<typeof wasm.createBLAKE2b>> | null = null;
// Compiling takes a moment, and `--jitless` forbids it. Until then, and without it, the JavaScript version is used.
wasm.createBLAKE2b(256).then(
  (hasher) => {
    quick = hasher;
  },
  () => {},
);

/**
 * BLAKE2b of the concatenated parts, with 32 bytes of output. node:crypto has only the 64-byte form, which is a different hash. A
 * transaction takes 2 µs in WebAssembly, and 20 to 40 µs in JavaScript, which has no fast 64-bit integers.
 */
export function hash256(...parts: readonly Uint8Array[]): Uint8Array {
  const hasher = quick?.init() ?? blake2b.create({ dkLen: 32 });
  for (const part of parts) hasher.update(part);
  return hasher.digest('binary');
}

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
