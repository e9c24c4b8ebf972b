import { maxMultiplicity, type PageSize, resolvePageSize } from './page-size.ts';
import { addCounts, maxCount } from './usage.ts';
import type { Variables } from './variables.ts';

/**
 * Counts the fields of one place in a document: an operation, a fragment, or a page. `own` and `isPaged` come from the text.
 * `count` and `peak` are overwritten by each pricing, so that pricing a request allocates nothing.
 */
export interface Tally {
  /** Fields written in this place, not multiplied by any page size. */
  own: number;
  /** The place selects `edges` or `nodes`, directly or through fragments. */
  isPaged: boolean;
  /** Fields with all page sizes multiplied in. */
  count: number;
  /** The largest product of page sizes on any path down from here. */
  peak: number;
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
  return { own: 0, isPaged: false, count: 0, peak: 1 };
}

/**
 * @param transfers ordered so that each tally is complete before it is added to another
 * @param total the tally that all operations are added to
 */
export function createOutputCost(transfers: readonly Transfer[], total: Tally): OutputCost {
  const touched = new Set([total]);
  for (const { from, to } of transfers) touched.add(from).add(to);
  const tallies = [...touched];
  return (variables, defaultPageSize) => {
    for (const tally of tallies) {
      tally.count = tally.own;
      tally.peak = 1;
    }
    for (const { from, to, size } of transfers) {
      const items = size === null ? 1 : resolvePageSize(size, variables, defaultPageSize);
      if (items > maxMultiplicity) return maxCount;
      to.count = addCounts(to.count, items * from.count);
      to.peak = Math.max(to.peak, Math.min(items * from.peak, maxCount));
    }
    return total.peak > maxMultiplicity ? maxCount : total.count;
  };
}
