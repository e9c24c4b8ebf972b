import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { hashApiKey, toApiKey } from '../../../src/config/client.ts';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const keys = {
  reader: toApiKey('reader', new Uint8Array(32).fill(1)).reveal(),
  web: toApiKey('web', new Uint8Array(32).fill(2)).reveal(),
  ops: toApiKey('ops', new Uint8Array(32).fill(3)).reveal(),
  stranger: toApiKey('ops', new Uint8Array(32).fill(4)).reveal(),
};
const clients = {
  '/clients': [
    `- { id: reader, hash: ${hashApiKey(keys.reader)}, rate: { perMinute: 2, perVisitorPerMinute: 2 } }`,
    `- { id: web, hash: ${hashApiKey(keys.web)}, scopes: [read, sponsor], origins: [https://app.example] }`,
    `- { id: ops, hash: ${hashApiKey(keys.ops)}, scopes: [read, sponsor, admin], rate: { perMinute: 0 } }`,
  ].join('\n'),
};

const from = (address: string) => ({ 'x-forwarded-for': address });
/** A page of the web app whose origin the key is bound to. */
const withKey = (key: string) => ({ 'x-api-key': key, origin: 'https://app.example' });
const viewer = '{ viewer { id kind scopes rate { limit remaining } } }';
const reserve = 'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 5) { reservationId } }';
const reload = 'mutation { reloadAccessController { result } }';

const codeOf = ({ errors }: { errors: { extensions: Record<string, unknown> }[] | undefined }) =>
  errors?.[0]?.extensions.code ?? 'none';

describe('in token mode', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const env = {
      CLIENTS_FILE: '/clients',
      SPONSOR_ALLOW_ANONYMOUS: 'false',
      RATE_LIMIT_PER_MINUTE: '20',
      TRUSTED_PROXIES: '127.0.0.1',
    };
    gateway = await createTestGateway(env, clients);
  });
  afterAll(() => gateway?.close());

  test.each([
    ['x-api-key', withKey(keys.web)],
    ['a bearer token', { authorization: `Bearer ${keys.web}`, origin: 'https://app.example' }],
    ['a bearer token in small letters', { authorization: `bearer ${keys.web}`, origin: 'https://app.example' }],
  ])('a key is accepted as %s', async (_, headers) => {
    const { data } = await gateway.query(viewer, {}, headers);
    expect(data.viewer).toMatchObject({ id: 'client:web', kind: 'API_KEY', scopes: ['read', 'sponsor'] });
  });

  test('callers without a key may only read', async () => {
    const { data } = await gateway.query(viewer);
    expect(data.viewer).toMatchObject({ kind: 'ANONYMOUS', scopes: ['read'] });
    expect(codeOf(await gateway.query('{ chainIdentifier }'))).toBe('none');
    expect(codeOf(await gateway.query(reserve))).toBe('UNAUTHENTICATED');
    expect(codeOf(await gateway.query(reload))).toBe('UNAUTHENTICATED');
  });

  test('the page of GraphiQL counts against the address, not against a key sent with it', async () => {
    const ask = async (headers: Record<string, string>) => {
      const sent = { ...headers, ...withKey(keys.reader), ...from('198.51.100.8'), 'if-none-match': '*' };
      const response = await fetch(`${gateway.url}/graphql`, { headers: sent });
      await response.arrayBuffer();
      return [response.status, response.headers.get('ratelimit-policy')];
    };
    for (let count = 0; count < 4; count += 1) {
      expect(await ask({ accept: 'text/html' })).toEqual([304, '"default";q=20;w=60']);
    }
  });

  test('scopes set what a key allows', async () => {
    const codes = async (mutation: string) => [
      codeOf(await gateway.query(mutation, {}, withKey(keys.web))),
      codeOf(await gateway.query(mutation, {}, withKey(keys.ops))),
    ];
    expect(await codes(reserve)).toEqual(['none', 'none']);
    expect(await codes(reload)).toEqual(['FORBIDDEN', 'none']);
  });

  test('a key has the limit of its entry from any address', async () => {
    const ask = (address: string) => gateway.query(viewer, {}, { ...withKey(keys.reader), ...from(address) });
    expect((await ask('203.0.113.1')).data.viewer.rate).toEqual({ limit: '2', remaining: '1' });
    expect((await ask('203.0.113.2')).data.viewer.rate).toEqual({ limit: '2', remaining: '0' });
    expect((await ask('203.0.113.3')).status).toBe(429);
    const { data, headers } = await gateway.query(viewer, {}, withKey(keys.ops));
    expect(data.viewer.rate).toBeNull();
    expect(headers.has('ratelimit')).toBe(false);
  });

  test.each([
    ['an unknown key', withKey(keys.stranger)],
    ['a key cut short', withKey(keys.web.slice(0, -1))],
    ['two keys', withKey(`${keys.web}, ${keys.web}`)],
    ['another bearer token', { authorization: 'Bearer something' }],
    ['another scheme', { authorization: `Basic ${keys.web}` }],
    ['a bad key beside a good bearer token', { ...withKey('bad'), authorization: `Bearer ${keys.web}` }],
  ])('%s is refused with 401 and counts against the address', async (_, headers) => {
    const address = '203.0.113.77';
    const left = async () => Number((await gateway.query(viewer, {}, from(address))).data.viewer.rate.remaining);
    const before = await left();
    const answer = await gateway.query(viewer, {}, { ...headers, ...from(address) });
    expect(answer.status).toBe(401);
    expect(answer.data).toBeUndefined();
    expect(answer.errors).toEqual([
      { message: 'The API key is not valid.', extensions: { code: 'UNAUTHENTICATED', retry: 'never' } },
    ]);
    expect(await left()).toBe(before - 2);
  });

  test('a caller that repeats invalid keys is rejected unread, and valid keys still work', async () => {
    const address = from('203.0.113.99');
    for (let attempt = 0; attempt < 20; attempt++) await gateway.query(viewer, {}, { ...withKey('bad'), ...address });
    expect((await gateway.query(viewer, {}, { ...withKey('bad'), ...address })).status).toBe(429);
    expect((await gateway.query(viewer, {}, { ...withKey(keys.web), ...address })).status).toBe(200);
  });

  test('over a WebSocket the key is in connection_init', async () => {
    const ask = (payload: object) =>
      new Promise<{ type: string; payload: unknown }>((resolve, reject) => {
        const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
          origin: 'https://app.example',
        });
        socket.on('error', reject);
        socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload })));
        socket.on('message', (data) => {
          const message = JSON.parse(String(data));
          if (message.type === 'connection_ack')
            return socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: viewer } }));
          socket.terminate();
          resolve(message);
        });
      });
    expect(await ask({ 'X-API-Key': keys.web })).toMatchObject({
      type: 'next',
      payload: { data: { viewer: { id: 'client:web' } } },
    });
    expect(await ask({ Authorization: `Bearer ${keys.stranger}` })).toMatchObject({
      type: 'error',
      payload: [{ message: 'The API key is not valid.', extensions: { code: 'UNAUTHENTICATED' } }],
    });
  });

  test('the log names the caller and contains no key', async () => {
    await gateway.query(viewer, {}, withKey(keys.ops));
    const text = JSON.stringify(gateway.log);
    expect(text).toContain('"caller":"client:ops"');
    for (const key of Object.values(keys)) expect(text).not.toContain(key);
  });
});

test('callers without a key may sponsor only if that is set explicitly', async () => {
  const env = { CLIENTS_FILE: '/clients', TRUSTED_PROXIES: '127.0.0.1' };
  await using gateway = await createTestGateway({ ...env, SPONSOR_ALLOW_ANONYMOUS: 'true' }, clients);
  const here = await gateway.query(viewer);
  expect(here.data.viewer.scopes).toEqual(['read', 'sponsor', 'admin']);
  const elsewhere = await gateway.query(viewer, {}, from('203.0.113.1'));
  expect(elsewhere.data.viewer.scopes).toEqual(['read', 'sponsor']);
  const pretending = await gateway.query(viewer, {}, from('127.0.0.1'));
  expect(pretending.data.viewer.scopes).toEqual(['read', 'sponsor']);
});

describe('in forward mode', () => {
  let ledger: ScriptedLedger;
  let gateway: TestGateway;
  beforeAll(async () => {
    ledger = await startScriptedLedger('type Query { chainIdentifier: String! }', {
      Query: { chainIdentifier: () => '4c78adac' },
    });
    const env = { LEDGER_GRAPHQL_URL: ledger.url, CLIENTS_FILE: '/clients', TRUSTED_PROXIES: '127.0.0.1' };
    gateway = await createTestGateway({ ...env, RATE_LIMIT_PER_MINUTE: '3' }, clients);
  });
  afterAll(async () => {
    await gateway?.close();
    await ledger?.close();
  });

  test('callers are distinguished by credential, and counted by address', async () => {
    const ask = async (token: string) =>
      (await gateway.query(viewer, {}, { authorization: token, ...from('203.0.113.1') })).data.viewer;
    const [first, again, other] = [await ask('Bearer one'), await ask('Bearer one'), await ask('Bearer two')];
    expect(first).toMatchObject({ kind: 'FORWARDED', scopes: ['read', 'sponsor', 'admin'] });
    expect(first.id).toMatch(/^credential:[\da-f]{32}$/);
    expect(again.id).toBe(first.id);
    expect(other.id).not.toBe(first.id);
    expect([first, again, other].map(({ rate }) => rate.remaining)).toEqual(['2', '1', '0']);
  });

  test('an additional key identifies the caller', async () => {
    const headers = { ...withKey(keys.ops), authorization: 'Bearer one' };
    expect((await gateway.query(viewer, {}, headers)).data.viewer).toMatchObject({ id: 'client:ops', kind: 'API_KEY' });
  });

  test('a bearer token is never taken for a key', async () => {
    const headers = { authorization: `Bearer ${keys.ops}`, ...from('203.0.113.2') };
    expect((await gateway.query(viewer, {}, headers)).data.viewer.kind).toBe('FORWARDED');
  });
});

test('without configured keys, an API key is rejected, and other credentials are ignored', async () => {
  await using gateway = await createTestGateway();
  const refused = await gateway.query(viewer, {}, withKey('bad'));
  expect([refused.status, refused.errors?.[0]?.extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
  const { data } = await gateway.query(viewer, {}, { authorization: 'Bearer bad' });
  expect(data.viewer.kind).toBe('ANONYMOUS');
});
