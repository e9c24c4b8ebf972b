import { ExactNumber } from './exact-number.ts';

// In bytes, measured in V8.
const slotBytes = 8;
const objectBytes = 64;
/** Per member, in addition to its slot and name. Objects that share their names take less. */
const memberBytes = 40;
const arrayBytes = 40;
const numberBytes = 16;
const textBytes = 24;
const exactNumberBytes = 120;

/** Estimates the memory of a parsed JSON value in bytes, from above: many `{}` take 20 times the length of their text. */
export function measureHeap(value: unknown): number {
  if (typeof value === 'string') return measureText(value);
  if (typeof value === 'number') return (value | 0) === value ? 0 : numberBytes;
  if (typeof value !== 'object' || value === null) return 0;
  if (value instanceof ExactNumber) return exactNumberBytes + value.text.length;
  if (Array.isArray(value)) {
    let bytes = arrayBytes;
    for (const each of value) bytes += slotBytes + measureHeap(each);
    return bytes;
  }
  let bytes = objectBytes;
  for (const [name, member] of Object.entries(value))
    bytes += memberBytes + name.length + slotBytes + measureHeap(member);
  return bytes;
}

/** V8 takes one byte per character, or two if the text has characters beyond Latin-1. */
export function measureText(text: string): number {
  return textBytes + text.length * (isLatin1.test(text) ? 1 : 2);
}

/** A whole text of Latin-1. */
const isLatin1 = /^[\0-\xff]*$/;
