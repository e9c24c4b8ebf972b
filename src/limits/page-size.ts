import { type ArgumentNode, Kind } from 'graphql';
import { ExactNumber } from '../json/exact-number.ts';
import { sentValue, type Variables } from './variables.ts';

/** Where the page size of a connection comes from, as far as the text tells. */
export interface PageSize {
  /** The larger literal of `first` and `last`; `null` when neither is a usable one. */
  readonly literal: number | null;
  /** The variables given to them. */
  readonly variables: readonly string[];
}

/** Page sizes, and products of page sizes, beyond this do not fit the ledger's counter: they are over any limit. */
export const maxMultiplicity = 2 ** 32 - 1;

const maxUnsigned64 = 2n ** 64n - 1n;
const digitsOfUnsigned64 = 20;

/** Given twice, an argument counts as first given. */
export function toPageSize(fieldArguments: readonly ArgumentNode[] | undefined): PageSize {
  let literal: number | null = null;
  const variables: string[] = [];
  for (const name of ['first', 'last']) {
    const value = fieldArguments?.find((argument) => argument.name.value === name)?.value;
    if (value?.kind === Kind.VARIABLE) variables.push(value.name.value);
    const size = value?.kind === Kind.INT ? parseSize(value.value) : null;
    if (size !== null) literal = Math.max(literal ?? 0, size);
  }
  return { literal, variables };
}

/**
 * The items of a page: the larger of `first` and `last`, zero honoured; without a usable one the default. A variable
 * counts by the number that was sent; its declared default is not looked at, nor does the ledger.
 */
export function resolvePageSize(size: PageSize, variables: Variables, defaultPageSize: number): number {
  let items = size.literal;
  for (const name of size.variables) {
    const sent = toSize(sentValue(variables, name));
    if (sent !== null) items = Math.max(items ?? 0, sent);
  }
  return items ?? defaultPageSize;
}

/** Exact at any length: what a double cannot tell from 2^64 must not decide between the default and a refusal. */
function parseSize(digits: string): number | null {
  if (digits.startsWith('-') || digits.length > digitsOfUnsigned64) return null;
  const exact = BigInt(digits);
  return exact <= maxUnsigned64 ? Number(exact) : null;
}

/** Negative, fractional and larger than 64 bits is no size. `-0` is how JSON says a negative one. */
function toSize(value: unknown): number | null {
  if (value instanceof ExactNumber) {
    return /^-?\d+$/.test(value.text) ? parseSize(value.text) : toSize(value.valueOf());
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) return null;
  return value >= 0 && value < 2 ** 64 && !Object.is(value, -0) ? value : null;
}
