import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FaultyLedger, startFaultyLedger } from '../support/faulty-ledger.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

let ledger: FaultyLedger;
let gateway: TestGateway;

beforeEach(async () => {
  ledger = await startFaultyLedger();
});

afterEach(async () => {
  await gateway.close();
  await ledger[Symbol.asyncDispose]();
});

it.each(['/health/ready', '/'])('%s shows what is known while the ledger hangs', async (path) => {
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
  ledger.manner = () => 'reset';
  expect((await gateway.query('{ chainIdentifier }')).errors).toHaveLength(1);
  ledger.manner = () => 'held';
  const state = async () => {
    const { upstreams } = (await (await fetch(gateway.url + path)).json()) as { upstreams: { ledger: unknown } };
    return JSON.stringify(upstreams.ledger);
  };
  expect(await state()).toContain('down');
  expect(ledger.waiting).toBe(1);
  ledger.release();
  await until(async () => (await state()).includes('up'), 'the outcome of the probe');
});

describe('requests of one address beside operations', () => {
  /** Sends this many requests, as the client at this address. @returns how many got each status */
  async function flood(count: number, address: string, path: string, method = 'GET') {
    const statuses: Record<number, number> = {};
    const send = async () => {
      const response = await fetch(gateway.url + path, { method, headers: { 'x-forwarded-for': address } });
      await response.arrayBuffer();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    };
    for (let sent = 0; sent < count; sent += 100) await Promise.all(Array.from({ length: 100 }, send));
    return statuses;
  }
  const begin = async () => {
    gateway = await createTestGateway({
      LEDGER_GRAPHQL_URL: ledger.url,
      TRUSTED_PROXIES: '127.0.0.1',
      RATE_LIMIT_PER_MINUTE: '100',
      GRAPHIQL: 'false',
    });
  };

  it.each([
    ['health probes', '/health/live', 'GET', 200],
    ['status pages', '/', 'GET', 200],
    ['CORS preflights', '/graphql', 'OPTIONS', 204],
  ])('%s are free for 600 a minute, and count as attempts from then on', async (_, path, method, status) => {
    await begin();
    expect(await flood(1_000, '203.0.113.1', path, method)).toEqual({ [status]: 700, 429: 300 });
    const from = (address: string) => gateway.query('{ chainIdentifier }', {}, { 'x-forwarded-for': address });
    expect((await from('203.0.113.1')).status).toBe(429);
    expect((await from('203.0.113.2')).status).toBe(200);
    expect(await flood(100, '203.0.113.2', path, method)).toEqual({ [status]: 100 });
  });

  it('remain free for an address that has no attempts left', async () => {
    await begin();
    expect(await flood(200, '203.0.113.1', '/nothing')).toEqual({ 404: 100, 429: 100 });
    expect(await flood(100, '203.0.113.1', '/health/ready')).toEqual({ 200: 100 });
  });

  it('get one line of the log a second for each kind, and a count', async () => {
    gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
    const startedMs = performance.now();
    expect(await flood(2_000, '203.0.113.1', '/nothing')).toEqual({ 404: 2_000 });
    const seconds = Math.ceil((performance.now() - startedMs) / 1_000) + 1;
    const linesOf = (message: string) => gateway.log.filter(({ msg, status }) => msg === message && status === 404);
    const counted = () =>
      linesOf('further requests without an operation').reduce((sum, { count }) => sum + Number(count), 0);
    await until(
      () => counted() + linesOf('request').length === 2_000,
      () => `${counted()} requests are counted`,
    );
    expect(linesOf('request').length).toBeLessThanOrEqual(seconds);
    expect(linesOf('request')[0]).toMatchObject({ address: '127.0.0.1', codes: ['BAD_REQUEST'] });
  });
});
