import { once } from 'node:events';
import { IotaClient, type IotaEvent, IotaHTTPTransport } from '@iota/iota-sdk/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type RpcDevnet, startRpcDevnet } from '../../support/start-rpc-devnet.ts';

let devnet: RpcDevnet;
beforeEach(async () => {
  devnet = await startRpcDevnet({ checkpoints: 5 }, { maxSubscriptionsPerConnection: 3 });
});
afterEach(() => devnet[Symbol.asyncDispose]());

// biome-ignore lint/suspicious/noExplicitAny: messages are asserted on, not programmed against
type Message = any;

/** A WebSocket whose messages are read one after the other. */
async function connect() {
  const socket = new WebSocket(devnet.url.replace('http', 'ws'));
  const messages: Message[] = [];
  const waiting: ((message: Message) => void)[] = [];
  socket.on('message', (data) => {
    const message = JSON.parse(data.toString());
    const reader = waiting.shift();
    if (reader) reader(message);
    else messages.push(message);
  });
  await once(socket, 'open');
  const next = () =>
    messages.length > 0 ? Promise.resolve(messages.shift()) : new Promise<Message>((resolve) => waiting.push(resolve));
  let id = 0;
  /** A call and the next message, which is its answer where nothing was pushed meanwhile. */
  const call = (method: string, ...params: unknown[]) => {
    id += 1;
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return next();
  };
  return { socket, next, call, unread: () => messages.length };
}

/** Waits until the devnet has read all this connection sent before. */
const settled = async ({ call }: Awaited<ReturnType<typeof connect>>) =>
  expect(await call('ping')).toMatchObject({ error: { code: -32601 } });

test('a subscriber gets each event of a checkpoint in order when it closes, and none after it unsubscribed', async () => {
  const client = await connect();
  const { result: subscription } = await client.call('iotax_subscribeEvent', { All: [] });
  expect(subscription).toBeTypeOf('number');

  const before = devnet.ledger.events.length;
  devnet.step(2);
  const fresh = devnet.ledger.events.slice(before);
  expect(fresh.length).toBeGreaterThan(1);
  for (const { txDigest, eventSeq } of fresh) {
    expect(await client.next()).toEqual({
      jsonrpc: '2.0',
      method: 'iotax_subscribeEvent',
      params: { subscription, result: expect.objectContaining({ id: { txDigest, eventSeq: String(eventSeq) } }) },
    });
  }

  expect(await client.call('iotax_unsubscribeEvent', subscription)).toMatchObject({ result: true });
  devnet.step(2);
  await settled(client);
  expect(client.unread()).toBe(0);
});

test('executed transactions are pushed only when their checkpoint closes', async () => {
  const client = await connect();
  await client.call('subscribeTransaction', { TransactionKind: 'ProgrammableTransaction' });
  const { sequenceNumber } = devnet.step(1);
  const pushed = await client.next();
  expect(pushed).toMatchObject({ method: 'subscribeTransaction', params: { result: { messageVersion: 'v1' } } });
  expect(devnet.ledger.transaction(pushed.params.result.transactionDigest)?.checkpoint).toBe(sequenceNumber);
});

test('a combined filter passes what matches both parts', async () => {
  const client = await connect();
  const { packages } = devnet.contracts;
  await client.call('ledgerx_subscribeEvent', {
    Or: [
      { MoveEventField: { path: '/round', value: 3 } },
      { And: [{ Package: packages.market }, { Any: [{ MoveEventType: `${packages.market}::listings::ItemSold` }] }] },
    ],
  });
  const before = devnet.ledger.events.length;
  for (let count = 0; count < 15; count += 1) devnet.step(1);
  const fresh = devnet.ledger.events.slice(before);
  const expected = fresh.filter(({ json, type }) => json.round === 3 || type.endsWith('::ItemSold'));
  expect(expected.length).toBeGreaterThan(1);
  expect(expected.length).toBeLessThan(fresh.length);
  for (const { txDigest, eventSeq } of expected) {
    expect((await client.next()).params.result.id).toEqual({ txDigest, eventSeq: String(eventSeq) });
  }
  await settled(client);
});

test("the network's own SDK subscribes and unsubscribes", async () => {
  const transport = new IotaHTTPTransport({
    url: devnet.url,
    WebSocketConstructor: WebSocket as unknown as typeof globalThis.WebSocket,
    // Without this the SDK connects again three seconds after the network has gone, and nobody hears that it cannot.
    websocket: { url: devnet.url.replace('http', 'ws'), maxReconnects: 0 },
  });
  const client = new IotaClient({ transport });
  let received: (event: IotaEvent) => void = () => undefined;
  const first = new Promise<IotaEvent>((resolve) => {
    received = resolve;
  });
  const unsubscribe = await client.subscribeEvent({ filter: { All: [] }, onMessage: (event) => received(event) });
  const before = devnet.ledger.events.length;
  devnet.step(1);
  const { txDigest, type } = devnet.ledger.events[before]!;
  expect(await first).toMatchObject({ id: { txDigest, eventSeq: '0' }, type });
  expect(await unsubscribe()).toBe(true);
});

test('queries work on the same socket; errors leave it open', async () => {
  const client = await connect();
  expect(await client.call('ledgerx_queryEvents', { All: [] }, null, 1)).toMatchObject({ result: { data: [{}] } });
  client.socket.send('[]');
  expect(await client.next()).toMatchObject({ id: null, error: { code: -32005 } });
  client.socket.send('{');
  expect(await client.next()).toMatchObject({ id: null, error: { code: -32700 } });
  expect(await client.call('subscribeEvent', { Not: {} })).toMatchObject({ error: { code: -32602 } });
  await settled(client);
});

test('subscriptions are limited per connection', async () => {
  const [one, two] = await Promise.all([connect(), connect()]);
  for (let count = 0; count < 3; count += 1)
    expect(await one.call('subscribeEvent', { All: [] })).toHaveProperty('result');
  expect(await one.call('subscribeEvent', { All: [] })).toMatchObject({ error: { code: -32006 } });
  expect(await two.call('subscribeEvent', { All: [] })).toHaveProperty('result');
});

test("one connection cannot end another's subscription", async () => {
  const [one, two] = await Promise.all([connect(), connect()]);
  const { result } = await one.call('subscribeEvent', { All: [] });
  expect(await two.call('unsubscribeEvent', result)).toMatchObject({ result: false });
});

test('a message over the limit closes only its own socket', async () => {
  const [one, two] = await Promise.all([connect(), connect()]);
  const closed = once(one.socket, 'close');
  one.socket.send('x'.repeat(2 * 1024 * 1024));
  expect((await closed)[0]).toBe(1009);
  await settled(two);
});

test('nothing is written to a closed socket', async () => {
  const [one, two] = await Promise.all([connect(), connect()]);
  await one.call('subscribeEvent', { All: [] });
  await two.call('subscribeTransaction', { TransactionKind: 'ProgrammableTransaction' });
  one.socket.terminate();
  await once(one.socket, 'close');
  devnet.step(1);
  expect(await two.next()).toHaveProperty('params');
});

test('closing the interface ends its sockets', async () => {
  const { socket } = await connect();
  const closed = once(socket, 'close');
  await devnet[Symbol.asyncDispose]();
  expect((await closed)[0]).toBe(1001);
  devnet = await startRpcDevnet({ checkpoints: 2 });
});
