import { randomBytes } from 'node:crypto';

/**
 * How a number stands in JSON text that is written or read by functions which know only doubles: as a text of its digits
 * behind this. Made anew for each process, so that no client can write one; whoever did would only have written a number.
 */
const mark = `exact-${randomBytes(12).toString('base64url')}:`;
const markedText = new RegExp(`"${mark}(-?[0-9][0-9.eE+-]*)"`, 'g');

/**
 * A number of JSON that a double would write otherwise, `18446744073709551615` or `1.10`: its digits are kept. Compares and
 * calculates as the double nearest to it.
 */
export class ExactNumber {
  /** As it stood in the JSON. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  valueOf(): number {
    return Number(this.text);
  }

  /** For `printJson`, which makes a number of it again. */
  toJSON(): string {
    return mark + this.text;
  }
}

/** A number as JSON has it: exact where a double is not. @param text by the grammar of JSON or GraphQL */
export function toExactNumber(text: string): number | ExactNumber {
  return isExactDouble(text) ? Number(text) : new ExactNumber(text);
}

/** Does a double keep the digits? */
export function isExactDouble(text: string): boolean {
  return String(Number(text)) === text;
}

/** `JSON.stringify` that keeps the digits of exact numbers. */
export function printJson(value: unknown): string {
  return unmarkJson(JSON.stringify(value));
}

/** Makes numbers of what stands for exact ones in JSON that `JSON.stringify` has written. */
export function unmarkJson(json: string): string {
  return json.includes(mark) ? json.replace(markedText, '$1') : json;
}

/** As it stands for the number in JSON text that is read by somebody else. */
export function toMarked(text: string): string {
  return `"${mark}${text}"`;
}

/** Puts exact numbers in place of what stands for them, in lists and objects as they are. */
export function reviveMarked(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? new ExactNumber(value.slice(mark.length)) : value;
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    const member = members[key];
    const revived = reviveMarked(member);
    // `__proto__` may be a key, which cannot be set in the usual way.
    if (revived !== member) Object.defineProperty(members, key, { value: revived });
  }
  return value;
}

/** Is there an exact number in a value of JSON? */
export function hasExactNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof ExactNumber) return true;
  if (Array.isArray(value)) return value.some(hasExactNumber);
  for (const key in value) if (hasExactNumber((value as Readonly<Record<string, unknown>>)[key])) return true;
  return false;
}
