/** 32 bytes as an address. */
export function toAddress(bytes: Uint8Array): string {
  // A view of the same memory: `Buffer.from(bytes)` would copy it first.
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** Writes an address in full, in lower case: people may leave out leading zeros. */
export function toFullAddress(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
}
