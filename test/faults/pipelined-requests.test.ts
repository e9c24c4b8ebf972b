import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FaultyLedger, startFaultyLedger } from '../support/faulty-ledger.ts';
import { openRawClient, type RawClient, toPostText } from '../support/raw-client.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { until } from '../support/until.ts';

let ledger: FaultyLedger;
let gateway: SpawnedGateway;
/**
 * A gateway with short timeouts, though long enough to read the schema on a busy machine, and a client that stops sending
 * while the others are tested.
 */
let hasty: SpawnedGateway;
let silent: RawClient;
/** Earlier log lines and requests do not count. */
let [loggedBefore, countedBefore, servedBefore] = [0, 0, 0];

beforeAll(async () => {
  ledger = await startFaultyLedger();
  [gateway, hasty] = await Promise.all([
    spawnGateway({ LEDGER_GRAPHQL_URL: ledger.url }),
    spawnGateway({ LEDGER_GRAPHQL_URL: ledger.url, REQUEST_TIMEOUT_MS: '1000', MUTATION_TIMEOUT_MS: '1000' }),
  ]);
  silent = await openRawClient(hasty.port);
  await silent.send(ask().slice(0, -5));
});

beforeEach(() => {
  ledger.manner = () => 'whole';
  [loggedBefore, countedBefore, servedBefore] = [gateway.logged('request').length, counted().length, ledger.served];
});

afterAll(async () => {
  for (const each of [gateway, hasty, ledger]) await each[Symbol.asyncDispose]();
});

/** Rejected requests of the same second share a line. */
const counted = () =>
  gateway
    .logged('further requests without an operation')
    .flatMap((line) => Array.from({ length: Number(line.count) }, () => line));
const logged = () => [...gateway.logged('request').slice(loggedBefore), ...counted().slice(countedBefore)];
const served = () => ledger.served - servedBefore;

const pay = (amount: number, headers: Record<string, string> = {}) =>
  toPostText({ query: 'mutation Pay($amount: Int!) { pay(amount: $amount) }', variables: { amount } }, headers);
const ask = (headers: Record<string, string> = {}) => toPostText({ query: '{ chainIdentifier }' }, headers);
const h2c = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' };
const handshake = (path: string) =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-protocol: graphql-transport-ws\r\n\r\n`;

/** The responses on a connection: status, or status and body. */
function answersIn(text: string): string[] {
  return text
    .split(/(?=HTTP\/1\.1 )/)
    .map((answer) => `${/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]} ${answer.slice(answer.indexOf('\r\n\r\n') + 4)}`);
}

const paid = (amount: number) => `200 {"data":{"pay":${amount}}}`;
const asked = '200 {"data":{"chainIdentifier":"4c78adac"}}';

/** Sends on one connection while the ledger holds mutations back. Returns everything received. */
async function pipeline(...pieces: readonly string[]): Promise<string[]> {
  ledger.manner = (query) => (query.includes('pay') ? 'held' : 'whole');
  const client = await openRawClient(gateway.port);
  const [first = '', ...rest] = pieces;
  await client.send(first);
  await until(() => ledger.waiting > 0, 'the mutation has reached the ledger');
  for (const piece of rest) await client.send(piece);
  // A response out of order would arrive before this one. It is another read, so it cannot share the earlier call.
  await (await openRawClient(gateway.port)).send(toPostText({ query: 'query Other { chainIdentifier }' }));
  await until(() => logged().length > 0, 'another client has been answered');
  ledger.release();
  return answersIn(await client.whole());
}

/** One request line in the log for each status, and no errors. */
async function expectLogged(...statuses: readonly number[]): Promise<void> {
  const told = () => logged().map(({ status }) => status);
  await until(
    () => told().length >= statuses.length,
    () => `only ${told()} logged`,
  );
  expect(told().toSorted()).toEqual([...statuses].toSorted());
  expect(gateway.complaints()).toEqual([]);
  expect(gateway.cli.child.exitCode).toBeNull();
}

describe('behind a mutation in flight,', () => {
  it('a request that offers an upgrade gets its response in order, and ends the connection', async () => {
    expect(await pipeline(pay(1) + ask(h2c))).toEqual([paid(1), expect.stringContaining(asked)]);
    await expectLogged(200, 200, 200);
  });

  it('a request after such an offer is not begun, in the same packet or another', async () => {
    expect(await pipeline(pay(1) + ask(h2c) + pay(2), pay(3))).toEqual([paid(1), asked]);
    await expectLogged(200, 200, 200);
    expect(served()).toBe(3);
  });

  it.each([
    ['a handshake that is fine', '/graphql', 400],
    ['a handshake at another path', '/nope', 404],
    ['a handshake for another version', '/graphql/2020.1', 421],
  ])('%s does not get its response in place of the mutation’s', async (_, path, status) => {
    const answers = await pipeline(pay(1) + handshake(path));
    expect(answers).toEqual([paid(1), expect.stringMatching(new RegExp(`^${status} .*"extensions":`))]);
    await expectLogged(200, 200, status);
  });

  it.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['headers too large', `GET /graphql HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['two lengths', 'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabc'],
  ])('%s does not get its rejection in place of the mutation’s', async (_, garbage) => {
    const answers = await pipeline(pay(1), garbage, pay(2), garbage);
    expect(answers).toEqual([paid(1), expect.stringMatching(/^4\d\d .*The HTTP request is malformed/)]);
    await expectLogged(200, 200);
    expect(served()).toBe(2);
  });

  it('an invalid body does not get its rejection in place of the mutation’s', async () => {
    const head =
      'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
    const answers = await pipeline(pay(1), head, 'zz\r\n');
    expect(answers).toEqual([paid(1), expect.stringMatching(/^400 .*The HTTP request is malformed/)]);
    await expectLogged(200, 200, 400);
  });

  it('CONNECT and an unknown expectation are rejected in order', async () => {
    expect(await pipeline(pay(1) + ask({ expect: 'magic' }))).toEqual([paid(1), expect.stringMatching(/^417 /)]);
    expect(await pipeline(`${pay(2)}CONNECT a:1 HTTP/1.1\r\nhost: localhost\r\n\r\n`)).toEqual([
      paid(2),
      expect.stringMatching(/^405 /),
    ]);
    await expectLogged(200, 200, 417, 200, 200, 405);
  });
});

it('a hundred requests may wait on one connection', async () => {
  const answers = await pipeline(pay(1), ask().repeat(98) + ask({ connection: 'close' }));
  expect(answers).toEqual([paid(1), ...Array.from({ length: 99 }, () => asked)]);
  await expectLogged(...Array.from({ length: 101 }, () => 200));
});

it('a mutation after a request rejected with an unread body is not begun, because its response could not be sent', async () => {
  const client = await openRawClient(gateway.port);
  await client.send(ask({ 'content-type': 'text/plain' }) + pay(1));
  expect(answersIn(await client.whole())).toEqual([expect.stringMatching(/^415 /)]);
  await expectLogged(415);
  expect(served()).toBe(0);
});

it.each([
  ['of another type', 415, { 'content-type': 'text/plain' }],
  ['compressed', 415, { 'content-encoding': 'gzip' }],
  ['declared too long', 413, { 'content-length': '2000000' }],
  ['whose answer nobody takes', 406, { accept: 'image/png' }],
])(
  'a body %s is rejected with %i before it arrives: the response announces the end of the connection, and it ends',
  async (_, status, headers) => {
    const [head = ''] = ask(headers).split(/(?<=\r\n\r\n)/);
    const client = await openRawClient(gateway.port);
    await client.send(head);
    const answer = await client.whole();
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\nconnection: close\r\n`, 'i'));
    await expectLogged(status);
  },
);

it('an upgrade offer with a body in pieces, whole or chunked, is served, and the connection ends', async () => {
  const [head = '', body = ''] = ask(h2c).split(/(?<=\r\n\r\n)/);
  const chunked = head.replace(/content-length: \d+/, 'transfer-encoding: chunked');
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  for (const pieces of [
    [head, body.slice(0, 5), body.slice(5)],
    [chunked, chunk(body.slice(0, 5)), chunk(body.slice(5)) + chunk('')],
    [head.replace('HTTP/1.1', 'HTTP/1.0') + body],
  ]) {
    const client = await openRawClient(gateway.port);
    for (const piece of pieces) await client.send(piece);
    expect(answersIn(await client.whole())).toEqual([asked]);
  }
  await expectLogged(200, 200, 200);
});

it('hundreds of upgrade offers in a row leave the gateway unchanged', async () => {
  for (let index = 0; index < 300; index += 1) {
    const client = await openRawClient(gateway.port);
    await client.send(ask(h2c) + ask(h2c) + ask(h2c));
    expect(answersIn(await client.whole())).toEqual([asked]);
  }
  await until(() => logged().length === 300, 'all are logged');
  expect(gateway.complaints()).toEqual([]);
});

it.each([
  ['of which each would be answered', ask().repeat(100), 100],
  ['behind one that ends the connection', ask({ 'content-type': 'text/plain' }) + ask().repeat(99), 2],
])('a connection with more waiting requests, %s, is closed', async (_, further, begun) => {
  ledger.manner = (query) => (query.includes('pay') ? 'held' : 'whole');
  const client = await openRawClient(gateway.port);
  await client.send(pay(1));
  await until(() => ledger.waiting > 0, 'the mutation has reached the ledger');
  // The mutation is held back, so only this can end the connection.
  await client.send(further);
  expect(await client.whole()).toBe('');
  ledger.release();
  await until(
    () => logged().length >= begun,
    () => `only ${logged().length} are over`,
  );
  expect(logged()).toHaveLength(begun);
  expect(gateway.complaints()).toEqual([]);
});

it('a client that stops in its body is disconnected after the longest time of a response', async () => {
  // Node itself would wait for five minutes.
  expect(await silent.whole()).toMatch(/^HTTP\/1\.1 408 .*The HTTP request took too long to arrive/s);
  await until(() => hasty.logged('request').length === 1, 'it is logged');
  expect(hasty.logged('request')[0]).toMatchObject({ status: 408, codes: ['BAD_REQUEST'] });
});
