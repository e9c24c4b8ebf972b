/** `0x` and 1 to 64 hex digits, written out to all 64 in lower case; `null` if it is no address. */
export function toCanonicalAddress(text: string): string | null {
  return /^0x[0-9a-fA-F]{1,64}$/.test(text) ? `0x${text.slice(2).toLowerCase().padStart(64, '0')}` : null;
}

/** A name of a Move module, function or struct. */
export function isMoveIdentifier(text: string): boolean {
  return /^([A-Za-z][A-Za-z0-9_]{0,127}|_[A-Za-z0-9_]{1,127})$/.test(text);
}
