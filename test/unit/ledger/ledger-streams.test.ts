import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { createLedgerStreams, LedgerStream, type LedgerStreams } from '../../../src/ledger/ledger-streams.ts';
import { createStreamQuota } from '../../../src/live/stream-quota.ts';
import { UpstreamCallError } from '../../../src/upstream/upstream-call-error.ts';
import { countLiveObjects } from '../../support/count-live-objects.ts';
import { next } from '../../support/pushed-items.ts';
import { until } from '../../support/until.ts';

it('counts what is kept until it is read, or the stream is left', async () => {
  const all = { bytes: 0 };
  const streams = [0, 1].map(() => new LedgerStream(all, null, () => {}));
  for (const { sink } of streams) for (let count = 0; count < 3; count += 1) sink.next({ data: { a: 1 } }, 10_000);
  expect(all.bytes).toBe(60_000);
  await next(streams[0] as LedgerStream);
  expect(all.bytes).toBe(50_000);
  for (const stream of streams) stream.leave();
  expect(all.bytes).toBe(0);
});

it('delivers a result to a reader that waits for it', async () => {
  const stream = new LedgerStream({ bytes: 0 }, null, () => {});
  const waiting = next(stream);
  stream.sink.next({ data: { a: 1 } }, 10);
  expect(await waiting).toEqual({ done: false, value: { data: { a: 1 } } });
  stream.leave();
});

const kib = 1024;
const ends: Readonly<Record<string, (stream: LedgerStream) => unknown>> = {
  'is rejected': ({ sink }) => sink.refused([{ message: 'no' }]),
  'is ended by the ledger': ({ sink }) => sink.ended(),
  'is lost': ({ sink }) => sink.lost(new UpstreamCallError('interrupted', 'broken')),
  'is stopped': (stream) => stream.stop(new Error('stopping')),
  'is left': (stream) => stream.leave(),
  'is read too slowly': ({ sink }) => sink.next({ data: {} }, 33 * kib * kib),
};
it.each(Object.entries(ends))('gives back all bytes, and ends once at the ledger, if it %s', async (name, end) => {
  for (const isReadOut of [true, false]) {
    const all = { bytes: 0 };
    let ended = 0;
    const stream = new LedgerStream(all, null, () => {
      ended += 1;
    });
    for (let count = 0; count < 3; count += 1) stream.sink.next({ data: { a: count } }, 10_000);
    await end(stream);
    for (const again of Object.values(ends)) if (isReadOut && again !== ends['is left']) await again(stream);
    expect(ended).toBe(1);
    const steps: unknown[] = [];
    for (let count = 0; isReadOut && count < 5; count += 1) {
      const read = next(stream).then(
        ({ done, value }) => (done ? 'done' : (value?.data ?? 'errors')),
        () => 'failed',
      );
      steps.push(await read);
    }
    stream.leave();
    stream.sink.next({ data: {} }, 10_000);
    expect([all.bytes, ended]).toEqual([0, 1]);
    if (!isReadOut) continue;
    const read = name === 'is left' ? [] : [{ a: 0 }, { a: 1 }, { a: 2 }];
    const last = { 'is rejected': ['errors'], 'is ended by the ledger': [], 'is left': [] }[name] ?? ['failed'];
    expect(steps).toEqual([...read, ...last, 'done', 'done', 'done', 'done', 'done'].slice(0, 5));
  }
});

it.each<[string, bytesOfOthers: number, sizes: number[], isServed: boolean]>([
  ['256 KiB behind each other', 0, [200 * kib, 56 * kib], true],
  ['a byte more', 0, [200 * kib, 56 * kib + 1], false],
  ['a single result of 32 MiB', 0, [32 * kib * kib], true],
  ['a byte more in one', 0, [32 * kib * kib + 1], false],
  ['32 MiB with those of others', 31 * kib * kib, [1024 * kib], true],
  ['a byte more with those of others', 31 * kib * kib, [1024 * kib + 1], false],
  ['one result of 16 KiB whatever others keep', 40 * kib * kib, [16 * kib], true],
  ['not a larger one', 40 * kib * kib, [16 * kib + 1], false],
  ['not a second one', 40 * kib * kib, [16 * kib, 1], false],
])('keeps unread results up to a bound: %s', async (_, bytesOfOthers, sizes, isServed) => {
  const all = { bytes: bytesOfOthers };
  let isEnded = false;
  const stream = new LedgerStream(all, null, () => {
    isEnded = true;
  });
  for (const size of sizes) stream.sink.next({ data: {} }, size);
  expect(isEnded).toBe(!isServed);
  const kept = isServed ? sizes : sizes.slice(0, -1);
  expect(all.bytes - bytesOfOthers).toBe(kept.reduce((sum, size) => sum + size, 0));
  for (const each of kept) expect([each, (await next(stream)).done]).toEqual([each, false]);
  if (!isServed) await expect(next(stream)).rejects.toMatchObject({ extensions: { code: 'UNAVAILABLE' } });
  expect(all.bytes).toBe(bytesOfOthers);
});

it('ends a stream with more unread results for one with fewer, when all together keep too much', async () => {
  await using ledger = await startLedger(false);
  const streams = createLedgerStreams({
    urls: [ledger.url],
    places: createStreamQuota({ max: 200, maxPerCaller: 200 }),
  });
  const open = (caller: string) =>
    streams.open({ text: 'subscription { a }', isClientsText: true, operationName: null, variables: {}, caller });
  const slow = Array.from({ length: 130 }, () => open('slow'));
  const [read, last] = [open('other'), open('other')];
  await until(() => ledger.subscribed === 132, 'the subscriptions');
  const [client] = ledger.clients;
  const send = (id: number, bytes: number) =>
    client?.send(JSON.stringify({ type: 'next', id: String(id), payload: { data: { a: 'x'.repeat(bytes) } } }));
  for (let id = 1; id <= 130; id += 1) send(id, 255 * kib);
  for (let results = 0; results < 5; results += 1) send(131, 40 * kib);
  send(132, kib);
  await next(last);
  for (let results = 0; results < 5; results += 1) expect((await next(read)).done).toBe(false);
  const firsts = await Promise.allSettled(slow.map((stream) => next(stream)));
  // 128 results of 255 KiB fit into 32 MiB.
  expect(firsts.filter(({ status }) => status === 'rejected')).toHaveLength(3);
  streams.stop();
});

it('returns its place when a stream ends, in any way, and opens none without one', async () => {
  await using ledger = await startLedger(false);
  const places = createStreamQuota({ max: 10, maxPerCaller: 1 });
  const streams = createLedgerStreams({ urls: [ledger.url], places });
  const open = (caller: string) =>
    streams.open({ text: 'subscription { a }', isClientsText: true, operationName: null, variables: {}, caller });
  const [left, failed, stopped] = ['a', 'b', 'c'].map(open);
  expect(() => open('a')).toThrow('Over the limit');
  expect(places.count).toBe(3);
  await until(() => ledger.subscribed === 3, 'the subscriptions');
  left?.leave();
  failed?.stop(new Error('withdrawn'));
  expect(places.count).toBe(1);
  await until(() => ledger.completed === 2, 'the ends at the ledger');
  open('a');
  streams.stop();
  expect(places.count).toBe(0);
  await expect(next(stopped as LedgerStream)).rejects.toThrow('stopping');
});

it('closes all connections when it stops, also that of a caller whose results broke the shared one', async () => {
  await using ledger = await startLedger();
  const streams = createLedgerStreams({
    urls: [ledger.url],
    places: createStreamQuota({ max: 10, maxPerCaller: 10 }),
    graceMs: 2 ** 31 - 1,
    socket: { maxMessageBytes: 1_000 },
  });
  const open = (caller = 'a') =>
    streams.open({ text: 'subscription { a }', isClientsText: true, operationName: null, variables: {}, caller });
  await expect(next(open())).rejects.toThrow('larger');
  await until(() => ledger.clients.size === 0, 'the connection to break');
  for (const caller of ['a', 'b']) {
    next(open(caller)).catch(() => {});
  }
  await until(() => ledger.clients.size === 2, 'a connection of its own');
  streams.stop();
  expect(() => open()).toThrow('stopping');
  await until(() => ledger.clients.size === 0, 'no connection');
});

it('keeps no stream that has ended', async () => {
  await using ledger = await startLedger(false);
  const streams = createLedgerStreams({ urls: [ledger.url], places: createStreamQuota({ max: 30, maxPerCaller: 30 }) });
  const before = countLiveObjects(LedgerStream);
  const open = () =>
    streams.open({ text: 'subscription { a }', isClientsText: true, operationName: null, variables: {}, caller: 'a' });
  const stays = open();
  const ended = Array.from({ length: 20 }, open);
  await until(() => ledger.subscribed === 21, 'the subscriptions');
  for (const stream of ended.splice(0)) stream.leave();
  await until(() => ledger.completed === 20, 'the ends at the ledger');
  // This function's own frame may keep the last one.
  await until(() => countLiveObjects(LedgerStream) < before + 5, 'the ended streams to go');
  expect(countLiveObjects(LedgerStream)).toBeLessThan(before + 5);
  stays.leave();
  streams.stop();
});

it('sends what the client sent, and keeps callers together when a connection is lost', async () => {
  await using ledger = await startLedger(false);
  const streams = createLedgerStreams({ urls: [ledger.url], places: createStreamQuota({ max: 10, maxPerCaller: 10 }) });
  const text = 'subscription A { a }';
  const open = (caller: string, operationName: string | null) =>
    streams.open({ text, isClientsText: true, operationName, variables: { b: 1 }, caller });
  const first = open('a', 'A');
  await until(() => ledger.subscribed === 1, 'the first subscription');
  for (const client of ledger.clients) client.terminate();
  await expect(next(first)).rejects.toMatchObject({ extensions: { code: 'UPSTREAM_UNAVAILABLE' } });
  open('a', null);
  open('b', 'A');
  await until(() => ledger.subscribed === 3, 'two more subscriptions');
  expect(ledger.clients.size).toBe(1);
  const [named, unnamed] = [
    { query: text, variables: { b: 1 }, operationName: 'A' },
    { query: text, variables: { b: 1 } },
  ];
  expect(ledger.payloads).toEqual([named, unnamed, named]);
  streams.stop();
});

it.each<[string, (streams: LedgerStreams, ledger: Awaited<ReturnType<typeof startLedger>>) => unknown]>([
  ['the connection breaks', (_, { clients: [client] }) => client?.terminate()],
  ['the gateway stops', (streams) => streams.stop()],
])('ends a thousand streams in several turns of the event loop if %s', async (_, end) => {
  await using ledger = await startLedger(false);
  const count = 1_000;
  const places = createStreamQuota({ max: count, maxPerCaller: count });
  const streams = createLedgerStreams({ urls: [ledger.url], places });
  const request = { text: 'subscription { a }', isClientsText: true, operationName: null, variables: {}, caller: 'a' };
  let ended = 0;
  const open = () => next(streams.open(request)).catch(() => (ended += 1));
  for (let opened = 0; opened < count; opened += 1) void open();
  await until(() => ledger.subscribed === count, 'the subscriptions');
  end(streams, ledger);
  let most = 0;
  while (ended < count) {
    const before = ended;
    await new Promise(setImmediate);
    most = Math.max(most, ended - before);
  }
  // 64 steps are one turn.
  expect(most).toBeLessThanOrEqual(3 * 64);
  streams.stop();
});

/** Sends nothing but a long result to the first subscription, if it `isBreaking`. */
async function startLedger(isBreaking = true) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'graphql-transport-ws' });
  await once(server, 'listening');
  let isFirst = isBreaking;
  const heard = { subscribed: 0, completed: 0, payloads: [] as unknown[] };
  server.on('connection', (socket) =>
    socket.on('message', (data) => {
      const { type, id, payload } = JSON.parse(String(data)) as { type: string; id?: string; payload?: unknown };
      if (type === 'connection_init') socket.send('{"type":"connection_ack"}');
      if (type === 'subscribe') heard.subscribed = heard.payloads.push(payload);
      if (type === 'complete') heard.completed += 1;
      if (type !== 'subscribe' || !isFirst) return;
      isFirst = false;
      socket.send(JSON.stringify({ type: 'next', id, payload: { data: 'x'.repeat(2_000) } }));
    }),
  );
  return Object.assign(heard, {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clients: server.clients,
    async [Symbol.asyncDispose]() {
      for (const client of server.clients) client.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
