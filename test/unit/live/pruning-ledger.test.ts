import { expect, it } from 'vitest';
import { PositionFailedError } from '../../../src/live/live-source.ts';
import { createTestHub, type FollowOptions } from '../../support/live-hub.ts';
import { createMemorySource } from '../../support/memory-source.ts';

const keptMs = 60_000;
const quietMs = 5 * 60_000;
const hourMs = 60 * 60_000;

/** An upstream that keeps a minute: something each second, and a quiet item every five minutes. */
function startLedger() {
  const source = createMemorySource();
  const hub = createTestHub(source, { maxStreams: 1_000, maxStreamsPerCaller: 1_000, replayBytes: 20_000 });
  const quiet: string[] = [];
  const step = async () => {
    const now = hub.clock.now();
    const name = now % quietMs === 0 ? `quiet${now / quietMs}` : `item${now}`;
    if (now % quietMs === 0) quiet.push(name);
    source.items.push({ key: name, timestampMs: now, item: name, bytes: 100 });
    source.items = source.items.filter(({ timestampMs }) => (timestampMs ?? 0) > now - keptMs);
    await hub.clock.pass(1_000);
  };
  return { ...hub, quiet, step };
}

const kinds: readonly FollowOptions[] = [
  { filter: 'quiet', read: 'own only' },
  { filter: 'quiet', read: 'everything' },
];

it.each<[string, (() => never) | null]>([
  ['does not know', null],
  [
    'fails to read',
    () => {
      throw new PositionFailedError('requested events not available');
    },
  ],
])('an hour of a quiet filter over a ledger that %s what it has pruned has no silent gap', async (_, lost) => {
  const { source, clock, quiet, step, follow, points, log } = startLedger();
  if (lost) source.lost = lost;
  await step();
  const streams = kinds.map((kind) => follow(undefined, kind));
  const resumed: { readonly from: string; readonly told: string[] }[] = [];
  while (clock.now() < hourMs) {
    await step();
    // Clients come back with cursors that are known, pruned, and pruned long ago.
    if (clock.now() % (quietMs / 3) !== 0) continue;
    for (const from of quiet.slice(1, -1).filter((_, index) => index % 4 === 0))
      for (const kind of kinds) if (points.has(from)) resumed.push({ from, told: follow(from, kind).told });
  }
  await clock.pass(20_000);
  const expected = quiet.slice(1);
  const isGap = (told: string) => told.startsWith('gap ');
  for (const { told } of streams) {
    expect(told.filter((each) => !isGap(each))).toEqual(expected);
    // One gap at most for each position that is pruned.
    for (const [index, each] of told.entries()) if (isGap(each)) expect(isGap(told[index - 1] ?? '')).toBe(false);
  }
  // The reader of the quiet filter loses each position, and says so.
  expect(streams[0]?.told.filter(isGap).length).toBeGreaterThan(9);
  expect(resumed.length).toBeGreaterThan(20);
  for (const { from, told } of resumed) {
    const next = told.find((each) => !isGap(each));
    // Either what follows its cursor, or a gap first.
    const follows = expected[expected.indexOf(from) + 1];
    if (next !== follows) expect(told[0]).toMatch(new RegExp(`^gap ${from}…`));
    const items = told.filter((each) => !isGap(each));
    expect(items).toEqual(expected.slice(expected.length - items.length));
  }
  expect(log.filter((line) => /reader|stream/.test(line)).length).toBeGreaterThan(0);
});

it('a stream whose position the node takes, and never shows, goes on with a gap', async () => {
  const { hub, clock, source, follow } = createTestHub(createMemorySource('a', 'b'));
  const { after } = source;
  source.after = async (position, cancellation) =>
    position?.key === 'gone' ? { entries: [], hasMore: false } : after(position, cancellation);
  const gone = { key: 'gone', timestampMs: 1_000 };
  const { told } = follow({ last: gone, from: gone });
  await clock.pass(4_000);
  expect(told).toEqual([]);
  await clock.pass(4_000);
  source.add('c');
  await clock.pass(1_000);
  expect(told).toEqual(['gap gone…undefined The upstream', 'c']);
  hub.close();
});

it('a reader and a stream go on from now where a ledger reads nothing but its newest items', async () => {
  const { hub, clock, source, follow } = createTestHub(createMemorySource('a', 'b'));
  const open = follow();
  await clock.pass(1_000);
  const resumed = follow({ last: source.items[0] ?? null, from: source.items[0] ?? null });
  await clock.pass(1_000);
  resumed.told.splice(0);
  const { after } = source;
  const broken = source.items.map(({ key }) => key);
  source.after = async (position, cancellation) => {
    if (position === null || broken.includes(position.key)) throw new PositionFailedError('index corrupted');
    return after(position, cancellation);
  };
  source.add('lost');
  const late = follow({ last: source.items[0] ?? null, from: source.items[0] ?? null });
  await clock.pass(15_000);
  source.add('c');
  await clock.pass(30_000);
  expect(open.told).toEqual(['gap b…undefined The upstream', 'c']);
  expect(resumed.told).toEqual(open.told);
  source.add('d');
  await clock.pass(5_000);
  expect(late.told.at(0)).toMatch(/^gap a…/);
  expect(late.told.at(-1)).toBe('d');
  hub.close();
});

it('a stream gets its gap in time where a ledger reads on only from its newest items', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `n${index + 1}`);
  const { hub, clock, source, follow } = createTestHub(createMemorySource(...names));
  const open = follow();
  await clock.pass(1_000);
  const { after } = source;
  source.after = async (position, cancellation) => {
    if (position?.key !== source.items.at(-1)?.key) throw new PositionFailedError('index corrupted');
    return after(position, cancellation);
  };
  const place = source.items[0] ?? null;
  const late = follow({ last: place, from: place });
  // Positions are lost after 5 s.
  await clock.pass(8_000);
  expect(late.told).toEqual([expect.stringMatching(/^gap n1…/)]);
  expect(open.told).toEqual([]);
  hub.close();
});

it('an outage in which every read fails alike is no gap', async () => {
  const { hub, clock, source, follow } = createTestHub(createMemorySource('a', 'b'));
  const { told } = follow();
  await clock.pass(1_000);
  source.before = () => {
    throw new PositionFailedError('500');
  };
  source.add('c');
  await clock.pass(60_000);
  source.before = () => {};
  source.add('d');
  await clock.pass(10_000);
  expect(told).toEqual(['c', 'd']);
  hub.close();
});
