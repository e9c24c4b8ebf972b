import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ResumePoint } from '../../../../src/live/live-source.ts';
import { createTestFleet, numbered, type TestProcess } from '../../../support/live-fleet.ts';
import type { Tracing } from '../../../support/live-hub.ts';
import { settled } from '../../../support/memory-source.ts';
import { runs, seed } from '../../../support/runs.ts';

const numRuns = runs(40);

const places = fc.nat(2);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('happen' as const), count: fc.integer({ min: 1, max: 60 }) }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 4_000 }) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('moments' as const), ms: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('late' as const), back: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('kill' as const), at: places }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('stop' as const), at: places }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('board' as const),
      at: places,
      is: fc.constantFrom(
        'cut' as const,
        'deaf' as const,
        'lost' as const,
        'full' as const,
        'well' as const,
        'well' as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('forget' as const), count: fc.constantFrom(0, 0, 1, 2, 3) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('spoil' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('node' as const),
      at: places,
      is: fc.constantFrom('away', 'late', 'behind', 'reversed', 'well', 'well'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('leave' as const), who: fc.nat(4) }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('return' as const), who: fc.nat(4), at: places }) },
);

type Steps = (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[];

/** What went wrong once. */
const courses: [Steps][] = [
  [
    // The newest entry could not be read, and nothing happened that would have led to another one.
    [
      { does: 'happen', count: 1 },
      { does: 'happen', count: 1 },
      { does: 'return', who: 0, at: 0 },
      { does: 'stop', at: 1 },
      { does: 'kill', at: 1 },
      { does: 'leave', who: 0 },
      { does: 'return', who: 0, at: 0 },
      { does: 'return', who: 0, at: 0 },
      { does: 'board', at: 0, is: 'cut' },
      { does: 'spoil' },
    ],
  ],
  [
    // The newest item of the node came late to those who follow, and another was taken for the newest.
    [
      { does: 'node', at: 0, is: 'reversed' },
      { does: 'return', who: 0, at: 0 },
      { does: 'pass', ms: 1 },
      { does: 'leave', who: 0 },
      { does: 'late', back: 1 },
      { does: 'pass', ms: 1 },
      { does: 'return', who: 0, at: 0 },
      { does: 'return', who: 1, at: 2 },
      { does: 'kill', at: 1 },
      { does: 'stop', at: 0 },
      { does: 'moments', ms: 0 },
      { does: 'late', back: 1 },
    ],
  ],
  [
    // One that had already told what comes behind the late one took that for the newest, and what it had told for lost.
    [
      { does: 'return', who: 0, at: 2 },
      { does: 'moments', ms: 0 },
      { does: 'spoil' },
      { does: 'happen', count: 1 },
      { does: 'return', who: 1, at: 1 },
      { does: 'leave', who: 0 },
      { does: 'moments', ms: 0 },
      { does: 'late', back: 1 },
      { does: 'board', at: 0, is: 'cut' },
      { does: 'kill', at: 0 },
      { does: 'pass', ms: 225 },
      { does: 'happen', count: 1 },
    ],
  ],
];

/** What goes on for longer than 5 s is taken for the node's own order, however many faults it is made of. */
const isSpoilt = (nowMs: number) => nowMs % 8_000 < 4_000;

function setNode({ source, clock }: TestProcess, is: string): void {
  source.before =
    is === 'away'
      ? () => {
          throw new Error('away');
        }
      : is === 'late'
        ? () => settled()
        : () => {};
  source.spoil =
    is === 'behind'
      ? (page) => ({ entries: page.entries.slice(0, -2), hasMore: false })
      : is === 'reversed'
        ? (page) => (isSpoilt(clock.now()) ? { ...page, entries: page.entries.toReversed() } : page)
        : (page) => page;
}

it(`tells everybody everything once, in order, whatever becomes of processes, of the board and of the ways to the node (SEED=${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const { clock, node, logs, start } = createTestFleet({ names: ['n1'] });
      let happened = 1;
      const late: number[] = [];
      const processes = [start(), start(), start()];
      const first = { key: 'n1', timestampMs: node.items[0]?.timestampMs ?? null };
      const clients = [0, 1, 2, 3, 4].map(() => ({
        told: ['n1'],
        point: { last: first, from: first } as ResumePoint,
        now: null as Tracing | null,
        at: null as TestProcess | null,
      }));
      type Client = (typeof clients)[number];
      const leave = async (client: Client) => {
        if (!client.now) return;
        await client.now.leave();
        // Wherever a late one is told, one stream tells it once.
        expect(new Set(client.now.told).size).toBe(client.now.told.length);
        client.told.push(...client.now.told);
        client.point = client.now.point ?? client.point;
        client.now = null;
      };
      const comeBack = (client: Client, at: TestProcess) => {
        if (client.now) return;
        client.now = at.trace(client.point);
        client.at = at;
      };
      const replace = async (index: number) => {
        const gone = processes[index] as TestProcess;
        for (const client of clients) if (client.at === gone) await leave(client);
        processes[index] = start();
        return gone;
      };
      for (const each of steps) {
        if (each.does === 'happen') {
          node.add(...numbered(happened + 1, happened + each.count));
          happened += each.count;
        } else if (each.does === 'late') {
          const index = Math.max(1, node.items.length - each.back);
          const key = `late${late.push(index)}`;
          const timestampMs = node.items[index - 1]?.timestampMs ?? null;
          node.items.splice(index, 0, { key, timestampMs, item: key, bytes: 100 });
        } else if (each.does === 'pass') await clock.pass(each.ms);
        else if (each.does === 'moments') await clock.pass(each.ms);
        else if (each.does === 'kill') {
          (processes[each.at] as TestProcess).logs.kill();
          (await replace(each.at)).hub.close();
        } else if (each.does === 'stop') {
          (processes[each.at] as TestProcess).hub.stop();
          await settled();
          // The last word of each stream is where it can go on.
          for (const { now } of clients) if (now?.isOver) now.told.splice(-1);
          (await replace(each.at)).hub.close();
        } else if (each.does === 'board') (processes[each.at] as TestProcess).logs.state = each.is;
        else if (each.does === 'forget') each.count === 0 ? logs.forgetAll() : logs.forgetNewest(each.count);
        else if (each.does === 'spoil') logs.spoilNewest();
        else if (each.does === 'node') setNode(processes[each.at] as TestProcess, each.is);
        else if (each.does === 'leave') await leave(clients[each.who] as Client);
        else comeBack(clients[each.who] as Client, processes[each.at] as TestProcess);
      }
      for (const one of processes) {
        setNode(one, 'well');
        one.logs.state = 'well';
      }
      for (const [index, client] of clients.entries()) comeBack(client, processes[index % 3] as TestProcess);
      await clock.pass(60_000);
      const asked = () => processes.map(({ source }) => source.reads.length);
      const before = asked();
      await clock.pass(30_000);
      const readers = asked().filter((count, index) => count > (before[index] ?? 0));
      for (const client of clients) await leave(client);
      for (const { told } of clients) {
        // What comes late has no one place to be told at; it must not disturb the rest.
        expect(told.filter((name) => name.startsWith('n'))).toEqual(numbered(1, happened));
      }
      expect(readers).toHaveLength(1);
      await clock.pass(1_000);
      expect([processes.map(({ hub }) => hub.readers), clock.timers]).toEqual([[0, 0, 0], 0]);
    }),
    { numRuns, seed, examples: courses },
  );
});
