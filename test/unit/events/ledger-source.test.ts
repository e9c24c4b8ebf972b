import { describe, expect, test } from 'vitest';
import { createReadLedgerPage, type LedgerNode } from '../../../src/events/ledger-pages.ts';
import { createListSource } from '../../../src/events/ledger-source.ts';
import type { Source, SourcePage } from '../../../src/events/source.ts';
import type { ItemPosition } from '../../../src/live/live-source.ts';
import { createPagedLedger, type NumberedItem, pageStyles, positionAt, timeOf } from '../../support/paged-ledger.ts';

const request = { limit: 50, descending: false, cancellation: undefined };

interface Walk {
  readonly limit?: number;
  readonly descending?: boolean;
  readonly after?: ItemPosition | null;
  /** A source for each page. */
  readonly open: () => Source<NumberedItem>;
}

/** Every item from a position on, and how many pages it took. */
async function walk({ limit = 50, descending = false, after = null, open }: Walk) {
  const numbers: number[] = [];
  let pages = 0;
  for (let hasMore: boolean | null = true, at = after; hasMore; pages += 1) {
    const page: SourcePage<NumberedItem> = await open().readPage({ ...request, limit, descending, after: at });
    numbers.push(...page.items.map(({ number }) => number));
    hasMore = page.hasMore;
    if (hasMore) expect(page.next?.mark ?? null).not.toBe(at?.mark ?? null);
    at = page.next;
  }
  return { numbers, pages };
}

const multiples = (of: number, end: number, begin = 0) =>
  Array.from({ length: end }, (_, number) => number).filter((number) => number >= begin && number % of === 0);

const code = (expected: string) => ({ extensions: expect.objectContaining({ code: expected }) });

describe.each(pageStyles)('a ledger with %s pages', (style) => {
  test.each([1, 7, 50])('has each item once in pages of %i, in both directions, for each filter', async (limit) => {
    const ledger = createPagedLedger(style, 300);
    for (const of of [1, 2, 41]) {
      for (const isLive of [false, true]) {
        const expected = multiples(of, 300);
        const open = () => ledger.open(of, { isLive });
        expect((await walk({ limit, open })).numbers).toEqual(expected);
        if (!isLive) expect((await walk({ limit, descending: true, open })).numbers).toEqual(expected.toReversed());
      }
    }
  });

  test('takes one request for a page of history, on any instance', async () => {
    const ledger = createPagedLedger(style, 2_000);
    const after = ledger.positionOf(600);
    ledger.count += 600;
    for (const descending of [false, true]) {
      ledger.asked.length = 0;
      const { items } = await ledger.open(2).readPage({ ...request, limit: 10, after, descending });
      expect(items.map(({ number }) => number)).toEqual(
        descending ? multiples(2, 600, 580).toReversed() : multiples(2, 622, 601),
      );
      expect(ledger.asked).toHaveLength(1);
    }
  });

  test('is read on behind an item that the filter does not match, however much follows', async () => {
    const ledger = createPagedLedger(style, 30_000);
    for (const isLive of [false, true]) {
      for (const number of [1, 3_001, 29_999]) {
        const at = ledger.positionOf(number);
        ledger.count += 30;
        for (const of of [2, 7_919]) {
          const { numbers } = await walk({ after: at, open: () => ledger.open(of, { isLive }) });
          expect(numbers).toEqual(multiples(of, ledger.count, number + 1));
        }
      }
    }
  });

  test('has nothing again of a page that ends with its first item, whatever the times of its items', async () => {
    const ledger = createPagedLedger(style, 60);
    ledger.repeats = true;
    for (const limit of [19, 50]) {
      const after = ledger.positionOf(40);
      const behind = await ledger.open(1, { isLive: true }).readPage({ ...request, limit, after });
      expect(behind.items.map(({ number }) => number)).toEqual(multiples(1, 60, 41));
      const newest = await ledger.open(1).readPage({ ...request, limit: 10, after: null, descending: true });
      expect(newest.items.map(({ number }) => number)).toEqual(multiples(1, 60, 50).toReversed());
      // A page that names another end is refused, unless its cursors say where it ends.
      if (style === 'pinned') expect(behind.next?.key).toBe('d59');
    }
  });

  test('puts the items of a page in order, or names the last one, whatever the times of its items', async () => {
    const ledger = createPagedLedger(style, 3);
    ledger.reverses = true;
    for (const descending of [false, true]) {
      const { items, next } = await ledger.open().readPage({ ...request, after: null, descending });
      const given = descending ? [0, 1, 2] : [2, 1, 0];
      expect(items.map(({ number }) => number)).toEqual(style === 'pinned' ? given.toReversed() : given);
      expect(next?.key).toBe(descending ? 'd0' : 'd2');
    }
  });

  test('is followed without a gap or a repeat while it grows', async () => {
    const ledger = createPagedLedger(style, 120);
    for (const of of [1, 2, 67]) {
      const source = ledger.open(of, { isLive: true });
      const numbers: number[] = [];
      let at: ItemPosition | null = null;
      for (let reads = 0; reads < 300; reads += 1) {
        const page: SourcePage<NumberedItem> = await source.readPage({ ...request, after: at });
        numbers.push(...page.items.map(({ number }) => number));
        at = page.next ?? at;
        ledger.count += reads < 20 ? 37 : 0;
      }
      expect(numbers).toEqual(multiples(of, ledger.count));
    }
  });

  test('takes one request for each poll near its end, and never goes back', async () => {
    const ledger = createPagedLedger(style, 3_000);
    for (const of of [1, 701]) {
      const source = ledger.open(of, { isLive: true });
      let at: ItemPosition = ledger.positionOf(2_804);
      for (let hasMore: boolean | null = true; hasMore; ) {
        const page: SourcePage<NumberedItem> = await source.readPage({ ...request, after: at });
        ({ hasMore } = page);
        at = page.next ?? at;
      }
      ledger.asked.length = 0;
      for (let polls = 1; polls <= 5; polls += 1) {
        const page = await source.readPage({ ...request, after: at });
        expect([page.items, page.hasMore]).toEqual([[], false]);
        expect(ledger.asked).toHaveLength(polls);
      }
    }
  });

  test('reports a position that it has dropped, in both directions', async () => {
    const ledger = createPagedLedger(style, 900);
    const dropped = ledger.positionOf(90);
    ledger.oldest = 300;
    for (const isLive of [false, true]) {
      for (const descending of isLive ? [false] : [false, true]) {
        const reading = ledger.open(9, { isLive }).readPage({ ...request, descending, after: dropped });
        await expect(reading).rejects.toMatchObject(code('STALE_CURSOR'));
      }
    }
  });

  test('reports a position of another network', async () => {
    const ledger = createPagedLedger(style, 900);
    const after = ledger.positionOf(90);
    ledger.chain = 'chain-b';
    await expect(ledger.open().readPage({ ...request, after })).rejects.toMatchObject(code('STALE_CURSOR'));
  });

  test('is asked again later for a position that its node does not have yet, unless another history has none', async () => {
    const ledger = createPagedLedger(style, 900);
    const after = ledger.positionOf(899);
    ledger.lag = 2;
    for (const [ageMs, laterMs, expected] of [
      [1_000, 0, 'UPSTREAM_UNAVAILABLE'],
      [70_000, 0, 'UPSTREAM_UNAVAILABLE'],
      [70_000, 70_000, 'STALE_CURSOR'],
    ] as const) {
      ledger.laterMs = laterMs;
      const reading = ledger.open(1, { now: () => timeOf(899) + ageMs }).readPage({ ...request, after });
      await expect(reading).rejects.toMatchObject(code(expected));
    }
  });

  test('is asked again for a position of a node that has not even half of the history, or lags for minutes', async () => {
    const ledger = createPagedLedger(style, 9_000);
    const after = ledger.positionOf(8_999);
    for (const lag of [70, 600, 2_900]) {
      ledger.lag = lag;
      for (const ageMs of [1_000, 70_000]) {
        const reading = ledger.open(1, { now: () => timeOf(8_999) + ageMs }).readPage({ ...request, after });
        await expect(reading).rejects.toMatchObject(code('UPSTREAM_UNAVAILABLE'));
      }
    }
  });

  test('does not wait for a young position from before a reset', async () => {
    const ledger = createPagedLedger(style, 9_000);
    const after = ledger.positionOf(8_999);
    Object.assign(ledger, { count: 300, laterMs: timeOf(9_003) - timeOf(300) });
    for (const isLive of [false, true]) {
      const young = ledger.open(1, { isLive, now: () => timeOf(8_999) + 1_000 });
      await expect(young.readPage({ ...request, after })).rejects.toMatchObject(code('STALE_CURSOR'));
    }
  });

  test('takes one request for a page after a reset', async () => {
    const ledger = createPagedLedger(style, 9_000);
    const source = ledger.open();
    await source.readPage({ ...request, after: ledger.positionOf(8_000) });
    Object.assign(ledger, { count: 300, laterMs: timeOf(9_003) - timeOf(300) });
    await source.readPage({ ...request, after: null });
    const before = ledger.asked.length;
    const { items } = await source.readPage({ ...request, limit: 5, after: ledger.positionOf(9) });
    expect(items.map(({ number }) => number)).toEqual([10, 11, 12, 13, 14]);
    expect(ledger.asked.length - before).toBe(1);
  });

  test('is read at a node that lags, as far as it has come', async () => {
    const ledger = createPagedLedger(style, 900);
    const after = ledger.positionOf(850);
    ledger.lag = 2;
    const { numbers } = await walk({ after, open: () => ledger.open() });
    expect(numbers).toEqual(multiples(1, 894, 851));
  });

  test('is searched for a position without a mark', async () => {
    const ledger = createPagedLedger(style, 900);
    const { items } = await ledger.open(3).readPage({ ...request, limit: 2, after: positionAt(600) });
    expect(items.map(({ number }) => number)).toEqual([603, 606]);
    for (const [ageMs, expected] of [
      [1_000, 'UPSTREAM_UNAVAILABLE'],
      [70_000, 'STALE_CURSOR'],
    ] as const) {
      const unknown = positionAt(900);
      const reading = ledger.open(3, { now: () => timeOf(900) + ageMs }).readPage({ ...request, after: unknown });
      await expect(reading).rejects.toMatchObject(code(expected));
    }
  });

  test('shows a live reader where its end is, without a search for an item that matches', async () => {
    const ledger = createPagedLedger(style, 3_000);
    const newest = { ...request, after: null, limit: 25, descending: true };
    for (const of of [1, 2_500]) {
      const { items } = await ledger.open(of, { isLive: true }).readPage(newest);
      const [first] = items;
      const after = ledger.open(of).positionOf(first as NumberedItem);
      ledger.count += 5_000;
      const { numbers } = await walk({ after, open: () => ledger.open(of, { isLive: true }) });
      expect(numbers).toEqual(multiples(of, ledger.count, ledger.count - 5_000));
      ledger.count = 3_000;
    }
  });

  test('says where nodes of an unknown form are', async () => {
    const ledger = createPagedLedger(style, 10);
    for (const number of [3, 6, 9]) ledger.unreadable.add(number);
    const after = createPagedLedger(style, 10).positionOf(4);
    const read = (more: object) => ledger.open(1, { isLive: true }).readPage({ ...request, after: null, ...more });
    const behind = ({ items, unreadableAt }: SourcePage<NumberedItem>) => [
      items.map(({ number }) => number),
      unreadableAt,
    ];
    expect(behind(await read({}))).toEqual([
      [0, 1, 2, 4, 5, 7, 8],
      [3, 5, 7],
    ]);
    expect(behind(await read({ after }))).toEqual([
      [5, 7, 8],
      [1, 3],
    ]);
    expect(behind(await read({ descending: true }))).toEqual([
      [8, 7, 5, 4, 2, 1, 0],
      [4, 2, 0],
    ]);
    await expect(ledger.open().readPage({ ...request, after: null })).rejects.toThrow('no number');
  });
});

const list = Array.from({ length: 7 }, (_, number) => ({ number, mark: null }));
const positionInList = ({ number }: NumberedItem) => positionAt(number);

describe('a list', () => {
  test.each([1, 2, 3, 6, 7, 8])('in pages of %i has each item once, and says whether there are more', async (limit) => {
    for (const descending of [false, true]) {
      const source = createListSource(async () => list, positionInList);
      const numbers: number[] = [];
      for (let after: ItemPosition | null = null, hasMore: boolean | null = true; hasMore; ) {
        const page: SourcePage<NumberedItem> = await source.readPage({ ...request, limit, descending, after });
        numbers.push(...page.items.map(({ number }) => number));
        ({ hasMore, next: after } = page);
        expect([hasMore, after]).toEqual([numbers.length < list.length, positionAt(numbers.at(-1) ?? -1)]);
      }
      expect(numbers).toEqual(descending ? [6, 5, 4, 3, 2, 1, 0] : [0, 1, 2, 3, 4, 5, 6]);
    }
  });

  test('has no place for an item that is not known', async () => {
    const reading = createListSource(async () => list, positionInList).readPage({ ...request, after: positionAt(99) });
    await expect(reading).rejects.toMatchObject(code('STALE_CURSOR'));
  });

  test('that is empty has one page, and no position', async () => {
    const source = createListSource(async () => [], positionInList);
    expect(await source.readPage({ ...request, after: null })).toEqual({ items: [], next: null, hasMore: false });
  });
});

describe('errors of a ledger', () => {
  const history = {
    checkpoint: { field: 'newest', argument: '$' },
    pruned: { codes: ['GONE'], texts: ['Was Dropped'] },
  };
  const nodes = { selection: '{n}', cursor: null, checkpoint: null, toItem: (node: LedgerNode) => node };
  const readWith = (error: object) =>
    createReadLedgerPage(
      'items',
      nodes,
      history,
      async () => ({ data: null, errors: [error] }) as never,
      Date.now,
    )({
      filter: {},
      backward: false,
      cancellation: undefined,
    });

  test.each([
    ['the code of the profile', { message: 'no', extensions: { code: 'GONE' } }, 'STALE_CURSOR'],
    ['a text of the profile, in any case', { message: 'x was dropped: y', extensions: {} }, 'STALE_CURSOR'],
    ['a fault of the caller', { message: 'bad type', extensions: { code: 'BAD_USER_INPUT' } }, 'BAD_USER_INPUT'],
    ['a timeout', { message: 'Query request timed out.', extensions: {} }, 'UPSTREAM_TIMEOUT'],
    ['anything else', { message: 'oops', extensions: {} }, 'UPSTREAM_BAD_RESPONSE'],
  ])('by %s', async (_, error, expected) => {
    await expect(readWith(error)).rejects.toMatchObject(code(expected));
  });
});
