import { get, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWebSocket } from '../../support/open-websocket.ts';
import { openRawClient } from '../../support/raw-client.ts';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const own = 'http://gateway.example.net';
let ledger: ScriptedLedger;
let moves = 0;
/** On loopback, for every origin. */
let open: TestGateway;
/** On loopback behind a proxy, for one origin. */
let named: TestGateway;
/** For every network interface. */
let wide: TestGateway;

beforeAll(async () => {
  ledger = await startScriptedLedger('type Query { chainIdentifier: String! } type Mutation { move: Int }', {
    Query: { chainIdentifier: () => '4c78adac' },
    Mutation: { move: () => ++moves },
  });
  const env = { LEDGER_GRAPHQL_URL: ledger.url };
  open = await createTestGateway(env);
  named = await createTestGateway({
    ...env,
    CORS_ORIGINS: 'https://dapp.example',
    ALLOWED_HOSTS: 'Gateway.example.net, other.example.net',
  });
  wide = await createTestGateway({ ...env, HOST: '0.0.0.0' });
});

afterAll(async () => {
  for (const gateway of [open, named, wide]) await gateway?.close();
  await ledger?.close();
});

const body = '{"query":"mutation { move }"}';

/** The status of a mutation with these header lines. */
async function move({ url }: TestGateway, ...lines: string[]): Promise<number> {
  const client = await openRawClient(Number(new URL(url).port));
  const head = ['POST /graphql HTTP/1.1', ...lines, 'content-type: application/json', `content-length: ${body.length}`];
  await client.send(`${head.join('\r\n')}\r\nconnection: close\r\n\r\n${body}`);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(await client.whole())?.[1]);
}

function fetchPage(url: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    get(url, { headers }, async (res) => {
      let text = '';
      for await (const chunk of res) text += chunk;
      resolve({ status: res.statusCode ?? 0, headers: res.headers, text });
    }).on('error', reject);
  });
}

describe('a Host header', () => {
  it.each([
    ['of another site', 'evil.example', 403],
    ['that begins with a loopback name', 'localhost.evil.example', 403],
    ['that a parser may take for a loopback address', '2130706433', 403],
    ['localhost with a port', 'LocalHost:4000', 200],
    ['below localhost', 'gateway.localhost', 200],
    ['an IPv4 address', '192.0.2.1:80', 200],
    ['an IPv6 address', '[2001:db8::1]:80', 200],
  ])('%s gets %s from a gateway on loopback: %i', async (_, host, status) => {
    const before = moves;
    expect(await move(open, `host: ${host}`)).toBe(status);
    expect(moves - before).toBe(status === 200 ? 1 : 0);
  });

  it('may be any name of ALLOWED_HOSTS, with any port, and any name at all if the gateway does not listen on loopback', async () => {
    expect(await move(named, 'host: gateway.example.net')).toBe(200);
    expect(await move(named, 'host: OTHER.example.net:8080')).toBe(200);
    expect(await move(named, 'host: example.net')).toBe(403);
    expect(await move(wide, 'host: anything')).toBe(200);
  });

  it('is no obstacle to health probes, and one to WebSockets', async () => {
    const headers = { host: 'evil.example' };
    expect(await fetchPage(`${open.url}/health/live`, headers)).toMatchObject({ status: 200 });
    expect(await fetchPage(`${open.url}/`, headers)).toMatchObject({ status: 403 });
    await expect(openWebSocket(`${open.url.replace('http', 'ws')}/graphql`, headers)).rejects.toMatchObject({
      status: 403,
      body: expect.stringContaining('ALLOWED_HOSTS'),
    });
  });

  it.each([
    ['twice', ['host: localhost', 'host: localhost']],
    ['twice, once as another site', ['host: localhost', 'Host: evil.example']],
    ['with a user', ['host: user@localhost']],
    ['with a path', ['host: localhost/graphql']],
    ['with a space', ['host: local host']],
  ])('%s gets 400', async (_, lines) => {
    for (const gateway of [open, wide]) expect(await move(gateway, ...lines)).toBe(400);
  });
});

describe('an Origin header', () => {
  it.each([
    ['a listed origin', 'https://dapp.example', 200],
    ['another site', 'https://evil.example', 403],
    ['a page without an origin', 'null', 403],
    ["the gateway's own page", own, 200],
    ["a page of the gateway's host on another port", `${own}:8080`, 403],
  ])('of %s (%s) gets %i if CORS_ORIGINS is a list', async (_, origin, status) => {
    const before = moves;
    expect(await move(named, 'host: gateway.example.net', `origin: ${origin}`)).toBe(status);
    expect(moves - before).toBe(status === 200 ? 1 : 0);
  });

  it('of any site is accepted if CORS_ORIGINS is *', async () => {
    expect(await move(open, 'host: localhost', 'origin: https://evil.example')).toBe(200);
  });

  it("of a rebound name is no own page, although it equals the Host's name", async () => {
    await using listed = await createTestGateway({
      LEDGER_GRAPHQL_URL: ledger.url,
      HOST: '0.0.0.0',
      CORS_ORIGINS: 'https://dapp.example',
    });
    expect(await move(listed, 'host: evil.example:4000', 'origin: http://evil.example:4000')).toBe(403);
    const { port } = new URL(listed.url);
    expect(await move(listed, `host: 127.0.0.1:${port}`, `origin: http://127.0.0.1:${port}`)).toBe(200);
  });
});

describe('/metrics on the main port', () => {
  it('has no CORS headers', async () => {
    const { status, headers, text } = await fetchPage(`${open.url}/metrics`, {});
    expect(status).toBe(200);
    expect(text).toContain('ledger_gateway_requests_total');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it.each([
    ['a page', { origin: 'http://localhost:3000' }],
    ['a rebound page, or a proxy that keeps the Host header', { host: 'gateway.example.net' }],
    ['a proxy', { 'x-forwarded-for': '127.0.0.1' }],
  ])('does not exist for %s', async (_, headers: Record<string, string>) => {
    expect((await fetchPage(`${named.url}/metrics`, headers)).status).toBe(404);
    expect((await fetchPage(`${wide.url}/metrics`, headers)).status).toBe(404);
  });
});
