import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createTestHub } from '../../support/live-hub.ts';
import { createMemorySource, settled } from '../../support/memory-source.ts';

/** One who is handed what a stream tells. */
function reader(isReady = true) {
  const told: unknown[] = [];
  const state = { told, isReady, looks: 0, ends: 0 };
  return Object.assign(state, {
    pushed: {
      get isReady() {
        state.looks += 1;
        return state.isReady;
      },
      take: (payload: unknown) => void told.push(payload),
      end: () => {
        state.ends += 1;
      },
      fail: (error: unknown) => void told.push(error),
    },
  });
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function collected(): Promise<void> {
  await settled();
  collectGarbage();
}

function open(hub: ReturnType<typeof createTestHub>, after?: string) {
  return hub.open(after);
}

/** Takes results until it has this many, and then none until it is ready again. */
const stopAfter = (one: ReturnType<typeof reader>, count: number) => ({
  ...one.pushed,
  get isReady() {
    return one.isReady;
  },
  take(payload: unknown) {
    one.told.push(payload);
    one.isReady = one.told.length !== count;
  },
});

describe('a stream that is pushed', () => {
  it('tells a crowd the same as one who asks, in order and each once', async () => {
    const hub = createTestHub(createMemorySource('old'), { maxStreams: 2_000, maxStreamsPerCaller: 2_000 });
    const asking = hub.follow();
    const crowd = Array.from({ length: 1_000 }, () => {
      const one = reader();
      open(hub).pushTo(one.pushed);
      return one;
    });
    await hub.clock.pass(10);
    hub.source.add('a', 'b');
    await hub.clock.pass(400);
    hub.source.add('c');
    await hub.clock.pass(1_000);
    // A thousand are told in many turns.
    for (let turn = 0; turn < 20; turn += 1) await settled();
    expect(asking.told).toEqual(['a', 'b', 'c']);
    for (const { told } of crowd) expect(told).toEqual(['a', 'b', 'c']);
  });

  it('are told a few at a time, however many filters an item matches', async () => {
    const hub = createTestHub(createMemorySource('old'), { maxStreams: 2_000, maxStreamsPerCaller: 2_000 });
    const crowd = Array.from({ length: 500 }, (_, index) => {
      const one = reader();
      hub.open(undefined, { filter: `<${index}>` }).pushTo(one.pushed);
      return one;
    });
    await hub.clock.pass(10);
    hub.source.add(crowd.map((_, index) => `<${index}>`).join(''));
    const told = () => crowd.filter(({ told }) => told.length > 0).length;
    let [most, before] = [0, 0];
    void hub.clock.pass(400);
    while (told() < crowd.length) {
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, told() - before);
      before = told();
    }
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(64);
  });

  it('is handed what it has to catch up with a few items at a time', async () => {
    const hub = createTestHub(createMemorySource('old'));
    const one = reader();
    const stream = open(hub);
    stream.pushTo(one.pushed);
    await hub.clock.pass(10);
    one.isReady = false;
    hub.source.add(...Array.from({ length: 500 }, (_, index) => `n${index}`));
    await hub.clock.pass(3_000);
    one.isReady = true;
    stream.resume();
    expect(one.told.length).toBeLessThanOrEqual(64);
    await hub.clock.pass(20);
    expect(one.told).toHaveLength(500);
  });

  it('goes on from a cursor through history to what is live', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `n${index + 1}`);
    const hub = createTestHub(createMemorySource(...names));
    const first = hub.source.items[9] ?? null;
    hub.points.set('n10', { last: first, from: first });
    const one = reader();
    open(hub, 'n10').pushTo(one.pushed);
    await hub.clock.pass(50);
    hub.source.add('live');
    await hub.clock.pass(500);
    expect(one.told).toEqual([...names.slice(10), 'live']);
  });

  it('holds up nobody while its reader is not ready, and tells then what it missed', async () => {
    const hub = createTestHub(createMemorySource('old'), { replayBytes: 1 });
    const [slow, quick] = [reader(), reader()];
    const stream = open(hub);
    stream.pushTo(slow.pushed);
    open(hub).pushTo(quick.pushed);
    await hub.clock.pass(10);
    hub.source.add('a');
    await hub.clock.pass(400);
    slow.isReady = false;
    for (let round = 0; round < 40; round += 1) {
      hub.source.add(`n${round}`);
      await hub.clock.pass(400);
    }
    expect(quick.told).toHaveLength(41);
    expect(slow.told).toEqual(['a']);
    slow.isReady = true;
    stream.resume();
    await settled();
    expect(slow.told[1]).toMatch(/^missed \d+ after a$/);
    expect(slow.told.at(-1)).toBe('n39');
    const [, missed = ''] = /missed (\d+)/.exec(String(slow.told[1])) ?? [];
    expect(slow.told.length - 2 + Number(missed)).toBe(40);
  });

  it('keeps no page of history for a reader that takes nothing, and goes on exactly there when it does', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `n${index + 1}`);
    const hub = createTestHub(createMemorySource(...names));
    const pages: WeakRef<object>[] = [];
    // The source keeps what it has; what was read of it is another's.
    hub.source.spoil = (page) => {
      const read = { ...page, entries: page.entries.map((entry) => ({ ...entry })) };
      for (const entry of read.entries) pages.push(new WeakRef(entry));
      return read;
    };
    const isThere = (name: string) =>
      pages.some((each) => (each.deref() as { key?: string } | undefined)?.key === name);
    const first = hub.source.items[9] ?? null;
    hub.points.set('n10', { last: first, from: first });
    const one = reader();
    const stream = open(hub, 'n10');
    stream.pushTo(stopAfter(one, 5));
    await hub.clock.pass(100);
    await collected();
    expect([one.told.length, isThere('n20')]).toEqual([5, true]);
    await hub.clock.pass(5_000);
    await collected();
    expect([one.told.length, isThere('n20')]).toEqual([5, false]);
    one.isReady = true;
    stream.resume();
    await hub.clock.pass(5_000);
    hub.source.add('live');
    await hub.clock.pass(5_000);
    expect(one.told).toEqual([...names.slice(10), 'live']);
  });

  it('tells a gap once to a reader that takes nothing behind it for a while', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `n${index + 1}`);
    const hub = createTestHub(createMemorySource(...names));
    const lost = hub.source.items[9] ?? null;
    hub.points.set('n10', { last: lost, from: lost });
    hub.source.items.splice(0, 20);
    const one = reader();
    const stream = open(hub, 'n10');
    stream.pushTo(stopAfter(one, 1));
    await hub.clock.pass(5_000);
    expect(one.told).toEqual(['gap n10…n21 The upstream']);
    one.isReady = true;
    stream.resume();
    await hub.clock.pass(5_000);
    expect(one.told.slice(1)).toEqual(names.slice(20));
  });

  it('says where to go on when it is stopped, and ends once, ready or not', async () => {
    const hub = createTestHub(createMemorySource('old'));
    const readers = [reader(), reader(false)];
    for (const { pushed } of readers) open(hub).pushTo(pushed);
    const late = reader();
    await hub.clock.pass(10);
    open(hub).pushTo(late.pushed);
    hub.hub.stop();
    await settled();
    expect(readers.map(({ told, ends }) => [told, ends])).toEqual([
      [['missed 0 after old'], 1],
      [[], 1],
    ]);
    expect(late.ends).toBe(1);
  });

  it('says where it is when it is stopped, and not where the others are', async () => {
    const hub = createTestHub(createMemorySource('old'));
    const slow = reader();
    const stream = open(hub);
    stream.pushTo({
      ...slow.pushed,
      get isReady() {
        return slow.told.length === 0;
      },
    });
    await hub.clock.pass(10);
    hub.source.add('a', 'b', 'c');
    await hub.clock.pass(400);
    hub.hub.stop();
    await settled();
    expect(slow.told).toEqual(['a', 'missed 0 after a']);
  });

  it('fails alone where what takes it fails', async () => {
    const hub = createTestHub(createMemorySource('old'));
    const [broken, well] = [reader(), reader()];
    const fault = new Error('nobody foresaw this');
    const taker = {
      ...broken.pushed,
      isReady: true,
      take() {
        throw fault;
      },
    };
    open(hub).pushTo(taker);
    open(hub).pushTo(well.pushed);
    await hub.clock.pass(10);
    hub.source.add('a');
    await hub.clock.pass(400);
    hub.source.add('b');
    await hub.clock.pass(1_000);
    expect([broken.told, well.told]).toEqual([[fault], ['a', 'b']]);
  });

  it('tells nothing more once it is left, and leaves nothing behind', async () => {
    const hub = createTestHub(createMemorySource('old'));
    const one = reader();
    for (let round = 0; round < 50; round += 1) {
      const stream = open(hub);
      stream.pushTo(one.pushed);
      if (round % 2 === 0) await hub.clock.pass(10);
      stream.leave();
    }
    hub.source.add('a');
    await hub.clock.pass(5_000);
    expect(one.told).toEqual([]);
    expect(hub.hub.readers).toBe(0);
    expect(hub.clock.timers).toBe(0);
  });
});
