import { expect, it } from 'vitest';
import { createTestHub } from '../../support/live-hub.ts';
import { createMemorySource, settled } from '../../support/memory-source.ts';

const names = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `n${from + index}`);

it('history is read once for all who go on from the same place, and what it tells is made once', async () => {
  const hub = createTestHub(createMemorySource(...names(1, 500)));
  const place = hub.source.items[9] ?? null;
  const others = hub.follow();
  await hub.clock.pass(10);
  const [reads, made] = [hub.source.reads.length, hub.made.count];
  const streams = Array.from({ length: 50 }, () => hub.follow({ last: place, from: place }));
  await hub.clock.pass(500);
  // Fifty streams read each page in several turns.
  for (let turn = 0; turn < 50; turn += 1) await settled();
  for (const { told } of streams) expect(told).toEqual(names(11, 500));
  // Ten pages, and what the reader itself looks at meanwhile.
  expect(hub.source.reads.length - reads).toBeLessThan(40);
  expect(hub.made.count - made).toBe(490);
  expect(others.told).toEqual([]);
});

it('history is not shared with a stream of another query that goes on from the same place', async () => {
  const filters = ['a', 'b'];
  const newer = Array.from({ length: 60 }, (_, index) => `${filters[index % 2]}${index}`);
  const hub = createTestHub(createMemorySource('n0', ...newer));
  const place = hub.source.items[0] ?? null;
  const streams = filters.map((filter) => hub.follow({ last: place, from: place }, { filter, read: 'own only' }));
  await hub.clock.pass(500);
  const wanted = filters.map((filter) => newer.filter((name) => name.startsWith(filter)));
  expect(streams.map(({ told }) => told)).toEqual(wanted);
});

it('an item that came late to the reader is delivered once to a stream that reads it in the history', async () => {
  const hub = createTestHub(createMemorySource(...names(1, 5)));
  const { told } = hub.follow();
  await hub.clock.pass(10);
  hub.source.items.splice(4, 0, { key: 'late', timestampMs: 1_004, item: 'late', bytes: 100 });
  await hub.clock.pass(2_000);
  expect(told).toEqual(['late']);
  const place = hub.source.items[0] ?? null;
  const resumed = hub.follow({ last: place, from: place });
  await hub.clock.pass(500);
  expect(resumed.told).toEqual(['n2', 'n3', 'n4', 'late', 'n5']);
});

it('a stream that begins during a poll of several pages begins behind the last of them', async () => {
  const hub = createTestHub(createMemorySource('n0'));
  const { told } = hub.follow();
  await hub.clock.pass(10);
  hub.source.add(...names(1, 200));
  const late = hub.follow();
  await hub.clock.pass(2_000);
  expect([told, late.told]).toEqual([names(1, 200), []]);
});

it('who leaves while history is read holds up nobody, and a page that nobody waits for is not read', async () => {
  const hub = createTestHub(createMemorySource(...names(1, 100)));
  const place = hub.source.items[9] ?? null;
  const streams = Array.from({ length: 5 }, () => hub.follow({ last: place, from: place }));
  await streams[0]?.leave();
  await hub.clock.pass(500);
  expect(streams.map(({ told }) => told.length)).toEqual([0, 90, 90, 90, 90]);
});

it('many who go on from different places read a few pages at a time', async () => {
  const hub = createTestHub(createMemorySource(...names(1, 120)));
  hub.follow();
  await hub.clock.pass(10);
  let [running, most] = [0, 0];
  const { after } = hub.source;
  hub.source.after = async (place, cancellation) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return after(place, cancellation);
  };
  const streams = hub.source.items.slice(0, 12).map((place) => hub.follow({ last: place, from: place }));
  for (let turn = 0; turn < 40; turn += 1) await hub.clock.pass(50);
  expect(most).toBeLessThanOrEqual(5);
  for (const [index, { told }] of streams.entries()) expect(told).toEqual(names(index + 2, 120));
});

it('what has become of their places is asked for once for all whose places are gone', async () => {
  const hub = createTestHub(createMemorySource(...names(1, 20)));
  hub.follow();
  await hub.clock.pass(10);
  const reads = hub.source.reads.length;
  const streams = Array.from({ length: 50 }, (_, index) => {
    const place = { key: `dropped ${index}`, timestampMs: 1 };
    return hub.follow({ last: place, from: place });
  });
  await hub.clock.pass(60);
  for (const [index, { told }] of streams.entries()) {
    expect(told).toEqual([`gap dropped ${index}…n1 The upstream`, ...names(1, 20)]);
  }
  expect(hub.source.reads.slice(reads).filter((read) => read === null).length).toBeLessThan(20);
});

it('one that joins its reader just as that reads on and drops items misses none of them', async () => {
  // The reader gets on so many steps after the stream has its page, one of them right before it joins.
  for (let steps = 0; steps < 150; steps += 1) {
    const source = createMemorySource('n0');
    const hub = createTestHub(source, { replayBytes: 8_192 });
    hub.follow();
    await hub.clock.pass(10);
    for (const [from, to] of [
      [1, 30],
      [31, 32],
    ] as const) {
      source.add(...names(from, to));
      await hub.clock.pass(400);
    }
    // Some of what follows it is dropped already, and more with the next look.
    const place = source.items[10] ?? null;
    const { after } = source;
    const answers = new Map<string, () => void>();
    source.after = async (from, cancellation) => {
      await new Promise<void>((resolve) => answers.set(from?.key === place?.key ? 'page' : 'look', resolve));
      return after(from, cancellation);
    };
    const told: string[] = [];
    const stream = hub.open({ last: place, from: place });
    stream.pushTo({ isReady: true, take: (each) => told.push(each), end() {}, fail() {} });
    source.add(...names(33, 62));
    await hub.clock.pass(1_000);
    source.after = after;
    expect([...answers.keys()].sort()).toEqual(['look', 'page']);
    answers.get('page')?.();
    for (let step = 0; step < steps; step += 1) await null;
    answers.get('look')?.();
    await hub.clock.pass(2_000);
    expect(told).toEqual(names(11, 62));
  }
});

it('a stream that takes what the reader still had slower than the reader drops it reads the rest as history', async () => {
  const { source, clock, follow, byHand } = createTestHub(createMemorySource('n0'), { replayBytes: 8_192 });
  follow();
  await clock.pass(10);
  source.add(...names(1, 12));
  await clock.pass(400);
  const place = source.items[1] ?? null;
  // A filter of its own, opened after the reader read these items.
  const stream = byHand({ last: place, from: place }, { filter: 'n' });
  const told = [(await stream.next()).value];
  for (const from of [13, 43]) {
    source.add(...names(from, from + 29));
    await clock.pass(1_000);
  }
  const reads = source.reads.length;
  while (told.length < 71) {
    const next = stream.next();
    await clock.pass(100);
    told.push((await next).value);
  }
  expect(told).toEqual(names(2, 72));
  expect(source.reads.slice(reads)).toContain('n2');
  await stream.return(undefined);
});

it('an item that came late to the reader is not repeated to a new filter that has read it in the history', async () => {
  const { clock, source, follow } = createTestHub(createMemorySource(...names(1, 60)));
  const first = follow();
  await clock.pass(10);
  const [before = null, last] = [source.items[9], source.items[59]];
  source.items.splice(59, 0, { key: 'nx', timestampMs: last?.timestampMs ?? 0, item: 'nx', bytes: 10 });
  await clock.pass(2_000);
  source.add('na');
  await clock.pass(2_000);
  expect(first.told).toEqual(['nx', 'na']);
  const { told } = follow({ last: before, from: before }, { filter: 'n' });
  await clock.pass(2_000);
  expect(told).toEqual([...names(11, 59), 'nx', 'n60', 'na']);
});

it('an item that a node moves behind others is delivered once to a stream that reads it in the history', async () => {
  const { clock, source, follow } = createTestHub(createMemorySource(...names(1, 60)));
  source.items = source.items.map((item) => ({ ...item, timestampMs: null }));
  source.pageSize = 2;
  const before = source.items[9] ?? null;
  const { after } = source;
  source.after = (place, cancellation) => {
    if (place?.key === 'n12') source.items.splice(12, 0, ...source.items.splice(10, 1));
    return after(place, cancellation);
  };
  const { told } = follow({ last: before, from: before });
  await clock.pass(5_000);
  expect(told).toEqual(names(11, 60));
});
