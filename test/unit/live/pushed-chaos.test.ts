import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ResultStream, ResultText, ResultTexts } from '../../../src/operation/subscriptions/result-stream.ts';
import { MessageBudget } from '../../../src/server/websocket/socket-bounds.ts';
import {
  type OperationSocket,
  SocketOperation,
  type SocketOperationOptions,
} from '../../../src/server/websocket/socket-operation.ts';
import { SocketWriter } from '../../../src/server/websocket/socket-writer.ts';
import type { PushedItems } from '../../../src/upstream/operation-context.ts';
import { createTestHub } from '../../support/live-hub.ts';
import { createMemorySource, settled } from '../../support/memory-source.ts';
import { runs } from '../../support/runs.ts';
import { createTestServer } from '../../support/test-operation.ts';

const numRuns = runs(3);

/** More than are woken in one turn. */
const connections = 6;
const operations = 50;

/** One end of a connection whose client reads when a test says so. */
function createConnection() {
  const state = { isReading: true, text: '', held: [] as (() => void)[] };
  const duplex = new Duplex({
    read() {},
    highWaterMark: 64,
    write(chunk: Buffer, _, done) {
      state.text += chunk.toString('latin1');
      if (state.isReading) done();
      else state.held.push(done);
    },
  });
  const setReading = (isReading: boolean) => {
    state.isReading = isReading;
    if (isReading) for (const done of state.held.splice(0)) done();
  };
  return { state, duplex, setReading };
}

/** What each operation was told, of the frames of a connection. */
function readFrames(text: string): Map<string, string[]> {
  const told = new Map<string, string[]>();
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; ) {
    const isLong = bytes[at + 1] === 126;
    const length = isLong ? bytes.readUInt16BE(at + 2) : (bytes[at + 1] ?? 0);
    at += isLong ? 4 : 2;
    const { id, payload } = JSON.parse(bytes.subarray(at, at + length).toString());
    const names = told.get(id) ?? [];
    names.push(payload.data.name);
    told.set(id, names);
    at += length;
  }
  return told;
}

/** The rest of a connection, which matters to no stream. */
const socket: Omit<OperationSocket, 'writer'> = {
  requestId: 'r',
  address: '',
  sender: createTestServer().sender,
  showUsage: false,
  budget: new MessageBudget(),
  running: 0,
  began() {},
  ended() {},
  forget() {},
};

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('happen' as const), count: fc.integer({ min: 1, max: 60 }) }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 900 }) }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('turn' as const) }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('freeze' as const), who: fc.nat(connections - 1) }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('read' as const), who: fc.nat(connections - 1) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('fail' as const) }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('heal' as const) }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('come' as const), who: fc.nat(connections - 1) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('leave' as const), who: fc.nat(connections - 1) }) },
);

/** The feed reads on, and drops what it has read, between the moment in which streams find their place in it and their begin there. */
const readOnBetween = [
  { does: 'come' as const, who: 0 },
  { does: 'happen' as const, count: 19 },
  { does: 'read' as const, who: 0 },
  { does: 'happen' as const, count: 31 },
  { does: 'come' as const, who: 0 },
  { does: 'read' as const, who: 0 },
  { does: 'come' as const, who: 0 },
];

it('no reader of a crowd is forgotten, however its connection stops and whenever it comes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 60 }),
      fc.constantFrom(300, 1_000_000),
      fc.nat(4),
      async (steps, replayBytes, alone) => {
        const options = { replayBytes, maxStreams: 9_999, maxStreamsPerCaller: 9_999 };
        const { clock, source, open: openItems, hub } = createTestHub(createMemorySource('n1'), options);
        const start = source.items[0] as { key: string; timestampMs: number };
        const join = new ResultTexts(10_000).ofDocument();
        let happened = 1;
        const open = (writer: SocketWriter, id: string) => {
          const items: unknown = openItems({ last: start, from: start });
          // The hub of the tests tells texts, and streams of results are told objects.
          const told = items as PushedItems;
          const stream = new ResultStream({
            items: told,
            toResult: async (item) => {
              if (happened % 2 === 0) await settled();
              return { data: { name: String(item) } };
            },
            shared: {
              results: join('all'),
              // Some are each stream's own, and take their time.
              print(item) {
                const isAlone = Number(String(item).slice(1)) % 10 === alone;
                return isAlone ? null : new ResultText(JSON.stringify({ data: { name: String(item) } }));
              },
            },
            toFault: (error) => error,
            onEnd: () => {},
          });
          const operation = new SocketOperation(id, 0, { ...socket, writer }, {
            onOperation() {},
          } as unknown as SocketOperationOptions);
          operation.follow(stream);
          return operation;
        };
        const clients = Array.from({ length: connections }, () => {
          const connection = createConnection();
          const writer = new SocketWriter({ readyState: 1 } as never, connection.duplex, {
            takeTurn: (work) => work(),
            onWaiting() {},
          });
          return { ...connection, writer, open: [] as SocketOperation[], left: new Set<string>() };
        });
        const come = async (who: number) => {
          const client = clients[who] as (typeof clients)[number];
          while (client.open.length < operations) client.open.push(open(client.writer, `${client.open.length}`));
        };
        for (const each of steps) {
          if (each.does === 'happen') {
            source.add(...Array.from({ length: each.count }, (_, index) => `n${happened + index + 1}`));
            happened += each.count;
          } else if (each.does === 'pass') await clock.pass(each.ms);
          else if (each.does === 'turn') await new Promise((resolve) => setImmediate(resolve));
          else if (each.does === 'freeze') clients[each.who]?.setReading(false);
          else if (each.does === 'read') clients[each.who]?.setReading(true);
          else if (each.does === 'come') await come(each.who);
          else if (each.does === 'leave') {
            const client = clients[each.who];
            const index = happened % operations;
            client?.left.add(`${index}`);
            client?.open[index]?.leave();
          } else {
            source.before = () => {
              if (each.does === 'fail') throw new Error('away');
            };
          }
        }
        source.before = () => {};
        for (const { setReading } of clients) setReading(true);
        for (const index of clients.keys()) await come(index);
        for (const { setReading } of clients) setReading(true);
        // Nothing happens any more: whoever was forgotten stays so.
        await clock.pass(60_000);
        // Results of their own take two turns each.
        for (let turn = 0; turn < happened / 4; turn += 1) await settled();
        for (const { state, left } of clients) {
          const told = readFrames(state.text);
          for (let index = 0; index < operations; index += 1) {
            if (left.has(`${index}`)) continue;
            const names = told.get(`${index}`) ?? [];
            let [last, lastItem] = [1, 1];
            for (const name of names) {
              const missed = /missed (\d+) after n(\d+)/.exec(name);
              if (missed) {
                expect(Number(missed[2])).toBe(lastItem);
                last += Number(missed[1]);
              } else {
                lastItem = Number(name.slice(1));
                expect(lastItem).toBe(last + 1);
                last = lastItem;
              }
            }
            expect(last).toBe(happened);
          }
        }
        for (const { open: all } of clients) for (const operation of all) operation.leave();
        await clock.pass(1_000);
        expect([hub.readers, clock.timers]).toEqual([0, 0]);
      },
    ),
    { numRuns, examples: [[readOnBetween, 300, 0]] },
  );
}, 600_000);
