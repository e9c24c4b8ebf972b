import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxSpareCalls } from '../../../src/config/event-calls.ts';
import { createSpareCalls, type Page, type PageRange, readPage as readPageOf } from '../../../src/events/connection.ts';
import type { Source, SourcePage } from '../../../src/events/source.ts';
import type { ItemPosition } from '../../../src/live/live-source.ts';

const at = (digest: string, eventSeq: number, timestampMs: number | null): ItemPosition => ({
  key: `${digest}:${eventSeq}`,
  timestampMs,
});

/** One page of an operation that reads no other. */
const readPage = <Item>(range: PageRange, source: Source<Item>, spare = createSpareCalls()): Promise<Page<Item>> =>
  readPageOf(range, source, spare);

/** An upstream that behaves: exclusive cursors, 50 at most, `next` is the last item even at the end. */
function upstream(ledger: readonly ItemPosition[]) {
  const calls: { readonly limit: number; readonly descending: boolean }[] = [];
  const walk: Source<ItemPosition> = {
    positionOf: (item) => item,
    readPage: async ({ after: cursor, limit, descending }) => {
      calls.push({ limit, descending });
      const order = descending ? ledger.toReversed() : ledger;
      const start = cursor ? order.findIndex(({ key }) => key === cursor.key) + 1 : 0;
      const items = order.slice(start, start + Math.min(limit, 50));
      return { items, next: items.at(-1) ?? cursor, hasMore: start + items.length < order.length };
    },
  };
  return { walk, calls };
}

const events = (count: number) => Array.from({ length: count }, (_, i) => at(`d${i}`, 0, i));
const names = (items: readonly ItemPosition[]) => items.map(({ key }) => key.replace(':', '.'));

describe('one page of ten', () => {
  const ledger = events(10);
  const page = (range: Partial<Parameters<typeof readPage>[0]>) =>
    readPage({ size: 3, backward: false, after: null, before: null, ...range }, upstream(ledger).walk);

  test('first 3', async () => {
    expect(await page({})).toEqual({ items: ledger.slice(0, 3), hasPreviousPage: false, hasNextPage: true });
  });
  test('last 3 comes oldest first', async () => {
    expect(await page({ backward: true })).toEqual({
      items: ledger.slice(7),
      hasPreviousPage: true,
      hasNextPage: false,
    });
  });
  test('after and before are left out themselves', async () => {
    expect(await page({ after: ledger[2]!, before: ledger[5]! })).toEqual({
      items: ledger.slice(3, 5),
      hasPreviousPage: true,
      hasNextPage: true,
    });
    expect(await page({ backward: true, after: ledger[2]!, before: ledger[5]! })).toEqual({
      items: ledger.slice(3, 5),
      hasPreviousPage: true,
      hasNextPage: true,
    });
  });
  test('the end is reached without a next page', async () => {
    expect(await page({ after: ledger[6]! })).toEqual({
      items: ledger.slice(7),
      hasPreviousPage: true,
      hasNextPage: false,
    });
  });
  test('nothing after the last one', async () => {
    expect(await page({ after: ledger[9]! })).toEqual({ items: [], hasPreviousPage: false, hasNextPage: false });
  });
});

test('a page of none asks nobody', async () => {
  const { walk, calls } = upstream(events(3));
  expect(await readPage({ size: 0, backward: false, after: null, before: null }, walk)).toEqual({
    items: [],
    hasPreviousPage: false,
    hasNextPage: false,
  });
  expect(calls).toEqual([]);
});

test('a page larger than the upstream gives at once takes several calls, each for what is missing', async () => {
  const ledger = events(200);
  const { walk, calls } = upstream(ledger);
  const page = await readPage({ size: 120, backward: true, after: null, before: null }, walk);
  expect(page.items).toEqual(ledger.slice(80));
  expect(calls).toEqual([50, 50, 20].map((limit) => ({ limit, descending: true })));
});

test('bounds in the wrong order give an empty page and, where times tell, no call', async () => {
  const ledger = events(10);
  const { walk, calls } = upstream(ledger);
  for (const backward of [false, true]) {
    for (const [after, before] of [
      [5, 2],
      [5, 5],
    ] as const) {
      expect(
        (await readPage({ size: 3, backward, after: ledger[after]!, before: ledger[before]! }, walk)).items,
      ).toEqual([]);
    }
  }
  expect(calls).toEqual([]);
});

/** A ledger whose transactions have one to three events and often share a millisecond. */
const ledgers = fc
  .array(fc.record({ events: fc.integer({ min: 1, max: 3 }), tick: fc.boolean() }), { minLength: 1, maxLength: 30 })
  .map((transactions) => {
    let time = 0;
    return transactions.flatMap(({ events: count, tick }, index) => {
      time += Number(tick);
      return Array.from({ length: count }, (_, seq) => at(`d${index}`, seq, time));
    });
  });

test('any size and any two bounds give what a slice of the whole gives, ties on time included', async () => {
  await fc.assert(
    fc.asyncProperty(
      ledgers,
      fc.nat(),
      fc.nat(),
      fc.integer({ min: 1, max: 8 }),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      async (ledger, a, b, size, useAfter, useBefore, backward) => {
        const after = useAfter ? a % ledger.length : -1;
        const before = useBefore ? b % ledger.length : ledger.length;
        const between = ledger.slice(after + 1, Math.max(before, after + 1));
        const expected = backward ? between.slice(-size) : between.slice(0, size);
        const range = { size, backward, after: ledger[after] ?? null, before: ledger[before] ?? null };
        const page = await readPage(range, upstream(ledger).walk);
        expect(names(page.items)).toEqual(names(expected));
        const trimmed = between.length > size;
        const some = expected.length > 0;
        expect(page.hasNextPage).toBe(some && (backward ? useBefore : trimmed || useBefore));
        expect(page.hasPreviousPage).toBe(some && (backward ? trimmed || useAfter : useAfter));
      },
    ),
  );
});

test('walking page by page, either way, in any sizes, gives the whole once', async () => {
  await fc.assert(
    fc.asyncProperty(
      ledgers,
      fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
      fc.boolean(),
      async (ledger, sizes, backward) => {
        const { walk } = upstream(ledger);
        let walked: readonly ItemPosition[] = [];
        let edge: ItemPosition | null = null;
        for (let more = true; more; ) {
          const size = sizes.next().value as number;
          const page: Awaited<ReturnType<typeof readPage<ItemPosition>>> = await readPage(
            { size, backward, after: backward ? null : edge, before: backward ? edge : null },
            walk,
          );
          walked = backward ? [...page.items, ...walked] : [...walked, ...page.items];
          edge = (backward ? page.items.at(0) : page.items.at(-1)) ?? null;
          more = backward ? page.hasPreviousPage : page.hasNextPage;
        }
        expect(names(walked)).toEqual(names(ledger));
      },
    ),
  );
});

describe('an upstream that misbehaves is an error, never an endless loop:', () => {
  const [one, two] = events(2) as [ItemPosition, ItemPosition];
  const stuck = (step: (cursor: ItemPosition | null) => SourcePage<ItemPosition>) =>
    expect(
      readPage<ItemPosition>(
        { size: 10, backward: false, after: one, before: null },
        { positionOf: (item) => item, readPage: async ({ after }) => step(after) },
      ),
    ).rejects.toMatchObject({ extensions: { code: 'UPSTREAM_BAD_RESPONSE', upstream: 'events' } });

  test.each<[string, ItemPosition | null]>([
    ['from the start', null],
    ['from a cursor', one],
  ])('a cursor that does not advance, %s, after two calls', async (_, after) => {
    let calls = 0;
    const walk: Source<ItemPosition> = {
      positionOf: (item) => item,
      readPage: async () => {
        calls += 1;
        return { items: [], next: two, hasMore: true };
      },
    };
    await expect(
      readPage<ItemPosition>({ size: 10, backward: false, after, before: null }, walk),
    ).rejects.toMatchObject({
      message: 'The events upstream gives a cursor that does not advance.',
      extensions: { code: 'UPSTREAM_BAD_RESPONSE', upstream: 'events' },
    });
    expect(calls).toBe(2);
  });
  test('the cursor it was given, at once', () => stuck((cursor) => ({ items: [], next: cursor, hasMore: true })));
  test('cursors that go round in a circle', async () => {
    let calls = 0;
    const circle = events(3);
    await stuck(() => {
      calls += 1;
      return { items: [], next: circle[calls % 3]!, hasMore: true };
    });
    expect(calls).toBeLessThanOrEqual(4);
  });
  test('no cursor, no items, but more to come', () => stuck(() => ({ items: [], next: null, hasMore: true })));
  test('the same items again', () => stuck(() => ({ items: [two], next: two, hasMore: true })));
  test('an item of an earlier call, behind a cursor that advances', () => {
    let n = 0;
    return stuck(() => ({ items: [two], next: at(`e${n++}`, 0, null), hasMore: n < 2 }));
  });
  test('the item of the cursor itself', () => stuck(() => ({ items: [one], next: one, hasMore: false })));
  test('empty pages for ever', () => {
    let n = 0;
    return stuck(() => ({ items: [], next: at(`e${n++}`, 0, null), hasMore: true }));
  });
});

test('an upstream that gives one item at a time makes a page shorter, never wrong', async () => {
  const ledger = events(100);
  const { walk } = upstream(ledger);
  const single: Source<ItemPosition> = { ...walk, readPage: (request) => walk.readPage({ ...request, limit: 1 }) };
  const page = await readPage({ size: 50, backward: false, after: null, before: null }, single);
  expect(page).toEqual({ items: ledger.slice(0, 21), hasPreviousPage: false, hasNextPage: true });
});

test('two bounds among very many of one millisecond are an error once that cannot be settled', async () => {
  const crowd = Array.from({ length: 3000 }, (_, i) => at(`d${i}`, 0, 5));
  const { walk, calls } = upstream(crowd);
  const range = { size: 10, backward: false, after: crowd[2000]!, before: crowd[1]! };
  expect(await readPage(range, walk)).toMatchObject({ items: [] });
  await expect(readPage({ ...range, after: crowd[500]! }, walk)).rejects.toMatchObject({
    extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
  });
  expect(calls.length).toBeLessThanOrEqual(42);
});

describe('an upstream that does not say whether there is more', () => {
  /** Gives `data` and nothing else, at most `most` at a time. */
  function silent(ledger: readonly ItemPosition[], most = 50) {
    const { walk, calls } = upstream(ledger);
    const quiet: Source<ItemPosition> = {
      ...walk,
      readPage: async (request) => {
        const { limit } = request;
        const { items } = await walk.readPage({ ...request, limit: Math.min(limit, most) });
        return { items, next: null, hasMore: null };
      },
    };
    return { walk: quiet, calls };
  }

  test('is asked for one more where the page is full', async () => {
    const { walk, calls } = silent(events(10));
    const range = { size: 4, backward: false, after: null, before: null };
    expect(await readPage(range, walk)).toMatchObject({ hasNextPage: true });
    expect(calls.map(({ limit }) => limit)).toEqual([4, 1]);
    const whole = silent(events(4));
    expect(await readPage(range, whole.walk)).toMatchObject({ hasNextPage: false });
    expect(whole.calls.map(({ limit }) => limit)).toEqual([4, 1]);
  });

  test('is asked until nothing comes where the page is not full', async () => {
    const ledger = events(7);
    const { walk } = silent(ledger, 3);
    const page = await readPage({ size: 20, backward: true, after: null, before: null }, walk);
    expect(page).toEqual({ items: ledger, hasPreviousPage: false, hasNextPage: false });
  });

  test('may have more once nobody can be asked any more', async () => {
    const spent = { left: 0 };
    const page = await readPage({ size: 4, backward: false, after: null, before: null }, silent(events(4)).walk, spent);
    expect(page).toMatchObject({ items: events(4), hasNextPage: true });
  });

  test('gives the same pages as one that says it', async () => {
    await fc.assert(
      fc.asyncProperty(
        ledgers,
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 1, max: 8 }),
        fc.boolean(),
        async (ledger, a, b, size, backward) => {
          const range = {
            size,
            backward,
            after: ledger[a % (ledger.length + 1)] ?? null,
            before: ledger[b % (ledger.length + 1)] ?? null,
          };
          expect(await readPage(range, silent(ledger).walk)).toEqual(await readPage(range, upstream(ledger).walk));
        },
      ),
    );
  });
});

test('what one page of an operation took beyond its need is not there for the next', async () => {
  const ledger = events(100);
  const { walk, calls } = upstream(ledger);
  const single: Source<ItemPosition> = { ...walk, readPage: (request) => walk.readPage({ ...request, limit: 1 }) };
  const spare = createSpareCalls();
  const range = { size: 15, backward: false, after: null, before: null };
  expect((await readPage(range, single, spare)).items).toHaveLength(15);
  expect((await readPage(range, single, spare)).items).toHaveLength(7);
  expect(await readPage(range, single, spare)).toEqual({
    items: ledger.slice(0, 1),
    hasPreviousPage: false,
    hasNextPage: true,
  });
  expect(calls).toHaveLength(3 + maxSpareCalls);
});

test('hasMore decides, not a missing cursor', async () => {
  const [one, two] = events(2) as [ItemPosition, ItemPosition];
  const walk: Source<ItemPosition> = {
    positionOf: (item) => item,
    readPage: async ({ after: cursor }) =>
      cursor ? { items: [two], next: null, hasMore: false } : { items: [one], next: null, hasMore: true },
  };
  expect((await readPage({ size: 5, backward: false, after: null, before: null }, walk)).items).toEqual([one, two]);
});

test('more items than asked for are left out and said to be there', async () => {
  const ledger = events(5);
  const walk: Source<ItemPosition> = {
    positionOf: (item) => item,
    readPage: async () => ({ items: ledger, next: ledger[4]!, hasMore: false }),
  };
  expect(await readPage({ size: 2, backward: false, after: null, before: null }, walk)).toEqual({
    items: ledger.slice(0, 2),
    hasPreviousPage: false,
    hasNextPage: true,
  });
});
