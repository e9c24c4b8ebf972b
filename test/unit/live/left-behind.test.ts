import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { LiveChannel } from '../../../src/live/channel.ts';
import { createPace, pause } from '../../../src/live/clock.ts';
import { Feed } from '../../../src/live/feed.ts';
import type { LiveStream } from '../../../src/live/live-stream.ts';
import { PageJudge } from '../../../src/live/position-reader.ts';
import { watchStalls } from '../../../src/live/progress.ts';
import { Reader } from '../../../src/live/reader.ts';
import { Timeline } from '../../../src/live/timeline.ts';
import { type Cancellation, createCancellation, type OpenCancellation } from '../../../src/upstream/cancellation.ts';
import { Turns } from '../../../src/upstream/fair-turns.ts';
import { createEvenShares } from '../../../src/upstream/quota.ts';
import { createTestHub } from '../../support/live-hub.ts';
import { createMemorySource, createTestClock, settled } from '../../support/memory-source.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const names = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `n${from + index}`);

async function countAlive(refs: readonly WeakRef<object>[]): Promise<number> {
  await settled();
  collectGarbage();
  await settled();
  collectGarbage();
  return refs.filter((each) => each.deref() !== undefined).length;
}

/** Streams whose payloads are objects that hold their item, as those of the graph do. */
function openHolding(hub: ReturnType<typeof createTestHub>, filter: string, payloads: WeakRef<object>[]) {
  const stream = hub.hub.open({
    query: 'all',
    source: () => hub.source,
    everything: null,
    filter,
    presenter: () => ({
      toCursor: JSON.stringify,
      matches: () => true,
      item: (entry) => {
        const payload = { entry };
        payloads.push(new WeakRef(payload));
        return payload as unknown as string;
      },
      gap: () => 'gap',
      missed: () => 'missed',
    }),
    after: null,
    weight: 1,
    caller: 'somebody',
  }) as LiveStream<string, string>;
  stream.pushTo({ isReady: true, take() {}, end() {}, fail() {} });
  return stream;
}

describe('what a filter keeps as it was made', () => {
  it('goes with what the reader drops', async () => {
    const hub = createTestHub(createMemorySource('old'), { replayBytes: 8_192 });
    const payloads: WeakRef<object>[] = [];
    for (const filter of ['a', 'b', 'c', 'd']) {
      for (let count = 0; count < 2; count += 1) openHolding(hub, filter, payloads);
    }
    await hub.clock.pass(10);
    for (let count = 0; count < 100; count += 1) {
      hub.source.add(`n${count}`);
      while (payloads.length < 4 * (count + 1)) await hub.clock.pass(100);
    }
    // 8 KiB are sixteen items at 500 bytes, for each of four filters, and the one read last.
    expect(await countAlive(payloads)).toBeLessThanOrEqual(4 * 18);
  });

  it('is a few items, whatever the reader keeps, and nothing for a single follower', async () => {
    const hub = createTestHub(createMemorySource('old'));
    const [shared, alone]: [WeakRef<object>[], WeakRef<object>[]] = [[], []];
    openHolding(hub, 'a', shared);
    openHolding(hub, 'a', shared);
    openHolding(hub, 'b', alone);
    await hub.clock.pass(10);
    hub.source.add(...names(1, 900));
    while (shared.length < 900 || alone.length < 900) await hub.clock.pass(100);
    expect(await countAlive(shared)).toBeLessThanOrEqual(514);
    expect(await countAlive(alone)).toBeLessThanOrEqual(2);
  });
});

describe('a stream that is left', () => {
  it('is kept by nobody, though others follow the same filter', async () => {
    const hub = createTestHub(createMemorySource('old'));
    openHolding(hub, 'a', []);
    const left: WeakRef<object>[] = [];
    for (let count = 0; count < 20; count += 1) {
      const stream = openHolding(hub, 'a', []);
      await hub.clock.pass(10);
      left.push(new WeakRef(stream));
      stream.leave();
    }
    hub.source.add('n1');
    await hub.clock.pass(2_000);
    expect(await countAlive(left)).toBeLessThanOrEqual(1);
  });

  it('tells a subscriber that waits for its next item', async () => {
    const hub = createTestHub(createMemorySource('old'));
    const stream = hub.byHand();
    const next = stream.next();
    await hub.clock.pass(10);
    await stream.return(undefined);
    expect(await Promise.race([next, settled()])).toEqual({ done: true, value: undefined });
  });

  it('has the page of history that is read for it given up', async () => {
    const hub = createTestHub(createMemorySource(...names(1, 2_000)));
    const place = hub.source.items[0] ?? null;
    const stays = hub.follow();
    await hub.clock.pass(10);
    const asked: Cancellation[] = [];
    hub.source.after = (_, cancellation) => {
      asked.push(cancellation);
      return new Promise(() => {});
    };
    const stream = hub.byHand({ last: place, from: place });
    void stream.next();
    await settled();
    expect(asked.map(({ cause }) => cause)).toEqual([null]);
    await stream.return(undefined);
    expect(asked.map(({ cause }) => cause)).toEqual(['aborted']);
    await stays.leave();
  });

  it('ends no reader that another filter follows', async () => {
    const hub = createTestHub(createMemorySource('old'));
    const [one, other] = [hub.follow(undefined, { filter: 'n' }), hub.follow(undefined, { filter: '1' })];
    await hub.clock.pass(10);
    await one.leave();
    await hub.clock.pass(5_000);
    expect(hub.hub.readers).toBe(1);
    hub.source.add('n1');
    await hub.clock.pass(2_000);
    expect(other.told).toEqual(['n1']);
  });
});

it('a reader that has ended gives its share of the memory back', async () => {
  const hub = createTestHub(createMemorySource('old'), { replayBytes: 1_000_000 });
  const stream = hub.follow();
  await hub.clock.pass(10);
  const leave = hub.budget.enter();
  expect(hub.budget.share()).toBe(500_000);
  await stream.leave();
  await hub.clock.pass(1_000);
  expect(hub.budget.share()).toBe(1_000_000);
  leave();
});

it('a reader drops what is beyond its share as soon as another one comes', async () => {
  const hub = createTestHub(createMemorySource('old'), { replayBytes: 100_000 });
  const first = hub.byHand();
  const begun = first.next();
  await hub.clock.pass(10);
  hub.source.add(...names(1, 150));
  await hub.clock.pass(1_000);
  expect(await begun).toEqual({ done: false, value: 'n1' });
  // Nothing happens, and the reader does not ask again before it is looked at.
  for (let count = 0; count < 9; count += 1) hub.budget.enter();
  await settled();
  expect(await first.next()).toMatchObject({ value: expect.stringMatching(/^missed 1[23]\d after n1$/) });
  await first.return(undefined);
});

it('shares are told of those that come, and may be left twice', () => {
  const shares = createEvenShares({ total: 100, least: 30 });
  let told = 0;
  const leave = shares.enter(() => {
    told += 1;
  });
  expect([shares.share(), told]).toEqual([100, 0]);
  const others = [shares.enter(), shares.enter(), shares.enter()];
  expect([shares.share(), told]).toEqual([30, 3]);
  for (const each of [...others, ...others]) each();
  expect(shares.share()).toBe(100);
  leave();
  shares.enter();
  expect(told).toBe(3);
});

it('the look for stalls ends when it is stopped, however often it has looked', async () => {
  const clock = createTestClock();
  const stop = watchStalls(
    clock,
    () => [],
    () => {},
  );
  await clock.pass(25_000);
  stop();
  expect(clock.timers).toBe(0);
});

it('a reader that is stopped gives back those that wait for its poll, begun or not, and polls no more', async () => {
  const clock = createTestClock();
  const source = createMemorySource('old');
  const timeline = new Timeline<string>(new Turns());
  const reader = new Reader(source, timeline, {
    pace: { minMs: 100, maxMs: 1_000 },
    clock,
    lostAfterMs: 5_000,
    judge: new PageJudge(clock, () => {}),
    mostBytes: () => 10_000,
  });
  reader.start();
  await clock.pass(10);
  const answers: (() => void)[] = [];
  source.before = () => new Promise((resolve) => answers.push(resolve));
  const [first, second] = [() => {}, () => {}];
  reader.whenCaughtUp(first);
  await clock.pass(10);
  reader.whenCaughtUp(second);
  source.add('new');
  expect(reader.stop()).toEqual([first, second]);
  answers[0]?.();
  await clock.pass(5_000);
  expect([answers.length, timeline.news.end, clock.timers]).toEqual([1, 0, 0]);
});

it('names of what was told long ago are forgotten, and those of what was told lately are not', () => {
  const timeline = new Timeline<string>(new Turns());
  timeline.beginAt([null]);
  for (const key of names(1, 5_000)) {
    timeline.addNext({ key, timestampMs: 1, item: key, bytes: 10 });
    timeline.shrinkTo(4_100);
  }
  // Ten are kept, and the names of 256 before them.
  expect(names(1, 5_000).filter((key) => timeline.knows(key))).toEqual(names(4_735, 5_000));
});

it('a channel that is closed gives its share of payloads back', () => {
  const [turns, made] = [new Turns(), createEvenShares({ total: 10, least: 1 })];
  const feed = new Timeline<string>(turns) as Feed<string>;
  const presenter = { toCursor: JSON.stringify, matches: () => true, item: () => '', gap: () => '', missed: () => '' };
  const channels = [0, 1].map(() => new LiveChannel<string, string>(feed, presenter, { turns, made }));
  expect(made.share()).toBe(5);
  for (const channel of channels) channel.close();
  expect(made.share()).toBe(10);
});

it('a pause that is cancelled leaves no timer', async () => {
  const [clock, cancellation] = [createTestClock(), createCancellation()];
  const paused = pause(clock, 60_000, cancellation);
  expect(clock.timers).toBe(1);
  cancellation.cancel('aborted');
  await paused;
  expect(clock.timers).toBe(0);
});

it('a stream that releases the page behind a gap reports the gap once', async () => {
  const { byHand, clock, source } = createTestHub(createMemorySource('a', 'b', 'c', 'd'));
  source.items.splice(0, 2);
  const lost = { key: 'a', timestampMs: 1_001 };
  const stream = byHand({ last: lost, from: lost });
  const take = async () => {
    const next = stream.next();
    // Longer than it holds a page for a subscriber that takes nothing.
    await clock.pass(5_000);
    return (await next).value;
  };
  expect([await take(), await take(), await take()]).toEqual(['gap a…c The upstream', 'c', 'd']);
  await stream.return(undefined);
});

it('a stream that is left with half a page of history leaves no timer', async () => {
  const { hub, byHand, clock } = createTestHub(createMemorySource('a', 'b', 'c', 'd'));
  const stream = byHand({ last: { key: 'a', timestampMs: null }, from: { key: 'a', timestampMs: null } });
  const first = stream.next();
  await clock.pass(10);
  expect(await first).toEqual({ done: false, value: 'b' });
  await stream.return(undefined);
  hub.close();
  await settled();
  expect(clock.timers).toBe(0);
});

it('the key of a late item is forgotten with the item', () => {
  const timeline = new Timeline<string>(new Turns());
  const entry = (key: string) => ({ key, timestampMs: null, item: key, bytes: 1 });
  timeline.beginAt([{ key: 'first', timestampMs: null }]);
  timeline.addLate(entry('late'));
  for (let count = 0; timeline.knows('late') && count < 1_000; count += 1) {
    timeline.addNext(entry(`n${count}`));
    timeline.shrinkTo(0);
  }
  timeline.addNext(entry('late'));
  expect(timeline.inOrderSequenceOf('late')).toBe(timeline.sequenceOf('late'));
});

it('retries grow with the failures in a row, and begin anew after a success', () => {
  const pace = createPace({ minMs: 100, maxMs: 1_000 }, { random: () => 1 });
  expect([pace.afterFailure(), pace.afterFailure()]).toEqual([200, 400]);
  pace.afterSuccess(false);
  expect(pace.afterFailure()).toBe(200);
});

it('a hub that is closed cancels its poll, and ends the streams that wait for it', async () => {
  const { hub, source, byHand } = createTestHub();
  const asked: Cancellation[] = [];
  source.newest = (_, cancellation) => {
    asked.push(cancellation);
    return new Promise(() => {});
  };
  const next = byHand().next();
  await settled();
  expect(asked.map(({ cause }) => cause)).toEqual([null]);
  hub.close();
  expect(asked.map(({ cause }) => cause)).toEqual(['aborted']);
  expect(await Promise.race([next, settled().then(settled)])).toEqual({ done: true, value: undefined });
});

/** A cancellation, and how many listeners it has. */
function countListeners() {
  const all = createCancellation();
  const counted = { listeners: 0, cancellation: all as Cancellation };
  const onCancel: Cancellation['onCancel'] = (listener) => {
    counted.listeners += 1;
    const stop = all.onCancel(listener);
    return () => {
      counted.listeners -= 1;
      stop();
    };
  };
  counted.cancellation = Object.assign(Object.create(all), { onCancel });
  return counted;
}

it('a pause, and a wait for a poll, leave no listener with the stream', async () => {
  const clock = createTestClock();
  const judge = new PageJudge(clock, () => {});
  const feed = new Feed<string>(createMemorySource('old'), {
    pace: { minMs: 100, maxMs: 1_000 },
    clock,
    lostAfterMs: 5_000,
    budget: createEvenShares({ total: 10_000, least: 1 }),
    turns: new Turns(),
    history: { judge, pageAfter: () => Promise.reject(new Error('not needed')) },
  });
  const counted = countListeners();
  const waits = [pause(clock, 60, counted.cancellation), feed.caughtUp(counted.cancellation)];
  expect(counted.listeners).toBe(2);
  await clock.pass(1_000);
  await Promise.all(waits);
  expect(counted.listeners).toBe(0);
  feed.close();
});

it('a wait for a poll that is cancelled leaves nothing with the reader, though the upstream does not answer', async () => {
  const clock = createTestClock();
  const source = createMemorySource('old');
  source.before = () => new Promise(() => {});
  let stop: () => unknown = () => 'not joined';
  const feed = new Feed<string>(source, {
    pace: { minMs: 100, maxMs: 1_000 },
    clock,
    lostAfterMs: 5_000,
    budget: createEvenShares({ total: 10_000, least: 1 }),
    turns: new Turns(),
    history: { judge: new PageJudge(clock, () => {}), pageAfter: () => Promise.reject(new Error('not needed')) },
    join({ reader }) {
      reader.start();
      stop = () => reader.stop();
      return {
        isFollowing: false,
        whenCaughtUp: (then) => reader.whenCaughtUp(then),
        stopWaiting: (then) => reader.stopWaiting(then),
        share() {},
        close() {},
      };
    },
  });
  const cancellations = [createCancellation(), createCancellation(), createCancellation()];
  const [first, second, third] = cancellations as [OpenCancellation, OpenCancellation, OpenCancellation];
  third.cancel('aborted');
  // One waits for the poll in flight, another for the next one.
  const waits = [feed.caughtUp(first), feed.caughtUp(third)];
  await clock.pass(10);
  waits.push(feed.caughtUp(second));
  for (const each of cancellations) each.cancel('aborted');
  await Promise.all(waits);
  expect(stop()).toEqual([]);
  feed.close();
});

it('a channel keeps its share of the payloads, and makes the others again', () => {
  const [turns, made] = [new Turns(), createEvenShares({ total: 20, least: 1 })];
  const feed = new Timeline<string>(turns) as Feed<string>;
  feed.beginAt([null]);
  let presented = 0;
  const item = () => {
    presented += 1;
    return '';
  };
  const presenter = { toCursor: JSON.stringify, matches: () => true, item, gap: () => '', missed: () => '' };
  const [channel] = [0, 1].map(() => new LiveChannel<string, string>(feed, presenter, { turns, made })) as [
    LiveChannel<string, string>,
  ];
  for (let count = 0; count < 2; count += 1) channel.followers.add({ wake() {} });
  for (const key of names(1, 50)) feed.addNext({ key, timestampMs: 1, item: key, bytes: 1 });
  for (let count = 0; count < 2; count += 1) {
    const position = channel.positionAt(0);
    while (channel.read(position) !== null);
  }
  // Half of 20 payloads; a reader that begins at the oldest item evicts them before it reaches them.
  expect(presented).toBe(100);
  const position = channel.positionAt(40);
  while (channel.read(position) !== null);
  expect(presented).toBe(100);
});

it('a judge forgets the oldest of the faults that it accepted', async () => {
  const clock = createTestClock();
  const judge = new PageJudge(clock, () => {});
  const faultsOf = (from: number, to: number) => names(from, to).map((key) => ({ what: 'is wrong', key }));
  const accept = async (from: number, to: number) => {
    for (let passed = 0; passed < 6; passed += 1) {
      try {
        judge.acceptIfPersistent(faultsOf(from, to));
      } catch {}
      await clock.pass(1_000);
    }
  };
  for (let batch = 0; batch < 6; batch += 1) await accept(batch * 200 + 1, (batch + 1) * 200);
  expect(() => judge.acceptIfPersistent(faultsOf(1_200, 1_200))).not.toThrow();
  expect(() => judge.acceptIfPersistent(faultsOf(1, 1))).toThrow('is wrong');
});
