import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type FaultyLedger, startFaultyLedger } from '../support/faulty-ledger.ts';
import { inTurns } from '../support/in-turns.ts';
import { countConnections } from '../support/process-sockets.ts';
import { openRawClient, toPostText } from '../support/raw-client.ts';
import { runs } from '../support/runs.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { until } from '../support/until.ts';

let ledger: FaultyLedger;
let gateway: SpawnedGateway;
/** Earlier calls and operations do not count. */
let before = { cutShort: 0, overSockets: 0 };

beforeAll(async () => {
  ledger = await startFaultyLedger();
  // Far longer than any test, so whatever ends earlier ends because its client has left.
  gateway = await spawnGateway({
    LEDGER_GRAPHQL_URL: ledger.url,
    REQUEST_TIMEOUT_MS: '600000',
    MUTATION_TIMEOUT_MS: '600000',
    WEBSOCKET_MAX_PER_ADDRESS: '1000',
  });
});

beforeEach(() => {
  ledger.manner = () => 'whole';
  before = {
    cutShort: ledger.cutShort,
    overSockets: gateway.logged('operation over a WebSocket').length,
  };
});

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await ledger?.[Symbol.asyncDispose]();
});

const cutShort = () => ledger.cutShort - before.cutShort;

/** Fewer than one caller’s share of the connections to the ledger, so that none waits for one. */
const atATime = 90;
const howOf = (index: number) => (index % 2 === 0 ? 'closing' : 'resetting');

async function ask(query: string, variables: object = {}): Promise<unknown> {
  const headers = { 'content-type': 'application/json', connection: 'close' };
  const response = await fetch(gateway.url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
  return response.json();
}

const clientConnections = () => countConnections(gateway.pid, gateway.port);

/** Nothing of the departed clients is left, no error was logged, and others are served as before. */
async function expectUnharmed(): Promise<void> {
  await until(
    () => clientConnections() === 0,
    () => `${clientConnections()} connections of clients are still open`,
  );
  ledger.manner = () => 'whole';
  expect(
    await ask('query Epoch($id: Int) { epoch(id: $id) { epochId } gateway { networkProfile } }', { id: 5 }),
  ).toEqual({ data: { epoch: { epochId: 5 }, gateway: { networkProfile: 'ledger' } } });
  expect(await ask('query Events($n: Int!) { events(first: $n) { id } }', { n: 2 })).toEqual({
    data: { events: [{ id: 0 }, { id: 1 }] },
  });
  expect(gateway.complaints()).toEqual([]);
  expect(gateway.cli.child.exitCode).toBeNull();
}

test('hundreds of clients that disconnect during their request body leave nothing behind', async () => {
  const [head = '', body = ''] = toPostText(
    { query: '{ chainIdentifier }', variables: { padding: 'x'.repeat(40_000) } },
    { expect: '100-continue' },
  ).split(/(?<=\r\n\r\n)/);
  await inTurns(200, atATime, async (index) => {
    const client = await openRawClient(gateway.port);
    await client.send(head);
    // This proves that the request is being read, however busy the machine is.
    await client.receive(/^HTTP\/1.1 100 Continue/);
    await client.send(body.slice(0, body.length / 2));
    client.vanish(howOf(index));
  });
  await expectUnharmed();
  expect(cutShort()).toBe(0);
});

/** Each takes another path through the gateway; the number makes every request unique. */
const waysOfReading: readonly (readonly [string, (index: number) => object])[] = [
  [
    'a document seen before',
    (index) => ({ query: 'query Epoch($id: Int) { epoch(id: $id) { epochId } }', variables: { id: index } }),
  ],
  ['a document never seen before', (index) => ({ query: `{ epoch${index}: epoch(id: ${index}) { epochId } }` })],
  [
    'fields of the ledger beside our own',
    (index) => ({
      query: 'query Mixed($id: Int) { epoch(id: $id) { epochId } gateway { networkProfile } }',
      variables: { id: index },
    }),
  ],
];

test('upstream calls are cancelled when hundreds of clients disconnect before the response', async () => {
  // Sends the documents once, so that later ones take their usual path.
  for (const [, toBody] of waysOfReading) await inTurns(2, 1, () => ask((toBody(0) as { query: string }).query));
  ledger.manner = (query) => (query.includes('Epoch') || query.includes('epoch') ? 'held' : 'whole');
  const rounds = runs(2);
  for (let round = 0; round < rounds; round += 1) {
    const clients = await inTurns(atATime, atATime, async (index) => {
      const number = 1 + round * atATime + index;
      const client = await openRawClient(gateway.port);
      const [, toBody] = waysOfReading[number % waysOfReading.length]!;
      await client.send(toPostText(toBody(number)));
      return client;
    });
    await until(
      () => ledger.waiting === atATime,
      () => `only ${ledger.waiting} requests reached the ledger`,
    );
    for (const [index, client] of clients.entries()) client.vanish(howOf(index));
    await until(
      () => ledger.waiting === 0,
      () => `${ledger.waiting} upstream calls go on`,
    );
  }
  expect(cutShort()).toBe(rounds * atATime);
  await expectUnharmed();
});

test("upstream calls are cancelled when clients disconnect during the ledger's response", async () => {
  const query = 'query Events($after: Int) { events(first: 300, after: $after) { id json } }';
  await ask(query);
  ledger.manner = () => 'half';
  const clients = await inTurns(atATime, atATime, async (index) => {
    const client = await openRawClient(gateway.port);
    await client.send(toPostText({ query, variables: { after: index } }));
    return client;
  });
  await until(() => ledger.waiting === atATime, 'all answers are on their way');
  for (const [index, client] of clients.entries()) client.vanish(howOf(index));
  await until(() => cutShort() === atATime, 'all upstream calls are cut short');
  await expectUnharmed();
});

test('mutations are not cancelled when clients disconnect', async () => {
  const query = 'mutation Pay($amount: Int!) { pay(amount: $amount) }';
  await ask(query, { amount: 0 });
  ledger.manner = () => 'held';
  const clients = await inTurns(atATime, atATime, async (index) => {
    const client = await openRawClient(gateway.port);
    await client.send(toPostText({ query, variables: { amount: index } }));
    return client;
  });
  await until(() => ledger.waiting === atATime, 'all mutations have reached the ledger');
  const servedBefore = ledger.served;
  for (const [index, client] of clients.entries()) client.vanish(howOf(index));
  await until(() => clientConnections() === 0, 'the gateway has noticed');
  expect(ledger.waiting).toBe(atATime);
  ledger.release();
  await until(() => ledger.served === servedBefore + atATime, 'all mutations have been answered');
  expect(cutShort()).toBe(0);
  await expectUnharmed();
});

test.each([
  ['a hundred clients that stop reading 300 KB, which the kernel takes in, and vanish leave nothing behind', 100, 300],
  ['ten clients that stop reading 8 MB, more than the kernel takes in, and vanish leave nothing behind', 10, 8_000],
])('%s', async (_, count, events) => {
  const query = `query First${events}($first: Int!, $after: Int) { events(first: $first, after: $after) { id json } }`;
  const named = JSON.stringify(`First${events}`);
  const overByNow = () =>
    gateway.logged('request').filter(({ operations }) => JSON.stringify(operations).includes(named)).length - 1;
  await ask(query, { first: 1 });
  await until(() => overByNow() === 0, 'the one request before is over');
  const perRound = Math.min(count, 50);
  for (let round = 0; round < count / perRound; round += 1) {
    const clients = await inTurns(perRound, perRound, async (index) => {
      const client = await openRawClient(gateway.port);
      const after = round * perRound + index;
      await client.send(toPostText({ query, variables: { first: events, after } }));
      await client.receive(/^HTTP\/1.1 200/);
      client.stopReading();
      return client;
    });
    for (const [index, client] of clients.entries()) client.vanish(howOf(index));
  }
  await until(
    () => overByNow() === count,
    () => `${overByNow()} of ${count} requests are over`,
  );
  await expectUnharmed();
  await until(() => countConnections(gateway.pid, ledger.port) === 0, 'no connection to the ledger is left');
});

test.each([
  ['a plain operation', 'query Epoch($id: Int) { epoch(id: $id) { epochId } }'],
  ['a split operation', 'query Mixed($id: Int) { epoch(id: $id) { epochId } gateway { networkProfile } }'],
])('a hundred WebSocket clients that disconnect during %s leave nothing behind', async (_, query) => {
  ledger.manner = (query) => (query.includes('epoch') ? 'held' : 'whole');
  const rounds = runs(1);
  for (let round = 0; round < rounds; round += 1) {
    const clients = await inTurns(atATime, atATime, (index) => subscribe(query, round * atATime + index));
    await until(
      () => ledger.waiting === atATime,
      () => `only ${ledger.waiting} operations reached the ledger`,
    );
    for (const client of clients) client.terminate();
    await until(
      () => ledger.waiting === 0,
      () => `${ledger.waiting} upstream calls go on`,
    );
  }
  expect(cutShort()).toBe(rounds * atATime);
  await until(
    () => gateway.logged('operation over a WebSocket').length - before.overSockets === rounds * atATime,
    'all operations are over',
  );
  await expectUnharmed();
});

/** Opens a socket and starts an operation; resolves when it was sent. */
function subscribe(query: string, id: number): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(gateway.url.replace('http', 'ws'), 'graphql-transport-ws');
    socket.on('error', reject);
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    socket.once('message', () => {
      const payload = { query, variables: { id } };
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }), () => resolve(socket));
    });
  });
}
