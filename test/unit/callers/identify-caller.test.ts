import { describe, expect, test } from 'vitest';
import { createClientRegistry, toAnonymousRules } from '../../../src/callers/credentials/client-registry.ts';
import type { JwtVerifier } from '../../../src/callers/credentials/jwt-verifier.ts';
import {
  createIdentify,
  type IdentifyOptions,
  toSender,
  toTrustedProxies,
} from '../../../src/callers/identify-caller.ts';
import { type Client, hashApiKey, toApiKey } from '../../../src/config/client.ts';
import { noPolicy, noShares } from '../../../src/config/policy.ts';
import type { Caller } from '../../../src/upstream/operation-context.ts';
import { toClientsFile, toTestClient, toTestRules } from '../../support/test-policy.ts';

const { rate: _, ...anyLive } = noShares;
const key = toApiKey('web', new Uint8Array(32).fill(1)).reveal();
const web = toTestClient({
  hash: hashApiKey(key),
  scopes: ['sponsor'],
  rate: { perMinute: 7, perVisitorPerMinute: null },
  policy: toTestRules({ gas: { perDay: 40 }, moveCalls: ['0x2'] }),
});
const registry = { auth: 'token', perMinute: 600 } as const;
const clientsOf = (client: Client, auth: 'token' | 'forward' = 'token') =>
  createClientRegistry(toClientsFile(client), { ...registry, auth });

const token: IdentifyOptions = {
  auth: 'token',
  allowAnonymous: true,
  devnet: false,
  clients: clientsOf(web),
  tokens: null,
  anonymous: () => toAnonymousRules(null, { auth: 'token', perMinute: 0 }),
  trustedProxies: toTrustedProxies(['10.0.0.0/8']),
};
const forward: IdentifyOptions = {
  ...token,
  auth: 'forward',
  anonymous: () => toAnonymousRules(null, { auth: 'forward', perMinute: 0 }),
  allowAnonymous: false,
  clients: clientsOf(web, 'forward'),
};

const identify = (options: IdentifyOptions, headers: Record<string, string> = {}, remoteAddress = '203.0.113.9') => {
  const identity = createIdentify(options)(toSender(headers, remoteAddress));
  if (identity.kind !== 'caller') return identity;
  const { scopes, authorization, ...caller } = identity.caller;
  return { ...caller, scopes: [...scopes], authorization: authorization?.reveal() ?? null };
};

describe('an anonymous caller', () => {
  test('is identified by address, and counted by network', () => {
    expect(identify(token, {}, '2001:db8::7')).toEqual({
      id: 'address:2001:db8::7',
      kind: 'ANONYMOUS',
      authorization: null,
      scopes: ['read', 'sponsor'],
      visitor: 'address:2001:db8::/64',
      rate: { key: 'address:2001:db8::/64', perMinute: null },
      live: { key: 'anonymous', ...anyLive },
      policy: { group: 'anonymous', rules: noPolicy, total: null },
    });
  });

  test.each([
    ['token, where it may sponsor', token, ['read', 'sponsor']],
    ['token, where it may not', { ...token, allowAnonymous: false }, ['read']],
    ['forward, where the sponsor decides', forward, ['read', 'sponsor', 'admin']],
  ])('with %s has %j', (_, options, scopes) => {
    expect(identify(options)).toMatchObject({ scopes });
  });

  test.each([
    ['127.0.0.1', {}, ['read', 'sponsor', 'admin']],
    ['::1', {}, ['read', 'sponsor', 'admin']],
    ['::ffff:127.0.0.1', {}, ['read', 'sponsor', 'admin']],
    ['127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, ['read', 'sponsor']],
    ['203.0.113.9', {}, ['read', 'sponsor']],
  ])('on the embedded network from %s with %j has %j', (address, headers, scopes) => {
    expect(identify({ ...token, devnet: true, clients: null }, headers, address)).toMatchObject({ scopes });
  });

  test('on the embedded network without anonymous callers, has no admin scope even from this machine', () => {
    expect(identify({ ...token, devnet: true, allowAnonymous: false }, {}, '127.0.0.1')).toMatchObject({
      scopes: ['read'],
    });
  });

  test('is null once its connection is closed', () => {
    expect(identify(token, {}, '')).toMatchObject({ kind: 'refused', code: 'BAD_REQUEST', rate: null });
  });
});

describe('a client', () => {
  test('in token mode has the scopes and limit of its key, which is not forwarded', () => {
    expect(identify(token, { authorization: `Bearer ${key}` })).toEqual({
      id: 'client:web',
      kind: 'API_KEY',
      authorization: null,
      scopes: ['sponsor'],
      visitor: 'client:web address:203.0.113.9',
      rate: {
        key: 'client:web address:203.0.113.9',
        perMinute: 4,
        total: { key: 'client:web', perMinute: 7 },
      },
      live: { key: 'client:web', ...anyLive },
      policy: {
        group: 'client:web',
        rules: toTestRules({
          gas: { perDay: 40, perVisitorPerDay: 10 },
          openReservations: { perVisitor: 100 },
          moveCalls: ['0x2'],
        }),
        total: null,
      },
      validity: expect.anything(),
    });
  });

  test('that is a server is its only visitor, wherever it calls from, and may be limited to some documents', () => {
    const clients = clientsOf({ ...web, visitors: 'one', documents: 'only' });
    for (const address of ['203.0.113.9', '2001:db8::7'])
      expect(identify({ ...token, clients }, { 'x-api-key': key }, address)).toMatchObject({
        visitor: 'client:web',
        rate: { key: 'client:web', perMinute: 7, total: undefined },
        policy: { rules: { gas: { perDay: 40, perVisitorPerDay: null } } },
        documents: 'only',
      });
  });

  test('in forward mode sends its credential to the sponsor beside the key, and only the sponsor limits it', () => {
    expect(identify(forward, { authorization: 'Bearer mine', 'x-api-key': key })).toMatchObject({
      id: 'client:web',
      kind: 'API_KEY',
      authorization: 'Bearer mine',
      scopes: ['read', 'sponsor', 'admin'],
      policy: null,
      validity: expect.anything(),
    });
  });

  test('is not found by its id with other random bits', () => {
    const other = toApiKey('web', new Uint8Array(32).fill(2)).reveal();
    expect(identify(token, { 'x-api-key': other })).toEqual({
      kind: 'refused',
      code: 'UNAUTHENTICATED',
      message: 'The API key is not valid.',
      rate: { key: 'address:203.0.113.9', perMinute: null },
    });
  });

  test('is not found by the hash of its key', () => {
    expect(identify(token, { 'x-api-key': web.hash })).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('may be bound to origins', () => {
    const bound = { ...token, clients: clientsOf({ ...web, origins: ['https://app.example'] }) };
    expect(identify(bound, { 'x-api-key': key, origin: 'https://app.example' })).toMatchObject({ kind: 'API_KEY' });
    expect(identify(bound, { 'x-api-key': key, origin: 'HTTPS://App.Example' })).toMatchObject({ kind: 'API_KEY' });
    expect(identify(bound, { 'x-api-key': key, origin: 'null' })).toMatchObject({
      code: 'FORBIDDEN',
      rate: { key: 'address:203.0.113.9' },
    });
    // Not a page: a server that found the key.
    expect(identify(bound, { 'x-api-key': key })).toMatchObject({
      code: 'FORBIDDEN',
      message: 'The API key may be used by pages of its origins alone, and the request has no Origin header.',
    });
  });
});

describe('a forwarded credential', () => {
  test('is identified by a short hash and counted by address, because it is not verified', () => {
    expect(identify(forward, { authorization: 'Bearer mine' })).toEqual({
      id: expect.stringMatching(/^credential:8a7acda11c68[\da-f]{20}$/),
      kind: 'FORWARDED',
      authorization: 'Bearer mine',
      scopes: ['read', 'sponsor', 'admin'],
      visitor: 'address:203.0.113.9',
      rate: { key: 'address:203.0.113.9', perMinute: null },
      live: { key: 'anonymous', ...anyLive },
      policy: null,
    });
  });
});

test('without configured keys, a bearer token is ignored', () => {
  expect(identify({ ...token, clients: null }, { authorization: 'Bearer bad' })).toMatchObject({
    kind: 'ANONYMOUS',
  });
});

test('empty credentials count as none', () => {
  expect(identify(token, { authorization: '', 'x-api-key': '' })).toMatchObject({ kind: 'ANONYMOUS' });
});

test('a bearer token must have its form', () => {
  expect(identify(token, { authorization: `Basic ${key}` })).toMatchObject({ code: 'UNAUTHENTICATED' });
});

test('a credential that no header can carry is rejected before it is forwarded', () => {
  const byAddress = { key: 'address:203.0.113.9', perMinute: null };
  const refused = { kind: 'refused', code: 'UNAUTHENTICATED', rate: byAddress };
  expect(identify(forward, { authorization: 'Bearer \u20ac' })).toMatchObject(refused);
  expect(identify({ ...token, clients: null }, { authorization: 'Bearer \u20ac' })).toMatchObject({
    kind: 'ANONYMOUS',
  });
});

test('repeated headers are combined', () => {
  const sender = toSender({ 'x-forwarded-for': ['1.1.1.1', '10.0.0.1'] }, '10.0.0.2');
  expect(createIdentify(token)(sender)).toMatchObject({ caller: { id: 'address:1.1.1.1' } });
});

test('a credential cannot be printed', () => {
  const headers: Record<string, string> = { authorization: 'Bearer hunter2', 'x-api-key': 'hunter3' };
  expect(JSON.stringify(toSender(headers, '::1'))).not.toContain('hunter');
});

describe('a signed token', () => {
  const text = 'aaaa.bbbb.cccc';
  const holder: Caller = {
    id: 'jwt:alice',
    kind: 'JWT',
    authorization: null,
    scopes: new Set(['read']),
    visitor: 'jwt:alice',
    rate: { key: 'jwt:alice', perMinute: null },
    policy: null,
  };
  const byAddress = { key: 'address:203.0.113.9', perMinute: null };

  /** A book in which this token is remembered, or has to be verified; with what was asked of it. */
  function book(isRemembered: boolean) {
    const asked: string[] = [];
    const tokens: JwtVerifier = {
      forget() {},
      recall: (hash) => (isRemembered && hash === hashApiKey(text) ? holder : null),
      verify: async (token, hash) => {
        asked.push(token, hash);
        return { kind: 'caller', caller: holder };
      },
    };
    return { tokens, asked };
  }
  const judge = (options: IdentifyOptions, headers: Record<string, string>) =>
    createIdentify(options)(toSender(headers, '203.0.113.9'));

  test.each([
    ['as a key', { 'x-api-key': text }],
    ['as the bearer token', { authorization: `Bearer ${text}` }],
  ])('in the cache identifies its holder immediately, %s', (_, headers) => {
    const { tokens, asked } = book(true);
    expect(judge({ ...token, tokens }, headers)).toEqual({ kind: 'caller', caller: holder });
    expect(asked).toEqual([]);
  });

  test('not in the cache is verified elsewhere, after the address was counted', async () => {
    const { tokens, asked } = book(false);
    const identity = judge({ ...token, tokens }, { authorization: `Bearer ${text}` });
    expect(identity).toMatchObject({ kind: 'unverified', rate: byAddress });
    expect(asked).toEqual([]);
    expect(identity.kind === 'unverified' && (await identity.verify())).toEqual({ kind: 'caller', caller: holder });
    expect(asked).toEqual([text, hashApiKey(text)]);
  });

  test('that is invalid counts against its address', async () => {
    const outcome = { kind: 'refused', code: 'UNAUTHENTICATED', message: 'Forged.' } as const;
    const tokens: JwtVerifier = { forget() {}, recall: () => null, verify: async () => outcome };
    const identity = judge({ ...token, tokens }, { 'x-api-key': text });
    expect(identity.kind === 'unverified' && (await identity.verify())).toEqual({ ...outcome, rate: byAddress });
  });

  test('serves as a key in forward mode, and is forwarded to the sponsor', () => {
    const { tokens } = book(true);
    expect(identify({ ...forward, tokens }, { 'x-api-key': text, authorization: 'Bearer mine' })).toMatchObject({
      id: 'jwt:alice',
      kind: 'JWT',
      authorization: 'Bearer mine',
    });
    // Meant for the sponsor, whatever it looks like.
    expect(identify({ ...forward, tokens }, { authorization: `Bearer ${text}` })).toMatchObject({ kind: 'FORWARDED' });
  });

  test.each([
    [null, 'The credential is not a JWT.'],
    [token.clients, 'The credential is neither a valid API key nor a JWT.'],
  ])('is recognized by its form: anything else is rejected unverified', (clients, message) => {
    const { tokens, asked } = book(false);
    for (const bad of ['aaaa.bbbb', `${text}.`, `a.b.${'c'.repeat(9_000)}`, `${text}, ${text}`]) {
      const identity = judge({ ...token, clients, tokens }, { 'x-api-key': bad });
      expect(identity).toEqual({ kind: 'refused', code: 'UNAUTHENTICATED', message, rate: byAddress });
    }
    expect(asked).toEqual([]);
  });
});

test.each([token, forward])(
  'without configured keys, an API key is rejected and counts against its address: $auth',
  (options) => {
    expect(identify({ ...options, clients: null }, { 'x-api-key': key })).toEqual({
      kind: 'refused',
      code: 'UNAUTHENTICATED',
      message: 'This gateway knows no API keys: CLIENTS_FILE is not set.',
      rate: { key: 'address:203.0.113.9', perMinute: null },
    });
  },
);
