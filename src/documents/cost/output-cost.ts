import { maxMultiplicity, type PageSize, resolvePageSize } from './page-size.ts';
import { addCounts, maxCount } from './usage.ts';
import type { Variables } from './variables.ts';

/** The fields of one place in a document: an operation, a fragment, or a page. */
export interface Tally {
  /** Fields written in this place, not multiplied by any page size. */
  own: number;
  /** The place selects `edges` or `nodes`, directly or through fragments. */
  isPaged: boolean;
}

/** Adds one tally to another, multiplied by the items of a page; once when `size` is `null`. */
export interface Transfer {
  readonly from: Tally;
  readonly to: Tally;
  readonly size: PageSize | null;
}

/**
 * Output nodes of a document with these variables. `maxCount` when a page size, or a product of page sizes, overflows the
 * ledger's counter, even if it multiplies nothing: the ledger refuses such a document too.
 */
export type OutputCost = (variables: Variables, defaultPageSize: number) => number;

export function createTally(): Tally {
  return { own: 0, isPaged: false };
}

/** Numbers in `route` for one transfer: the place it comes from and the place it goes to. */
const numbersOfTransfer = 2;

/** Used by each pricing and overwritten by the next: fields of each place with all page sizes multiplied in. */
const counts: number[] = [];
/** Likewise: the largest product of page sizes on any path down from each place. */
const peaks: number[] = [];

/** A cost, and how many numbers are held for it. */
export interface WeighedCost {
  readonly outputNodes: OutputCost;
  readonly numbers: number;
}

/** A page size takes as much memory as so many numbers. */
const numbersOfPageSize = 16;

/**
 * Kept with the document, so it holds numbers in lists and nothing of what they were gathered from; pricing allocates nothing.
 * @param transfers ordered so that each tally is complete before it is added to another
 * @param total the tally that all operations are added to
 */
export function createOutputCost(transfers: readonly Transfer[], total: Tally): WeighedCost {
  const places = new Map<Tally, number>();
  const own: number[] = [];
  const numberOf = (tally: Tally): number => {
    const known = places.get(tally) ?? own.length;
    if (known === own.length) {
      places.set(tally, known);
      own.push(tally.own);
    }
    return known;
  };
  const last = numberOf(total);
  const route: number[] = [];
  for (const { from, to } of transfers) route.push(numberOf(from), numberOf(to));
  // Copied, because a list that grew holds spare memory for more.
  const sizes = toPageSizes(transfers);
  const outputNodes = toOutputCost(own.slice(), route.slice(), sizes, last);
  const numbers = own.length + route.length + (sizes ? sizes.length + new Set(sizes).size * numbersOfPageSize : 0);
  return { outputNodes, numbers };
}

/** The page size of each transfer, equal ones shared; `null` if there are none, as in most documents. */
function toPageSizes(transfers: readonly Transfer[]): readonly (PageSize | null)[] | null {
  const known = new Map<string, PageSize>();
  const sizes = transfers.map(({ size }) => {
    if (size === null) return null;
    const key = `${size.literal} ${size.variables.join(' ')}`;
    const same = known.get(key) ?? size;
    known.set(key, same);
    return same;
  });
  return known.size > 0 ? sizes : null;
}

/** A function of its own, so that the cost holds no tally: functions of one scope hold all that any of them uses. */
function toOutputCost(
  own: readonly number[],
  route: readonly number[],
  sizes: readonly (PageSize | null)[] | null,
  total: number,
): OutputCost {
  return (variables, defaultPageSize) => {
    for (let place = 0; place < own.length; place += 1) {
      counts[place] = own[place] ?? 0;
      peaks[place] = 1;
    }
    for (let at = 0; at < route.length; at += numbersOfTransfer) {
      const from = route[at] ?? 0;
      const to = route[at + 1] ?? 0;
      const size = sizes?.[at / numbersOfTransfer] ?? null;
      const items = size === null ? 1 : resolvePageSize(size, variables, defaultPageSize);
      if (items > maxMultiplicity) return maxCount;
      counts[to] = addCounts(counts[to] ?? 0, items * (counts[from] ?? 0));
      peaks[to] = Math.max(peaks[to] ?? 1, Math.min(items * (peaks[from] ?? 1), maxCount));
    }
    return (peaks[total] ?? 1) > maxMultiplicity ? maxCount : (counts[total] ?? 0);
  };
}
