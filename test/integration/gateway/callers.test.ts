import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashApiKey, toApiKey } from '../../../src/config/client.ts';
import { askingShells, type Credentials, connectAs } from '../../support/asking-shells.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { createSigningKey, type SigningKey, startTokenIssuer, type TokenIssuer } from '../../support/token-issuer.ts';
import { until } from '../../support/until.ts';

const keyOf = (id: string, number: number) => toApiKey(id, new Uint8Array(32).fill(number)).reveal();
const keys = { page: keyOf('page', 1), ops: keyOf('ops', 2), late: keyOf('late', 3) };
const entries = {
  page: { id: 'page', hash: hashApiKey(keys.page), origins: ['https://app.example'] },
  ops: { id: 'ops', hash: hashApiKey(keys.ops) },
  late: { id: 'late', hash: hashApiKey(keys.late) },
};
const viewer = '{ viewer { id kind scopes } }';
const withKey = (key: string, origin?: string): Credentials => ({
  headers: { 'x-api-key': key },
  ...(origin !== undefined && { origin }),
});
const codeOf = ({ errors }: { errors?: { extensions: { code: string } }[] }) => errors?.[0]?.extensions.code ?? 'none';

describe('by', () => {
  let folder = '';
  let file = '';
  let gateway: TestGateway;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'callers-'));
    file = join(folder, 'clients.json');
    const text = JSON.stringify([entries.page, entries.ops]);
    await writeFile(file, text);
    gateway = await createTestGateway({ CLIENTS_FILE: file }, { [file]: text });
  });
  afterAll(async () => {
    await gateway?.close();
    await rm(folder, { recursive: true });
  });

  test.each(askingShells)('%s, a key bound to origins works only for their pages', async (_, ask) => {
    const as = (origin?: string) => ask(gateway.url, viewer, withKey(keys.page, origin));
    expect((await as('https://app.example')).data.viewer).toMatchObject({ id: 'client:page', kind: 'API_KEY' });
    expect(codeOf(await as('https://app.example.evil.example'))).toBe('FORBIDDEN');
    expect(codeOf(await as('null'))).toBe('FORBIDDEN');
    // Not a page: a server with a stolen key.
    expect(codeOf(await as())).toBe('FORBIDDEN');
  });

  test('over every transport, a key is checked against the current file', async () => {
    const codes = () =>
      Promise.all(askingShells.map(async ([, ask]) => codeOf(await ask(gateway.url, viewer, withKey(keys.late)))));
    expect(new Set(await codes())).toEqual(new Set(['UNAUTHENTICATED']));
    await writeFile(file, JSON.stringify([entries.page, entries.ops, entries.late]));
    await until(async () => (await codes()).every((code) => code === 'none'), 'the new key to be known');
    await writeFile(file, JSON.stringify([entries.page, entries.ops]));
    await until(async () => (await codes()).every((code) => code === 'UNAUTHENTICATED'), 'the old key to be gone');
  });

  test('on an open WebSocket, the next operation after a key’s removal is rejected', async () => {
    await writeFile(file, JSON.stringify([entries.ops, entries.late]));
    await using first = await connectAs(gateway.url, withKey(keys.ops));
    expect((await first.ask(viewer)).data.viewer.id).toBe('client:ops');
    await writeFile(file, JSON.stringify([entries.late]));
    await until(async () => codeOf(await first.ask(viewer)) === 'UNAUTHENTICATED', 'the key to be refused');
    expect(codeOf(await first.ask('{ chainIdentifier }'))).toBe('UNAUTHENTICATED');
    // Another client's key on the same gateway still works.
    await using second = await connectAs(gateway.url, withKey(keys.late));
    expect((await second.ask(viewer)).data.viewer.id).toBe('client:late');
  });
});

describe('by a JWT', () => {
  const clock = { aheadMs: 0 };
  const now = () => Date.now() + clock.aheadMs;
  let key: SigningKey;
  let issuer: TokenIssuer;
  let gateway: TestGateway;

  beforeAll(async () => {
    key = await createSigningKey('one');
    issuer = await startTokenIssuer(key);
    const env = {
      CLIENTS_FILE: '/clients',
      JWT_JWKS_URL: issuer.url,
      JWT_ISSUER: 'https://issuer.example/',
      JWT_AUDIENCE: 'ledger',
      RATE_LIMIT_PER_MINUTE: '40',
      TRUSTED_PROXIES: '127.0.0.1',
    };
    gateway = await createTestGateway(env, { '/clients': JSON.stringify([entries.ops]) }, undefined, now);
  });
  afterAll(async () => {
    await gateway?.close();
    await issuer?.[Symbol.asyncDispose]();
  });

  const toToken = (sub: string, about: object = {}, by = key) => {
    const exp = Math.floor(now() / 1_000) + 600;
    return by.sign({ iss: 'https://issuer.example/', aud: 'ledger', exp, sub, scope: 'openid sponsor', ...about });
  };
  const bearer = (token: string): Credentials => ({ headers: { authorization: `Bearer ${token}` } });

  test.each(askingShells)('%s identifies its holder, as a bearer token or as a key', async (name, ask) => {
    const token = await toToken(name.replaceAll(' ', '-'));
    for (const who of [bearer(token), withKey(token)]) {
      expect((await ask(gateway.url, viewer, who)).data.viewer).toEqual({
        id: `jwt:${name.replaceAll(' ', '-')}`,
        kind: 'JWT',
        scopes: ['read', 'sponsor'],
      });
    }
    const changed = `${token.slice(0, -4)}AAAA`;
    const refused = await ask(gateway.url, viewer, bearer(changed));
    expect(refused).toEqual({
      errors: [
        {
          message: 'The JWT is not valid: its signature is wrong.',
          extensions: { code: 'UNAUTHENTICATED', retry: 'never' },
        },
      ],
    });
  });

  test('and by a key beside it, both are accepted', async () => {
    const ask = async (who: Credentials) => gateway.query(viewer, {}, { ...who.headers });
    expect((await ask(withKey(keys.ops))).data.viewer).toMatchObject({ id: 'client:ops', kind: 'API_KEY' });
    expect((await ask(bearer(await toToken('alice')))).data.viewer).toMatchObject({ id: 'jwt:alice', kind: 'JWT' });
    const { status, errors } = await ask(withKey('neither'));
    expect([status, errors?.[0]?.message]).toEqual([401, 'The credential is neither a valid API key nor a JWT.']);
  });

  test('on an open WebSocket, the next operation after its expiry is rejected', async () => {
    await using connection = await connectAs(gateway.url, bearer(await toToken('guest')));
    expect((await connection.ask(viewer)).data.viewer.id).toBe('jwt:guest');
    clock.aheadMs += 631_000;
    expect(await connection.ask(viewer)).toMatchObject({
      errors: [{ message: 'The JWT is not valid: it has expired.' }],
    });
  });

  test('its subject is counted from any address; callers with invalid JWTs are counted by address', async () => {
    const token = await toToken('counted');
    const from = (address: string, credential: string) =>
      gateway.query(
        '{ viewer { rate { remaining } } }',
        {},
        { ...bearer(credential).headers, 'x-forwarded-for': address },
      );
    const remaining: unknown[] = [];
    for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3'])
      remaining.push((await from(address, token)).data.viewer.rate.remaining);
    expect(remaining).toEqual(['39', '38', '37']);

    const asked = issuer.asked;
    const made = (count: number) => `${token.split('.', 2).join('.')}.${String(count).padStart(86, 'A')}`;
    const statuses: number[] = [];
    for (let count = 0; count < 60; count += 1) statuses.push((await from('203.0.113.9', made(count))).status);
    expect([statuses.indexOf(429), new Set(statuses.slice(40))]).toEqual([40, new Set([429])]);
    // The holder continues, even from that address: its token was verified before.
    expect((await from('203.0.113.9', token)).data.viewer.rate.remaining).toBe('36');
    expect(issuer.asked).toBe(asked);
  });

  test('a new key of the issuer is read when the first token names it, and the log contains no token', async () => {
    const next = await createSigningKey('two');
    clock.aheadMs += 60_000;
    issuer.publish(key, next);
    const token = await toToken('later', {}, next);
    expect((await gateway.query(viewer, {}, bearer(token).headers)).data.viewer.id).toBe('jwt:later');
    const text = JSON.stringify(gateway.log);
    expect(text).toContain('"caller":"jwt:later"');
    expect(text).not.toContain(token.split('.')[2]);
    expect(text).not.toContain(issuer.url);
  });

  test('with an unknown key gets 502 while the issuer is unavailable, and the log has the reason', async () => {
    issuer.answer((res) => void res.writeHead(503).end());
    clock.aheadMs += 60_000;
    const stranger = await createSigningKey('three');
    const { status, errors } = await gateway.query(viewer, {}, bearer(await toToken('new', {}, stranger)).headers);
    expect([status, errors?.[0]?.extensions]).toEqual([
      502,
      { code: 'UPSTREAM_UNAVAILABLE', retry: 'backoff', upstream: 'jwks' },
    ]);
    // Known keys still work.
    clock.aheadMs += 600_000;
    expect((await gateway.query(viewer, {}, bearer(await toToken('old')).headers)).data.viewer.id).toBe('jwt:old');
    expect(gateway.log).toContainEqual(
      expect.objectContaining({ level: 'warn', setting: 'JWT_JWKS_URL', reason: 'the answer has status 503' }),
    );
  });
});
