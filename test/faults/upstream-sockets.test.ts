import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { createGraphqlSubscriptions } from '../../src/upstream/sockets/graphql-event-streams.ts';
import { createGraphqlSocket } from '../../src/upstream/sockets/graphql-socket.ts';
import { createRpcSocket } from '../../src/upstream/sockets/rpc-socket.ts';
import { countLiveObjects, untilNothingIsLeft } from '../support/count-live-objects.ts';
import { startPushingLedger } from '../support/pushing-ledger.ts';
import { until } from '../support/until.ts';

const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

/** Receives the results of one subscription. */
class Sink {
  isLost = false;
  isSent = false;
  up = () => {};
  news = () => {};
  next = () => {};
  ended = () => {};
  refused = () => {};
  sent = () => {
    this.isSent = true;
  };
  lost = () => {
    this.isLost = true;
  };
}

/** Fewer than half of the rounds, if each leaves one behind. Those of the last round may remain. */
async function expectFew(timersBefore: number): Promise<void> {
  await until(() => countLiveObjects(Sink) < 5, 'all subscribers but those of the last round to go');
  await until(
    () => countTimers() < timersBefore + 5,
    () => `${countTimers()} timers of ${timersBefore}`,
  );
  expect(countLiveObjects(Sink)).toBeLessThan(5);
}

const operation = { query: 'subscription { events { __typename } }' };

test('lost, closed and failed connections leave no timers and no subscribers behind', async () => {
  await using ledger = await startPushingLedger();
  const url = ledger.url.replace('http', 'ws');
  const before = countTimers();
  const socket = createGraphqlSocket({ urls: [url], graceMs: 1 });
  for (let round = 0; round < 10; round += 1) {
    const sinks = [new Sink(), new Sink()];
    const leave = sinks.map((sink) => socket.subscribe(operation, sink));
    // One disconnects before it was sent.
    const unsent = socket.subscribe(operation, new Sink());
    unsent();
    await until(() => ledger.following === 2, 'both to follow');
    if (round % 2 === 0) ledger.cut();
    else for (const each of leave) each();
    await until(() => ledger.following === 0 && ledger.sockets.size === 0, 'nobody to follow');
    if (round % 2 === 0) await until(() => sinks.every(({ isLost }) => isLost), 'the loss');
  }
  ledger.isRefusing = true;
  for (let round = 0; round < 10; round += 1) {
    const sink = new Sink();
    socket.subscribe(operation, sink);
    await until(() => sink.isLost, 'the refusal');
    expect(sink.isSent).toBe(false);
  }
  socket.close();
  await expectFew(before);
});

test('so does a node that breaks off', async () => {
  const node = createServer();
  node.on('upgrade', (_req, socket) => socket.destroy());
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  const before = countTimers();
  const socket = createRpcSocket({ urls: [`ws://127.0.0.1:${(node.address() as AddressInfo).port}`], graceMs: 1 });
  for (let round = 0; round < 10; round += 1) {
    const sink = new Sink();
    socket.subscribe({ subscribe: 'a', unsubscribe: 'b', params: [] }, sink);
    await until(() => sink.isLost, 'the loss');
  }
  socket.close();
  await expectFew(before);
  await new Promise((resolve) => node.close(resolve));
});

/** Answers messages by a script. */
async function startScripted(answer: (message: Message, send: (message: object) => void) => void) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: ([first = '']) => first });
  await once(server, 'listening');
  server.on('connection', (socket) =>
    socket.on('message', (data) =>
      answer(JSON.parse(String(data)) as Message, (message) => socket.send(JSON.stringify(message))),
    ),
  );
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const client of server.clients) client.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Message {
  readonly type?: string;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: readonly unknown[];
  readonly payload?: { readonly query: string };
}

test('a subscription that was left gets no result that was on its way', async () => {
  const heard: string[] = [];
  await using ledger = await startScripted(({ type, id }, send) => {
    heard.push(String(type));
    if (type === 'connection_init') send({ type: 'connection_ack' });
    if (type !== 'complete') return;
    send({ type: 'next', id, payload: { data: null } });
    send({ type: 'ping' });
  });
  const socket = createGraphqlSocket({ urls: [ledger.url] });
  let results = 0;
  const next = () => {
    results += 1;
  };
  socket.subscribe(operation, new Sink());
  const leave = socket.subscribe(operation, Object.assign(new Sink(), { next }));
  await until(() => heard.filter((type) => type === 'subscribe').length === 2, 'both subscriptions');
  leave();
  await until(() => heard.includes('pong'), 'the late result to be read');
  expect(results).toBe(0);
  socket.close();
});

test('a subscription that was left before the node answered is ended at the node', async () => {
  const heard: Message[] = [];
  let answer = () => {};
  await using node = await startScripted((message, send) => {
    heard.push(message);
    if (message.params?.[0] === 'slow') answer = () => send({ jsonrpc: '2.0', id: message.id, result: 'its id' });
  });
  const socket = createRpcSocket({ urls: [node.url] });
  const subscription = { subscribe: 'subscribe', unsubscribe: 'unsubscribe' };
  socket.subscribe({ ...subscription, params: ['stays'] }, new Sink());
  const leave = socket.subscribe({ ...subscription, params: ['slow'] }, new Sink());
  await until(() => heard.length === 2, 'both calls');
  leave();
  answer();
  await until(() => heard.length === 3, 'a third call');
  expect(heard[2]).toMatchObject({ method: 'unsubscribe', params: ['its id'] });
  socket.close();
});

/** What an upstream does with a subscription. */
const fates = ['keeps it', 'rejects it', 'ends it'] as const;
type Fate = (typeof fates)[number];

/** Speaks JSON-RPC and graphql-transport-ws. The fate is the query, or the parameter. */
const startFateful = () =>
  startScripted(({ type, id, method, params, payload }, send) => {
    if (type === 'connection_init') send({ type: 'connection_ack' });
    if (method) send({ jsonrpc: '2.0', id, result: params?.[0] === 'rejects it' ? null : Number(id) });
    if (type !== 'subscribe') return;
    if (payload?.query === 'rejects it') send({ type: 'error', id, payload: [{ message: 'no' }] });
    else send({ type: 'next', id, payload: { data: null } });
    if (payload?.query === 'ends it') send({ type: 'complete', id });
  });

async function startEventStreams() {
  const server = createServer((req, res) => {
    req.on('error', () => {});
    req.once('data', (body: Buffer) => {
      const { query } = JSON.parse(String(body));
      if (query === 'rejects it') {
        res.writeHead(200, { 'content-type': 'application/json' }).end('{"errors":[{"message":"no"}]}');
        return;
      }
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('event: next\ndata: {"data":{}}\n\n');
      if (query === 'ends it') res.end('event: complete\n\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Counts the calls of its sink. */
class CountingSink extends Sink {
  calls = 0;
  #count = () => {
    this.calls += 1;
  };
  override up = this.#count;
  override next = this.#count;
  override ended = this.#count;
  override refused = this.#count;
}

test('subscriptions that come and go beside a lasting one leave nothing in their connections', async () => {
  await using upstream = await startFateful();
  await using streams = await startEventStreams();
  const overRpc = (url: string) => {
    const socket = createRpcSocket({ urls: [url], graceMs: 1 });
    const toParams = (fate: Fate) => ({ subscribe: 'subscribe', unsubscribe: 'unsubscribe', params: [fate] });
    return {
      close: () => socket.close(),
      subscribe: (fate: Fate, sink: Sink) => socket.subscribe(toParams(fate), sink),
    };
  };
  const overGraphql = (url: string) => {
    const socket = createGraphqlSubscriptions({ urls: [url], graceMs: 1 });
    return {
      close: () => socket.close(),
      subscribe: (fate: Fate, sink: Sink) => socket.subscribe({ query: fate }, sink),
    };
  };
  const openings = [
    () => overRpc(upstream.url),
    () => overGraphql(upstream.url),
    () => overGraphql(streams.url),
  ] as const;
  const lasting = openings.map((open) => open());
  const stays = lasting.map((socket) => {
    const sink = new CountingSink();
    socket.subscribe('keeps it', sink);
    return sink;
  });
  await until(() => stays.every(({ calls }) => calls > 0), 'the lasting subscriptions');
  const connections = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
  const before = { timers: countTimers(), connections: connections() };
  const count = 20;
  await untilNothingIsLeft(count, async () => {
    for (let index = 0; index < count; index += 1) {
      for (const [kind, open] of openings.entries()) {
        // Every fourth has a connection of its own, which the gateway closes.
        const socket = index % 4 === 3 ? open() : lasting[kind];
        const sink = new CountingSink();
        const leave = socket?.subscribe(fates[index % 3] as Fate, sink);
        if (index % 5 > 0) await until(() => sink.calls > 0, 'a call of its sink');
        if (index % 4 === 3) socket?.close();
        else leave?.();
      }
    }
    await until(
      () => countTimers() <= before.timers && connections() <= before.connections,
      () => `${countTimers()} timers and ${connections()} connections of ${JSON.stringify(before)}`,
    );
  });
  expect(stays.every(({ isLost }) => !isLost)).toBe(true);
  for (const socket of lasting) socket.close();
}, 600_000);
