import { readFileSync } from 'node:fs';
import { Agent, type ClientRequest, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FaultyLedger, startFaultyLedger } from '../support/faulty-ledger.ts';
import { openWebSocket } from '../support/open-websocket.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { until } from '../support/until.ts';

const mib = 1024 ** 2;
/** How many requests of the maximum size one caller may have in flight. */
const mostAtOnce = 16;

let ledger: FaultyLedger;
let gateway: SpawnedGateway;
let agent: Agent;

beforeEach(async () => {
  ledger = await startFaultyLedger();
  ledger.manner = (query) => (/length|note/.test(query) ? 'held' : 'whole');
  agent = new Agent({ keepAlive: true });
  const patience = { REQUEST_TIMEOUT_MS: '120000', MUTATION_TIMEOUT_MS: '120000' };
  const env = { LEDGER_GRAPHQL_URL: ledger.url, SCHEMA_POLL_MS: '0', BATCH_MAX: '2', ...patience };
  gateway = await spawnGateway(env, ['--max-old-space-size=512']);
});
afterEach(async () => {
  agent.destroy();
  await gateway[Symbol.asyncDispose]();
  await ledger[Symbol.asyncDispose]();
});

/** RSS of the gateway's process in MiB; the peak is since its start. */
function memory(): { now: number; peak: number } {
  const status = readFileSync(`/proc/${gateway.pid}/status`, 'utf8');
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

const query = 'query ($text: String!) { length(text: $text) }';
const mutation = 'mutation ($text: String!) { note(text: $text) }';
/** A request of almost the maximum size; every body is unique. */
const large = (index: number, document = query) => ({
  query: document,
  variables: { text: String(index).padEnd(mib - 1_000, 'x') },
});

interface Sent {
  readonly request: ClientRequest;
  /** Its status, code and `Retry-After`; `broken` if the client gives up. */
  readonly outcome: Promise<string>;
}

function post(body: object): Sent {
  const headers = { 'content-type': 'application/json' };
  const sent = request(gateway.url, { method: 'POST', headers, agent });
  const outcome = new Promise<string>((resolve) => {
    sent.on('error', () => resolve('broken'));
    sent.on('response', async (answer) => {
      const [, code = 'no error'] = /"code":"(\w+)"/.exec(await text(answer).catch(() => '')) ?? [];
      resolve(`${answer.statusCode} ${code} ${answer.headers['retry-after'] ?? ''}`.trim());
    });
  });
  sent.end(JSON.stringify(body));
  return { request: sent, outcome };
}

const refused = '503 UNAVAILABLE 5';
const served = '200 no error';

/** Sends such requests until memory for bodies is full. */
async function fill(document = query): Promise<Sent[]> {
  const sent = Array.from({ length: mostAtOnce }, (_, index) => post(large(index, document)));
  await until(
    () => ledger.waiting === mostAtOnce,
    () => `${ledger.waiting} with the ledger`,
  );
  expect(await post(large(0)).outcome).toBe(refused);
  return sent;
}

/** Proves that memory for bodies is free again. */
async function expectRoom(): Promise<void> {
  await until(async () => {
    const { request: sent, outcome } = post(large(0));
    const isRefused = await Promise.race([outcome.then((end) => end === refused), until(() => ledger.waiting > 0, '')]);
    sent.destroy();
    return !isRefused;
  }, 'room');
  await until(() => ledger.waiting === 0, 'nothing with the ledger');
  const sent = await fill();
  ledger.release();
  expect(await Promise.all(sent.map(({ outcome }) => outcome))).toEqual(sent.map(() => served));
}

test('three hundred requests of the maximum size to a ledger that hangs take less than 200 MiB', async () => {
  const before = memory().now;
  const sent = Array.from({ length: 300 }, (_, index) => post(large(index)));
  let [over, most] = [0, 0];
  for (const { outcome } of sent) void outcome.then(() => (over += 1));
  await until(
    () => over === sent.length - mostAtOnce && ledger.waiting === mostAtOnce,
    () => `${over} over`,
    60_000,
  );
  most = memory().peak - before;
  expect(most).toBeLessThan(200);
  // Small requests are served meanwhile, of the same caller too.
  expect(await post({ query: '{ chainIdentifier }' }).outcome).toBe(served);
  ledger.release();
  const ends = await Promise.all(sent.map(({ outcome }) => outcome));
  expect(ends.filter((end) => end === served)).toHaveLength(mostAtOnce);
  expect(gateway.complaints()).toEqual([]);
});

test('memory is available again when clients leave and when responses arrive', async () => {
  for (const { request: sent } of await fill()) sent.destroy();
  await until(() => ledger.waiting === 0, 'reads cut short');
  await expectRoom();
});

test('a mutation holds its memory until it ends, even if its client has left', async () => {
  for (const { request: sent } of await fill(mutation)) sent.destroy();
  await until(() => gateway.logged('request').filter(({ status }) => status === 499).length === mostAtOnce, 'all gone');
  expect(ledger.waiting).toBe(mostAtOnce);
  expect(await post(large(0)).outcome).toBe(refused);
  ledger.release();
  await expectRoom();
});

test('batches and WebSocket messages count like single requests', async () => {
  const batches = Array.from({ length: mostAtOnce }, (_, index) =>
    post([large(index), { query: '{ chainIdentifier }' }]),
  );
  await until(() => ledger.waiting === mostAtOnce, 'all with the ledger');
  expect(await post(large(0)).outcome).toBe(refused);
  const client = await openWebSocket(gateway.url.replace('http', 'ws'));
  client.send({ type: 'connection_init' });
  await until(() => client.messages.length > 0, 'an acknowledgement');
  client.send({ id: 'refused', type: 'subscribe', payload: large(0) });
  await until(() => client.messages.length > 1, 'a refusal');
  expect(client.messages[1]).toMatchObject({
    id: 'refused',
    type: 'error',
    payload: [{ extensions: { code: 'UNAVAILABLE', retryAfterMs: 5_000 } }],
  });
  ledger.release();
  expect(await Promise.all(batches.map(({ outcome }) => outcome))).toEqual(batches.map(() => served));

  for (let index = 0; index < mostAtOnce; index += 1) {
    client.send({ id: String(index), type: 'subscribe', payload: large(index) });
  }
  await until(() => ledger.waiting === mostAtOnce, 'all with the ledger');
  expect(await post(large(0)).outcome).toBe(refused);
  client.socket.terminate();
  await expectRoom();
});
