import type { Buffer } from 'node:buffer';

const [quote, backslash] = [0x22, 0x5c];

const shortText = 32;

/** Reads JSON backwards, for answers whose beginning has been sent already or is too far away to be worth reading. */

/** Index of the last byte up to `from` that is not white space. */
export function skipSpaceBack(bytes: Buffer, from: number): number {
  let index = from;
  while (isSpace(bytes[index])) index -= 1;
  return index;
}

/**
 * Index of the opening quote of the text whose closing quote is at `end`; `null` if it is not in these bytes, or if
 * the quote at `end` is escaped.
 */
export function findTextStart(bytes: Buffer, end: number): number | null {
  if (isEscaped(bytes, end)) return null;
  // Most texts are short, and a call of `lastIndexOf` costs as much as a few dozen of these steps.
  for (let at = end - 1; at > end - shortText; at -= 1) {
    if (bytes[at] === quote && !isEscaped(bytes, at)) return at;
  }
  for (let at = end - shortText + 1; at > 0; ) {
    at = bytes.lastIndexOf(quote, at - 1);
    if (at < 0) return null;
    if (!isEscaped(bytes, at)) return at;
  }
  return null;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at - 1;
  while (bytes[before] === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
