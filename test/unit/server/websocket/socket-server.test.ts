import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type ExecutionResult, GraphQLError } from 'graphql';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Sender } from '../../../../src/callers/identify-caller.ts';
import type {
  AdmittedOperation,
  OperationAdmission,
  ServerContext,
} from '../../../../src/operation/admit-operation.ts';
import type { ResultStream } from '../../../../src/operation/subscriptions/result-stream.ts';
import { createBytesInFlight } from '../../../../src/server/read-body.ts';
import {
  type OperationSocket,
  SocketOperation,
  type SocketOperationOptions,
} from '../../../../src/server/websocket/socket-operation.ts';
import { ClientSocket, createSocketServer, type SocketServer } from '../../../../src/server/websocket/socket-server.ts';
import { FairTurns, thisEventLoop } from '../../../../src/upstream/fair-turns.ts';
import { countLiveObjects } from '../../../support/count-live-objects.ts';
import { type OpenWebSocket, openWebSocket } from '../../../support/open-websocket.ts';
import { streamResults } from '../../../support/pushed-items.ts';
import { openRawClient, type RawClient } from '../../../support/raw-client.ts';
import { toTestCaller } from '../../../support/test-caller.ts';
import { until } from '../../../support/until.ts';

/** Nothing of GraphQL matters here. */
type Operations = Pick<SocketOperationOptions, 'admit' | 'runner'>;
const operations: Operations = {
  admit: {
    enter: async () => ({ kind: 'admitted', caller: toTestCaller(), standing: null }),
    decide: () => Promise.reject(new Error('a fault of ours')),
  },
  runner: { subscribe: () => Promise.resolve({}), runWhole: () => Promise.resolve({}) },
};
const timersNow = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

/** Records of operations that have ended. */
const ended: unknown[] = [];
/** Senders that were counted when they initialised their connections. */
const senders: Sender[] = [];
let sockets: SocketServer;
let server: ReturnType<typeof createServer>;
let port: number;
/** Of the last client. */
let connection: Socket;

async function start(pingMs: number, given = operations, maxOperations = 1): Promise<void> {
  ended.length = 0;
  senders.length = 0;
  sockets = createSocketServer({
    ...given,
    maskError: () => new GraphQLError('masked'),
    addresses: {
      admit: async (sender) => {
        senders.push(sender);
        return { error: null, standing: null };
      },
      admitCheap: async () => ({ error: null, standing: null }),
    },
    turns: new FairTurns(thisEventLoop),
    maxMessageBytes: 1_000,
    bytesInFlight: createBytesInFlight(1_000),
    maxGreetingBytes: 1_000,
    maxOperations,
    usageHeaders: [],
    onOperation: (record) => void ended.push(record),
    tracing: null,
    pingMs,
  });
  server = createServer();
  server.on('upgrade', (req, socket, head) => {
    connection = socket as Socket;
    sockets.accept(req, socket, head, { requestId: 'a', address: '', headers: {}, answered() {}, malformed() {} });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
}

afterEach(async () => {
  await sockets.drain(0);
  await new Promise((resolve) => server.close(resolve));
});

async function greet(options = {}): Promise<OpenWebSocket> {
  const client = await openWebSocket(`ws://127.0.0.1:${port}`, {}, options);
  client.send({ type: 'connection_init' });
  await until(() => client.messages.length > 0, 'an acknowledgement');
  return client;
}

/** A WebSocket whose client answers nothing, not even a farewell. */
async function openSilent(): Promise<RawClient> {
  const client = await openRawClient(port);
  const lines = [
    'GET / HTTP/1.1',
    'host: a',
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-protocol: graphql-transport-ws',
  ];
  await client.send(`${lines.join('\r\n')}\r\n\r\n`);
  await client.receive(/^HTTP\/1\.1 101/);
  return client;
}

const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));

it('keeps a client that answers pings', async () => {
  await start(40);
  const client = await greet();
  let pings = 0;
  client.socket.on('ping', () => {
    pings += 1;
  });
  await until(() => pings > 5, 'more pings than a silent client would get');
  expect(client.socket.readyState).toBe(client.socket.OPEN);
});

it('disconnects a client that answers no ping', async () => {
  await start(40);
  const client = await greet({ autoPong: false });
  expect(await client.closed).toMatchObject({ code: 1006 });
  await until(async () => (await connections()) === 0, 'its connection is gone');
});

it('an unexpected error during admission ends the connection, and is logged like any operation', async () => {
  await start(60_000);
  const client = await greet();
  client.send({ id: '1', type: 'subscribe', payload: { query: 'fault' } });
  expect(await client.closed).toMatchObject({ code: 4500, reason: 'Internal server error' });
  expect(ended).toHaveLength(1);
});

it.each(['closing', 'terminating'])('keeps no timer for clients that left by %s', async (how) => {
  await start(60_000);
  const before = timersNow();
  // Until they greet each has a time to do so; all have one timer that pings them.
  const clients = await Promise.all(Array.from({ length: 20 }, () => openWebSocket(`ws://127.0.0.1:${port}`)));
  expect(timersNow()).toBeGreaterThanOrEqual(before + 20);
  for (const { socket } of clients) {
    if (how === 'closing') socket.close();
    else socket.terminate();
  }
  await until(
    () => timersNow() <= before,
    () => `${timersNow()} timers where ${before} were`,
  );
  expect(await connections()).toBe(0);
  // The last one may be held by this test.
  await until(() => countLiveObjects(ClientSocket) < 5, 'their sockets to go');
});

it('closes without waiting for silent clients', async () => {
  await start(60_000);
  const client = await openSilent();
  const startedAt = performance.now();
  await sockets.drain(0);
  // The library would wait for half a minute.
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(await client.whole()).toContain('101 Switching Protocols');
});

/** Answers queries when the test says so, and opens streams that go on until they are left. */
function scripted() {
  const script = { opened: 0, left: 0, answer: (): Promise<ExecutionResult> | ExecutionResult => ({ data: {} }) };
  const open = (server: ServerContext) => {
    let end = (_: IteratorResult<ExecutionResult>) => {};
    let isLeft = false;
    const leave = async () => {
      if (!isLeft) script.left += 1;
      isLeft = true;
      end({ done: true, value: undefined });
      return { done: true, value: undefined } as const;
    };
    script.opened += 1;
    server.onGone(() => void leave());
    return streamResults({
      next: () =>
        new Promise<IteratorResult<ExecutionResult>>((resolve) => {
          end = resolve;
        }),
      return: leave,
    });
  };
  const given: Operations = {
    admit: {
      ...operations.admit,
      decide: (_server, caller, request) =>
        ({
          kind: 'admitted',
          caller,
          ...request,
          operation: { type: request.query.startsWith('subscription') ? 'subscription' : 'query' },
        }) as unknown as AdmittedOperation,
    },
    runner: {
      subscribe: async (_, server) => open(server),
      runWhole: async () => script.answer(),
    },
  };
  return { script, given };
}

describe('an operation id that a client reuses', () => {
  const stream = { type: 'subscribe', payload: { query: 'subscription { a }' } };
  const query = { type: 'subscribe', payload: { query: '{ a }' } };

  it('belongs only to the later operation, whatever happens to the earlier one', async () => {
    const { script, given } = scripted();
    let release = (_: ExecutionResult) => {};
    let asked = 0;
    script.answer = () => {
      asked += 1;
      return new Promise((resolve) => {
        release = resolve;
      });
    };
    await start(60_000, given, 5);
    const client = await greet();
    client.send({ id: '1', ...query });
    await until(() => asked === 1, 'the first is executed');
    client.send({ id: '1', type: 'complete' });
    client.send({ id: '1', ...stream });
    await until(() => script.opened === 1, 'the second is open');
    release({ data: { a: 'late' } });
    await until(() => ended.length === 1, 'the first is over');
    for (const id of ['1', '1']) {
      client.send({ id, type: 'complete' });
      client.send({ id, ...stream });
    }
    await until(() => script.opened === 3, 'one stream after the other');
    client.send({ type: 'ping' });
    await until(() => client.messages.length > 1, 'an answer');
    expect(client.messages.slice(1)).toEqual([{ type: 'pong' }]);
    expect(script.left).toBe(2);
    client.socket.close();
    await until(() => script.left === 3, 'the last stream is left');
    await until(() => ended.length === 4, 'all are over');
  });

  it('before the client has read the earlier response leaves nothing open when the connection ends', async () => {
    const { script, given } = scripted();
    script.answer = () => ({ data: { a: 'x'.repeat(700_000) } });
    await start(60_000, given, 5);
    const client = await greet();
    client.socket.pause();
    let last = 0;
    while (connection.writableLength === 0) {
      last += 1;
      client.send({ id: String(last), ...query });
      // A busy machine prints more slowly than a client sends: wait for the bytes too.
      const { bytesWritten } = connection;
      const isWritten = () => connection.writableLength > 0 || connection.bytesWritten > bytesWritten + 700_000;
      await until(() => ended.length === last && isWritten(), 'an answer');
    }
    client.send({ id: String(last), type: 'complete' });
    client.send({ id: String(last), ...stream });
    await until(() => script.opened === 1, 'the stream is open');
    client.socket.resume();
    await until(() => connection.writableLength === 0, 'the client has read all');
    expect(script.left).toBe(0);
    client.socket.terminate();
    await until(() => script.left === 1, 'the stream is left');
  });
});

describe('the protocol', () => {
  const subscribe = (payload: unknown, id: unknown = '1') => ({ id, type: 'subscribe', payload });

  it.each([
    ['text that is no JSON', '{', 4400],
    ['a list', [], 4400],
    ['a message without a type', {}, 4400],
    ['a message of an unknown type', { type: 'start' }, 4400],
    ['a message that only a server sends', { type: 'connection_ack' }, 4400],
    ['a ping with a text', { type: 'ping', payload: 'a' }, 4400],
    ['an operation without an id', subscribe({ query: '{ a }' }, null), 4400],
    ['an operation with an empty id', subscribe({ query: '{ a }' }, ''), 4400],
    ['an operation without a payload', subscribe(undefined), 4400],
    ['an operation whose variables are a list', subscribe({ query: '{ a }', variables: [] }), 4400],
    ['a completion without an id', { type: 'complete' }, 4400],
    ['a second initialisation', { type: 'connection_init' }, 4429],
  ])('closes the connection for %s', async (_, message, code) => {
    await start(60_000);
    const client = await greet();
    if (typeof message === 'string') client.socket.send(message);
    else client.send(message);
    expect((await client.closed).code).toBe(code);
  });

  it('serves nothing before the initialisation, and no other subprotocol', async () => {
    await start(60_000);
    const early = await openWebSocket(`ws://127.0.0.1:${port}`);
    early.send(subscribe({ query: '{ a }' }));
    expect(await early.closed).toMatchObject({ code: 4401, reason: 'Unauthorized' });
    const legacy = new WebSocket(`ws://127.0.0.1:${port}`, ['graphql-ws']);
    legacy.on('error', () => {});
    const bare = new WebSocket(`ws://127.0.0.1:${port}`);
    const code = await new Promise((resolve) => bare.once('close', resolve));
    expect(code).toBe(4406);
    legacy.terminate();
  });

  it('takes credentials from the initialisation, and nothing that a browser or a proxy says of the client', async () => {
    await start(60_000);
    const client = await openWebSocket(`ws://127.0.0.1:${port}`, { 'x-api-key': 'of the handshake' });
    const payload = {
      'X-API-Key': 'first',
      'x-api-key': 'second',
      Authorization: 'Bearer a',
      'X-Forwarded-For': '203.0.113.1',
      Origin: 'https://evil.example',
    };
    client.send({ type: 'connection_init', payload });
    await until(() => client.messages.length > 0, 'an acknowledgement');
    const [sender] = senders;
    expect([sender?.apiKey?.reveal(), sender?.authorization?.reveal()]).toEqual(['first', 'Bearer a']);
    expect(sender).toMatchObject({ forwardedFor: undefined, origin: undefined, remoteAddress: '127.0.0.1' });
  });

  it.each(['1', 'x'.repeat(128)])('closes the connection for an id that is in use: %s', async (id) => {
    const { script, given } = scripted();
    await start(60_000, given, 5);
    const client = await greet();
    client.send(subscribe({ query: 'subscription { a }' }, id));
    await until(() => script.opened === 1, 'the stream is open');
    client.send(subscribe({ query: '{ a }' }, id));
    expect(await client.closed).toMatchObject({ code: 4409, reason: expect.stringMatching(/^Subscriber/) });
    await until(() => script.left === 1, 'the stream is left');
  });

  it('answers pings with their payload, operations with a result and a completion, and frees their id', async () => {
    await start(60_000, scripted().given);
    const client = await greet({});
    client.socket.send('{"type":"ping","payload":{"a":[1],"variables":{"b":1.10}}}');
    client.send({ type: 'pong' });
    for (const count of [3, 5]) {
      client.send(subscribe({ query: '{ a }', unknown: 1 }));
      await until(() => client.messages.length === count + 1, 'a completion');
    }
    expect(client.messages.slice(1)).toEqual([
      { type: 'pong', payload: { a: [1], variables: { b: 1.1 } } },
      { id: '1', type: 'next', payload: { data: {} } },
      { id: '1', type: 'complete' },
      { id: '1', type: 'next', payload: { data: {} } },
      { id: '1', type: 'complete' },
    ]);
  });
});

it('stops without a timer when the last operation ends in time', async () => {
  let isAsked = false;
  let refuse = () => {};
  const decided = new Promise<OperationAdmission>((resolve) => {
    refuse = () => resolve({ kind: 'refused', errors: [new GraphQLError('no')], usage: null });
  });
  const decide = () => {
    isAsked = true;
    return decided;
  };
  await start(60_000, { ...operations, admit: { ...operations.admit, decide } });
  const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  onTestFinished(() => void vi.restoreAllMocks());
  const client = await greet();
  client.send({ id: '1', type: 'subscribe', payload: { query: '{ a }' } });
  await until(() => isAsked, 'the operation to begin');
  const drained = sockets.drain(12_345);
  const grace = set.mock.calls.findIndex(([, ms]) => ms === 12_345);
  refuse();
  await drained;
  expect(clear).toHaveBeenCalledWith(set.mock.results[grace]?.value);
  expect(ended).toHaveLength(1);
});

it('no longer reads for an operation whose stream has ended, and gives its memory back', () => {
  const readers = new Set<object>();
  const writer = {
    isReadyFor: (reader: object) => readers.add(reader).size === 0,
    leave: (reader: object) => readers.delete(reader),
    push() {},
    send: async () => {},
  };
  const socket = {
    requestId: 'a',
    sender: {},
    writer,
    began() {},
    ended() {},
    forget() {},
  } as unknown as OperationSocket;
  const options = { onOperation() {} } as unknown as SocketOperationOptions;
  const operation = new SocketOperation('1', 10, socket, options);
  const stream = { pushTo() {} };
  let released = 0;
  const release = () => {
    released += 1;
  };
  operation.held = { keep() {}, release };
  operation.follow(stream as unknown as ResultStream);
  expect(operation.isReady).toBe(false);
  expect([readers.size, released]).toEqual([1, 0]);
  operation.end();
  expect([readers.size, released]).toEqual([0, 1]);
});
