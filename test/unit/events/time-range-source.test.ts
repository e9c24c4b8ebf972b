import { describe, expect, test } from 'vitest';
import type { LedgerHistory } from '../../../src/config/networks/history-schema.ts';
import { createListSource } from '../../../src/events/ledger-source.ts';
import type { Position, SourcePage } from '../../../src/events/source.ts';
import { createTimeRangeSource } from '../../../src/events/time-range-source.ts';

interface Event {
  readonly checkpoint: number;
}

const stepMs = 100;
const newest = 60;
const numbers = Array.from({ length: newest + 1 }, (_, number) => number);
/** A checkpoint every 100 ms with one transaction; most have no event. */
const events: readonly Event[] = numbers.filter((number) => number % 7 === 3).map((checkpoint) => ({ checkpoint }));
const positionOf = ({ checkpoint }: Event): Position => ({
  digest: `t${checkpoint}`,
  eventSeq: '0',
  timestampMs: checkpoint * stepMs,
});

/** @param hasCheckpoints whether the ledger filters events by checkpoint */
function open(range: { readonly startMs: number; readonly endMs: number }, hasCheckpoints: boolean) {
  const first = numbers.find((number) => number * stepMs >= range.startMs) ?? null;
  const end = numbers.find((number) => number * stepMs > range.endMs) ?? null;
  return createTimeRangeSource<Event>({
    range,
    times: { find: async () => (first === null ? null : { first, end }) },
    history: {
      checkpoints: { after: 'afterNumber', before: 'beforeNumber', at: 'at' },
      transactions: { field: 'transactions' },
      events: { hasCheckpoints, filters: { transaction: 'digest' } },
    } as LedgerHistory,
    execute: async ({ document }) => ({ data: { page: toTransactions('text' in document ? document.text : '') } }),
    sourceOf: ({ afterNumber = -1, beforeNumber = newest + 1 }: Record<string, string | number>) =>
      createListSource(
        async () => events.filter((each) => +afterNumber < each.checkpoint && each.checkpoint < +beforeNumber),
        positionOf,
      ),
    readEvents: async ({ filter }) => {
      const found = events.filter((each) => JSON.stringify(positionOf(each).digest) === filter.digest);
      const edges = found.map((item) => ({ item, cursor: 'c', order: null }));
      return { edges, hasPrevious: false, hasNext: false, start: null, end: null };
    },
  });
}

/** A page of at most 5 transactions; its cursors are their numbers. */
function toTransactions(text: string) {
  const argument = (name: string) => Number(new RegExp(`${name}:"?(\\d+)`).exec(text)?.[1] ?? Number.NaN);
  const isWanted = (number: number) =>
    !(number <= argument('afterNumber') || number >= argument('beforeNumber')) &&
    !(number <= argument('after') || number >= argument('before'));
  const all = numbers.filter(isWanted);
  const shown = text.includes('(last:') ? all.slice(-5) : all.slice(0, 5);
  const hasMore = shown.length < all.length;
  const eventsOf = (number: number) =>
    events.some(({ checkpoint }) => checkpoint === number) ? [{ cursor: 'e' }] : [];
  const edges = shown.map((number) => ({
    cursor: `${number}`,
    node: { digest: `t${number}`, effects: { events: { edges: eventsOf(number) } } },
  }));
  const [startCursor = null, endCursor = null] = [edges[0]?.cursor, edges.at(-1)?.cursor];
  return { edges, pageInfo: { hasPreviousPage: hasMore, hasNextPage: hasMore, startCursor, endCursor } };
}

describe.each([
  ['a ledger that filters events by checkpoint', true],
  ['a ledger that does not', false],
])('the events of a time range at %s', (_, hasCheckpoints) => {
  test.each([
    ['all', 0, 9_000],
    ['the times of two events, both included', 1_000, 3_100],
    ['a millisecond less at both ends', 1_001, 3_099],
    ['a millisecond more at both ends', 999, 3_101],
    ['the time of one event', 2_400, 2_400],
    ['a time between two events', 2_401, 3_099],
    ['a time between two checkpoints', 2_401, 2_402],
    ['the newest event', 5_900, 5_900],
    ['the newest checkpoint', 6_000, 6_000],
    ['the future', 6_001, 9_000],
    ['before the oldest event', 0, 299],
  ])('%s', async (__, startMs, endMs) => {
    const expected = events.filter(({ checkpoint }) => startMs <= checkpoint * stepMs && checkpoint * stepMs <= endMs);
    for (const descending of [false, true]) {
      for (const limit of [1, 2, 50]) {
        const source = open({ startMs, endMs }, hasCheckpoints);
        const found: Event[] = [];
        for (let after: Position | null = null, hasMore: boolean | null = true; hasMore; ) {
          const page: SourcePage<Event> = await source.readPage({ after, limit, descending, cancellation: undefined });
          found.push(...page.items);
          ({ next: after, hasMore } = page);
        }
        expect(found).toEqual(descending ? expected.toReversed() : expected);
      }
    }
  });
});
