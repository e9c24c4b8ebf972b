import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway } from '../../support/test-gateway.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (let close = opened.pop(); close; close = opened.pop()) await close();
});

async function openGateway(env: Record<string, string>) {
  const gateway = await createTestGateway({ LOG_LEVEL: 'debug', ...env });
  opened.push(() => gateway.close());
  return gateway;
}

async function openLedger() {
  const ledger = await startScriptedLedger('type Query { chainIdentifier: String! }', {});
  opened.push(() => ledger.close());
  return ledger;
}

/** A server of which only the address matters. */
async function occupyPort(answer: { readonly status: number; readonly body: string }): Promise<number> {
  const server = createServer((req, res) => {
    req.resume();
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  return (server.address() as AddressInfo).port;
}

describe('while the ledger is down', () => {
  it('the log reports the start without a ledger, with the host and its setting, without a stack or credential', async () => {
    const gateway = await openGateway({ LEDGER_GRAPHQL_URL: 'http://me:hunter2@127.0.0.1:9/graphql' });
    const place = { setting: 'LEDGER_GRAPHQL_URL', host: '127.0.0.1:9' };
    // A slow start retries, which is logged at debug level.
    const failing = gateway.log.filter(({ msg }) => msg === 'calls to an upstream fail');
    expect(failing).toMatchObject([{ level: 'warn', upstream: 'ledger', reason: 'cannot connect (ECONNREFUSED)' }]);
    expect(gateway.log.filter((line) => line.level !== 'debug' && !failing.includes(line))).toEqual([
      expect.objectContaining({ level: 'warn', msg: expect.stringMatching(/^network not recognised/) }),
      expect.objectContaining({ level: 'warn', ...place, reason: 'cannot connect (ECONNREFUSED)' }),
      expect.objectContaining({
        level: 'warn',
        msg: expect.stringMatching(/^listening without the ledger, /),
        ...place,
      }),
      expect.objectContaining({ level: 'warn', setting: 'CURSOR_KEYS' }),
    ]);
    expect(JSON.stringify(gateway.log)).not.toMatch(/stack|hunter2/);
  });
});

it('the first version seen is not a change', async () => {
  const ledger = await openLedger();
  const gateway = await openGateway({ LEDGER_GRAPHQL_URL: ledger.url });
  const told = gateway.log.filter((line) => 'version' in line);
  expect(told).toEqual([expect.objectContaining({ msg: 'ledger reached', version: '2026.11.0-scripted' })]);
});

it('a sponsor that rejects the token is degraded, and the log names the setting once', async () => {
  const ledger = await openLedger();
  const port = await occupyPort({ status: 401, body: '{"error":"Invalid authorization token"}' });
  const gateway = await openGateway({
    LEDGER_GRAPHQL_URL: ledger.url,
    SPONSOR_URL: `http://127.0.0.1:${port}`,
    SPONSOR_TOKEN: 'not-the-token',
    SPONSOR_ALLOW_ANONYMOUS: 'true',
    CORS_ORIGINS: 'https://app.example',
  });
  const reserve = 'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { reservationId } }';
  for (let times = 0; times < 2; times += 1) {
    const { errors } = await gateway.query(reserve);
    expect(errors?.[0]?.extensions.code).toBe('SPONSOR_UNAUTHORIZED');
  }
  expect(gateway.log.filter(({ setting }) => setting === 'SPONSOR_TOKEN')).toEqual([
    expect.objectContaining({ level: 'warn', msg: expect.stringContaining("rejects the gateway's token") }),
  ]);
  const { data } = await gateway.query('{ gateway { upstreams { name state } } }');
  expect(data.gateway.upstreams).toContainEqual({ name: 'sponsor', state: 'DEGRADED' });
  expect(JSON.stringify(gateway.log)).not.toContain('not-the-token');
});

it('an address that cannot be bound names its setting', async () => {
  const ledger = await openLedger();
  const port = await occupyPort({ status: 200, body: '' });
  const start = (env: Record<string, string>) => openGateway({ LEDGER_GRAPHQL_URL: ledger.url, ...env });
  await expect(start({ PORT: String(port) })).rejects.toThrow(`PORT: ${port} is in use on 127.0.0.1 (EADDRINUSE)`);
  await expect(start({ HOST: '203.0.113.7' })).rejects.toThrow(
    /^HOST: 203\.0\.113\.7 is not an address of this machine/,
  );
});

it('without cursor keys and Redis, one warning says that cursors end with the process', async () => {
  const { url } = await openLedger();
  const warned = async (env: Record<string, string>) =>
    (await openGateway({ LEDGER_GRAPHQL_URL: url, ...env })).log.filter(({ setting }) => setting === 'CURSOR_KEYS');
  const rpc = { LEDGER_RPC_URL: 'http://127.0.0.1:9/' };
  const warning = expect.objectContaining({ level: 'warn', msg: expect.stringContaining('invalid on restart') });
  expect(await warned(rpc)).toEqual([warning]);
  // The ledger's GraphQL has events too.
  expect(await warned({})).toEqual([warning]);
  expect(await warned({ ...rpc, EVENTS_SOURCE: 'rpc' })).toEqual([warning]);
  // No cursors are signed, or a lasting key signs them.
  expect(await warned({ EVENTS_SOURCE: 'rpc' })).toEqual([]);
  expect(await warned({ ...rpc, CURSOR_KEYS: 'k'.repeat(32) })).toEqual([]);
  expect(await warned({ ...rpc, LEASE_KEYS: 'k'.repeat(32) })).toEqual([]);
});
