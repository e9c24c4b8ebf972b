import { describe, expect, test } from 'vitest';
import {
  createKnownCursors,
  createLedgerSource,
  createListSource,
  createReadLedgerPage,
  type LedgerNode,
  type LedgerPage,
  type LedgerPageRequest,
} from '../../../src/events/ledger-source.ts';
import type { Position, SourcePage } from '../../../src/events/source.ts';

interface Item {
  readonly number: number;
  readonly isOdd: boolean;
}

/** A ledger whose cursors read as of their own time, and are accepted only where their item matches the filter. */
function createPinnedLedger(count: number) {
  const ledger = { count, requests: 0 };
  const read = async ({ filter, cursor, backward, size = 50 }: LedgerPageRequest): Promise<LedgerPage<Item>> => {
    ledger.requests += 1;
    const [at, asOf] = cursor === null ? [null, ledger.count] : cursor.split('@').map(Number);
    const all = Array.from({ length: asOf ?? 0 }, (_, number) => ({ number, isOdd: number % 2 === 1 }));
    const matching = all.filter(
      ({ number, isOdd }) => (!filter.odd || isOdd) && (!filter.number || number === Number(filter.number)),
    );
    const isMember = at === null || matching.some(({ number }) => number === at);
    const rest = isMember ? matching.filter(({ number }) => at == null || (backward ? number < at : number > at)) : [];
    const shown = backward ? rest.slice(-size) : rest.slice(0, size);
    const edges = shown.map((item) => ({ item, cursor: `${item.number}@${asOf}`, order: [item.number] }));
    const isCut = shown.length < rest.length;
    return {
      edges,
      hasPrevious: backward && isCut,
      hasNext: !backward && isCut,
      start: edges[0]?.cursor ?? null,
      end: edges.at(-1)?.cursor ?? null,
    };
  };
  const sourceOf = (filter: Record<string, string>, isLive: boolean) =>
    createLedgerSource({
      read,
      filter,
      positionOf: ({ number }: Item) => ({ digest: String(number), eventSeq: null, timestampMs: null }),
      narrow: async ({ digest }) => ({ number: digest }),
      isPinned: true,
      isLive,
      known: createKnownCursors(),
    });
  return { ledger, sourceOf };
}

const at = (number: number) => ({ digest: String(number), eventSeq: null, timestampMs: null });
const request = { limit: 50, descending: false, cancellation: undefined };

test.each([true, false])('reads on behind an item that the filter does not match (live: %s)', async (isLive) => {
  const { sourceOf } = createPinnedLedger(1_000);
  const odd = sourceOf({ odd: 'true' }, isLive);
  for (const number of [0, 2, 500, 998]) {
    const { items } = await odd.readPage({ ...request, after: at(number) });
    expect(items[0]?.number).toBe(number + 1);
  }
});

test.each([true, false])('follows a growing ledger without a gap or a repeat (live: %s)', async (isLive) => {
  const { ledger, sourceOf } = createPinnedLedger(120);
  const odd = sourceOf({ odd: 'true' }, isLive);
  const numbers: number[] = [];
  for (let reads = 0; reads < 30; reads += 1) {
    const last = numbers.at(-1);
    const { items } = await odd.readPage({ ...request, after: last === undefined ? null : at(last) });
    numbers.push(...items.map(({ number }) => number));
    ledger.count += reads < 20 ? 37 : 0;
  }
  expect(numbers).toEqual(Array.from({ length: ledger.count / 2 }, (_, index) => 2 * index + 1));
});

test('a reader at the end of the ledger takes one request per poll', async () => {
  const { ledger, sourceOf } = createPinnedLedger(300);
  const source = sourceOf({}, true);
  for (let polls = 1; polls <= 5; polls += 1) {
    expect((await source.readPage({ ...request, after: at(280) })).items).toHaveLength(19);
    expect(ledger.requests).toBe(polls);
  }
});

test('an item that the ledger does not know makes a stale cursor', async () => {
  const { sourceOf } = createPinnedLedger(10);
  await expect(sourceOf({}, false).readPage({ ...request, after: at(11) })).rejects.toMatchObject({
    extensions: { code: 'STALE_CURSOR' },
  });
});

const numbered = Array.from({ length: 7 }, (_, number) => ({ number, isOdd: number % 2 === 1 }));
const positionOf = ({ number }: Item) => at(number);

describe.each([
  ['a list', () => createListSource(async () => numbered, positionOf)],
  ['a ledger', () => createPinnedLedger(numbered.length).sourceOf({}, false)],
  ['the newest of a ledger', () => createPinnedLedger(numbered.length).sourceOf({}, true)],
])('pages of %s', (_, open) => {
  test.each([1, 2, 3, 6, 7, 8])('of %i items have each item once, and say whether there are more', async (limit) => {
    for (const descending of [false, true]) {
      const source = open();
      const numbers: number[] = [];
      for (let after: Position | null = null, hasMore: boolean | null = true; hasMore; ) {
        const page: SourcePage<Item> = await source.readPage({ ...request, limit, descending, after });
        numbers.push(...page.items.map(({ number }) => number));
        expect(page.items).toHaveLength(Math.min(limit, numbered.length - numbers.length + page.items.length));
        ({ hasMore, next: after } = page);
        expect([hasMore, after]).toEqual([numbers.length < numbered.length, at(numbers.at(-1) ?? -1)]);
      }
      expect(numbers).toEqual(descending ? [6, 5, 4, 3, 2, 1, 0] : [0, 1, 2, 3, 4, 5, 6]);
    }
  });

  test('have no place for an item that is not known', async () => {
    const reading = open().readPage({ ...request, after: at(99) });
    await expect(reading).rejects.toMatchObject({ extensions: { code: 'STALE_CURSOR' } });
  });
});

test('an empty list has one page, and no position', async () => {
  const source = createListSource(async () => [], positionOf);
  expect(await source.readPage({ ...request, after: null })).toEqual({ items: [], next: null, hasMore: false });
});

/** A ledger that searches: its cursors last, and a page may be empty before the end. */
function createSearchingLedger(answer: (cursor: string | null) => Partial<LedgerPage<Item>>) {
  const cursors: (string | null)[] = [];
  const known = createKnownCursors();
  const source = createLedgerSource({
    read: async ({ cursor }) => {
      cursors.push(cursor);
      return { edges: [], hasPrevious: false, hasNext: true, start: null, end: null, ...answer(cursor) };
    },
    filter: {},
    positionOf,
    narrow: async ({ digest }) => ({ number: digest }),
    isPinned: false,
    isLive: false,
    known,
  });
  return { source, cursors };
}

const edge = (number: number, cursor = `c${number}`) => ({ item: { number, isOdd: false }, cursor, order: [number] });

test('a known cursor that the ledger rejects is searched for anew', async () => {
  let rejected = '';
  const { source, cursors } = createSearchingLedger((cursor) => {
    if (cursor === rejected) throw new Error('no such cursor');
    return { edges: [edge(1, rejected === '' ? 'c1' : 'c1 again')], end: 'c1' };
  });
  await source.readPage({ ...request, after: null });
  rejected = 'c1';
  await expect(source.readPage({ ...request, after: at(1) })).rejects.toThrow('no such cursor');
  expect((await source.readPage({ ...request, after: at(1) })).items).toHaveLength(1);
  expect(cursors).toEqual([null, 'c1', null, 'c1 again']);
});

test('a search that finds nothing goes on where it was at the next read, after 51 empty pages', async () => {
  let pages = 0;
  const { source, cursors } = createSearchingLedger(() => {
    pages += 1;
    return pages === 60 ? { edges: [edge(1)], end: 'found' } : { end: `p${pages}` };
  });
  await expect(source.readPage({ ...request, after: null })).rejects.toMatchObject({
    extensions: { code: 'UPSTREAM_UNAVAILABLE', upstream: 'ledger' },
  });
  expect(cursors).toHaveLength(51);
  expect((await source.readPage({ ...request, after: null })).items).toHaveLength(1);
  expect(cursors.slice(51)).toEqual(Array.from({ length: 9 }, (_, index) => `p${51 + index}`));
});

test('the newest items are read from the end of the ledger again after a search has found some', async () => {
  let newest: ReturnType<typeof edge>[] = [];
  const { source } = createSearchingLedger((cursor) =>
    cursor === null ? { edges: newest, hasPrevious: true, start: 'p1' } : { edges: [edge(1)] },
  );
  const read = async () => {
    const { items } = await source.readPage({ ...request, after: null, descending: true });
    return items.map(({ number }) => number);
  };
  expect(await read()).toEqual([1]);
  newest = [edge(2)];
  expect(await read()).toEqual([2]);
});

test('cursors are known by position and filter, the newest 5000', () => {
  const known = createKnownCursors();
  for (let number = 0; number < 5_000; number += 1) known.set(`${number}`, `c${number}`);
  known.set('0', 'again');
  known.set('5000', 'c5000');
  expect(['0', '1', '2', '5000'].map((key) => known.get(key))).toEqual(['again', undefined, 'c2', 'c5000']);
});

describe('nodes of an unknown form', () => {
  const node = (number: number) => ({ cursor: `c${number}`, node: { number } });
  const read = (edges: readonly unknown[], isLenient: boolean) => {
    const page = { pageInfo: { hasNextPage: false }, edges };
    const nodes = { selection: '{number}', cursor: null, isLenient, toItem: toNumbered };
    const readPage = createReadLedgerPage('events', nodes, async () => ({ data: { page } }));
    return readPage({ filter: {}, cursor: null, backward: false, cancellation: undefined });
  };
  function toNumbered({ number }: LedgerNode): Item {
    if (typeof number !== 'number') throw new Error('no number');
    return { number, isOdd: number % 2 === 1 };
  }
  const bad = { cursor: 'c', node: {} };

  test('are left out by a lenient reader, which says where they were', async () => {
    const { edges, unreadableAt } = await read([bad, node(0), null, { node: { number: 3 } }, node(1), bad], true);
    expect([edges.map(({ item }) => item.number), unreadableAt]).toEqual([
      [0, 1],
      [0, 1, 1, 2],
    ]);
  });

  test.each([
    ['there is nothing else', [bad], true],
    ['the reader is not lenient', [node(0), bad], false],
  ])('make the page a bad one if %s', async (_, edges, isLenient) => {
    await expect(read(edges, isLenient)).rejects.toThrow('no number');
  });

  test.each([
    ['among the newest', 4, [0, 5]],
    ['all behind', -1, [3, 5, 10]],
  ])('are named by the items of the page before them: %s', async (_, after, expected) => {
    const edges = Array.from({ length: 10 }, (_each, number) => ({
      item: { number, isOdd: false },
      cursor: String(number),
      order: [number],
    }));
    const source = createLedgerSource({
      read: async () => ({ edges, unreadableAt: [3, 5, 10], hasPrevious: false, hasNext: false, start: '0', end: '9' }),
      filter: {},
      positionOf,
      narrow: async () => ({}),
      isPinned: true,
      isLive: true,
      known: createKnownCursors(),
    });
    const { items, unreadableAt } = await source.readPage({ ...request, after: after < 0 ? null : at(after) });
    expect([items.length, unreadableAt]).toEqual([9 - after, expected]);
  });
});
