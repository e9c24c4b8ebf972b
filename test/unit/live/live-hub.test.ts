import { describe, expect, it } from 'vitest';
import type { ResumePoint } from '../../../src/live/live-source.ts';
import type { LiveStream } from '../../../src/live/live-stream.ts';
import { createTestHub } from '../../support/live-hub.ts';
import { createMemorySource, settled } from '../../support/memory-source.ts';
import { pull } from '../../support/pushed-items.ts';

const names = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `n${from + index}`);

describe('a stream from now', () => {
  it('tells what happens from then on, in order, each once', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource('old'));
    const { told } = follow();
    await clock.pass(10);
    source.add('a', 'b');
    await clock.pass(400);
    source.add('c');
    await clock.pass(1_000);
    expect(told).toEqual(['a', 'b', 'c']);
  });

  it('does not tell what a reader had not read yet when the stream was opened', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource('old'));
    const first = follow();
    // The reader looks seldom by now.
    await clock.pass(10_000);
    source.add('a');
    const second = follow();
    await settled();
    source.add('b');
    await clock.pass(2_000);
    expect([first.told, second.told]).toEqual([['a', 'b'], ['b']]);
  });

  it('begins with the first item of all where there is none yet', async () => {
    const { clock, source, follow } = createTestHub();
    const { told } = follow();
    await clock.pass(10);
    source.add('a');
    await clock.pass(400);
    expect(told).toEqual(['a']);
  });

  it('reads pages without a pause while there are more', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource('old'));
    const { told } = follow();
    await clock.pass(10);
    source.add(...names(1, 500));
    await clock.pass(400);
    expect(told).toEqual(names(1, 500));
  });
});

describe('a stream that goes on', () => {
  it('takes over from memory what its reader has read meanwhile', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource('old'));
    follow();
    await clock.pass(10);
    source.add(...names(1, 10));
    await clock.pass(400);
    const reads = source.reads.length;
    const { told } = follow('n4');
    await settled();
    expect(told).toEqual(names(5, 10));
    expect(source.reads.length).toBe(reads);
  });

  it('reads what its reader never had, and goes over to what is live without a gap or a repeat', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource(...names(1, 300)));
    const { told } = follow({ last: source.items[9] ?? null, from: source.items[9] ?? null });
    await clock.pass(10);
    source.add(...names(301, 320));
    await clock.pass(500);
    expect(told).toEqual(names(11, 320));
  });

  it('does so from before the first item', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource(...names(1, 60)));
    const { told } = follow({ last: null, from: null });
    await clock.pass(10);
    source.add('n61');
    await clock.pass(500);
    expect(told).toEqual(names(1, 61));
  });

  it('tells of a gap where what follows its place is gone, and what is left behind the gap', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource(...names(1, 100)));
    const lost = source.items[9] ?? null;
    source.items.splice(0, 50);
    const { told } = follow({ last: lost, from: lost });
    await clock.pass(500);
    expect(told).toEqual(['gap n10…n51 The upstream', ...names(51, 100)]);
  });

  it('does not take a place for gone that a lagging node has not heard of yet', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource(...names(1, 10)));
    const behind = source.items.splice(8, 2);
    const last = behind[1] ?? null;
    const { told } = follow({ last: last, from: last });
    await clock.pass(2_000);
    source.items.push(...behind);
    source.add('n11');
    await clock.pass(10_000);
    expect(told).toEqual(['n11']);
  });

  it('goes on from now, behind a gap, where nobody finds its place for long', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource(...names(1, 10)));
    const strange = { key: 'never', timestampMs: 1_005 };
    const { told } = follow({ last: strange, from: strange });
    await clock.pass(60_000);
    source.add('n11');
    await clock.pass(2_000);
    expect(told).toEqual(['gap never…undefined The upstream', 'n11']);
  });
});

describe('a reader', () => {
  it('is one for all who follow, whatever their filters', async () => {
    const { hub, clock, source, follow } = createTestHub(createMemorySource('old'));
    const streams = [follow(), follow(), follow(undefined, { filter: 'x' })];
    await clock.pass(10);
    const reads = source.reads.length;
    source.add('a', 'x1');
    await clock.pass(400);
    expect(hub.readers).toBe(1);
    expect(source.reads.length - reads).toBeLessThanOrEqual(2);
    expect(streams.map(({ told }) => told)).toEqual([['a', 'x1'], ['a', 'x1'], ['x1']]);
  });

  it('goes on for a grace when the last has left, and then ends, timer and all', async () => {
    const { hub, clock, follow } = createTestHub(createMemorySource('old'));
    const { leave } = follow();
    await clock.pass(300);
    await leave();
    expect(hub.readers).toBe(1);
    await clock.pass(499);
    expect(hub.readers).toBe(1);
    await clock.pass(1);
    expect(hub.readers).toBe(0);
    expect(clock.timers).toBe(0);
  });

  it('serves who comes back within the grace from memory', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource('old'));
    const first = follow();
    await clock.pass(10);
    source.add('a');
    await clock.pass(400);
    await first.leave();
    source.add('b');
    await clock.pass(400);
    const second = follow('a');
    await clock.pass(1_000);
    expect(second.told).toEqual(['b']);
    // Also when the grace of the first one would be over.
    source.add('c');
    await clock.pass(1_000);
    expect(second.told).toEqual(['b', 'c']);
    expect(source.reads.filter((read) => read === 'newest')).toHaveLength(1);
  });

  it('asks more seldom while nothing happens, and often again when something does', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource('old'));
    follow();
    await clock.pass(20_000);
    const idle = source.reads.length;
    await clock.pass(10_000);
    expect(source.reads.length - idle).toBe(10);
    source.add('a');
    await clock.pass(1_000);
    const busy = source.reads.length;
    await clock.pass(500);
    expect(source.reads.length - busy).toBeGreaterThan(1);
  });

  it('goes on behind an outage, less and less often, and has lost nothing', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource('old'));
    const { told } = follow();
    await clock.pass(10);
    source.add('a');
    await clock.pass(400);
    source.before = () => {
      throw new Error('away');
    };
    source.add('b', 'c');
    const before = source.reads.length;
    await clock.pass(60_000);
    expect(source.reads.length - before).toBeLessThan(40);
    source.before = () => {};
    source.add('d');
    await clock.pass(20_000);
    expect(told).toEqual(['a', 'b', 'c', 'd']);
  });

  it('tells an item that the upstream told late, once, wherever it stands', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource('old'));
    const { told } = follow();
    await clock.pass(10);
    source.add('a', 'b', 'c');
    await clock.pass(400);
    const at = source.items.findIndex(({ key }) => key === 'b');
    source.items.splice(at, 0, { key: 'late', timestampMs: 1_003, item: 'late', bytes: 10 });
    source.add('d');
    await clock.pass(2_000);
    expect(told).toEqual(['a', 'b', 'c', 'late', 'd']);
    // Whoever goes on behind the late one gets nothing again, from memory and from the upstream alike.
    const again = follow('late');
    await clock.pass(1_000);
    expect(again.told).toEqual(['d']);
  });

  it('does not repeat a late item to a client that resumes after a quiet time, or after a stop', async () => {
    const { clock, source, follow, trace, hub } = createTestHub(createMemorySource('old'));
    const place = source.items[0] ?? null;
    const start = { last: place, from: place };
    const traced = trace(start);
    let quietAt: ResumePoint = start;
    const quiet = hub.open({
      ...{ query: 'all', source: () => source, everything: null, filter: 'quiet', after: null, weight: 1, caller: 'a' },
      presenter: () => ({
        toCursor: JSON.stringify,
        matches: () => true,
        item: () => 'item',
        gap: () => 'gap',
        missed: () => 'missed',
      }),
      onQuiet: (at) => {
        quietAt = at;
      },
    });
    (quiet as LiveStream<string, string>).pushTo({ isReady: true, take() {}, end() {}, fail() {} });
    await clock.pass(10);
    source.add('a', 'b');
    await clock.pass(400);
    source.items.splice(2, 0, { key: 'late', timestampMs: 1_002, item: 'late', bytes: 10 });
    await clock.pass(2_000);
    const again = follow(quietAt);
    await clock.pass(400);
    hub.stop();
    await settled();
    expect(traced.told).toEqual(['a', 'b', 'late', 'missed 0']);
    expect([traced.point, quietAt].map((point) => point?.last?.key)).toEqual(['late', 'late']);
    expect(again.told).toEqual(['missed 0 after late']);
  });

  it.each<[string, Parameters<typeof spoilt>[0]]>([
    ['is out of order', (page) => ({ ...page, entries: page.entries.toReversed() })],
    ['has an item twice', (page) => ({ ...page, entries: [...page.entries, ...page.entries.slice(-1)] })],
    ['is empty and says that there is more', () => ({ entries: [], hasMore: true })],
  ])('takes nothing of a page that %s', async (_, spoil) => {
    expect(await spoilt(spoil)).toEqual(['a', 'b', 'c']);
  });

  it('does not ask for ever where pages do not advance', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource('old'));
    const { told } = follow();
    await clock.pass(10);
    source.add('a');
    await clock.pass(400);
    // The cursor is not heeded: each page is the first one.
    source.spoil = () => ({ entries: source.items.slice(0, 2), hasMore: true });
    const before = source.reads.length;
    await clock.pass(10_000);
    expect(source.reads.length - before).toBeLessThan(100);
    expect(told).toEqual(['a']);
  });

  it('tells of a gap where what it has not read yet is gone', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource('old'));
    const { told } = follow();
    await clock.pass(10);
    source.add('a');
    await clock.pass(400);
    source.add(...names(1, 20));
    source.items.splice(0, 12);
    await clock.pass(5_000);
    expect(told).toEqual(['a', 'gap a…n11 The upstream', ...names(11, 20)]);
  });
});

async function spoilt(spoil: ReturnType<typeof createMemorySource>['spoil']): Promise<string[]> {
  const { clock, source, follow } = createTestHub(createMemorySource('old'));
  const { told } = follow();
  await clock.pass(10);
  source.spoil = spoil;
  source.add('a', 'b', 'c');
  await clock.pass(2_000);
  source.spoil = (page) => page;
  await clock.pass(10_000);
  return told;
}

describe('one who reads slowly', () => {
  it('is told how many items it missed, and gets them by going on from where it was', async () => {
    const { hub, clock, source, follow, points } = createTestHub(createMemorySource('old'), { replayBytes: 8_192 });
    const quick = follow();
    const stream = pull(
      hub.open({
        query: 'all',
        source: () => source,
        everything: null,
        filter: 'slow',
        presenter: () => ({
          toCursor: JSON.stringify,
          matches: () => true,
          item: ({ item }, at) => {
            points.set(item, at);
            return item;
          },
          gap: () => 'gap',
          missed: (count, { last }) => `missed ${count} after ${last?.key}`,
        }),
        after: null,
        weight: 1,
        caller: 'slow',
      }),
    );
    const first = stream.next();
    await clock.pass(10);
    source.add('a');
    await clock.pass(400);
    expect(await first).toEqual({ done: false, value: 'a' });
    for (let count = 0; count < 10; count += 1) {
      source.add(...names(count * 20 + 1, count * 20 + 20));
      await clock.pass(400);
    }
    expect(quick.told).toEqual(['a', ...names(1, 200)]);
    const { value } = await stream.next();
    const missed = Number(/^missed (\d+) after a$/.exec(String(value))?.[1]);
    expect(missed).toBeGreaterThan(100);
    expect(await stream.next()).toEqual({ done: false, value: `n${missed + 1}` });
    // What is kept is bounded, however slow they are.
    const again = follow('a');
    await clock.pass(1_000);
    expect(again.told).toEqual(names(1, 200));
  });
});

describe('places', () => {
  it('are bounded for one caller and for all, and are free again when a stream is left', async () => {
    const { clock, follow } = createTestHub(undefined, { maxStreams: 3, maxStreamsPerCaller: 2 });
    const first = follow();
    follow();
    expect(() => follow()).toThrow('Over the limit of 2 live streams of one caller at once.');
    follow(undefined, { caller: 'another' });
    expect(() => follow(undefined, { caller: 'a third' })).toThrow('This gateway is at its limit of live streams.');
    await first.leave();
    await first.leave();
    expect(() => follow(undefined, { weight: 2 })).toThrow('This one counts as 2, for the size of its filter.');
    expect(() => follow()).not.toThrow();
    await clock.pass(10);
  });
});

describe('many filters over one reader', () => {
  it('count what their own filter matched, although the reader drops items faster than many filters read them', async () => {
    const { clock, source, byHand, follow } = createTestHub(createMemorySource('old'), { replayBytes: 8_192 });
    for (let other = 0; other < 90; other += 1) follow(undefined, { filter: `other${other}` });
    const stream = byHand(undefined, { filter: '7' });
    const first = stream.next();
    await clock.pass(10);
    source.add(...names(1, 2_000));
    await clock.pass(1_000);
    const told = [(await first).value, (await stream.next()).value] as [string, string];
    const kept: unknown[] = [];
    const read = async () => {
      for await (const name of stream) kept.push(name);
    };
    void read();
    await clock.pass(10);
    const matching = names(1, 2_000).filter((name) => name.includes('7'));
    expect(told[0]).toBe('n7');
    expect(told[1]).toBe(`missed ${matching.length - 1 - kept.length} after n7`);
    expect(kept).toEqual(matching.slice(-kept.length));
  });

  it('keep nothing of their own but which items match', async () => {
    const { clock, source, made, follow } = createTestHub(createMemorySource('old'), { replayBytes: 10_000_000 });
    const quick = follow();
    const slow = Array.from({ length: 20 }, (_, index) => follow(undefined, { filter: `${index % 10}` }));
    await clock.pass(10);
    source.add(...names(1, 1_000));
    await clock.pass(1_000);
    expect(quick.told).toEqual(names(1, 1_000));
    for (const [index, { told }] of slow.entries()) {
      expect(told).toEqual(names(1, 1_000).filter((name) => name.includes(`${index % 10}`)));
    }
    // Made once for all who follow the same filter, and not again while they keep up.
    const tellings = quick.told.length + slow.slice(0, 10).reduce((sum, { told }) => sum + told.length, 0);
    expect(made.count).toBe(tellings);
  });

  it('let one who comes back with a filter that nobody has find all of it in memory', async () => {
    const { clock, source, follow } = createTestHub(createMemorySource('old'));
    follow();
    await clock.pass(10);
    source.add(...names(1, 2_000));
    await clock.pass(2_000);
    const reads = source.reads.length;
    const again = follow('n3', { filter: '99' });
    await clock.pass(90);
    expect(again.told).toEqual(names(4, 2_000).filter((name) => name.includes('99')));
    expect(source.reads.length - reads).toBeLessThan(2);
  });

  it('have one who falls out of memory before its filter was matched there read on from the node', async () => {
    const { clock, source, follow, byHand } = createTestHub(createMemorySource('old'), { replayBytes: 100_000 });
    follow();
    await clock.pass(10);
    source.add(...names(1, 100));
    await clock.pass(1_000);
    const stream = byHand('n3', { filter: '5' });
    expect(await stream.next()).toEqual({ done: false, value: 'n5' });
    source.add(...names(101, 1_000));
    await clock.pass(5_000);
    const expected = names(6, 1_000).filter((name) => name.includes('5'));
    const told: unknown[] = [];
    while (told.length < expected.length) {
      const next = stream.next();
      await clock.pass(10);
      told.push((await next).value);
    }
    expect(told).toEqual(expected);
    await stream.return(undefined);
  });
});

describe('a hub that stops', () => {
  it('has every stream tell where to go on, and end; and opens no more', async () => {
    const { hub, clock, source, follow } = createTestHub(createMemorySource('old'));
    const idle = follow();
    await clock.pass(10);
    source.add('a');
    await clock.pass(400);
    const behind = follow({ last: null, from: null }, { filter: 'z' });
    await settled();
    source.before = () => Promise.reject(new Error('away'));
    const waiting = follow({ last: null, from: null }, { filter: 'y' });
    await settled();
    hub.stop();
    await settled();
    expect([idle.told, behind.told, waiting.told]).toEqual([
      ['a', 'missed 0 after a'],
      ['missed 0 after a'],
      ['missed 0 after nothing'],
    ]);
    expect([idle.isOver, behind.isOver, waiting.isOver]).toEqual([true, true, true]);
    expect(() => follow()).toThrow('This gateway is stopping.');
    await clock.pass(500);
    expect(hub.readers).toBe(0);
    expect(clock.timers).toBe(0);
  });

  it('has a stream that is between two reads tell where to go on at the next one', async () => {
    const { hub, clock, source, byHand } = createTestHub(createMemorySource('old'));
    const stream = byHand();
    const first = stream.next();
    await clock.pass(10);
    source.add('a', 'b');
    await clock.pass(400);
    expect(await first).toEqual({ done: false, value: 'a' });
    hub.stop();
    expect([await stream.next(), await stream.next()]).toEqual([
      { done: false, value: 'missed 0 after a' },
      { done: true, value: undefined },
    ]);
  });
});
