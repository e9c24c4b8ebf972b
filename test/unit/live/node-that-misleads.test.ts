import { describe, expect, it } from 'vitest';
import { findPageFaults } from '../../../src/live/position-reader.ts';
import { createTestHub } from '../../support/live-hub.ts';
import { createMemorySource, type MemorySource, settled } from '../../support/memory-source.ts';

const names = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `n${from + index}`);

/** A stream from now, with a reader that has begun. */
async function live(source: MemorySource = createMemorySource('old')) {
  const hub = createTestHub(source);
  const first = hub.follow();
  await hub.clock.pass(10);
  return { ...hub, first };
}

function away(): never {
  throw new Error('away');
}

/** Has calls wait until it is called: the node accepts them and does not answer. */
function freeze(source: MemorySource): () => void {
  let thaw = () => {};
  const frozen = new Promise<void>((resolve) => {
    thaw = resolve;
  });
  source.before = () => frozen;
  return () => {
    source.before = () => {};
    thaw();
  };
}

describe('the faults of a page', () => {
  const place = (key: string, timestampMs: number | null = null) => ({ key, timestampMs });
  const from = place('from', 5);

  it.each([
    ['none', { entries: [place('a', 5), place('b'), place('c', 6)], hasMore: true }, []],
    ['none of an empty one', { entries: [], hasMore: false }, []],
    ['empty, with more', { entries: [], hasMore: true }, ['from is empty and says that there is more']],
    [
      'a time that goes back',
      { entries: [place('a', 6), place('b', 5), place('c', 5)], hasMore: false },
      ['b is out of order'],
    ],
    ['a time before its place', { entries: [place('a', 4)], hasMore: false }, ['a is out of order']],
    ['the place itself', { entries: [place('from', 5), place('a', 6)], hasMore: false }, ['from does not advance']],
    ['an item twice', { entries: [place('a'), place('b'), place('a')], hasMore: false }, ['a has an item twice']],
    [
      'items of an unknown form alone',
      { entries: [], hasMore: false, unreadableAfter: ['from'] },
      ['from has an item of an unknown form'],
    ],
    ['one misplaced', { entries: [place('a'), place('b')], hasMore: false, misplaced: ['a'] }, ['a is out of order']],
  ])('%s', (_, page, faults) => {
    expect(findPageFaults(page, from).map(({ key, what }) => `${key} ${what}`)).toEqual(faults);
  });
});

describe('a page that keeps its fault', () => {
  const timeGoesBack = (source: MemorySource) => {
    source.add('a', 'b');
    const timestampMs = (source.items.at(-1)?.timestampMs ?? 0) - 1_000;
    source.items.push({ key: 'back', timestampMs, item: 'back', bytes: 10 });
    source.add('c');
  };

  it('is taken after 5 s where the time of an item goes back, and operators are told once', async () => {
    const { clock, source, first, follow, log } = await live();
    const start = source.items[0] ?? null;
    timeGoesBack(source);
    await clock.pass(4_000);
    expect(first.told).toEqual([]);
    await clock.pass(2_500);
    source.add(...names(1, 3));
    await clock.pass(1_500);
    expect(first.told).toEqual(['a', 'b', 'back', 'c', ...names(1, 3)]);
    expect(log).toEqual(['1 reader: a better answer than: a page is out of order', 'taken: is out of order']);
    // One that reads the same history is not held up again.
    const { told } = follow({ last: start, from: start });
    await clock.pass(1_000);
    expect(told).toEqual(['a', 'b', 'back', 'c', ...names(1, 3)]);
  });

  it('is taken by a stream that catches up, where its reader began behind the fault', async () => {
    const source = createMemorySource('old');
    timeGoesBack(source);
    source.add(...names(1, 100));
    const { clock, follow } = await live(source);
    const start = source.items[0] ?? null;
    const { told } = follow({ last: start, from: start });
    await clock.pass(7_000);
    expect(told).toEqual(['a', 'b', 'back', 'c', ...names(1, 100)]);
  });

  it('is taken without an item of an unknown form, also one that comes later, and operators are told', async () => {
    const { clock, source, first, follow, log } = await live();
    const start = source.items[0] ?? null;
    source.spoil = (page) => {
      const keys = page.entries.map(({ key }) => key);
      const entries = page.entries.filter(({ key }) => !key.startsWith('bad'));
      return { ...page, entries, unreadableAfter: keys.filter((_, index) => keys[index + 1]?.startsWith('bad')) };
    };
    source.add('a', 'bad1', 'b');
    await clock.pass(4_000);
    expect(first.told).toEqual([]);
    await clock.pass(2_500);
    source.add('c');
    await clock.pass(1_500);
    expect(first.told).toEqual(['a', 'b', 'c']);
    source.add('bad2', 'd');
    await clock.pass(6_500);
    expect(first.told).toEqual(['a', 'b', 'c', 'd']);
    const stalled = '1 reader: a better answer than: a page has an item of an unknown form';
    expect(log).toEqual([stalled, 'left out', 'taken: has an item of an unknown form', 'left out']);
    const { told } = follow({ last: start, from: start });
    await clock.pass(1_000);
    expect(told).toEqual(['a', 'b', 'c', 'd']);
  });

  it('begins no reader for 5 s without an item of an unknown form, which would be delivered twice', async () => {
    const { clock, source, first, points } = await live();
    source.add('a', 'bad', 'b');
    await clock.pass(1_500);
    expect(first.told).toEqual(['a', 'bad', 'b']);
    const restarted = createTestHub(source);
    source.spoil = (page) => ({
      ...page,
      entries: page.entries.filter(({ key }) => key !== 'bad'),
      unreadableAfter: ['b'],
    });
    const { told } = restarted.follow(points.get('b'));
    await restarted.clock.pass(1_500);
    source.spoil = (page) => page;
    await restarted.clock.pass(1_500);
    source.add('c');
    await restarted.clock.pass(1_500);
    expect(told).toEqual(['c']);
  });

  it('is not taken when a good one came meanwhile', async () => {
    const { clock, source, first, log } = await live();
    source.add('a', 'b');
    for (let round = 0; round < 4; round += 1) {
      source.spoil = (page) => ({ ...page, entries: page.entries.toReversed() });
      source.add(`c${round}`, `d${round}`);
      await clock.pass(4_000);
      source.spoil = (page) => page;
      await clock.pass(1_500);
    }
    expect(first.told).toEqual(['a', 'b', 'c0', 'd0', 'c1', 'd1', 'c2', 'd2', 'c3', 'd3']);
    expect(log).toEqual([]);
  });

  it('is read behind its place where each begins with it', async () => {
    const { clock, source, first, follow } = await live(createMemorySource(...names(1, 30)));
    const start = source.items[9] ?? null;
    const { after } = source;
    source.after = async (place, cancellation) => {
      const page = await after(place, cancellation);
      const own = source.items.filter(({ key }) => key === place?.key);
      return { ...page, entries: [...own, ...page.entries] };
    };
    const resumed = follow({ last: start, from: start });
    source.add('a');
    await clock.pass(7_000);
    source.add('b');
    await clock.pass(7_000);
    expect(first.told).toEqual(['a', 'b']);
    expect(resumed.told).toEqual([...names(11, 30), 'a', 'b']);
  });

  it('holds up no new stream where an empty one always says that there is more', async () => {
    const { clock, source, follow } = await live();
    source.spoil = (page) => (page.entries.length === 0 ? { entries: [], hasMore: true } : page);
    await clock.pass(6_000);
    const { told } = follow();
    await clock.pass(1_500);
    source.add('a');
    await clock.pass(2_000);
    expect(told).toEqual(['a']);
  });

  it('is none of many small pages in a row with new items, which are one poll', async () => {
    const { clock, source, first, log } = await live(createMemorySource(...names(1, 40)));
    source.pageSize = 1;
    source.add(...names(41, 140));
    while (first.told.length === 0) await clock.pass(10);
    expect(first.told).toEqual(names(41, 140));
    expect(log).toEqual([]);
  });

  it('ends where pages go round in a circle', async () => {
    const { clock, source, first, log } = await live(createMemorySource(...names(1, 100)));
    source.spoil = () => ({ entries: source.items.slice(90, 95), hasMore: true });
    const before = source.reads.length;
    await clock.pass(30_000);
    expect(source.reads.length - before).toBeLessThan(1_000);
    source.spoil = (page) => page;
    source.add('a');
    await clock.pass(10_000);
    expect(first.told).toEqual(['a']);
    expect(log).not.toEqual([]);
  });
});

describe('a reader that begins', () => {
  it.each<[string, MemorySource['spoil']]>([
    ['leaves some out', (page) => ({ entries: page.entries.slice(0, -2), hasMore: false })],
    ['leaves all out', () => ({ entries: [], hasMore: true })],
    ['says that there are none', () => ({ entries: [], hasMore: false })],
    ['tells them in reverse', (page) => ({ ...page, entries: page.entries.toReversed() })],
    ['repeats one', (page) => ({ ...page, entries: [...page.entries.slice(0, 2), ...page.entries.slice(0, 2)] })],
  ])('tells nothing of before where the page of the newest items %s', async (_, spoil) => {
    const source = createMemorySource(...names(1, 60));
    const { newest } = source;
    source.newest = async (...request) => {
      const page = await newest(...request);
      return { ...page, ...spoil(page as Parameters<typeof spoil>[0]) };
    };
    const { clock, follow } = createTestHub(source);
    const { told } = follow();
    const last = source.items.at(-1) ?? null;
    const resumed = follow({ last: last, from: last });
    await clock.pass(1_000);
    source.newest = newest;
    await clock.pass(2_000);
    source.add('a', 'b');
    await clock.pass(3_000);
    expect(told.filter((each) => !each.startsWith('gap'))).toEqual(['a', 'b']);
    expect(resumed.told).toEqual(['a', 'b']);
  });

  it.each([
    ['empty', 0],
    ['too short', -2],
  ])(
    'does not read all there is before it tells anything, where the first page of the newest items is %s',
    async (_, end) => {
      const source = createMemorySource(...names(1, 2_000));
      const { newest } = source;
      source.newest = async (...request) => {
        source.newest = newest;
        const page = await newest(...request);
        return { ...page, entries: page.entries.slice(0, end) };
      };
      const { clock, follow } = createTestHub(source);
      // As of a new process, to which clients come back: 40 pages of a tenth of a second.
      source.before = () => new Promise<void>((resolve) => void clock.after(100, resolve));
      const last = source.items.at(-1) ?? null;
      const streams = [follow({ last: last, from: last }), follow()];
      await clock.pass(1_000);
      source.add('a');
      await clock.pass(1_500);
      expect(streams.map(({ told }) => told)).toEqual([['a'], ['a']]);
    },
  );

  it('does not take a look for whole in which the newest place was not met', async () => {
    const { clock, source, follow } = await live(createMemorySource(...names(1, 60)));
    // Another node answers, which has not heard of the last ones.
    source.add('a');
    await clock.pass(1_500);
    source.add('b', 'c');
    const { items } = source;
    source.items = items.slice(0, 60);
    const { told } = follow();
    await settled();
    source.items = items;
    await clock.pass(1_500);
    source.add('d');
    await clock.pass(1_500);
    expect(told).toEqual(['d']);
  });

  it('finds a late item before the newest one also after a node that did not know the newest one', async () => {
    const { clock, source, first } = await live(createMemorySource(...names(1, 10)));
    source.add('a', 'b');
    await clock.pass(1_500);
    const { items } = source;
    source.items = items.slice(0, -1);
    await clock.pass(1_500);
    const timestampMs = items.at(-1)?.timestampMs ?? 0;
    source.items = [...items.slice(0, -1), { key: 'late', timestampMs, item: 'late', bytes: 10 }, ...items.slice(-1)];
    await clock.pass(3_000);
    source.add('c');
    await clock.pass(1_500);
    expect(first.told).toEqual(['a', 'b', 'late', 'c']);
  });

  it('does not take a look for whole in which an older place was lost', async () => {
    const { clock, source, follow } = await live(createMemorySource(...names(1, 60)));
    source.items.splice(0, 55);
    source.add('a');
    const { told } = follow();
    await clock.pass(1_500);
    source.add('b');
    await clock.pass(1_500);
    expect(told).toEqual(['b']);
  });
});

describe('a place that the node does not know', () => {
  const strange = { key: 'never', timestampMs: 1_005 };

  it('is given up after 5 s and at most one look more, by a stream that catches up', async () => {
    const { clock, follow } = await live(createMemorySource(...names(1, 10)));
    const { told } = follow({ last: strange, from: strange });
    await clock.pass(4_900);
    expect(told).toEqual([]);
    await clock.pass(1_100);
    expect(told).toEqual(['gap never…undefined The upstream']);
  });

  it('is given up so by a reader', async () => {
    const { clock, source, first } = await live(createMemorySource(...names(1, 10)));
    source.items.splice(1);
    await clock.pass(4_900);
    expect(first.told).toEqual([]);
    await clock.pass(2_200);
    expect(first.told).toEqual(['gap n10…undefined The upstream']);
  });

  it('is followed by new items once the node has come back to where it was, however far that is', async () => {
    const { clock, source, first } = await live(createMemorySource(...names(1, 30)));
    source.pageSize = 2;
    source.add(...names(31, 200));
    await clock.pass(2_000);
    const { items } = source;
    source.items = items.slice(0, 40);
    await clock.pass(8_000);
    source.items = items;
    source.add('a');
    await clock.pass(20_000);
    expect(first.told).toEqual([...names(31, 200), 'gap n200…undefined The upstream', 'a']);
  });

  it('is not given up while the node does not answer', async () => {
    const { clock, source, first, follow } = await live(createMemorySource(...names(1, 10)));
    const last = source.items.at(-1) ?? null;
    const gone = source.items.splice(8);
    const { told } = follow({ last: last, from: last });
    await clock.pass(1_000);
    source.before = away;
    await clock.pass(20_000);
    source.items.push(...gone);
    source.before = () => {};
    source.add('a');
    await clock.pass(5_000);
    expect([told, first.told]).toEqual([['a'], ['a']]);
  });

  it('is not given up for two answers without it, however long the node failed between them', async () => {
    const { clock, source, first } = await live(createMemorySource(...names(1, 10)));
    const gone = source.items.splice(1);
    await clock.pass(1_500);
    source.before = away;
    await clock.pass(20_000);
    const { length } = source.reads;
    source.before = () => {};
    while (!source.reads.slice(length).includes('n10')) await clock.pass(100);
    source.items.push(...gone);
    source.add('a');
    await clock.pass(5_000);
    expect(first.told).toEqual(['a']);
  });

  it('is known to a node whose page behind it is refused', async () => {
    const { clock, source, follow } = await live(createMemorySource(...names(1, 60)));
    const place = source.items[49] ?? null;
    const { items } = source;
    const lose = async (ms: number) => {
      source.items = items.slice(0, 8);
      await clock.pass(ms);
      source.items = items;
    };
    source.items = items.slice(0, 8);
    const { told } = follow({ last: place, from: place });
    await lose(3_500);
    source.spoil = (page) => ({ ...page, entries: page.entries.toReversed() });
    await clock.pass(2_500);
    source.spoil = (page) => page;
    await lose(3_500);
    await clock.pass(2_000);
    expect(told).toEqual(names(51, 60));
  });

  it('is looked for anew where it was found meanwhile: two short losses are no long one', async () => {
    const source = createMemorySource(...names(1, 120));
    source.pageSize = 10;
    const { clock, first, byHand } = await live(source);
    const place = source.items[9] ?? null;
    const items = source.items;
    const lose = async (ms: number) => {
      source.items = items.slice(0, 3);
      await clock.pass(ms);
      source.items = items;
    };
    const stream = byHand({ last: place, from: place });
    const told: unknown[] = [];
    for (let round = 0; round < 3; round += 1) {
      // A page each time, and in between its place is lost.
      const next = stream.next();
      await lose(3_000);
      await clock.pass(1_500);
      told.push((await next).value);
      for (let count = 0; count < 9; count += 1) told.push((await stream.next()).value);
    }
    expect(told).toEqual(names(11, 40));
    await lose(3_000);
    source.add('a');
    await clock.pass(1_500);
    await lose(3_000);
    await clock.pass(1_500);
    expect(first.told).toEqual(['a']);
    await stream.return(undefined);
  });
});

describe('a stream from now that is opened while the node does not answer', () => {
  it('begins where its reader was, if that was up', async () => {
    const { clock, source, follow } = await live();
    source.add('a');
    await clock.pass(1_500);
    const thaw = freeze(source);
    await clock.pass(100);
    const { told } = follow();
    await clock.pass(3_000);
    source.add('b');
    thaw();
    await clock.pass(1_000);
    expect(told).toEqual(['b']);
  });

  it('says where it began when it is stopped meanwhile', async () => {
    const { hub, clock, source, follow } = await live();
    source.add('a');
    await clock.pass(1_500);
    freeze(source);
    await clock.pass(100);
    const { told } = follow();
    await clock.pass(3_000);
    hub.stop();
    await settled();
    expect(told).toEqual(['missed 0 after a']);
  });

  it('tells a gap behind the last known place, where its reader was not up', async () => {
    const { clock, source, follow } = await live();
    source.add('a');
    await clock.pass(1_500);
    source.before = away;
    await clock.pass(10_000);
    const { told } = follow();
    source.add('b');
    await clock.pass(10_000);
    source.before = () => {};
    await clock.pass(5_000);
    source.add('c');
    await clock.pass(1_500);
    expect(told).toEqual(['gap a…undefined The upstream', 'c']);
  });

  it('tells a gap behind nothing, where there was no reader', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource('old'));
    const thaw = freeze(source);
    const { told } = follow();
    await clock.pass(3_000);
    source.add('a');
    thaw();
    await clock.pass(1_000);
    source.add('b');
    await clock.pass(1_500);
    expect(told).toEqual(['gap undefined…undefined The upstream', 'b']);
  });

  it('tells no gap where a look fails and the next one does not', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource('old'));
    source.before = away;
    const { told } = follow();
    await clock.pass(500);
    source.before = () => {};
    await clock.pass(1_500);
    source.add('a');
    await clock.pass(1_500);
    expect(told).toEqual(['a']);
  });
});

describe('what makes no progress', () => {
  it('is reported with what it waits for, each kind once a minute, and not while there is nothing to wait for', async () => {
    const { clock, source, follow, log } = await live();
    const start = source.items[0] ?? null;
    await clock.pass(120_000);
    expect(log).toEqual([]);
    source.before = away;
    source.add('a');
    const elsewhere = [1, 2, 3].map((index) => ({ key: `x${index}`, timestampMs: 1_000 }));
    for (const place of elsewhere) follow({ last: place, from: place });
    await clock.pass(50_000);
    expect(log).toEqual(['1 reader: a better answer than: away', '3 stream: a better answer than: away']);
    await clock.pass(60_000);
    expect(log).toHaveLength(4);
    source.before = () => {};
    source.items.unshift({ key: 'oldest', timestampMs: 1, item: 'oldest', bytes: 1 });
    const { told } = follow({ last: start, from: start });
    await clock.pass(10_000);
    expect(told[0]).toBe('a');
    const reported = log.length;
    await clock.pass(120_000);
    expect(log).toHaveLength(reported);
  });
});
