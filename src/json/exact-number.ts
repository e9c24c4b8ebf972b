import { randomBytes } from 'node:crypto';

/**
 * `JSON.parse` and `JSON.stringify` round numbers to doubles. To pass through them unrounded, a number is written as a
 * string: this mark, then its digits. The mark is random per process, so no client can forge one; a forged one would
 * only be read as a number.
 */
const mark = `exact-${randomBytes(12).toString('base64url')}:`;
const markedText = new RegExp(`"${mark}(-?[0-9][0-9.eE+-]*)"`, 'g');

/**
 * A JSON number that a double cannot print back as it was written, like `18446744073709551615` or `1.10`. Keeps the
 * digits. In comparisons and arithmetic it acts as the nearest double.
 */
export class ExactNumber {
  /** The digits as the JSON had them. */
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

  /** A marked string, which `printJson` turns back into a number. */
  toJSON(): string {
    return mark + this.text;
  }
}

/** A plain number where a double is exact, else an `ExactNumber`. @param text a number by the grammar of JSON or GraphQL */
export function toExactNumber(text: string): number | ExactNumber {
  return isExactDouble(text) ? Number(text) : new ExactNumber(text);
}

/** Does a double print back the same digits? */
export function isExactDouble(text: string): boolean {
  return String(Number(text)) === text;
}

/** `JSON.stringify` that keeps the digits of exact numbers. */
export function printJson(value: unknown): string {
  return unmarkJson(JSON.stringify(value));
}

/** Replaces marked strings by the numbers they stand for, in JSON that `JSON.stringify` wrote. */
function unmarkJson(json: string): string {
  return json.includes(mark) ? json.replace(markedText, '$1') : json;
}

/** The marked string of a number, quotes included, ready to be put into JSON text. */
export function toMarked(text: string): string {
  return `"${mark}${text}"`;
}

/** Replaces marked strings by `ExactNumber`s. Changes the lists and objects of `value` in place. */
export function reviveMarked(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? new ExactNumber(value.slice(mark.length)) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    // By index, since `Object.keys` of a list makes a text of each index.
    for (let index = 0; index < value.length; index += 1) value[index] = reviveMarked(value[index]);
    return value;
  }
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    const member = members[key];
    const revived = reviveMarked(member);
    // A plain assignment to a key named `__proto__` would change the prototype instead.
    if (revived !== member) Object.defineProperty(members, key, { value: revived });
  }
  return value;
}

/** Does a parsed JSON value contain an `ExactNumber`? */
export function hasExactNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof ExactNumber) return true;
  if (Array.isArray(value)) return value.some(hasExactNumber);
  for (const key in value) if (hasExactNumber((value as Readonly<Record<string, unknown>>)[key])) return true;
  return false;
}
