import { replaceNumbers } from './replace-numbers.ts';

const wholeNumber = /^-?\d+$/;

/**
 * Parses JSON without rounding: a whole number beyond ±(2^53-1) comes out as its decimal text, everything else as
 * `JSON.parse` gives it. Ids and versions of the sponsor are u64, and a rounded reservation id names somebody else's coins.
 * @throws SyntaxError when the text is not JSON
 */
export function parseLosslessJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Looks at numbers alone: an expression that looks for long ones in the whole text tries every digit of every id in it.
  const exact = replaceNumbers(text, isUnrounded, (number) => `"${number}"`);
  return exact === null ? value : JSON.parse(exact);
}

function isUnrounded(number: string): boolean {
  return !wholeNumber.test(number) || Number.isSafeInteger(Number(number));
}
