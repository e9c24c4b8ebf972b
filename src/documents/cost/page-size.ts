import { type ArgumentNode, Kind } from 'graphql';
import { ExactNumber } from '../../json/exact-number.ts';
import { sentValue, type Variables } from './variables.ts';

/** Where the page size of a connection comes from: literals in the text and variables. */
export interface PageSize {
  /** The larger of the literals given to `first` and `last`; `null` when neither has a usable one. */
  readonly literal: number | null;
  /** Names of the variables given to `first` and `last`. */
  readonly variables: readonly string[];
}

/** The ledger multiplies page sizes in 32 bits; a larger product is over any limit. */
export const maxMultiplicity = 2 ** 32 - 1;

const maxUnsigned64 = 2n ** 64n - 1n;
const digitsOfUnsigned64 = 20;

/** Reads `first` and `last`. If an argument is given twice, the first one counts. */
export function toPageSize(fieldArguments: readonly ArgumentNode[] | undefined): PageSize {
  let literal: number | null = null;
  const variables: string[] = [];
  for (const name of ['first', 'last']) {
    const value = fieldArguments?.find((argument) => argument.name.value === name)?.value;
    if (value?.kind === Kind.VARIABLE) variables.push(value.name.value);
    const size = value?.kind === Kind.INT ? parseSize(value.value) : null;
    if (size !== null) literal = Math.max(literal ?? 0, size);
  }
  // Kept with the document, so copied: a list that grew holds spare memory for more.
  return { literal, variables: variables.slice() };
}

/**
 * The items of a page: the larger of `first` and `last`, which may be 0; the default without a usable one. Like the ledger,
 * this reads the value sent for a variable and ignores the default declared for it.
 */
export function resolvePageSize(size: PageSize, variables: Variables, defaultPageSize: number): number {
  let items = size.literal;
  for (const name of size.variables) {
    const sent = toSize(sentValue(variables, name));
    if (sent !== null) items = Math.max(items ?? 0, sent);
  }
  return items ?? defaultPageSize;
}

/** Compares exactly, as a `BigInt`: near 2^64 a rounded double could fall on the wrong side of the bound. */
function parseSize(digits: string): number | null {
  if (digits.startsWith('-') || digits.length > digitsOfUnsigned64) return null;
  const exact = BigInt(digits);
  return exact <= maxUnsigned64 ? Number(exact) : null;
}

/** `null` for a number that is negative, `-0` included, fractional, or larger than 64 bits. */
function toSize(value: unknown): number | null {
  if (value instanceof ExactNumber) {
    return /^-?\d+$/.test(value.text) ? parseSize(value.text) : toSize(value.valueOf());
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) return null;
  return value >= 0 && value < 2 ** 64 && !Object.is(value, -0) ? value : null;
}
