import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { toPostText } from '../../support/raw-client.ts';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

const typeDefs = 'type Query { a: Int b(ids: [Int], f: Filter): String big: [String!] } input Filter { x: Int }';

/** A proxy in front of the ledger. Holds the rest of a response back after its first characters. */
async function startGate(ledgerUrl: string) {
  let release: (() => void) | undefined;
  let held: Promise<void> | undefined;
  let asked = 0;
  let begin = 0;
  let onAsked = () => {};
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const answer = await fetch(ledgerUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const text = await answer.text();
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    const isSchema = /__schema|serviceConfig/.test(body);
    if (held && !isSchema) {
      res.write(text.slice(0, begin));
      asked += 1;
      onAsked();
      await held;
      res.end(text.slice(begin));
    } else res.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    hold: (after = 5) => {
      asked = 0;
      begin = after;
      held = new Promise((resolve) => {
        release = resolve;
      });
    },
    letGo: () => {
      held = undefined;
      release?.();
    },
    /** Resolves when this many responses are held back. */
    holding: (count: number) =>
      new Promise<void>((resolve) => {
        onAsked = () => asked >= count && resolve();
        onAsked();
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

let big: string;
let ledger: ScriptedLedger;
let gate: Awaited<ReturnType<typeof startGate>>;
let gateway: TestGateway;
const requests = () => gateway.log.filter(({ msg }) => msg === 'request');

/** A connection to a gateway, and everything received on it. */
function open({ url }: Pick<TestGateway, 'url'> = gateway) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let said = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    said += text;
  });
  socket.on('error', () => {});
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, ended, said: () => said, answers: () => said.split('HTTP/1.1 ').length - 1 };
}

beforeAll(async () => {
  big = 'y'.repeat(1000);
  const list = Array.from({ length: 3_000 }, () => big);
  ledger = await startScriptedLedger(typeDefs, { Query: { a: () => 1, b: () => 'x', big: () => list } });
  gate = await startGate(ledger.url);
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: gate.url, LIMIT_MAX_OUTPUT_NODES: '100000' });
  // The document is in memory from now on.
  for (const query of ['{a}', '{big}', '{big gateway{version}}', '{a gateway{version}}', '{gateway{version} a}']) {
    await gateway.query(query, {});
    await gateway.query(query, {});
  }
});
afterEach(() => gate.letGo());
afterAll(async () => {
  await gateway?.close();
  gate?.close();
  await ledger?.close();
});

it('clients that send more requests before their responses get every response', async () => {
  gate.hold();
  const client = open();
  client.socket.write(toPostText({ query: '{a}', variables: {} }) + toPostText({ query: '{a}', variables: {} }));
  await gate.holding(1);
  gate.letGo();
  await expect.poll(() => client.answers()).toBe(2);
  client.socket.destroy();
});

it('a request that waits when its connection closes is ended and logged like any other', async () => {
  gate.hold();
  const before = gateway.log.length;
  const client = open();
  client.socket.write(toPostText({ query: '{a}' }) + 'GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(25));
  await gate.holding(1);
  client.socket.destroy();
  const left = () => gateway.log.slice(before).filter(({ status }) => status !== undefined);
  // Those that ran nothing share a line.
  const count = () => left().reduce((sum, line) => sum + Number(line.count ?? 1), 0);
  await until(
    () => count() >= 26,
    () => `${count()} requests are logged`,
  );
  expect(count()).toBe(26);
});

it('a split operation is completed when the client that first called the ledger disconnects', async () => {
  gate.hold();
  const first = open();
  first.socket.write(toPostText({ query: '{big}', variables: {} }));
  await gate.holding(1);
  const second = gateway.query('{big gateway{version}}', {});
  const logged = requests().length;
  first.socket.destroy();
  await expect.poll(() => requests().length).toBe(logged + 1);
  gate.letGo();
  expect((await second).data.big).toHaveLength(3_000);
});

it('an HTTP/1.0 client gets a length where others get a streamed response', async () => {
  gate.hold();
  const first = open();
  first.socket.write(toPostText({ query: '{big}', variables: {} }));
  await gate.holding(1);
  const second = open();
  second.socket.write(toPostText({ query: '{big}', variables: {} }).replace('HTTP/1.1', 'HTTP/1.0'));
  // A response to a later request proves that this one was read and shares the first one's response.
  await once(second.socket, 'connect');
  for (let count = 0; count < 3; count += 1) await fetch(`${gateway.url}/health/live`);
  const logged = requests().length;
  first.socket.destroy();
  await expect.poll(() => requests().length).toBe(logged + 1);
  gate.letGo();
  await second.ended;
  expect(second.said()).toMatch(/\r\ncontent-length: 3\d{6}\r\n/i);
});

it.each([
  ['in a list', '{ b(ids: $v) }', '[Int]', Array.from({ length: 19_000 }, () => 'a')],
  [
    'of an input object',
    '{ b(f: $v) }',
    'Filter',
    Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`y${index}`, 1])),
  ],
])('thousands of mistakes %s are told in a few words', async (_, body, type, value) => {
  for (const own of ['', ' estimate(query: "{a}") { refused }']) {
    const query = `query ($v: ${type}) ${body.replace(' }', `${own} }`)}`;
    await gateway.query(query, {});
    const { status, errors, text } = await gateway.query(query, { v: value });
    expect(status).toBe(200);
    expect(errors?.length).toBeLessThan(10);
    expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(text.length).toBeLessThan(10_000);
  }
});

it('data without a selected member do not count as complete', async () => {
  ledger.override = (query) => (query.includes('__schema') ? undefined : { status: 200, body: '{"data":{}}' });
  for (const query of ['{a gateway{version}}', '{gateway{version} a}']) {
    const { data } = await gateway.query(query, {});
    expect(data.gateway).toEqual({ version: expect.any(String) });
  }
  ledger.override = undefined;
});

it('a thousand errors behind a large response arrive', async () => {
  const errors = Array.from({ length: 1_000 }, (_, index) => ({
    message: 'this item could not be resolved',
    path: ['big', index],
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  }));
  const body = JSON.stringify({ data: { big: Array.from({ length: 3_000 }, () => big) }, errors });
  ledger.override = (query) => (query.includes('big') ? { status: 200, body } : undefined);
  const answer = await gateway.query('{big}', {});
  ledger.override = undefined;
  expect(answer.errors).toHaveLength(1_000);
});

it('an invalid request does not end up in the response before it', async () => {
  // The response never ends, so the timeout must end it.
  await using hasty = await createTestGateway({ LEDGER_GRAPHQL_URL: gate.url, REQUEST_TIMEOUT_MS: '3000' });
  await hasty.query('{big}', {});
  await hasty.query('{big}', {});
  gate.hold(2_900_000);
  const client = open(hasty);
  client.socket.write(toPostText({ query: '{big}', variables: {} }));
  await expect.poll(() => client.said().length).toBeGreaterThan(1_000_000);
  client.socket.write('garbage\r\n\r\n');
  await client.ended;
  expect(client.answers()).toBe(1);
});
