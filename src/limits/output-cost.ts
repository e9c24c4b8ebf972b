import { maxMultiplicity, type PageSize, resolvePageSize } from './page-size.ts';
import { addCounts, maxCount } from './usage.ts';
import type { Variables } from './variables.ts';

/**
 * Fields of one place in the document, counted as if the place were there once. `count` and `peak` are scratch of the
 * evaluation, reset by each, so that pricing a request allocates nothing.
 */
export interface Tally {
  /** Fields written right there. */
  own: number;
  /** A field `edges` or `nodes` is among them, itself or through fragments. */
  isPaged: boolean;
  count: number;
  /** The largest product of page sizes on any way down from here. */
  peak: number;
}

/** Adds one tally to another, as often as the page has items; once where `size` is `null`. */
export interface Transfer {
  readonly from: Tally;
  readonly to: Tally;
  readonly size: PageSize | null;
}

/**
 * Output nodes of a document with these variables. `maxCount` when a page size, or a product of them, is more than the
 * ledger's counter holds, even where nothing is multiplied by it: the ledger refuses then, whatever the count.
 */
export type OutputCost = (variables: Variables, defaultPageSize: number) => number;

export function createTally(): Tally {
  return { own: 0, isPaged: false, count: 0, peak: 1 };
}

/**
 * @param transfers in an order in which each tally is complete before it is added to another
 * @param total the tally all operations end in
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
