import { createHmac, createPublicKey, hash } from 'node:crypto';
import { base64url, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type JwtVerifier, openJwtVerifier } from '../../../../src/callers/credentials/jwt-verifier.ts';
import { looksLikeToken } from '../../../../src/callers/identify-caller.ts';
import { noShares } from '../../../../src/config/policy.ts';
import { toTestRules } from '../../../support/test-policy.ts';
import { createSigningKey, startTokenIssuer, type TokenIssuer } from '../../../support/token-issuer.ts';

const [ours, other, rsa, edwards] = await Promise.all([
  createSigningKey('ours'),
  createSigningKey('other'),
  createSigningKey('rsa', 'RS256'),
  createSigningKey('edwards', 'EdDSA'),
]);
const nowMs = Date.UTC(2026, 0, 1);
const nowSeconds = nowMs / 1_000;
const good = { iss: 'https://issuer.example/', aud: 'ledger', sub: 'alice', exp: nowSeconds + 3_600, scope: 'sponsor' };

let issuer: TokenIssuer;
beforeAll(async () => {
  issuer = await startTokenIssuer(ours, rsa, edwards);
});
afterAll(() => issuer?.[Symbol.asyncDispose]());

const policies = [{ id: 'partners', ...noShares, policy: toTestRules({ gas: { perDay: 900, perVisitorPerDay: 90 } }) }];

function open({
  auth = 'token',
  ...rules
}: {
  auth?: 'token' | 'forward';
  gasPerDay?: number;
  gasPerDayInAll?: number;
} = {}) {
  const clock = { nowMs };
  const book = openJwtVerifier({
    rules: {
      keysUrl: issuer.url,
      issuer: good.iss,
      audience: 'ledger',
      scopesClaim: null,
      gasPerDay: null,
      gasPerDayInAll: null,
      moveCalls: ['0x2'],
      ...rules,
    },
    clients: { policy: (name) => policies.find(({ id }) => id === name) ?? null },
    registry: { auth, perMinute: 0 },
    events: { lost: () => {}, back: () => {}, replaced: () => {} },
    now: () => clock.nowMs,
  });
  return { book, clock };
}

const toHash = (token: string) => hash('sha256', token);
const verify = (book: JwtVerifier, token: string) => book.verify(token, toHash(token));
const toText = (value: object) => base64url.encode(JSON.stringify(value));

test('a token gives its holder its own identity and scopes, with the common limits', async () => {
  const { book } = open({ gasPerDay: 50 });
  for (const key of [ours, rsa, edwards]) {
    expect(await verify(book, await key.sign(good))).toEqual({
      kind: 'caller',
      caller: {
        id: 'jwt:alice',
        kind: 'JWT',
        authorization: null,
        scopes: new Set(['read', 'sponsor']),
        visitor: 'jwt:alice',
        rate: { key: 'jwt:alice', perMinute: null },
        live: expect.anything(),
        policy: {
          group: 'jwt',
          rules: toTestRules({ gas: { perVisitorPerDay: 50 }, moveCalls: ['0x2'] }),
          total: null,
        },
        validity: expect.anything(),
      },
    });
  }
});

test('without a gas budget for JWTs, a token has no limit for gas', async () => {
  expect(await verify(open().book, await ours.sign(good))).toMatchObject({
    caller: { policy: { rules: { gas: { perDay: null, perVisitorPerDay: null } }, total: null } },
  });
});

test('a token that names a policy has it as one visitor, and one that names an unknown policy is refused', async () => {
  const { book } = open({ gasPerDay: 50, gasPerDayInAll: 5_000 });
  expect(await verify(book, await ours.sign({ ...good, policy: 'partners' } as typeof good))).toMatchObject({
    caller: {
      visitor: 'jwt:alice',
      policy: {
        group: 'jwt-policy:partners',
        rules: { gas: { perDay: 900, perVisitorPerDay: 90 } },
        total: { key: 'jwt', perDay: 5_000 },
      },
    },
  });
  for (const [policy, why] of [
    ['friends', 'its claim "policy" names no policy of this gateway'],
    [7, 'its claim "policy" is missing or malformed'],
  ] as const) {
    const outcome = await verify(book, await ours.sign({ ...good, policy } as typeof good));
    expect(outcome).toMatchObject({ kind: 'refused', message: expect.stringContaining(why) });
  }
});

test('in forward mode, a token limits nothing', async () => {
  const { book } = open({ auth: 'forward', gasPerDay: 50 });
  expect(await verify(book, await ours.sign(good))).toMatchObject({
    caller: { scopes: new Set(['read', 'sponsor', 'admin']), policy: null },
  });
});

test.each<[string, Record<string, unknown>, string]>([
  ['expired half a minute ago', { exp: nowSeconds - 30 }, 'it has expired'],
  ['never expires', { exp: undefined }, 'its claim "exp" is missing or not what is asked for'],
  ['expires in words', { exp: '2030-01-01' }, 'its claim "exp" is missing or not what is asked for'],
  ['is good later', { nbf: nowSeconds + 31 }, 'its claim "nbf" is missing or not what is asked for'],
  ['is of another issuer', { iss: 'https://issuer.example' }, 'its claim "iss" is missing or not what is asked for'],
  ['is of no issuer', { iss: undefined }, 'its claim "iss" is missing or not what is asked for'],
  ['is for others', { aud: ['else', 'ledgers'] }, 'its claim "aud" is missing or not what is asked for'],
  ['is for nobody', { aud: undefined }, 'its claim "aud" is missing or not what is asked for'],
  ['is about nobody', { sub: undefined }, 'its claim "sub" is missing or malformed'],
  ['has scopes of another form', { scope: 7 }, 'its claim "scope" is missing or malformed'],
])('a token that %s is refused', async (_, claims, why) => {
  const { book } = open();
  const token = await ours.sign({ ...good, ...claims } as typeof good);
  expect(await verify(book, token)).toEqual({
    kind: 'refused',
    code: 'UNAUTHENTICATED',
    message: `The JWT is not valid: ${why}.`,
  });
  expect(book.recall(toHash(token))).toBeNull();
});

test.each([
  ['expired just now', { exp: nowSeconds - 29 }],
  ['is good in a moment', { nbf: nowSeconds + 30 }],
  ['is for several', { aud: ['else', 'ledger'] }],
])('a token that %s is accepted', async (_, claims) => {
  expect(await verify(open().book, await ours.sign({ ...good, ...claims }))).toMatchObject({ kind: 'caller' });
});

describe('a forged token', () => {
  const unsigned = `${toText({ alg: 'none', kid: 'ours' })}.${toText(good)}.`;
  const forged: readonly (readonly [string, () => string | Promise<string>])[] = [
    ['is not signed', () => unsigned],
    ['is not signed, with a signature', () => `${unsigned}AAAA`],
    [
      'is signed with the public key as a shared secret',
      async () => {
        const secret = createPublicKey({ key: rsa.jwk as never, format: 'jwk' }).export({
          type: 'spki',
          format: 'pem',
        });
        const text = `${toText({ alg: 'HS256', kid: 'rsa' })}.${toText(good)}`;
        return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
      },
    ],
    ['is signed by HMAC', () => new SignJWT(good).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(32, 1))],
    ['is signed with another key under a known name', () => other.sign(good, { kid: 'ours' })],
    ['brings its key along', () => other.sign(good, { jwk: other.jwk, kid: 'ours' })],
    ['says where its key is', () => other.sign(good, { jku: 'http://127.0.0.1:1/keys', kid: 'other' })],
    ['names a certificate', () => other.sign(good, { x5u: 'http://127.0.0.1:1/cert', x5c: ['AAAA'], kid: 'ours' })],
    [
      'has another algorithm than its key',
      async () => {
        const [, ...rest] = (await ours.sign(good)).split('.');
        return [toText({ alg: 'ES384', kid: 'ours' }), ...rest].join('.');
      },
    ],
    [
      'demands what nobody knows',
      () =>
        ours
          .sign(good, { crit: ['exp'], exp: 1 })
          .catch(() => `${toText({ alg: 'ES256', kid: 'ours', crit: ['x'], x: 1 })}.${toText(good)}.AAAA`),
    ],
    ['has a name of a key as long as it may be', () => other.sign(good, { kid: 'k'.repeat(5_000) })],
    ['has a name of a key that is none', () => other.sign(good, { kid: { $ne: '' } })],
    [
      'has other claims than were signed',
      async () => {
        const [header, , signature] = (await ours.sign(good)).split('.');
        return [header, toText({ ...good, sub: 'bob' }), signature].join('.');
      },
    ],
    ['has half a signature', async () => (await ours.sign(good)).slice(0, -8)],
    ['has no JSON in it', () => 'AAAA.AAAA.AAAA'],
    ['is a list', () => `${toText([])}.${toText([])}.AAAA`],
  ];

  let book: JwtVerifier;
  let asked = 0;
  beforeAll(async () => {
    book = open().book;
    await verify(book, await ours.sign(good));
    asked = issuer.asked;
  });

  test.each(forged)('%s: is rejected', async (_, make) => {
    const token = await make();
    expect(await verify(book, token)).toMatchObject({ kind: 'refused', code: 'UNAUTHENTICATED' });
    expect(book.recall(toHash(token))).toBeNull();
    // No token has its issuer asked more than once in a while.
    expect(issuer.asked).toBe(asked);
  });

  test('is rejected unverified if it is too long or malformed', () => {
    for (const text of ['a.b', 'a.b.c.d', 'a..c', 'a.b.c ', `a.b.${'c'.repeat(100_000)}`, '', 'lgk_web_x'])
      expect(looksLikeToken(text)).toBe(false);
    expect(looksLikeToken('a.b-.c_')).toBe(true);
  });
});

describe('a verified token', () => {
  test('is cached until it expires, for at most five minutes', async () => {
    const { book, clock } = open();
    const [long, short] = [await ours.sign(good), await ours.sign({ ...good, exp: nowSeconds + 60 })];
    for (const token of [long, short]) {
      expect(book.recall(toHash(token))).toBeNull();
      await verify(book, token);
      // The reading of the first keys forgets what was verified beside it.
      await verify(book, token);
    }
    expect(book.recall(toHash(long))).toBe(book.recall(toHash(long)));
    expect(book.recall(toHash(short))?.id).toBe('jwt:alice');
    clock.nowMs += 90_000;
    expect([book.recall(toHash(long))?.id, book.recall(toHash(short))]).toEqual(['jwt:alice', null]);
    clock.nowMs += 210_000;
    expect(book.recall(toHash(long))).toBeNull();
  });

  test('during a key rotation is accepted once, because its own key may have been withdrawn', async () => {
    const token = await ours.sign(good);
    const { book } = open();
    // The first keys are read meanwhile.
    expect(await verify(book, token)).toMatchObject({ kind: 'caller' });
    expect(book.recall(toHash(token))).toBeNull();
    await verify(book, token);
    expect(book.recall(toHash(token))?.id).toBe('jwt:alice');
  });

  test('is verified again if the clock was set back', async () => {
    const { book, clock } = open();
    const token = await ours.sign(good);
    await verify(book, token);
    await verify(book, token);
    expect(book.recall(toHash(token))?.id).toBe('jwt:alice');
    clock.nowMs -= 30_000;
    expect(book.recall(toHash(token))?.id).toBe('jwt:alice');
    clock.nowMs -= 1;
    expect(book.recall(toHash(token))).toBeNull();
    expect(await verify(book, token)).toMatchObject({ kind: 'caller' });
    expect(book.recall(toHash(token))?.id).toBe('jwt:alice');
  });

  test('is dropped when the keys change', async () => {
    const { book, clock } = open();
    const [token, newer] = [await ours.sign(good), await other.sign(good)];
    await verify(book, token);
    await verify(book, token);
    clock.nowMs += 60_000;
    issuer.publish(other);
    expect(await verify(book, newer)).toMatchObject({ kind: 'caller' });
    expect(book.recall(toHash(token))).toBeNull();
    expect(await verify(book, token)).toMatchObject({ kind: 'refused' });
    issuer.publish(ours, rsa, edwards);
  });

  test('ends what was opened with it 30 s after its expiry, as the issuer’s clock may differ', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { book, clock } = open();
    const outcome = await verify(book, await ours.sign({ ...good, exp: nowSeconds + 60 }));
    let ended = 0;
    if (outcome.kind === 'caller') outcome.caller.validity?.onEnd(() => (ended += 1));
    const pass = (ms: number) => {
      clock.nowMs += ms;
      vi.advanceTimersByTime(ms);
    };
    pass(60_000);
    pass(29_999);
    expect(ended).toBe(0);
    pass(1);
    expect(ended).toBe(1);
  });

  test('is verified once for concurrent requests', async () => {
    const { book } = open();
    const token = await ours.sign(good);
    const [first, ...others] = await Promise.all(Array.from({ length: 50 }, () => verify(book, token)));
    for (const outcome of others) expect(outcome).toBe(first);
  });
});

test('while the keys cannot be read, every token is rejected, and none as invalid', async () => {
  issuer.answer((res) => void res.writeHead(503).end());
  const { book } = open();
  expect(await verify(book, await ours.sign(good))).toEqual({
    kind: 'refused',
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The keys that verify JWTs cannot be read at the moment.',
    upstream: 'jwks',
  });
  issuer.answer(null);
});
