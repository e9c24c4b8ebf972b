import { beforeEach, describe, expect, it } from 'vitest';
import { type LivePage, PositionLostError } from '../../../src/live/live-source.ts';
import { PageJudge, PageRefusedError, PositionReader } from '../../../src/live/position-reader.ts';
import { Progress } from '../../../src/live/progress.ts';
import { Reader } from '../../../src/live/reader.ts';
import { Timeline } from '../../../src/live/timeline.ts';
import { Turns } from '../../../src/upstream/fair-turns.ts';
import { createMemorySource, createTestClock } from '../../support/memory-source.ts';

const at = (key: string, timestampMs: number | null = 100) => ({ key, timestampMs });
const pageOf = (...keys: (readonly [string, number | null])[]): LivePage<string> => ({
  entries: keys.map(([key, timestampMs]) => ({ key, timestampMs, item: key, bytes: 1 })),
  hasMore: false,
});

let clock: ReturnType<typeof createTestClock>;
let oldest: LivePage<string> | Error;
let reader: PositionReader<string>;

beforeEach(() => {
  clock = createTestClock();
  oldest = pageOf(['old', 1]);
  reader = new PositionReader({
    readAfter: async (position) => {
      if (position) return pageOf();
      if (oldest instanceof Error) throw oldest;
      return oldest;
    },
    answersNow: async () => false,
    judge: new PageJudge(clock, () => {}),
    clock,
    pace: { minMs: 100, maxMs: 1_000 },
    lostAfterMs: 5_000,
    progress: new Progress('stream', clock),
  });
});

const lose = (key = 'p') => reader.recover(new PositionLostError(), at(key));
/** The upstream does not know the position, and says so every second. */
async function loseFor(seconds: number, key = 'p') {
  for (let second = 0; second < seconds; second += 1) {
    expect(await lose(key)).toBeTypeOf('number');
    await clock.pass(1_000);
  }
}
const loss = { lost: at('p'), oldest: null, reason: expect.stringContaining('goes on from now') };

describe('a position that the upstream does not know', () => {
  it('is lost after five seconds of such answers, and not before', async () => {
    await loseFor(4);
    await clock.pass(999);
    expect(await lose()).toBeTypeOf('number');
    await clock.pass(1);
    expect(await lose()).toEqual(loss);
  });

  it.each<[string, () => unknown]>([
    ['it is known for once', () => reader.read(at('p'))],
    ['another position is lost', () => lose('q')],
  ])('is counted anew if %s', async (_, happens) => {
    await loseFor(4);
    await happens();
    await loseFor(5);
    expect(await lose()).toEqual(loss);
  });

  it.each<[string, seconds: number, () => unknown]>([
    ['a failure', 2, () => reader.recover(new Error('away'), at('p'))],
    ['an interruption of the reader', 2, () => reader.interrupt()],
    [
      'a failure to read the oldest page',
      1,
      async () => {
        const before = oldest;
        oldest = new Error('away');
        await lose();
        oldest = before;
      },
    ],
  ])('is not lost by the time of an outage that begins with %s', async (_, seconds, happens) => {
    await loseFor(4);
    await happens();
    await clock.pass(3_600_000);
    await loseFor(seconds);
    expect(await lose()).toEqual(loss);
  });

  it.each<[string, LivePage<string>, boolean]>([
    ['begins after it', pageOf(['later', 101]), true],
    ['begins at the same time', pageOf(['later', 100]), true],
    ['begins before it', pageOf(['older', 99]), false],
    ['begins with it', pageOf(['p', 100]), false],
    ['has no times', pageOf(['later', null]), false],
    ['is empty', pageOf(), false],
  ])('was dropped if what the upstream has %s: %#', async (_, page, isDropped) => {
    oldest = page;
    const found = await lose();
    if (isDropped) expect(found).toEqual({ lost: at('p'), oldest: page, reason: expect.stringContaining('no longer') });
    else expect(found).toBeTypeOf('number');
  });

  it('was not dropped for certain if it has no time', async () => {
    expect(await reader.recover(new PositionLostError(), at('p', null))).toBeTypeOf('number');
  });

  it('is not the beginning, which is always known', async () => {
    expect(await reader.recover(new PositionLostError(), null)).toBeLessThan(1_000);
  });
});

/** A reader of one item, and its timeline. */
function readOne() {
  const source = createMemorySource('a');
  const timeline = new Timeline<string>(new Turns());
  const readerOfAll = new Reader(source, timeline, {
    pace: { minMs: 100, maxMs: 1_000 },
    clock,
    lostAfterMs: 5_000,
    judge: new PageJudge(clock, () => {}),
    mostBytes: () => 10_000,
  });
  return { source, timeline, readerOfAll };
}

it('a callback that waits no longer is forgotten, also during its poll', async () => {
  const { source, readerOfAll } = readOne();
  readerOfAll.start();
  await clock.pass(10);
  source.before = () => Promise.reject(new Error('away'));
  const called: string[] = [];
  const left = () => void called.push('left');
  for (const then of [left, () => void called.push('stayed')]) readerOfAll.whenCaughtUp(then);
  await clock.pass(5_000);
  readerOfAll.stopWaiting(left);
  source.before = () => {};
  await clock.pass(5_000);
  expect(called).toEqual(['stayed']);
  readerOfAll.close();
});

it('a failing upstream is asked no sooner for callbacks that come during a poll', async () => {
  const { source, readerOfAll } = readOne();
  readerOfAll.start();
  await clock.pass(10);
  let polls = 0;
  source.before = () => {
    polls += 1;
    if (polls < 100) readerOfAll.whenCaughtUp(() => {});
    return Promise.reject(new Error('away'));
  };
  await clock.pass(10_000);
  expect(polls).toBeLessThan(10);
  readerOfAll.close();
});

it('a reader that was stopped while it failed is not stalled', async () => {
  const { source, readerOfAll } = readOne();
  readerOfAll.start();
  await clock.pass(10);
  source.before = () => Promise.reject(new Error('away'));
  await clock.pass(20_000);
  expect(readerOfAll.progress.stall?.forMs).toBeGreaterThan(10_000);
  readerOfAll.stop();
  await clock.pass(0);
  expect([readerOfAll.progress.stall, readerOfAll.isUp]).toEqual([null, false]);
});

it('a position is not lost by the time in which its reader was stopped', async () => {
  const { source, timeline, readerOfAll } = readOne();
  readerOfAll.start();
  await clock.pass(10);
  // A node that lags.
  source.items = [{ key: 'older', timestampMs: 1, item: 'older', bytes: 1 }];
  await clock.pass(2_000);
  readerOfAll.stop();
  await clock.pass(3_600_000);
  readerOfAll.start();
  await clock.pass(2_000);
  expect(timeline.news.end).toBe(0);
  await clock.pass(6_000);
  expect(timeline.news.at(0)).toMatchObject({ kind: 'gap' });
  readerOfAll.close();
});

describe('a faulty page', () => {
  it.each<[seenAtMs: readonly number[], isAccepted: boolean]>([
    [[0, 2_500, 4_999], false],
    [[0, 2_500, 5_000], true],
    [[0, 3_000, 5_000], true],
    [[0, 3_001, 5_000], false],
    [[0, 3_001, 6_001, 8_000], false],
    [[0, 3_001, 6_001, 8_001], true],
  ])(
    'is accepted once the fault has lasted 5 s without a break of more than 3 s: at %j ms %s',
    async (seenAtMs, isAccepted) => {
      const accepted: string[] = [];
      const judge = new PageJudge(clock, (fault) => accepted.push(fault));
      const take = () => judge.take(pageOf(['a', 1], ['a', 1], ['b', 2]), null);
      const last = seenAtMs.at(-1) as number;
      for (const ms of seenAtMs.slice(0, -1)) {
        await clock.pass(ms - clock.now());
        expect(take).toThrow(PageRefusedError);
      }
      await clock.pass(last - clock.now());
      if (isAccepted) expect(take().entries.map(({ key }) => key)).toEqual(['a', 'b']);
      else expect(take).toThrow(PageRefusedError);
      expect(accepted).toHaveLength(isAccepted ? 1 : 0);
    },
  );

  /** Accepts a page behind `p` after 5 s. */
  const accept = async (judge: PageJudge, page: LivePage<string>) => {
    expect(() => judge.take(page, at('p'))).toThrow(PageRefusedError);
    await clock.pass(2_500);
    expect(() => judge.take(page, at('p'))).toThrow(PageRefusedError);
    await clock.pass(2_500);
    return judge.take(page, at('p'));
  };

  it.each<[string, keys: string[], hasMore: boolean, rest: string[], isMore: boolean]>([
    ['that contains its start', ['o', 'p', 'q'], true, ['q'], true],
    ['at the end', ['p', 'q'], false, ['q'], false],
    ['without anything new', ['o', 'p'], true, [], false],
    ['with an item twice', ['q', 'r', 'q'], true, ['q', 'r'], true],
  ])('is accepted without items that were there before: one %s', async (_, keys, hasMore, rest, isMore) => {
    const page = { ...pageOf(...keys.map((key) => [key, 100] as const)), hasMore };
    const taken = await accept(new PageJudge(clock, () => {}), page);
    expect([taken.entries.map(({ key }) => key), taken.hasMore]).toEqual([rest, isMore]);
  });

  it('stays accepted, and is reported once', async () => {
    const accepted: string[] = [];
    const judge = new PageJudge(clock, (fault) => accepted.push(fault));
    await accept(judge, pageOf(['q', 100], ['q', 100]));
    await clock.pass(60_000);
    expect(judge.take(pageOf(['q', 100], ['q', 100]), at('p')).entries).toHaveLength(1);
    expect(accepted).toHaveLength(1);
  });

  it('is forgotten behind 256 newer ones', async () => {
    const judge = new PageJudge(clock, () => {});
    const seen = (key: string) => () => judge.take(pageOf([key, 100], [key, 100]), at('p'));
    for (const key of Array.from({ length: 257 }, (_, index) => `k${index}`))
      expect(seen(key)).toThrow(PageRefusedError);
    await clock.pass(2_500);
    for (const key of ['k256', 'k0']) expect(seen(key)).toThrow(PageRefusedError);
    await clock.pass(2_500);
    expect(seen('k256')).not.toThrow();
    expect(seen('k0')).toThrow(PageRefusedError);
  });
});

it('a fault that stays is accepted although the upstream fails in between, for a time that does not count', async () => {
  const judge = new PageJudge(clock, () => {});
  const take = () => judge.take(pageOf(['b', 101], ['a', 100]), null);
  const pass = async (ms: number, then: () => void) => {
    await clock.pass(ms);
    then();
  };
  const isRefused = () => expect(take).toThrow(PageRefusedError);
  isRefused();
  await pass(2_500, isRefused);
  for (let failures = 0; failures < 3; failures += 1) await pass(2_500, () => judge.pause());
  await pass(2_499, isRefused);
  await pass(1, () => expect(take().entries).toHaveLength(2));
});
