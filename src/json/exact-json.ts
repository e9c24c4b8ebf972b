import { randomBytes } from 'node:crypto';

/**
 * `JSON.parse` and `JSON.stringify` round numbers to doubles. To avoid rounding, a number is written as a string: this mark,
 * then its digits. The mark is random per process and secret: any text with the mark would be printed without its quotes, and
 * the response might not be JSON.
 */
export const mark = `exact-${randomBytes(12).toString('base64url')}:`;
const markedText = new RegExp(`"${mark}(-?[0-9][0-9.eE+-]*)"`, 'g');
let isPrinting = false;

/**
 * A JSON number that a double cannot print back unchanged, such as `18446744073709551615` or `1.10`. Keeps the digits. In
 * comparisons and arithmetic it acts as the nearest double.
 */
export class ExactNumber {
  /** The digits as in the JSON text. */
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

  /** For `printJson`, a marked string, which it turns back into a number. Nothing else gets the mark. */
  toJSON(): string {
    return isPrinting ? mark + this.text : this.text;
  }
}

/** A plain number where a double is exact, else an `ExactNumber`. @param text a number by the grammar of JSON or GraphQL */
export function toExactNumber(text: string): number | ExactNumber {
  return isExactDouble(text) ? Number(text) : new ExactNumber(text);
}

/** A double prints at most this many characters, as `-0.0000012345678901234567`. Reading longer numbers takes microseconds. */
const maxDoubleLength = 25;

/** Does a double print back the same digits? */
function isExactDouble(text: string): boolean {
  return text.length <= maxDoubleLength && String(Number(text)) === text;
}

/** `JSON.stringify` that keeps the digits of exact numbers. */
export function printJson(value: unknown): string {
  isPrinting = true;
  let json: string;
  try {
    json = JSON.stringify(value);
  } finally {
    isPrinting = false;
  }
  return json.includes(mark) ? json.replace(markedText, '$1') : json;
}

/** Replaces marked strings by `ExactNumber`s. Changes the lists and objects of `value` in place. */
function reviveMarked(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? new ExactNumber(value.slice(mark.length)) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    // By index, because `Object.keys` of a list creates a string for each index.
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

export function hasExactNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof ExactNumber) return true;
  if (Array.isArray(value)) return value.some(hasExactNumber);
  for (const key in value) if (hasExactNumber((value as Readonly<Record<string, unknown>>)[key])) return true;
  return false;
}

/**
 * `JSON.parse` without rounding: a number that a double cannot print back becomes an `ExactNumber`.
 * @throws SyntaxError if the text is not JSON
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const marked = markNumbers(text, isExactDouble);
  return marked === null ? value : reviveMarked(JSON.parse(marked));
}

/**
 * Parses the body of a request, or a batch, and keeps exact numbers in its variables only. A safe integer stays a plain number
 * in any spelling, also `1.0` and `1e1`, because GraphQL accepts those for an `Int`.
 * @throws SyntaxError if the text is not JSON
 */
export function parseRequestJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Most requests have no variables: skip the scan of their long document.
  if (isObject(value) && !isObject(value.variables)) return value;
  const marked = markNumbers(text, isSafeOrExact);
  if (marked === null) return value;
  const exact: unknown = JSON.parse(marked);
  if (Array.isArray(value) && Array.isArray(exact)) {
    for (const [index, each] of value.entries()) keepVariables(each, exact[index]);
  } else keepVariables(value, exact);
  return value;
}

/**
 * Parses a variables object that stands alone, as in a query string.
 * @throws SyntaxError if the text is not JSON
 */
export function parseVariables(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const marked = markNumbers(text, isSafeOrExact);
  return marked === null || !isObject(value) ? value : reviveMarked(JSON.parse(marked));
}

/** Parses a WebSocket message, and keeps exact numbers in the variables of its payload only. @throws as `JSON.parse` */
export function parseMessageJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || !isObject(value.payload) || !isObject(value.payload.variables)) return value;
  const marked = markNumbers(text, isSafeOrExact);
  if (marked !== null) keepVariables(value.payload, (JSON.parse(marked) as { readonly payload: unknown }).payload);
  return value;
}

function keepVariables(request: unknown, exact: unknown): void {
  if (!isObject(request) || !isObject(exact) || !isObject(request.variables)) return;
  request.variables = reviveMarked(exact.variables);
}

/** An integer in any spelling: `1.0`, `1e1`, `-0`. Tests the text, because rounding to a double may hide a fraction. */
const wholeNumber = /^-?\d+(?:\.0+)?(?:[eE]\+?\d+)?$/;

function isSafeOrExact(text: string): boolean {
  return (wholeNumber.test(text) && Number.isSafeInteger(Number(text))) || isExactDouble(text);
}

/** Replaces each inexact number by its marked string; `null` if there is none. */
function markNumbers(json: string, isExact: (number: string) => boolean): string | null {
  return replaceNumbers(json, isExact, (number) => `"${mark}${number}"`);
}

/** Is it a JSON object: no list, and no number that keeps its digits? */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/**
 * Parses JSON without rounding: a whole number beyond ±(2^53-1) becomes its decimal text, everything else is as from
 * `JSON.parse`. Ids and versions of the sponsor are u64, and a rounded reservation id could be another caller's.
 * @throws SyntaxError if the text is not JSON
 */
export function parseLosslessJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Scans numbers only: a regular expression over the whole text would try every digit of every id.
  const exact = replaceNumbers(text, isUnrounded, (number) => `"${number}"`);
  return exact === null ? value : JSON.parse(exact);
}

function isUnrounded(number: string): boolean {
  return !/^-?\d+$/.test(number) || Number.isSafeInteger(Number(number));
}

const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
/** Any number of up to this many digits is exact in a double. */
const safeDigits = 15;

/**
 * Replaces numbers in JSON; `null` if none is replaced. Skips strings by `indexOf`, so that a large document in the JSON costs
 * next to nothing.
 * @param json valid JSON
 * @param isGood leaves a number unchanged; not called for whole numbers of up to 15 digits
 * @param replace returns the JSON that replaces the number
 */
function replaceNumbers(
  json: string,
  isGood: (number: string) => boolean,
  replace: (number: string) => string,
): string | null {
  let replaced: string | null = null;
  let from = 0;
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfText(json, at);
    else if (code !== minus && !isDigit(code)) at += 1;
    else {
      const end = endOfNumber(json, at);
      if (!isPlainNumber(json, at, end)) {
        const number = json.slice(at, end);
        if (!isGood(number)) {
          replaced = `${replaced ?? ''}${json.slice(from, at)}${replace(number)}`;
          from = end;
        }
      }
      at = end;
    }
  }
  return replaced === null ? null : replaced + json.slice(from);
}

/** @returns the index just after the string that begins at `at` */
export function endOfText(json: string, at: number): number {
  let end = json.indexOf('"', at + 1);
  while (end > 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end < 0 ? json.length : end + 1;
}

function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json.charCodeAt(before) === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

function endOfNumber(json: string, at: number): number {
  let end = at + 1;
  while (end < json.length && isPartOfNumber(json.charCodeAt(end))) end += 1;
  return end;
}

/** `0123456789+-.eE` */
function isPartOfNumber(code: number): boolean {
  return isDigit(code) || code === minus || code === 0x2b || code === 0x2e || code === 0x65 || code === 0x45;
}

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

/** Does the number consist of a few digits only? Most do, and are exact. */
function isPlainNumber(json: string, at: number, end: number): boolean {
  if (end - at > safeDigits) return false;
  for (let index = at; index < end; index += 1) if (!isDigit(json.charCodeAt(index))) return false;
  return true;
}
