import { ExactNumber, isExactDouble, reviveMarked, toMarked } from './exact-number.ts';
import { replaceNumbers } from './replace-numbers.ts';

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

/** An integer in any spelling: `1.0`, `1e1`, `-0`. Tests the text, since rounding to a double may hide a fraction. */
const wholeNumber = /^-?\d+(?:\.0+)?(?:[eE]\+?\d+)?$/;

function isSafeOrExact(text: string): boolean {
  return (wholeNumber.test(text) && Number.isSafeInteger(Number(text))) || isExactDouble(text);
}

/** Replaces each number that is not exact by its marked string; `null` when there is none. */
function markNumbers(json: string, isExact: (number: string) => boolean): string | null {
  return replaceNumbers(json, isExact, toMarked);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}
