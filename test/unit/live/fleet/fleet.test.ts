import { describe, expect, it } from 'vitest';
import { createFleet } from '../../../../src/live/fleet/fleet.ts';
import { PageJudge } from '../../../../src/live/position-reader.ts';
import { Reader } from '../../../../src/live/reader.ts';
import { Timeline } from '../../../../src/live/timeline.ts';
import { Turns } from '../../../../src/upstream/fair-turns.ts';
import { createTestFleet, numbered, type TestProcess } from '../../../support/live-fleet.ts';
import { createMemorySource } from '../../../support/memory-source.ts';
import { next } from '../../../support/pushed-items.ts';

/** Two processes with a stream each, both from now; the first one leads. */
async function startTwo(options: Parameters<typeof createTestFleet>[0] = {}) {
  const fleet = createTestFleet(options);
  const first = fleet.start();
  const one = first.follow();
  await fleet.clock.pass(50);
  const second = fleet.start();
  const other = second.follow();
  await fleet.clock.pass(50);
  return { ...fleet, first, second, one, other };
}

const readsOf = ({ source }: TestProcess) => source.reads.length;

describe('a fleet', () => {
  it('has one process ask the node, and tells all that follow in any of them', async () => {
    const { clock, node, first, second, one, other } = await startTwo();
    for (let count = 0; count < 20; count += 1) {
      node.add(`n${count + 1}`);
      await clock.pass(300);
    }
    expect([one.told, other.told]).toEqual([numbered(1, 20), numbered(1, 20)]);
    expect(readsOf(second)).toBe(0);
    expect(readsOf(first)).toBeGreaterThan(20);
  });

  it('has another ask on when the one that did is gone without a word, within five seconds', async () => {
    const { clock, node, first, second, other } = await startTwo();
    node.add('a');
    await clock.pass(400);
    first.logs.kill();
    node.add('b');
    await clock.pass(4_900);
    node.add('c');
    await clock.pass(1_000);
    expect(other.told).toEqual(['a', 'b', 'c']);
    expect(readsOf(second)).toBeGreaterThan(0);
  });

  it.each([0, 300, 1_500, 2_900])(
    'leaves nothing out for streams that open %s ms after the leader is gone, in processes old and new',
    async (ms) => {
      const { clock, node, first, second, ...fleet } = await startTwo();
      node.add('before');
      await clock.pass(400);
      first.logs.kill();
      await clock.pass(ms);
      const streams = [second.follow(), fleet.start().follow()];
      await clock.pass(10);
      for (const name of numbered(1, 30)) {
        node.add(name);
        await clock.pass(200);
      }
      await clock.pass(2_000);
      for (const { told } of streams) expect(told).toEqual(numbered(1, 30));
    },
  );

  it('has another ask on at once when the one that did is not followed any more', async () => {
    const { clock, node, first, second, one, other } = await startTwo();
    await one.leave();
    await clock.pass(520);
    const asked = readsOf(first);
    node.add('a');
    await clock.pass(400);
    expect(other.told).toEqual(['a']);
    expect(readsOf(first)).toBe(asked);
    await other.leave();
    await clock.pass(600);
    expect(clock.timers).toBe(0);
    const all = readsOf(second);
    await clock.pass(5_000);
    expect(readsOf(second)).toBe(all);
  });

  it('has each process follow on through short failures of the log, however many', async () => {
    const { clock, second } = await startTwo();
    for (let count = 0; count < 5; count += 1) {
      second.logs.state = 'cut';
      await clock.pass(1_000);
      second.logs.state = 'well';
      await clock.pass(2_000);
    }
    expect(readsOf(second)).toBe(0);
  });

  it('lets the one that did not hear for a while add nothing behind its successor', async () => {
    const { clock, node, logs, first, one, other } = await startTwo();
    node.add('a');
    await clock.pass(400);
    // It reads on, and does not come through to the others.
    first.logs.state = 'cut';
    node.add('b');
    await clock.pass(6_000);
    expect([one.told, other.told]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    first.logs.state = 'well';
    node.add('c');
    await clock.pass(4_000);
    node.add('d');
    await clock.pass(1_000);
    expect([one.told, other.told]).toEqual([
      ['a', 'b', 'c', 'd'],
      ['a', 'b', 'c', 'd'],
    ]);
    expect(new Set(logs.entries.map(({ id }) => id.split('-')[0])).size).toBe(1);
    expect(first.log).toEqual(['away', 'back']);
  });

  it('has another process read for all when the leader does not reach the node', async () => {
    const { clock, node, first, second, one, other } = await startTwo();
    first.source.before = () => {
      throw new Error('away');
    };
    node.add('a');
    await clock.pass(20_000);
    const late = first.follow();
    await clock.pass(1_500);
    node.add('b');
    await clock.pass(1_500);
    expect([one.told, other.told, late.told]).toEqual([['a', 'b'], ['a', 'b'], ['b']]);
    const [asked, led] = [readsOf(first), readsOf(second)];
    await clock.pass(60_000);
    expect(readsOf(first)).toBe(asked);
    expect(readsOf(second)).toBeGreaterThan(led);
  });

  it('delivers everything once after an outage of the node for all processes', async () => {
    const { clock, node, first, second, one, other } = await startTwo();
    for (const { source } of [first, second]) {
      source.before = () => {
        throw new Error('away');
      };
    }
    node.add(...numbered(1, 5));
    await clock.pass(100_000);
    for (const { source } of [first, second]) source.before = () => {};
    await clock.pass(10_000);
    node.add('n6');
    await clock.pass(3_000);
    expect([one.told, other.told]).toEqual([numbered(1, 6), numbered(1, 6)]);
    const asked = [readsOf(first), readsOf(second)];
    await clock.pass(10_000);
    // One process reads again, and not both.
    expect([readsOf(first), readsOf(second)].filter((count, index) => count === asked[index])).toHaveLength(1);
  });

  it('begins a new stream with what happens from then on, however far its process is behind', async () => {
    const { clock, node, first, second } = await startTwo();
    // Nothing is asked for a second when nothing has happened for long.
    await clock.pass(20_000);
    node.add('before');
    const late = second.follow();
    const later = first.follow();
    await clock.pass(20);
    node.add('after');
    await clock.pass(1_500);
    expect([late.told, later.told]).toEqual([['after'], ['after']]);
    expect(readsOf(second)).toBe(0);
  });

  it('answers a process that waits for a poll again where its answer did not come through', async () => {
    const { clock, first, second } = await startTwo();
    await clock.pass(20_000);
    first.logs.state = 'full';
    let isLive = false;
    const stream = second.hub.open({
      ...{ query: 'all', everything: null, filter: 'new', after: null, weight: 1, caller: 'somebody' },
      source: () => second.source,
      presenter: () => ({
        toCursor: JSON.stringify,
        matches: () => true,
        item: () => 'item',
        gap: () => 'gap',
        missed: () => 'missed',
      }),
      onQuiet: () => {
        isLive = true;
      },
    });
    const begun = next(stream);
    await clock.pass(300);
    first.logs.state = 'well';
    // Before the stream would begin without a look.
    await clock.pass(1_500);
    expect(isLive).toBe(true);
    stream.leave();
    await begun;
  });

  it('goes on in another process exactly behind a cursor', async () => {
    const { clock, node, first, second, one, other } = await startTwo();
    node.add(...numbered(1, 5));
    await clock.pass(400);
    await one.leave();
    await clock.pass(5_000);
    node.add(...numbered(6, 9));
    await clock.pass(1_500);
    const again = second.follow(first.points.get('n3'));
    await clock.pass(100);
    node.add('n10');
    await clock.pass(1_500);
    expect(again.told).toEqual(numbered(4, 10));
    expect(other.told).toEqual(numbered(1, 10));
  });

  it('has a process that comes later know at once what the others still keep', async () => {
    const { clock, node, start, second } = await startTwo();
    node.add(...numbered(1, 30));
    await clock.pass(400);
    const third = start();
    const now = third.follow();
    await clock.pass(20);
    const again = third.follow(second.points.get('n7'));
    await clock.pass(20);
    node.add('n31');
    await clock.pass(1_500);
    expect([again.told, now.told]).toEqual([numbered(8, 31), ['n31']]);
    expect([readsOf(third), readsOf(second)]).toEqual([0, 0]);
  });
});

describe('while the others cannot be reached', () => {
  it('each reads for itself, says so once, and joins them again without a repeat', async () => {
    const { clock, node, first, second, one, other } = await startTwo();
    for (const { logs } of [first, second]) logs.state = 'cut';
    for (let count = 1; count <= 10; count += 1) {
      node.add(`n${count}`);
      await clock.pass(1_000);
    }
    expect([one.told, other.told]).toEqual([numbered(1, 10), numbered(1, 10)]);
    for (const { logs } of [first, second]) logs.state = 'well';
    await clock.pass(5_000);
    const asked = [readsOf(first), readsOf(second)];
    node.add(...numbered(11, 15));
    await clock.pass(1_500);
    expect([one.told, other.told]).toEqual([numbered(1, 15), numbered(1, 15)]);
    const more = [readsOf(first) - (asked[0] ?? 0), readsOf(second) - (asked[1] ?? 0)];
    expect(more.filter((count) => count === 0)).toHaveLength(1);
    expect([first.log, second.log]).toEqual([
      ['away', 'back'],
      ['away', 'back'],
    ]);
  });

  it('though they can be looked at, and nobody can tell anything: each reads for itself, says so once, and joins again', async () => {
    const { clock, node, first, second, one, other } = await startTwo();
    for (const { logs } of [first, second]) logs.state = 'full';
    for (let count = 1; count <= 12; count += 1) {
      node.add(`n${count}`);
      await clock.pass(1_000);
    }
    expect([one.told, other.told]).toEqual([numbered(1, 12), numbered(1, 12)]);
    for (const { logs } of [first, second]) logs.state = 'well';
    await clock.pass(5_000);
    const asked = [readsOf(first), readsOf(second)];
    node.add(...numbered(13, 15));
    await clock.pass(1_500);
    expect([one.told, other.told]).toEqual([numbered(1, 15), numbered(1, 15)]);
    expect([readsOf(first), readsOf(second)].filter((count, index) => count === asked[index])).toHaveLength(1);
    expect([first.log, second.log]).toEqual([
      ['away', 'back'],
      ['away', 'back'],
    ]);
  });

  it('by the one that reads: another does so within five seconds', async () => {
    const { clock, node, first, second, one, other } = await startTwo();
    first.logs.state = 'full';
    node.add('a');
    await clock.pass(5_000);
    node.add('b');
    await clock.pass(1_000);
    expect([one.told, other.told]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect(readsOf(second)).toBeGreaterThan(0);
  });

  it('a process joins them again though its node was behind when it first tried', async () => {
    const { clock, node, first, second, one, other } = await startTwo();
    second.logs.state = 'cut';
    await clock.pass(4_000);
    // Its node does not have what the others have.
    second.source.spoil = (page) => ({ entries: page.entries.filter(({ key }) => key !== 'n1'), hasMore: false });
    second.logs.state = 'well';
    node.add('n1');
    await clock.pass(4_000);
    second.source.spoil = (page) => page;
    await clock.pass(4_000);
    const asked = readsOf(second);
    node.add('n2');
    await clock.pass(3_000);
    expect([one.told, other.told]).toEqual([numbered(1, 2), numbered(1, 2)]);
    expect(readsOf(second)).toBe(asked);
    expect(readsOf(first)).toBeGreaterThan(0);
  });

  it('a stream begins at once', async () => {
    const { clock, node, start } = createTestFleet();
    const alone = start();
    alone.logs.state = 'cut';
    const { told } = alone.follow();
    await clock.pass(50);
    node.add('a');
    await clock.pass(400);
    expect(told).toEqual(['a']);
  });
});

describe('a log that forgets', () => {
  const cases = {
    everything: (logs: ReturnType<typeof createTestFleet>['logs']) => logs.forgetAll(),
    'the newest entries': (logs: ReturnType<typeof createTestFleet>['logs']) => logs.forgetNewest(2),
    'how to read the newest': (logs: ReturnType<typeof createTestFleet>['logs']) => logs.spoilNewest(),
  };
  it.each(Object.entries(cases))('%s: nobody misses anything or is told it twice', async (_, forget) => {
    const { clock, node, logs, first, second, one, other } = await startTwo();
    node.add(...numbered(1, 3));
    await clock.pass(400);
    node.add(...numbered(4, 6));
    await clock.pass(400);
    second.logs.state = 'deaf';
    node.add(...numbered(7, 9));
    await clock.pass(150);
    forget(logs);
    second.logs.state = 'well';
    for (let count = 10; count <= 20; count += 1) {
      node.add(`n${count}`);
      await clock.pass(700);
    }
    await clock.pass(5_000);
    expect([one.told, other.told]).toEqual([numbered(1, 20), numbered(1, 20)]);
    const asked = [readsOf(first), readsOf(second)];
    node.add('n21');
    await clock.pass(3_000);
    expect([one.told.at(-1), other.told.at(-1)]).toEqual(['n21', 'n21']);
    // One reads again, and not both.
    expect(
      [readsOf(first) - (asked[0] ?? 0), readsOf(second) - (asked[1] ?? 0)].filter((more) => more > 4),
    ).toHaveLength(1);
  });
});

describe('gaps', () => {
  it('are told in every process, once', async () => {
    const { clock, node, one, other } = await startTwo();
    node.add('a');
    await clock.pass(400);
    node.add(...numbered(1, 20));
    node.items.splice(0, 12);
    await clock.pass(5_000);
    const told = ['a', 'gap a…n11 The upstream', ...numbered(11, 20)];
    expect([one.told, other.told]).toEqual([told, told]);
  });

  it('of which the end is not known are told in every process, and all go on from there', async () => {
    const { clock, node, one, other } = await startTwo();
    node.add(...numbered(1, 30));
    await clock.pass(2_000);
    // It has older ones, and does not know the newest any more.
    node.items.splice(-25);
    await clock.pass(20_000);
    node.add('b');
    await clock.pass(1_500);
    const told = [...numbered(1, 30), 'gap n30…undefined The upstream', 'b'];
    expect([one.told, other.told]).toEqual([told, told]);
  });
});

it('passes on late items, and each once', async () => {
  const { clock, node, first, one, other } = await startTwo();
  node.add('a', 'b');
  await clock.pass(400);
  const late = { key: 'late', timestampMs: node.items.at(-2)?.timestampMs ?? 0, item: 'late', bytes: 100 };
  node.items.splice(-1, 0, late);
  await clock.pass(2_000);
  node.add('c');
  await clock.pass(2_000);
  const told = ['a', 'b', 'late', 'c'];
  expect([one.told, other.told]).toEqual([told, told]);
  expect(first.source.reads.length).toBeGreaterThan(0);
});

it('has each process read an item for itself that is too long for the log, and follows again then', async () => {
  const { clock, node, logs, first, second, one, other } = await startTwo();
  node.add('a');
  await clock.pass(400);
  const long = 'x'.repeat(1_100_000);
  node.add(long, 'b');
  await clock.pass(6_000);
  const reads = [readsOf(first), readsOf(second)];
  node.add('c');
  await clock.pass(2_000);
  for (const { told } of [one, other]) expect(told.map((name) => name[0])).toEqual(['a', 'x', 'b', 'c']);
  expect(logs.entries.some(({ text }) => text.includes(long))).toBe(false);
  // One reads for both again.
  expect([readsOf(first), readsOf(second)].filter((count, index) => count === reads[index])).toHaveLength(1);
});

it('adds nothing to the log while nothing happens', async () => {
  const { clock, logs } = await startTwo();
  const before = logs.entries.length;
  await clock.pass(60_000);
  expect(logs.entries).toHaveLength(before);
});

it('keeps the entries within their bytes', async () => {
  const { clock, node, logs, one, other } = await startTwo({ replayBytes: 16_384 });
  for (let count = 0; count < 30; count += 1) {
    node.add(...Array.from({ length: 20 }, (_, index) => `${'x'.repeat(100)}${count * 20 + index}`));
    await clock.pass(300);
  }
  expect([one.told.length, other.told.length]).toEqual([600, 600]);
  expect(logs.entries.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(30_000);
});

it('forgets those that do not wait for a poll any more, whether the leader was asked for it or not', async () => {
  const { clock, logs, first } = await startTwo();
  const fleet = createFleet({ logs: logs.forProcess(), clock, onUnavailable() {}, onBack() {} });
  const timeline = new Timeline<string>(new Turns());
  const reader = new Reader(createMemorySource(), timeline, {
    pace: { minMs: 100, maxMs: 1_000 },
    clock,
    lostAfterMs: 5_000,
    judge: new PageJudge(clock, () => {}),
    mostBytes: () => 10_000,
  });
  const join = fleet.join<string>('all', { write: (item) => item, read: (text) => text });
  const member = join({ timeline, reader, mostBytes: () => 10_000 });
  await clock.pass(50);
  expect(member.isFollowing).toBe(true);
  first.source.before = () => new Promise(() => {});
  const called: string[] = [];
  const [asked, waiting, stays] = ['asked', 'waiting', 'stays'].map((name) => () => void called.push(name));
  for (const then of [asked, waiting, stays]) member.whenCaughtUp(then as () => void);
  await clock.pass(50);
  for (const then of [asked, waiting]) member.stopWaiting(then as () => void);
  member.close();
  expect(called).toEqual(['stays']);
});
