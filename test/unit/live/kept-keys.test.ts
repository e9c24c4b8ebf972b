import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { systemClock as clock } from '../../../src/live/clock.ts';
import { HistoryCalls } from '../../../src/live/history.ts';
import { createLiveHub } from '../../../src/live/live-hub.ts';
import type { LiveEntry, LiveSource } from '../../../src/live/live-source.ts';
import type { LiveStream } from '../../../src/live/live-stream.ts';
import { createStreamQuota } from '../../../src/live/stream-quota.ts';
import { Turns } from '../../../src/upstream/fair-turns.ts';
import { createEvenShares, Quota } from '../../../src/upstream/quota.ts';
import { until } from '../../support/until.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const heapBytes = () => {
  collectGarbage();
  return getHeapStatistics().used_heap_size;
};

const itemsPerStream = 1_000;
const pageSize = 50;

/** History without an end, of other items for each stream. It stops answering a stream after a thousand items. */
const source: LiveSource<null> = {
  newest: async () => ({ entries: [{ key: 'newest', timestampMs: null }], hasMore: false }),
  async after(position) {
    const [stream = '', number = ''] = position?.key.split(':') ?? [];
    if (stream === 'newest') return { entries: [], hasMore: false };
    if (Number(number) >= itemsPerStream) return new Promise(() => {});
    const entries = Array.from({ length: pageSize }, (_, index): LiveEntry<null> => {
      // As long as the id of an event, and in one piece.
      const key = Buffer.from(`${stream}:${Number(number) + index + 1}`).toString('latin1');
      return { key, timestampMs: null, item: null, bytes: 1 };
    });
    return { entries, hasMore: true };
  },
};

/** Opens streams, each at a place of its own, and lets them read their history. @returns bytes that each of them takes */
async function measureStreams(count: number): Promise<number> {
  const turns = new Turns();
  const hub = createLiveHub<null, number>({
    clock,
    pace: { minMs: 1_000, maxMs: 1_000 },
    budget: createEvenShares({ total: 1_000_000, least: 1_000 }),
    made: createEvenShares({ total: 10, least: 2 }),
    turns,
    streamQuota: createStreamQuota({ max: count, maxPerCaller: count }),
    readerQuota: new Quota({ max: 1, maxPerCaller: 1 }),
    historyCalls: new HistoryCalls({ clock, turns, maxAtOnce: 10_000, maxPerSecond: 1_000_000 }),
    lostAfterMs: 5_000,
    graceMs: 0,
    onFaultyPageAccepted() {},
    onUnreadable() {},
    onStall() {},
  });
  const query = { query: 'all', source: () => source };
  let delivered = 0;
  const before = heapBytes();
  const streams = Array.from({ length: count }, (_, index) => {
    const point = { key: `${String(index).padStart(44, 'x')}:0`, timestampMs: null };
    const stream = hub.open({
      ...query,
      everything: query,
      filter: '',
      presenter: () => ({
        toCursor: JSON.stringify,
        matches: () => true,
        item: () => 1,
        gap: () => 0,
        missed: () => 0,
      }),
      after: { last: point, from: point },
      weight: 1,
      caller: 'somebody',
    }) as LiveStream<null, number>;
    const take = () => {
      delivered += 1;
    };
    stream.pushTo({ isReady: true, take, end() {}, fail: expect.unreachable });
    return stream;
  });
  await until(() => delivered === count * itemsPerStream, 'all history is read');
  const bytes = (heapBytes() - before) / count;
  for (const stream of streams) stream.leave();
  hub.close();
  return bytes;
}

test('a stream that reads long history remembers only its last items', async () => {
  // The first round compiles the code.
  await measureStreams(10);
  // With all keys: 110,000. Half of the rest is the table of payloads that streams share, which shrinks later.
  expect(await measureStreams(200)).toBeLessThan(80_000);
});
