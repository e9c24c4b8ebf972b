import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createCallerGate,
  type PricedOperation,
  type RateCost,
  rateLimitHeaderNames,
  toPoints,
  toRateLimitHeaders,
} from '../../../src/callers/caller-gate.ts';
import { type Identity, toSender } from '../../../src/callers/identify-caller.ts';
import { toTestCaller } from '../../support/test-caller.ts';

const sender = toSender({}, '203.0.113.9');
const caller = toTestCaller();
const granted = { isGranted: true, limit: 5, remaining: 4, resetsAtMs: 60_000 } as const;
const refusal = { isGranted: false, limit: 5, remaining: 0, resetsAtMs: 60_000, retryAfterSeconds: 1 } as const;
const stranger: Identity = {
  kind: 'refused',
  code: 'UNAUTHENTICATED',
  message: 'The API key is not valid.',
  rate: caller.rate,
};

function start(identity: Identity, answer: typeof granted | typeof refusal | null) {
  const consumed: (readonly [key: string, points: number])[] = [];
  const gate = createCallerGate({
    identify: () => identity,
    limiter: {
      consume: async ({ rate }, points) => {
        consumed.push([rate.key, points]);
        return answer;
      },
    },
  });
  return { gate, consumed };
}

test('an attempt counts 1 and returns the quota', async () => {
  const { gate, consumed } = start({ kind: 'caller', caller }, granted);
  expect(await gate.admit(sender)).toEqual({ kind: 'admitted', caller, standing: granted });
  expect(consumed).toEqual([['address:203.0.113.9', 1]]);
});

test('a caller without a limit has no quota', async () => {
  const { gate } = start({ kind: 'caller', caller }, null);
  expect(await gate.admit(sender)).toEqual({ kind: 'admitted', caller, standing: null });
});

test('a caller over its limit gets the time to retry', async () => {
  const { gate } = start({ kind: 'caller', caller }, refusal);
  const answer = await gate.admit(sender);
  expect(answer).toMatchObject({ kind: 'refused', standing: refusal });
  expect(answer.kind === 'refused' && answer.error.toJSON()).toEqual({
    message: 'Over the limit of 5 a minute; try again in 1 second.',
    extensions: { code: 'RATE_LIMITED', retry: 'backoff', retryAfterMs: 1_000 },
  });
});

test('an operation can be charged for its real cost', async () => {
  const { gate, consumed } = start({ kind: 'caller', caller }, refusal);
  expect(await gate.charge(caller, 9)).toMatchObject({ kind: 'refused' });
  expect(consumed).toEqual([['address:203.0.113.9', 9]]);
});

test('an invalid credential counts, and is rejected as invalid', async () => {
  const { gate, consumed } = start(stranger, granted);
  const answer = await gate.admit(sender);
  expect(answer).toMatchObject({ standing: granted, error: { message: 'The API key is not valid.' } });
  expect(consumed).toEqual([['address:203.0.113.9', 1]]);
});

test('too many invalid credentials are rejected as rate-limited', async () => {
  const { gate } = start(stranger, refusal);
  expect(await gate.admit(sender)).toMatchObject({ error: { extensions: { code: 'RATE_LIMITED' } } });
});

test('a connection without an address is rejected and not counted', async () => {
  const { gate, consumed } = start({ ...stranger, rate: null }, granted);
  expect(await gate.admit(sender)).toMatchObject({ kind: 'refused', standing: null });
  expect(consumed).toEqual([]);
});

const limits = { maxQueryNodes: 300, maxOutputNodes: 100_000 };
const priced = (usage: PricedOperation['usage'], cost: RateCost, more: Partial<PricedOperation> = {}) =>
  toPoints({ usage, ownMutations: 0, introspectedFields: 0, ...more }, cost, limits);

describe('an operation costs', () => {
  test.each([
    [{ inputNodes: 1, outputNodes: 1 }, 1],
    [{ inputNodes: 29, outputNodes: 0 }, 1],
    [{ inputNodes: 30, outputNodes: 0 }, 2],
    [{ inputNodes: 15, outputNodes: 5_000 }, 2],
    [{ inputNodes: 300, outputNodes: 0 }, 11],
    [{ inputNodes: 300, outputNodes: 100_000 }, 21],
    [{ inputNodes: 301, outputNodes: Number.MAX_SAFE_INTEGER }, 21],
  ])('by usage %j: %i', (usage, points) => {
    expect(priced(usage, 'usage')).toBe(points);
  });

  test('1 per request, whatever its usage', () => {
    expect(priced({ inputNodes: 300, outputNodes: 100_000 }, 'request')).toBe(1);
  });

  test.each([
    [1, 1, 11],
    [2, 2, 12],
    [50, 50, 60],
  ])('for each of its %s own mutations: %i by request, %i by usage', (ownMutations, byRequest, byUsage) => {
    const usage = { inputNodes: 300, outputNodes: 0 };
    expect(priced(usage, 'request', { ownMutations })).toBe(byRequest);
    expect(priced(usage, 'usage', { ownMutations })).toBe(byUsage);
  });

  test.each([
    [999, 1, 11],
    [1_000, 2, 12],
    [20_640, 21, 31],
  ])('for each thousand of its %s introspected fields: %i by request, %i by usage', (introspectedFields, ...points) => {
    const usage = { inputNodes: 300, outputNodes: 0 };
    expect([priced(usage, 'request', { introspectedFields }), priced(usage, 'usage', { introspectedFields })]).toEqual(
      points,
    );
  });

  test('1 if it was rejected unread', () => {
    expect(priced(null, 'usage')).toBe(1);
  });

  test('a whole number from 1 to 21 that never falls as usage grows', () => {
    const nodes = fc.maxSafeNat();
    fc.assert(
      fc.property(nodes, nodes, nodes, (inputNodes, outputNodes, more) => {
        const points = priced({ inputNodes, outputNodes }, 'usage');
        expect(Number.isInteger(points) && points >= 1 && points <= 21).toBe(true);
        expect(priced({ inputNodes: inputNodes + more, outputNodes }, 'usage')).toBeGreaterThanOrEqual(points);
      }),
    );
  });
});

test('an allowance contains the remaining quota, the window and the policy', () => {
  expect(toRateLimitHeaders({ limit: 600, remaining: 599, resetsAtMs: 30_001 }, 1)).toEqual([
    'ratelimit',
    '"default";r=599;t=30',
    'ratelimit-policy',
    '"default";q=600;w=60',
  ]);
});

test('a rejection also contains the time to retry', () => {
  const refusal = { isGranted: false, limit: 600, remaining: 0, resetsAtMs: 1_500, retryAfterSeconds: 2 } as const;
  expect(toRateLimitHeaders(refusal, 0)).toEqual([
    'ratelimit',
    '"default";r=0;t=2',
    'ratelimit-policy',
    '"default";q=600;w=60',
    'retry-after',
    '2',
  ]);
});

test('a window that has just ended has no negative time left', () => {
  expect(toRateLimitHeaders({ limit: 1, remaining: 1, resetsAtMs: 5 }, 2_000)[1]).toBe('"default";r=1;t=0');
});

test('browsers may read every header', () => {
  const refusal = { isGranted: false, limit: 1, remaining: 0, resetsAtMs: 0, retryAfterSeconds: 1 } as const;
  const names = toRateLimitHeaders(refusal, 0).filter((_, index) => index % 2 === 0);
  expect(names).toEqual([...rateLimitHeaderNames]);
});

describe('an unverified token', () => {
  const rate = { key: 'address:203.0.113.9', perMinute: null };
  const holder = toTestCaller({ id: 'jwt:alice', kind: 'JWT', rate: { key: 'jwt:alice', perMinute: null } });

  test('counts against the address before its verification, and then against its holder', async () => {
    let verified = 0;
    const verify = async () => {
      verified += 1;
      return { kind: 'caller', caller: holder } as const;
    };
    const { gate, consumed } = start({ kind: 'unverified', rate, verify }, granted);
    expect(await gate.admit(sender)).toEqual({ kind: 'admitted', caller: holder, standing: granted });
    expect([consumed, verified]).toEqual([
      [
        [rate.key, 1],
        ['jwt:alice', 1],
      ],
      1,
    ]);
  });

  test('is not verified for an address over its limit', async () => {
    const verify = () => Promise.reject(new Error('nobody should ask'));
    const { gate } = start({ kind: 'unverified', rate, verify }, refusal);
    expect(await gate.admit(sender)).toMatchObject({ error: { extensions: { code: 'RATE_LIMITED' } } });
  });

  test('that turns out to be invalid was counted once', async () => {
    const bad = { kind: 'refused', code: 'UPSTREAM_UNAVAILABLE', message: 'Away.', upstream: 'jwks', rate } as const;
    const { gate, consumed } = start({ kind: 'unverified', rate, verify: async () => bad }, granted);
    expect(await gate.admit(sender)).toMatchObject({
      standing: granted,
      error: { message: 'Away.', extensions: { code: 'UPSTREAM_UNAVAILABLE', upstream: 'jwks' } },
    });
    expect(consumed).toEqual([[rate.key, 1]]);
  });
});
