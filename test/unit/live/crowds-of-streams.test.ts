import { expect, it } from 'vitest';
import type { ResumePoint } from '../../../src/live/live-source.ts';
import { createTestHub } from '../../support/live-hub.ts';
import { createMemorySource } from '../../support/memory-source.ts';
import { next } from '../../support/pushed-items.ts';

const streams = 1_000;
/** Steps of one turn of the event loop. */
const maxPerTurn = 64;

/** Opens many streams while the upstream does not answer. @returns the most that continue in one turn once it answers */
async function countInOneTurn(after: ResumePoint | null, passMs: number): Promise<number> {
  const source = createMemorySource('a', 'b', 'c');
  const { hub, clock } = createTestHub(source, { maxStreams: streams, maxStreamsPerCaller: streams });
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  source.before = () => answered;
  const query = { query: 'all', source: () => source };
  const live = new Set<number>();
  let inThisTurn = 0;
  let most = 0;
  const count = (stream: number) => {
    if (live.has(stream)) return;
    live.add(stream);
    inThisTurn += 1;
    most = Math.max(most, inThisTurn);
  };
  for (let stream = 0; stream < streams; stream += 1) {
    const opened = hub.open({
      ...query,
      everything: query,
      filter: '',
      presenter: () => ({
        toCursor: JSON.stringify,
        matches: () => true,
        item: ({ item }) => item,
        gap: () => 'gap',
        missed: () => 'missed',
      }),
      after,
      weight: 1,
      caller: 'somebody',
      onQuiet: () => count(stream),
    });
    void next(opened).then(() => count(stream));
  }
  await clock.pass(passMs);
  answer();
  const beginTurn = () => {
    inThisTurn = 0;
    if (live.size < streams) setImmediate(beginTurn);
  };
  beginTurn();
  while (live.size < streams) await clock.pass(0);
  hub.close();
  return most;
}

it('streams that wait for one poll begin in several turns of the event loop', async () => {
  expect(await countInOneTurn(null, 0)).toBeLessThanOrEqual(3 * maxPerTurn);
});

it('streams that give up a slow poll begin in several turns of the event loop', async () => {
  expect(await countInOneTurn(null, 2_000)).toBeLessThanOrEqual(3 * maxPerTurn);
});

it('streams that read one page of history begin in several turns of the event loop', async () => {
  const point = { key: 'a', timestampMs: 1_001 };
  expect(await countInOneTurn({ last: point, from: point }, 0)).toBeLessThanOrEqual(3 * maxPerTurn);
});

it('streams that the hub stops end in several turns of the event loop', async () => {
  const { hub, byHand } = createTestHub(createMemorySource('a'), {
    maxStreams: streams,
    maxStreamsPerCaller: streams,
  });
  let ended = 0;
  for (let stream = 0; stream < streams; stream += 1)
    void byHand(undefined)
      .next()
      .then(() => (ended += 1));
  hub.stop();
  let most = 0;
  while (ended < streams) {
    const before = ended;
    await new Promise(setImmediate);
    most = Math.max(most, ended - before);
  }
  hub.close();
  expect(most).toBeLessThanOrEqual(3 * maxPerTurn);
});
