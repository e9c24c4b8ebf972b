/** A JSON string or number. Strings are matched first, so that digits inside them are never taken for numbers. */
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const wholeNumber = /^-?\d+$/;

/**
 * Parses JSON without rounding: a whole number beyond ±(2^53-1) comes out as its decimal text, everything else as
 * `JSON.parse` gives it. Ids and versions of the sponsor are u64, and a rounded reservation id names somebody else's coins.
 * @throws SyntaxError when the text is not JSON
 */
export function parseLosslessJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!/\d{16}/.test(text)) return value;
  return JSON.parse(text.replace(stringOrNumber, (token) => (isRounded(token) ? `"${token}"` : token)));
}

function isRounded(token: string): boolean {
  return wholeNumber.test(token) && !Number.isSafeInteger(Number(token));
}
