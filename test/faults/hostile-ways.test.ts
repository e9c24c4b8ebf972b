import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { slowness } from '../support/cpu-time.ts';
import { type FaultyLedger, startFaultyLedger } from '../support/faulty-ledger.ts';
import { inTurns } from '../support/in-turns.ts';
import {
  askOften,
  attacker,
  longestTurnOf,
  memoryOf,
  openFrom,
  readAll,
  watchingTurns,
} from '../support/one-address.ts';
import { toPostText } from '../support/raw-client.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { until } from '../support/until.ts';

/** Cheap ways to keep a gateway busy, each used by one address without a rate limit beside a client elsewhere. */

let ledger: FaultyLedger;
let gateway: SpawnedGateway;
const opened: Socket[] = [];

beforeAll(async () => {
  ledger = await startFaultyLedger();
  gateway = await spawnGateway(
    {
      LEDGER_GRAPHQL_URL: ledger.url,
      SCHEMA_POLL_MS: '0',
      LEDGER_RPC_URL: 'http://127.0.0.1:9',
      FEDERATION: 'true',
      AUTOMATIC_PERSISTED_QUERIES: 'true',
    },
    ['--max-old-space-size=512', ...watchingTurns],
  );
  // Prepared soon after the start, in turns of its own.
  const first = await openFrom(attacker, gateway.port);
  first.write(toPostText({ query: getIntrospectionQuery() }, { connection: 'close' }));
  await readAll(first);
});
const leave = () => {
  for (const socket of opened.splice(0)) socket.destroy();
};
afterEach(leave);
afterAll(async () => {
  expect(gateway.complaints()).toEqual([]);
  await gateway?.[Symbol.asyncDispose]();
  await ledger?.[Symbol.asyncDispose]();
});

async function send(...texts: (string | Buffer)[]): Promise<Socket> {
  const socket = await openFrom(attacker, gateway.port);
  opened.push(socket);
  for (const text of texts) socket.write(text);
  socket.resume();
  return socket;
}

const json = { 'content-type': 'application/json' };
function toHead(method: string, target: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
const query = (text: string) => `/graphql?query=${encodeURIComponent(text)}`;
const nested = (levels: number, inner = '1') => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;
const words = (count: number, salt: number) =>
  Array.from({ length: count }, (_, index) => `chainIdentifer${index + salt * count}`).join(' ');

const upgrade = toHead('GET', '/graphql', {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol': 'graphql-transport-ws',
});

const ways: [way: string, times: number, attack: (index: number) => Promise<unknown>][] = [
  [
    'sends heads byte by byte',
    200,
    async () => {
      const socket = await send('POST /graphql HTTP/1.1\r\n');
      for (const byte of 'host: localhost\r\nx-slow: 1\r\n') socket.write(byte);
    },
  ],
  [
    'sends long query strings',
    200,
    (index) => send(toHead('GET', query(`{ ${words(500, index)} }`), { accept: 'application/json' })),
  ],
  ['misspells thousands of fields', 200, (index) => send(toPostText({ query: `{ ${words(1_000, index)} }` }))],
  [
    'nests variables',
    200,
    (index) =>
      send(
        toPostText({
          query: 'query ($v: Int) { epoch(id: $v) { epochId } }',
          variables: { v: JSON.parse(nested(120, String(index))) },
        }),
      ),
  ],
  [
    'sends variables of many values',
    150,
    (index) =>
      send(
        toPostText({ query: 'query ($v: [Int]) { epoch { epochId } }', variables: { v: Array(18_000).fill(index) } }),
      ),
  ],
  [
    'compresses bodies',
    80,
    () => {
      const body = gzipSync(Buffer.alloc(1_000_000));
      return send(
        toHead('POST', '/graphql', { ...json, 'content-encoding': 'gzip', 'content-length': String(body.length) }),
        body,
      );
    },
  ],
  [
    'adds extensions to its chunks',
    200,
    () =>
      send(
        toHead('POST', '/graphql', { ...json, 'transfer-encoding': 'chunked' }),
        `1;${'x=y;'.repeat(100)}\r\n \r\n`.repeat(30),
      ),
  ],
  [
    'estimates large documents',
    100,
    (index) => {
      const text = `{ ${Array.from({ length: 900 }, (_, each) => `a${each + index}: chainIdentifier`).join(' ')} }`;
      return send(
        toPostText({ query: 'query ($q: String!) { estimate(query: $q) { calls } }', variables: { q: text } }),
      );
    },
  ],
  [
    'introspects',
    60,
    (index) =>
      send(
        toPostText({
          query: `query Q${index} { __schema { types { name fields { name args { name type { name } } type { name ofType { name ofType { name } } } } } } }`,
        }),
      ),
  ],
  [
    'asks for a thousand entities',
    60,
    (index) =>
      send(
        toPostText({
          query: 'query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }',
          variables: {
            r: Array.from({ length: 1_000 }, (_, each) => ({ __typename: 'Epoch', epochId: each + index })),
          },
        }),
      ),
  ],
  [
    'closes its side within each request',
    1_000,
    async () => {
      const socket = await send();
      socket.end(toPostText({ query: '{ __typename }' }).slice(0, -4));
    },
  ],
  ['opens WebSockets and never initialises them', 600, () => send(upgrade)],
  [
    'drops event streams as soon as they begin',
    200,
    async () => {
      const text = toPostText({ query: 'subscription { liveEvents { __typename } }' }, { accept: 'text/event-stream' });
      const socket = await send(text);
      await new Promise((resolve) => socket.once('data', resolve));
      socket.destroy();
    },
  ],
  ['pipelines preflights', 200, () => send(toHead('OPTIONS', '/graphql', { origin: 'http://a.example' }).repeat(90))],
  [
    'pipelines persisted queries that are not there',
    100,
    (index) =>
      send(
        Array.from({ length: 90 }, (_, each) => {
          const sha256Hash = (index * 100 + each).toString(16).padStart(64, '0');
          return toPostText({ extensions: { persistedQuery: { version: 1, sha256Hash } } });
        }).join(''),
      ),
  ],
  [
    'asks for one field by a thousand names',
    60,
    (index) => {
      const text = Array.from({ length: 1_300 }, (_, each) => `a${each + index}: __typename`).join(' ');
      return send(toPostText({ query: `{ ${text} }` }));
    },
  ],
];

test.each(ways)('one address %s, and another one does not notice', async (_, times, attack) => {
  await longestTurnOf(gateway);
  const before = memoryOf(gateway).now;
  const other = askOften(gateway);
  await until(() => other.asked() > 5, 'first answers');
  await inTurns(times, 40, attack);
  await until(() => other.asked() > 25, 'twenty answers', 60_000);
  leave();
  const last = await openFrom(attacker, gateway.port);
  last.write(toPostText({ query: '{ __typename }' }, { connection: 'close' }));
  expect((await readAll(last)).head).toMatch(/^HTTP\/1\.1 (200|408|503)/);
  const { failures, p99Ms } = await other.end();
  expect(failures).toEqual([]);
  // CPU time, which the kernel counts in hundredths of a second: 10 to 70 ms. Before, up to 400 ms.
  expect(p99Ms).toBeLessThanOrEqual(100 * slowness());
  // 5 to 40 ms.
  expect(await longestTurnOf(gateway)).toBeLessThan(100 * slowness());
  expect(memoryOf(gateway).now - before).toBeLessThan(300);
  expect(gateway.cli.child.exitCode).toBeNull();
});
