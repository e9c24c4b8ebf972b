import { ExactNumber, isExactDouble, reviveMarked, toMarked } from './exact-number.ts';

/**
 * `JSON.parse` without rounding: a number that a double cannot print back becomes an `ExactNumber`.
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const marked = markNumbers(text, isExactDouble);
  return marked === null ? value : reviveMarked(JSON.parse(marked));
}

/**
 * Parses the body of a request, or a batch, and keeps exact numbers in its variables only. A safe integer stays a plain
 * number in any spelling, `1.0` and `1e1` too: GraphQL accepts those for an `Int`.
 * @throws SyntaxError when the text is not JSON
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

/** Parses a variables object that stands alone, as in a query string. @throws SyntaxError when the text is not JSON */
export function parseVariables(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const marked = markNumbers(text, isSafeOrExact);
  return marked === null || !isObject(value) ? value : reviveMarked(JSON.parse(marked));
}

/**
 * Prepares a WebSocket message for a library that calls `JSON.parse` itself: marks the numbers in its variables that a
 * double would round, for `reviveMarked` to restore. A message that is not JSON is returned unchanged.
 */
export function markVariables(message: string): string {
  let value: unknown;
  try {
    value = JSON.parse(message);
  } catch {
    return message;
  }
  const marked = markNumbers(message, isSafeOrExact);
  if (marked === null || !isObject(value) || !isObject(value.payload) || !isObject(value.payload.variables)) {
    return message;
  }
  const exact = JSON.parse(marked) as { readonly payload: { readonly variables: unknown } };
  value.payload.variables = exact.payload.variables;
  return JSON.stringify(value);
}

function keepVariables(request: unknown, exact: unknown): void {
  if (!isObject(request) || !isObject(exact) || !isObject(request.variables)) return;
  request.variables = reviveMarked(exact.variables);
}

/** An integer in any spelling: `1.0`, `1e1`, `-0`. Tests the text, since rounding to a double may hide a fraction. */
const wholeNumber = /^-?\d+(?:\.0+)?(?:[eE]\+?\d+)?$/;

function isSafeOrExact(text: string): boolean {
  return (wholeNumber.test(text) && Number.isSafeInteger(Number(text))) || isExactDouble(text);
}

const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
/** Any number of up to this many digits is exact in a double. */
const safeDigits = 15;

/**
 * Replaces each number that is not exact by its marked string; `null` when there is none. Skips strings by `indexOf`, so a
 * large document in the JSON costs next to nothing.
 * @param json valid JSON
 */
function markNumbers(json: string, isExact: (number: string) => boolean): string | null {
  let marked: string | null = null;
  let from = 0;
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfText(json, at);
    else if (code !== minus && !isDigit(code)) at += 1;
    else {
      const end = endOfNumber(json, at);
      if (!isPlainNumber(json, at, end)) {
        const number = json.slice(at, end);
        if (!isExact(number)) {
          marked = `${marked ?? ''}${json.slice(from, at)}${toMarked(number)}`;
          from = end;
        }
      }
      at = end;
    }
  }
  return marked === null ? null : marked + json.slice(from);
}

/** @returns the index just after the string that begins at `at` */
function endOfText(json: string, at: number): number {
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

/** Is it nothing but a few digits, and so surely exact? Most numbers are. */
function isPlainNumber(json: string, at: number, end: number): boolean {
  if (end - at > safeDigits) return false;
  for (let index = at; index < end; index += 1) if (!isDigit(json.charCodeAt(index))) return false;
  return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}
