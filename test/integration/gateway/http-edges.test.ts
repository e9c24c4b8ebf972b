import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const version = '2026.11.0-scripted';
let ledger: ScriptedLedger;
let gateway: TestGateway;
let executed = 0;

beforeAll(async () => {
  ledger = await startScriptedLedger('type Query { chainIdentifier: String! } type Mutation { pay: Int }', {
    Query: { chainIdentifier: () => '4c78adac' },
    Mutation: { pay: () => ++executed },
  });
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
});

afterAll(async () => {
  await gateway?.close();
  await ledger?.close();
});

const json = { 'content-type': 'application/json' };
const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { ...json, ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const strict = { accept: 'application/graphql-response+json' };
const ok = { query: '{ chainIdentifier }' };
const pay = 'mutation { pay }';

const cases: [name: string, path: string, init: RequestInit, status: number, code: string | null][] = [
  ['an answer', '/graphql', post(ok), 200, null],
  ['an answer to GET', '/graphql?query={chainIdentifier}', {}, 200, null],
  ['an answer as a stream', '/graphql', post(ok, { accept: 'text/event-stream' }), 200, null],
  ['the liveness probe', '/health/live', {}, 200, null],
  ['the readiness probe', '/health/ready', {}, 200, null],
  ['GraphiQL', '/graphql', { headers: { accept: 'text/html' } }, 200, null],
  ['one slash more', '/graphql/', post(ok), 200, null],
  ['two slashes more', '/graphql//', post(ok), 404, 'BAD_REQUEST'],
  ['a version with one slash more', '/graphql/stable/', post(ok), 200, null],
  ['the liveness probe with one slash more', '/health/live/', {}, 200, null],
  ['a preflight', '/graphql', { method: 'OPTIONS' }, 204, null],
  ['an unknown path', '/nope', {}, 404, 'BAD_REQUEST'],
  ['another method', '/graphql', { method: 'DELETE' }, 405, 'BAD_REQUEST'],
  ['a form', '/graphql', { method: 'POST', body: new URLSearchParams({ query: pay }) }, 415, 'BAD_REQUEST'],
  ['a multipart form', '/graphql', { method: 'POST', body: new FormData() }, 415, 'BAD_REQUEST'],
  [
    'plain text',
    '/graphql',
    { method: 'POST', body: pay, headers: { 'content-type': 'text/plain' } },
    415,
    'BAD_REQUEST',
  ],
  [
    'application/graphql',
    '/graphql',
    { method: 'POST', body: pay, headers: { 'content-type': 'application/graphql' } },
    415,
    'BAD_REQUEST',
  ],
  ['a compressed body', '/graphql', post(ok, { 'content-encoding': 'gzip' }), 415, 'BAD_REQUEST'],
  ['a mutation by GET', `/graphql?query=${pay}`, {}, 405, 'BAD_REQUEST'],
  [
    'a mutation whose answer nobody takes',
    '/graphql',
    post({ query: pay }, { accept: 'image/png' }),
    406,
    'BAD_REQUEST',
  ],
  ['an endless Accept', '/graphql', post(ok, { accept: 'text/x, '.repeat(1_500) }), 406, 'BAD_REQUEST'],
  [
    'a body over the bound',
    '/graphql',
    post({ ...ok, variables: { a: 'x'.repeat(1_100_000) } }),
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  ['no JSON', '/graphql', post('{'), 400, 'BAD_REQUEST'],
  ['an empty body', '/graphql', post(''), 400, 'BAD_REQUEST'],
  ['a batch', '/graphql', post([ok]), 400, 'BAD_REQUEST'],
  ['no query', '/graphql', post({}), 400, 'BAD_REQUEST'],
  [
    'variables without a bottom',
    '/graphql',
    post(`{"query":"{chainIdentifier}","variables":{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}}`),
    400,
    'BAD_REQUEST',
  ],
  ['an unknown parameter', '/graphql', post({ ...ok, id: 1 }), 400, 'BAD_REQUEST'],
  ['variables that are not JSON', '/graphql?query={chainIdentifier}&variables=x', {}, 400, 'BAD_REQUEST'],
  ['extensions that are not JSON', '/graphql?query={chainIdentifier}&extensions=x', {}, 400, 'BAD_REQUEST'],
  ['no GraphQL', '/graphql', post({ query: '{' }), 200, 'GRAPHQL_PARSE_FAILED'],
  ['no GraphQL, strictly', '/graphql', post({ query: '{' }, strict), 400, 'GRAPHQL_PARSE_FAILED'],
  [
    'variables nested deeper than anything reads',
    '/graphql',
    post(`{"query":"{ chainIdentifier }","variables":{"a":${'['.repeat(127)}${']'.repeat(127)}}}`),
    400,
    'BAD_REQUEST',
  ],
  [
    'such variables by GET',
    `/graphql?query={chainIdentifier}&variables={"a":${'['.repeat(127)}${']'.repeat(127)}}`,
    {},
    400,
    'BAD_REQUEST',
  ],
  [
    'variables nested as deep as anything reads',
    `/graphql?query={chainIdentifier}&variables={"a":${'['.repeat(126)}${']'.repeat(126)}}`,
    {},
    200,
    null,
  ],
  [
    'a thousand nested braces',
    '/graphql',
    post({ query: '{a'.repeat(1_000) + '}'.repeat(1_000) }, strict),
    400,
    'BAD_USER_INPUT',
  ],
  [
    'eleven thousand fields',
    '/graphql',
    post({ query: `{${'a '.repeat(11_000)}}` }, strict),
    400,
    'GRAPHQL_PARSE_FAILED',
  ],
  ['an unknown version in the path', '/graphql/2020.1', post(ok), 421, 'UNSUPPORTED_RPC_VERSION'],
  ['a malformed version in the path', '/graphql/newest', post(ok), 400, 'BAD_REQUEST'],
  [
    'another version in the header',
    '/graphql',
    post(ok, { 'x-ledger-rpc-version': '2020.1' }),
    421,
    'UNSUPPORTED_RPC_VERSION',
  ],
  [
    'several versions in the header',
    '/graphql',
    post(ok, { 'x-ledger-rpc-version': '2026.11, 2026.11' }),
    400,
    'BAD_REQUEST',
  ],
  ['the running version in the path', '/graphql/2026.11', post(ok), 200, null],
  ['a channel in the path, by GET', '/graphql/stable?query={chainIdentifier}', {}, 200, null],
  ['the build in the header', '/graphql', post(ok, { 'x-ledger-rpc-version': version }), 200, null],
  [
    'a hundred thousand fields',
    '/graphql',
    post({ query: `{${'a '.repeat(100_000)}}` }, strict),
    400,
    'BAD_USER_INPUT',
  ],
  ['an unknown field', '/graphql', post({ query: '{ nope }' }, strict), 400, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'an unused variable',
    '/graphql',
    post({ query: 'query ($a: Int) { chainIdentifier }' }, strict),
    400,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  ['an unknown operation', '/graphql', post({ ...ok, operationName: 'X' }, strict), 400, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'a value of the wrong type',
    '/graphql',
    post({ query: 'query ($a: Boolean!) { chainIdentifier @skip(if: $a) }', variables: { a: 1 } }, strict),
    400,
    'BAD_USER_INPUT',
  ],
  [
    'a missing value',
    '/graphql',
    post({ query: 'query ($a: Boolean!) { chainIdentifier @skip(if: $a) }' }, strict),
    400,
    'BAD_USER_INPUT',
  ],
];

describe('every response has the version and a request id, and every rejection one code:', () => {
  it.each(cases)('%s', async (_, path, init, status, code) => {
    const response = await fetch(gateway.url + path, init);
    const text = await response.text();
    expect(response.status).toBe(status);
    expect(response.headers.get('x-ledger-rpc-version')).toBe(version);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get('access-control-expose-headers')).toContain('x-ledger-rpc-version');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    if (code === null) return;
    const body = JSON.parse(text);
    expect(body).not.toHaveProperty('data');
    expect(body.errors.map((error: { extensions: { code: string } }) => error.extensions.code)).toEqual([code]);
    expect(text).not.toMatch(/node_modules|\bat \w+ \(/);
  });

  it('says which method a mutation needs', async () => {
    const response = await fetch(`${gateway.url}/graphql?query=${encodeURIComponent(pay)}`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('and no mutation ran', () => {
    expect(executed).toBe(0);
  });

  const raw = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1', () => socket.end(text));
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(answer));
    });

  it.each([
    ['what is no HTTP', 'nonsense\r\n\r\n', '400 Bad Request'],
    [
      'headers too large',
      `GET /graphql HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      '431 Request Header Fields Too Large',
    ],
    [
      'half a WebSocket handshake',
      'GET /graphql HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
      '400 Bad Request',
    ],
  ])('%s, on a raw socket', async (_, request, status) => {
    const answer = await raw(request);
    expect(answer).toContain(`HTTP/1.1 ${status}\r\n`);
    expect(answer).toContain(`x-ledger-rpc-version: ${version}\r\n`);
    expect(answer).toMatch(/x-request-id: [0-9a-f-]{36}\r\n/);
  });

  it('a body over the limit without a declared length', async () => {
    const chunk = new Uint8Array(300_000).fill(32);
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: json,
      body,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(response.headers.get('x-ledger-rpc-version')).toBe(version);
  });
});

describe('the request id', () => {
  it('is the caller’s own if it is short and safe, and is logged', async () => {
    const response = await fetch(`${gateway.url}/graphql`, post(ok, { 'x-request-id': 'trace-42' }));
    await response.text();
    expect(response.headers.get('x-request-id')).toBe('trace-42');
    await expect
      .poll(() => gateway.log.find((line) => line.requestId === 'trace-42'))
      .toMatchObject({ method: 'POST', path: '/graphql', status: 200 });
  });
});

describe('CORS', () => {
  it('answers a preflight for any origin and header by default, without credentials', async () => {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://dapp.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, authorization',
      },
    });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers': 'content-type, authorization',
    });
  });
});

it.each([`/graphql?query=${encodeURIComponent(ok.query)}`, `/graphql/?query=${encodeURIComponent(pay)}&variables={}`])(
  'a browser that opens %s gets GraphiQL',
  async (path) => {
    const answer = await fetch(`${gateway.url}${path}`, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await answer.text()).includes('<!doctype html>')).toBe(true);
  },
);
