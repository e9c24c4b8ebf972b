import { describe, expect, test } from 'vitest';
import type { Source, SourcePage } from '../../../src/events/source.ts';
import type { ItemPosition } from '../../../src/live/live-source.ts';
import { createPagedLedger, type NumberedItem, pageStyles, timeOf } from '../../support/paged-ledger.ts';

async function readAll(source: Source<NumberedItem>, limit: number, descending: boolean): Promise<number[]> {
  const found: number[] = [];
  for (let after: ItemPosition | null = null, hasMore: boolean | null = true; hasMore; ) {
    const page: SourcePage<NumberedItem> = await source.readPage({ after, limit, descending, cancellation: undefined });
    found.push(...page.items.map(({ number }) => number));
    ({ next: after, hasMore } = page);
  }
  return found;
}

const count = 180;
const first = timeOf(0);

describe.each(pageStyles)('the items of a time range at a ledger with %s pages', (style) => {
  test.each([
    ['all', first, first + 900_000],
    ['the times of two items, both included', timeOf(35), timeOf(91)],
    ['a millisecond less at both ends', timeOf(35) + 1, timeOf(91) - 1],
    ['a millisecond more at both ends', timeOf(35) - 1, timeOf(91) + 1],
    ['the time of one item', timeOf(70), timeOf(70)],
    ['a time between two checkpoints', timeOf(70) + 1, timeOf(70) + 2],
    ['a quiet stretch', timeOf(72), timeOf(103)],
    ['the newest checkpoint', timeOf(count - 1), timeOf(count - 1)],
    ['the future', timeOf(count - 1) + 1, timeOf(count - 1) + 9_000],
    ['before the oldest item', 0, first - 1],
  ])('%s', async (__, startMs, endMs) => {
    for (const of of [1, 35]) {
      const ledger = createPagedLedger(style, count);
      const open = ledger.openRange(of);
      const isWanted = (number: number) => number % of === 0 && startMs <= timeOf(number) && timeOf(number) <= endMs;
      const expected = Array.from({ length: count }, (_, number) => number).filter(isWanted);
      for (const limit of [1, 7, 50]) {
        expect(await readAll(open({ startMs, endMs }), limit, false)).toEqual(expected);
        expect(await readAll(open({ startMs, endMs }), limit, true)).toEqual(expected.toReversed());
      }
    }
  });

  test('begins with the oldest that the ledger keeps, and not later because a node lags', async () => {
    const ledger = createPagedLedger(style, count);
    const open = ledger.openRange(1);
    ledger.oldest = 60;
    expect(await readAll(open({ startMs: first, endMs: timeOf(100) }), 50, false)).toEqual(
      Array.from({ length: 42 }, (_, index) => 60 + index),
    );
  });

  test('takes one request for a page in its middle', async () => {
    const ledger = createPagedLedger(style, count);
    const open = ledger.openRange(1);
    const range = { startMs: timeOf(30), endMs: timeOf(160) };
    const page = { limit: 10, descending: false, cancellation: undefined };
    const { next } = await open(range).readPage({ ...page, after: null });
    ledger.asked.length = 0;
    const { items } = await open(range).readPage({ ...page, after: next });
    expect(items.map(({ number }) => number)).toEqual([40, 41, 42, 43, 44, 45, 46, 47, 48, 49]);
    // The range itself is looked up where the ledger filters by checkpoint.
    expect(ledger.asked).toHaveLength(style === 'pinned' ? 1 : 2);
  });
});
