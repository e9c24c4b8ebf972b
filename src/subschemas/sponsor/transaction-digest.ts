import { blake2b } from '@noble/hashes/blake2.js';
import { base58 } from '@scure/base';

const prefix = new TextEncoder().encode('TransactionData::');

/**
 * The digest under which the ledger knows a transaction: base58 of the 32-byte BLAKE2b of the type's name and the bytes.
 * node:crypto offers only the 64-byte form, which is not a longer version of this one.
 * @param bytes BCS of the TransactionData
 */
export function transactionDigest(bytes: Uint8Array): string {
  return base58.encode(blake2b.create({ dkLen: 32 }).update(prefix).update(bytes).digest());
}
