import { hash256 } from '../../transactions/digest.ts';
import { toAddress } from '../../transactions/ledger-bcs.ts';

/** The zero address: sender of system transactions. */
export const zeroAddress = `0x${'0'.repeat(64)}`;

/** `2` → `0x000…02`. For the framework's well-known ids. */
export function toWellKnownAddress(id: number): string {
  return `0x${id.toString(16).padStart(64, '0')}`;
}

/** The address of an Ed25519 key with the scheme flag before the key, as Sui derives it. */
export function toFlaggedAddress(publicKey: Uint8Array): string {
  return toAddress(hash256(Uint8Array.of(0), publicKey));
}

/** The address of an Ed25519 key without a flag, as IOTA derives it. */
export function toBareAddress(publicKey: Uint8Array): string {
  return toAddress(hash256(publicKey));
}
