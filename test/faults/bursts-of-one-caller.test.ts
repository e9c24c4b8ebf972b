import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { getIntrospectionQuery, stripIgnoredCharacters } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWebSocket } from '../support/open-websocket.ts';
import { toPostText } from '../support/raw-client.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { type SuiLedger, startSuiLedger } from '../support/sui-ledger.ts';
import { until } from '../support/until.ts';

let ledger: SuiLedger;
let gateway: SpawnedGateway;

beforeAll(async () => {
  ledger = await startSuiLedger('newest');
  gateway = await spawnGateway({
    LEDGER_GRAPHQL_URL: ledger.url,
    NETWORK_PROFILE: 'sui',
    RATE_LIMIT_PER_MINUTE: '600',
    BATCH_MAX: '10',
  });
  // The first request of each kind loads and compiles the code that serves it.
  for (let index = 0; index < 10; index += 1) await run('127.0.0.3', [post(draw(index))], 1);
}, 60_000);

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await ledger?.[Symbol.asyncDispose]();
});

const introspection = stripIgnoredCharacters(getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true }));
const [connections, perConnection] = [10, 10];
let drawn = 0;

/** A document that was never sent before. One in five introspects, which is all that 600 points a minute allow. */
function draw(index: number): string {
  drawn += 1;
  if (index % 6 === 0) return introspection.replace('IntrospectionQuery', `Q${drawn}`);
  return `query Q${drawn} { ${Array.from({ length: 60 }, (_, field) => `a${field}: gateway { version }`).join(' ')} }`;
}

const post = (query: string) => toPostText({ query });
const get = (query: string, accept: string) =>
  `GET /graphql?query=${encodeURIComponent(query)} HTTP/1.1\r\nhost: localhost\r\naccept: ${accept}\r\n\r\n`;

/** Sends requests on one connection, all at once, and waits for their responses. @returns their statuses */
async function run(localAddress: string, requests: readonly string[], answers = requests.length): Promise<string[]> {
  const statuses: string[] = [];
  let end = '';
  const socket = connect({ port: gateway.port, host: '127.0.0.1', localAddress });
  socket.setEncoding('latin1').on('data', (text: string) => {
    const seen = end + text;
    for (const [, status = ''] of seen.matchAll(/HTTP\/1\.1 (\d{3}) /g)) statuses.push(status);
    // A status line may arrive in two pieces, and must count once.
    end = /H?T?T?P?\/?1?\.?1? ?\d{0,3}$/.exec(seen)?.[0] ?? '';
  });
  socket.write(requests.join(''));
  await until(
    () => statuses.length >= answers,
    () => `only ${statuses.length} answers`,
    60_000,
  );
  socket.destroy();
  return statuses;
}

/** Runs the operations over one WebSocket, all at once. @returns the last message of each */
async function runOverWebSocket(localAddress: string, queries: readonly string[]): Promise<string[]> {
  const client = await openWebSocket(gateway.url.replace('http', 'ws'), {}, { localAddress });
  client.send({ type: 'connection_init' });
  await until(() => client.messages.length > 0, 'it is acknowledged');
  for (const [index, query] of queries.entries())
    client.send({ id: String(index), type: 'subscribe', payload: { query } });
  const ends = () =>
    client.messages
      .filter(({ type }) => type === 'complete' || type === 'error')
      .map(({ type, payload }) => payload?.[0].message ?? type);
  await until(
    () => ends().length >= queries.length,
    () => `only ${ends().length} ended`,
    60_000,
  );
  client.socket.close();
  return ends();
}

/** CPU time of the gateway's event loop so far, in milliseconds. */
function loopCpuMs(): number {
  const { pid } = gateway;
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

const ways: readonly (readonly [
  name: string,
  send: (from: string, queries: readonly string[]) => Promise<string[]>,
])[] = [
  ['POST', (from, queries) => run(from, queries.map(post))],
  [
    'GET',
    (from, queries) =>
      run(
        from,
        queries.map((query) => get(query, 'application/json')),
      ),
  ],
  [
    'event stream',
    (from, queries) =>
      run(
        from,
        queries.map((query) => get(query, 'text/event-stream')),
      ),
  ],
  ['batch', (from, queries) => run(from, [toPostText(queries.map((query) => ({ query })))])],
  ['WebSocket', runOverWebSocket],
];

describe.skipIf(process.platform !== 'linux')('while one address sends everything that its limit allows', () => {
  test.each(ways.map(([name, send], index) => [name, send, `127.0.1.${index + 1}`, `127.0.2${index}`] as const))(
    'by %s, another waits for no more than 100 ms of processor time, or an eighth of the burst on a slow machine',
    async (_, send, from, others) => {
      let isOver = false;
      const begunMs = loopCpuMs();
      const burst = Promise.all(
        Array.from({ length: connections }, () =>
          send(
            from,
            Array.from({ length: perConnection }, (_, at) => draw(at)),
          ),
        ),
      ).finally(() => {
        isOver = true;
      });
      const waits: number[] = [];
      while (!isOver) {
        const before = loopCpuMs();
        // It uses several addresses to stay within its own limit.
        const other = `${others}.${1 + Math.floor(waits.length / 500)}`;
        expect(await run(other, [post('{ chainIdentifier }')])).toEqual(['200']);
        waits.push(Math.round(loopCpuMs() - before));
      }
      const ends = (await burst).flat();
      const burstMs = loopCpuMs() - begunMs;
      expect([['200'], ['complete']]).toContainEqual([...new Set(ends)]);
      // One of them may meet a garbage collection.
      const [, second = 0] = waits.toSorted((one, other) => other - one);
      expect(second, `waited ${waits}`).toBeLessThanOrEqual(Math.max(100, burstMs / 8));
      expect(waits.length).toBeGreaterThan(5);
      expect(gateway.complaints()).toEqual([]);
    },
    120_000,
  );
});
