import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultyLedger, startFaultyLedger } from '../support/faulty-ledger.ts';
import { inTurns } from '../support/in-turns.ts';
import { openWebSocket } from '../support/open-websocket.ts';
import { openRawClient, toPostText } from '../support/raw-client.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { until } from '../support/until.ts';

let ledger: FaultyLedger;
let gateway: SpawnedGateway;

beforeAll(async () => {
  ledger = await startFaultyLedger();
  gateway = await spawnGateway({ LEDGER_GRAPHQL_URL: ledger.url });
});
afterAll(async () => {
  for (const each of [gateway, ledger]) await each?.[Symbol.asyncDispose]();
});

/** As many idle connections as the gateway keeps, and some more. */
const crowd = 4_096 + 2 * 256;

test('of thousands of connections, the oldest without an operation are closed, and no others', async () => {
  ledger.manner = (query) => (query.includes('pay') ? 'held' : 'whole');
  const close = { connection: 'close' };
  const ask = toPostText({ query: '{ chainIdentifier }' }, close);

  const awaiting = await openRawClient(gateway.port);
  await awaiting.send(toPostText({ query: 'mutation { pay(amount: 1) }' }, close));
  await until(() => ledger.waiting > 0, 'the mutation has reached the ledger');
  const webSocket = await openWebSocket(gateway.url.replace('http', 'ws'));
  webSocket.send({ type: 'connection_init' });
  await until(() => webSocket.messages.length > 0, 'the WebSocket is acknowledged');
  const useful = await openRawClient(gateway.port);
  await useful.send(toPostText({ query: '{ chainIdentifier }' }));
  await useful.receive(/chainIdentifier/);
  const oldest = [await openRawClient(gateway.port), await openRawClient(gateway.port)];
  await oldest[0]?.send(ask.slice(0, 20));
  await oldest[1]?.send(ask.slice(0, -5));

  const others = await inTurns(crowd, 50, () => openRawClient(gateway.port));
  for (const each of oldest) expect(await each.whole()).toBe('');
  await others.at(-1)?.send(ask);
  expect(await others.at(-1)?.whole()).toMatch(/^HTTP\/1\.1 200 /);
  await useful.send(ask);
  expect((await useful.whole()).match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  webSocket.send({ type: 'ping' });
  await until(() => webSocket.messages.at(-1)?.type === 'pong', 'the WebSocket answers');
  ledger.release();
  expect(await awaiting.whole()).toMatch(/^HTTP\/1\.1 200 .*"pay":1/s);

  webSocket.socket.terminate();
  for (const each of others) each.vanish('closing');
  expect(gateway.complaints()).toEqual([]);
});
