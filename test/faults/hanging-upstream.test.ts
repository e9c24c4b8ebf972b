import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startScriptedLedger } from '../support/scripted-ledger.ts';
import { createTestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

/** Accepts calls and never answers; `release` fails them. */
async function startHangingNode() {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

let node: Awaited<ReturnType<typeof startHangingNode>>;
let ledger: Awaited<ReturnType<typeof startScriptedLedger>>;
let gateway: Awaited<ReturnType<typeof createTestGateway>>;

beforeAll(async () => {
  node = await startHangingNode();
  ledger = await startScriptedLedger('type Query { chainIdentifier: String }', {
    Query: { chainIdentifier: () => 'c0ffee' },
  });
  const urls = { LEDGER_GRAPHQL_URL: ledger.url, LEDGER_RPC_URL: node.url };
  gateway = await createTestGateway({ ...urls, EVENTS_SOURCE: 'rpc', REQUEST_TIMEOUT_MS: '600000' });
});
afterAll(async () => {
  for (const each of [gateway, ledger, node]) await each?.[Symbol.asyncDispose]();
});

async function metric(name: string, url = gateway.url, upstream = 'events'): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name}\\{upstream="${upstream}",address="1"\\} (\\d+)$`, 'm').exec(page)?.[1]);
}

it('an upstream that hangs costs its own fields, and a bounded number of calls', async () => {
  const left = new AbortController();
  const begin = (index: number) =>
    fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: `{ chainIdentifier queryEvents(first: ${1 + (index % 40)}) { nodes { bcs } } }` }),
      signal: left.signal,
    }).then(
      () => 'answered',
      () => 'left',
    );
  const waiting = Array.from({ length: 300 }, (_, index) => begin(index));
  await until(async () => (await metric('ledger_gateway_upstream_waiting')) === 300 - 96, 'all calls have begun');
  // One caller gets three quarters of 128.
  expect(await metric('ledger_gateway_upstream_in_flight')).toBe(96);

  // The ledger has connections of its own.
  for (let read = 0; read < 20; read += 1) {
    const { data, errors } = await gateway.query('{ chainIdentifier gateway { version } }');
    expect([data?.chainIdentifier, errors]).toEqual(['c0ffee', undefined]);
  }
  left.abort();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['left']));
  await until(async () => (await metric('ledger_gateway_upstream_in_flight')) === 0, 'the calls have ended');
  expect(await metric('ledger_gateway_upstream_waiting')).toBe(0);
});

describe('an upstream with one address', () => {
  let isHanging = false;
  const hang = () => new Promise<string>(() => {});
  const schema = 'type Query { chainIdentifier: String, expensive: String }';
  const resolvers = { Query: { chainIdentifier: () => (isHanging ? hang() : 'c0ffee'), expensive: hang } };

  async function startHangingQuery(timeoutMs = '2000') {
    const slow = await startScriptedLedger(schema, resolvers);
    const other = await createTestGateway({
      LEDGER_GRAPHQL_URL: slow.url,
      REQUEST_TIMEOUT_MS: timeoutMs,
      TRUSTED_PROXIES: '127.0.0.1',
    });
    return {
      url: other.url,
      /** @returns the error, or `undefined` */
      async ask(query: string, caller: string) {
        const { data, errors } = await other.query(query, undefined, { 'x-forwarded-for': caller });
        if (!errors) expect(data.chainIdentifier).toBe('c0ffee');
        return errors?.[0]?.message;
      },
      async [Symbol.asyncDispose]() {
        await other.close();
        await slow[Symbol.asyncDispose]();
      },
    };
  }

  it('serves a caller while 30 expensive queries of another one time out', async () => {
    isHanging = false;
    await using gate = await startHangingQuery();
    const read = () => gate.ask('{ chainIdentifier }', '203.0.113.2');
    let isTimedOut = false;
    const expensive = Array.from({ length: 30 }, async (_, index) => {
      const message = await gate.ask(`{ a${index}: expensive }`, '203.0.113.1');
      isTimedOut = true;
      return message;
    });
    const messages = new Set<string | undefined>();
    while (!isTimedOut) messages.add(await read());
    // Without reads in between, the last 20 calls are timeouts.
    expect(new Set(await Promise.all(expensive))).toEqual(new Set(['The ledger upstream did not answer in time.']));
    for (let count = 0; count < 20; count += 1) messages.add(await read());
    expect([...messages]).toEqual([undefined]);
  });

  it('serves a caller while 300 reads of another one hang', async () => {
    isHanging = false;
    await using gate = await startHangingQuery('600000');
    const left = new AbortController();
    const read = (query: string) =>
      fetch(`${gate.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.1' },
        body: JSON.stringify({ query }),
        signal: left.signal,
      }).catch(() => 'left');
    const hanging = Array.from({ length: 300 }, (_, index) => read(`{ a${index}: expensive }`));
    const count = (name: string) => metric(`ledger_gateway_upstream_${name}`, gate.url, 'ledger');
    await until(async () => (await count('waiting')) === 300 - 96, 'all of them are at the ledger, or wait');
    // Of another length than those above, of which no more are shared.
    const shared = '{ chainIdentifier chainIdentifier }';
    hanging.push(read(shared));
    await until(async () => (await count('waiting')) === 301 - 96, 'it waits too');
    for (let reads = 0; reads < 20; reads += 1) expect(await gate.ask(shared, '203.0.113.2')).toBeUndefined();
    expect(await count('in_flight')).toBe(96);
    left.abort();
    expect(new Set(await Promise.all(hanging))).toEqual(new Set(['left']));
    await until(async () => (await count('in_flight')) === 0, 'the calls have ended');
  });

  it('is not called while it hangs for two callers, and serves again afterwards', async () => {
    isHanging = true;
    await using gate = await startHangingQuery();
    const ask = (index: number) => gate.ask(`{ a${index}: chainIdentifier chainIdentifier }`, `203.0.113.${index % 2}`);
    await Promise.all(Array.from({ length: 22 }, (_, index) => ask(index)));
    await until(async () => (await ask(0))?.includes('nothing was sent') === true, 'calls are refused');
    isHanging = false;
    await until(async () => (await ask(0)) === undefined, 'calls are answered');
  });
});
