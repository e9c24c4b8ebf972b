import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMetricsServer } from '../../../src/server/listener.ts';
import { openRawClient } from '../../support/raw-client.ts';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

let ledger: ScriptedLedger;
beforeAll(async () => {
  ledger = await startScriptedLedger('type Query { chainIdentifier: String! }', {
    Query: { chainIdentifier: () => '4c78adac' },
  });
});
afterAll(() => ledger?.close());

const ask = (url: string, query: string) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('/metrics on the main port', () => {
  test('counts requests and upstream calls, for clients on this machine', async () => {
    await using gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
    await (await ask(gateway.url, '{ chainIdentifier }')).text();
    await (await ask(gateway.url, '{ nothing }')).text();
    const response = await fetch(`${gateway.url}/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const page = await response.text();
    expect(page).toMatch(/^ledger_gateway_requests_total\{transport="lane",plan="PASS_THROUGH",outcome="ok"\} 1$/m);
    expect(page).toMatch(
      /^ledger_gateway_requests_total\{transport="\w+",plan="none",outcome="GRAPHQL_VALIDATION_FAILED"\} 1$/m,
    );
    expect(page).toMatch(/^ledger_gateway_upstream_calls_total\{upstream="ledger",outcome="2xx"\} \d+$/m);
    expect(page).toMatch(/^ledger_gateway_upstream_up\{upstream="ledger"\} 1$/m);
    expect(page).toMatch(/^ledger_gateway_live_streams 0$/m);
    expect(page).toMatch(/^ledger_gateway_documents\{use="new"\} 2$/m);
    expect(page).toMatch(/^ledger_gateway_documents\{use="trusted"\} 0$/m);
  });

  test.each(['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])(
    'does not exist for a request that a proxy on this machine forwards (%s)',
    async (name) => {
      await using gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
      expect((await fetch(`${gateway.url}/metrics`, { headers: { [name]: '203.0.113.7' } })).status).toBe(404);
    },
  );
});

describe('METRICS_PORT', () => {
  test('serves the page alone, and takes it from the main port', async () => {
    const port = await freePort();
    await using gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, METRICS_PORT: String(port) });
    const own = `http://127.0.0.1:${port}`;
    expect(await (await fetch(`${own}/metrics?x=1`)).text()).toContain('# TYPE process_resident_memory_bytes gauge');
    expect((await fetch(`${own}/graphql`)).status).toBe(404);
    expect((await fetch(`${own}//`)).status).toBe(404);
    expect((await fetch(`${own}/metrics`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404);
    await gateway.close();
    await expect(fetch(`${own}/metrics`)).rejects.toThrow();
  });

  test('closes without waiting for a client whose response is not ready', async () => {
    const port = await freePort();
    let isAsked = false;
    const server = await startMetricsServer('127.0.0.1', port, () => {
      isAsked = true;
      return new Promise(() => {});
    });
    const client = await openRawClient(port);
    await client.send('GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n');
    await until(() => isAsked, 'the request');
    await server.close();
    expect(await client.whole()).toBe('');
  });

  test('that is in use stops the start, with the name of the key', async () => {
    await using other = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
    const { port } = new URL(other.url);
    await expect(createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, METRICS_PORT: port })).rejects.toThrow(
      `METRICS_PORT: ${port} is in use`,
    );
  });
});
