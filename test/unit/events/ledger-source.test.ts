import { expect, test } from 'vitest';
import {
  createKnownCursors,
  createLedgerSource,
  type LedgerPage,
  type LedgerPageRequest,
} from '../../../src/events/ledger-source.ts';

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
