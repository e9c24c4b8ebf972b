import { hash256 } from './digest.ts';

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

/** 32 bytes as an address. */
export function toAddress(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

/** Writes an address in full: people may leave out leading zeros. */
export function toFullAddress(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
}
