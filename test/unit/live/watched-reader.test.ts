import { expect, it } from 'vitest';
import type { Listen, WatchAttempt } from '../../../src/live/live-source.ts';
import { Announcements } from '../../../src/live/watch.ts';
import { createTestHub } from '../../support/live-hub.ts';
import { createMemorySource, createTestClock, type MemorySource } from '../../support/memory-source.ts';

/** A source that somebody tells of, in the hands of a test. */
function watched(...names: string[]) {
  const attempts: WatchAttempt[] = [];
  let left = 0;
  const listen: Listen = (attempt) => {
    attempts.push(attempt);
    return () => {
      left += 1;
    };
  };
  const source: MemorySource = createMemorySource(...names);
  const test = createTestHub(source);
  Object.assign(source, { listen });
  return {
    ...test,
    attempts,
    /** The one that counts. */
    last: () => attempts.at(-1) as WatchAttempt,
    left: () => left,
    readsWithin: async (ms: number) => {
      const before = source.reads.length;
      await test.clock.pass(ms);
      return source.reads.length - before;
    },
  };
}

it('polls as often as without while nobody listens, and hardly once somebody does', async () => {
  const { follow, clock, last, readsWithin } = watched('a');
  follow();
  await clock.pass(10_000);
  expect(await readsWithin(60_000)).toBeGreaterThanOrEqual(55);
  last().up();
  await clock.pass(60_000);
  expect(await readsWithin(60_000)).toBeLessThanOrEqual(5);
  last().down(false);
  await clock.pass(10_000);
  expect(await readsWithin(60_000)).toBeGreaterThanOrEqual(55);
});

it('looks at once when it is told of news, and tells what there is', async () => {
  const { follow, clock, source, last } = watched('a');
  const { told } = follow();
  last().up();
  await clock.pass(60_000);
  source.add('b');
  await clock.pass(50);
  expect(told).toEqual([]);
  last().news();
  await clock.pass(1);
  expect(told).toEqual(['b']);
});

it('looks again soon when the node does not show yet what was told', async () => {
  const { follow, clock, source, last } = watched('a');
  const { told } = follow();
  last().up();
  await clock.pass(60_000);
  last().news();
  await clock.pass(300);
  source.add('b');
  await clock.pass(1_000);
  expect(told).toEqual(['b']);
});

it('looks again after the shortest pause for news that is announced during a poll', async () => {
  const { follow, clock, source, last } = watched('a');
  const { told } = follow();
  last().up();
  await clock.pass(60_000);
  let answer = () => {};
  source.before = () => new Promise((resolve) => (answer = resolve));
  last().news();
  await clock.pass(1);
  last().news();
  source.before = () => {};
  answer();
  await clock.pass(1);
  source.add('b');
  await clock.pass(100);
  expect(told).toEqual(['b']);
});

it('is not asked more often than it may be, however often it is told of news', async () => {
  const { follow, clock, last, source } = watched('a');
  follow();
  last().up();
  await clock.pass(60_000);
  const before = source.reads.length;
  for (let ms = 0; ms < 1_000; ms += 1) {
    for (let each = 0; each < 20; each += 1) last().news();
    await clock.pass(1);
  }
  expect(source.reads.length - before).toBeLessThanOrEqual(11);
  expect(source.reads.length - before).toBeGreaterThanOrEqual(9);
});

it('is left alone while it fails, whatever it is told and however many begin to follow', async () => {
  const { follow, clock, last, source } = watched('a');
  follow();
  last().up();
  await clock.pass(1_000);
  source.before = () => {
    last().news();
    throw new Error('away');
  };
  await clock.pass(60_000);
  const before = source.reads.length;
  for (let ms = 0; ms < 5_000; ms += 10) {
    last().news();
    const newcomer = follow();
    await clock.pass(10);
    await newcomer.leave();
  }
  expect(source.reads.length - before).toBeLessThanOrEqual(3);
});

it('looks at once for what happened while nobody listened', async () => {
  const { follow, clock, source, last, attempts } = watched('a');
  const { told } = follow();
  last().up();
  await clock.pass(60_000);
  last().down(false);
  source.add('b');
  await clock.pass(150);
  expect(told).toEqual(['b']);
  await clock.pass(1_000);
  expect(attempts).toHaveLength(2);
  source.add('c');
  last().up();
  await clock.pass(150);
  expect(told).toEqual(['b', 'c']);
});

it('does not trust one that says nothing of what happens', async () => {
  const { follow, clock, source, last, attempts, left } = watched('a');
  const { told } = follow();
  last().up();
  for (const name of ['b', 'c', 'd', 'e']) {
    await clock.pass(20_000);
    source.add(name);
  }
  await clock.pass(20_000);
  expect(told).toEqual(['b', 'c', 'd', 'e']);
  expect(attempts.length).toBeGreaterThan(1);
  expect(left()).toBe(1);
});

it('listens again ever more seldom while that is vain, and much more seldom where it is refused', async () => {
  const clock = createTestClock();
  const at: number[] = [];
  let isRefused = false;
  const listen: Listen = (attempt) => {
    at.push(clock.now());
    clock.after(0, () => attempt.down(isRefused));
    return () => {};
  };
  const watch = new Announcements(listen, clock, () => {});
  watch.start();
  await clock.pass(20_000);
  const pauses = at.slice(1).map((each, index) => each - (at[index] ?? 0));
  expect(pauses).toEqual([375, 750, 1_500, 3_000, 6_000]);
  isRefused = true;
  await clock.pass(600_000);
  expect(at.length).toBeLessThan(22);
  watch.stop();
  expect(clock.timers).toBe(0);
});

it('leaves, and hears nothing more, when nobody follows any more', async () => {
  const { follow, clock, last, left } = watched('a');
  const following = follow();
  last().up();
  await clock.pass(1_000);
  await following.leave();
  await clock.pass(1_000);
  expect(left()).toBe(1);
  last().news();
  last().down(false);
  await clock.pass(60_000);
  expect(clock.timers).toBe(0);
});

it('goes on listening to one that tells of everything', async () => {
  const { follow, clock, source, last, left } = watched('a');
  const { told } = follow();
  last().up();
  await clock.pass(60_000);
  for (let count = 0; count < 10; count += 1) {
    last().news();
    source.add(`n${count}`);
    await clock.pass(5_000);
  }
  expect(told).toHaveLength(10);
  expect(left()).toBe(0);
});

/** A subscription without a reader, and what its listener is called with. */
function watchAlone() {
  const clock = createTestClock();
  const attempts: WatchAttempt[] = [];
  const left: number[] = [];
  const calls: string[] = [];
  const listen: Listen = (attempt) => {
    const index = attempts.push(attempt) - 1;
    return () => left.push(index);
  };
  const watch = new Announcements(listen, clock, () => calls.push(watch.isUp ? 'up' : 'down'));
  watch.start();
  return { clock, attempts, left, calls, watch };
}

it.each([
  [29_999, 9],
  [30_000, 10],
])('resets the backoff only if the lost subscription was up for 30 s: %i ms', async (upMs, count) => {
  const { clock, attempts, calls } = watchAlone();
  for (let failures = 0; failures < 8; failures += 1) {
    attempts.at(-1)?.down(false);
    await clock.pass(30_000);
  }
  attempts.at(-1)?.up();
  await clock.pass(upMs);
  attempts.at(-1)?.down(false);
  await clock.pass(500);
  expect(attempts).toHaveLength(count);
  expect(calls).toEqual(['up', 'down']);
});

it.each<[string, (alone: ReturnType<typeof watchAlone>) => void, left: number[], calls: string[], attempts: number]>([
  ['stopped', ({ watch }) => watch.stop(), [0], ['up'], 1],
  [
    'reconnected',
    ({ watch }) => {
      for (let polls = 0; polls < 3; polls += 1) watch.endPoll(true);
    },
    [0],
    ['up', 'down'],
    2,
  ],
  [
    'lost, and then stopped',
    ({ attempts, watch }) => {
      attempts[0]?.down(false);
      watch.stop();
    },
    [],
    ['up', 'down'],
    1,
  ],
  ['lost', ({ attempts }) => attempts[0]?.down(false), [], ['up', 'down'], 2],
])('ignores what comes from a subscription that was %s, and leaves each once', async (_, end, left, calls, count) => {
  const alone = watchAlone();
  const { attempts, clock } = alone;
  attempts[0]?.up();
  attempts[0]?.up();
  end(alone);
  const callBack = () => {
    attempts[0]?.up();
    attempts[0]?.news();
    attempts[0]?.down(false);
  };
  callBack();
  await clock.pass(1_000);
  callBack();
  await clock.pass(1_000);
  expect([attempts.length, alone.left, alone.calls, clock.timers]).toEqual([count, left, calls, 0]);
});

it('trusts nothing of a subscription that it has left, and subscribes anew when it starts again', () => {
  const { attempts, watch } = watchAlone();
  attempts[0]?.up();
  expect([watch.isUp, watch.isPending]).toEqual([true, true]);
  watch.stop();
  expect([watch.isUp, watch.isPending]).toEqual([false, false]);
  watch.start();
  expect(watch.isUp).toBe(false);
  expect(attempts).toHaveLength(2);
});
