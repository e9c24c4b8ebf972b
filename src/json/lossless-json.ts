import { replaceNumbers } from './replace-numbers.ts';

const wholeNumber = /^-?\d+$/;

/**
 * Parses JSON without rounding: a whole number beyond ±(2^53-1) becomes its decimal text, everything else is as from
 * `JSON.parse`. Ids and versions of the sponsor are u64, and a rounded reservation id could be another caller's.
 * @throws SyntaxError when the text is not JSON
 */
export function parseLosslessJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Scans numbers only: a regular expression over the whole text would try every digit of every id.
  const exact = replaceNumbers(text, isUnrounded, (number) => `"${number}"`);
  return exact === null ? value : JSON.parse(exact);
}

function isUnrounded(number: string): boolean {
  return !wholeNumber.test(number) || Number.isSafeInteger(Number(number));
}
