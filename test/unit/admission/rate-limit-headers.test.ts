import { expect, test } from 'vitest';
import { rateLimitHeaderNames, toRateLimitHeaders } from '../../../src/admission/rate-limit-headers.ts';

test('an allowance tells what is left, for how long, and of what', () => {
  expect(toRateLimitHeaders({ limit: 600, remaining: 599, resetsAtMs: 30_001 }, 1)).toEqual([
    'ratelimit',
    '"default";r=599;t=30',
    'ratelimit-policy',
    '"default";q=600;w=60',
  ]);
});

test('a refusal tells besides when to come back', () => {
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

test('a window that has just ended is not over for a negative time', () => {
  expect(toRateLimitHeaders({ limit: 1, remaining: 1, resetsAtMs: 5 }, 2_000)[1]).toBe('"default";r=1;t=0');
});

test('every header is one that pages are allowed to read', () => {
  const refusal = { isGranted: false, limit: 1, remaining: 0, resetsAtMs: 0, retryAfterSeconds: 1 } as const;
  const names = toRateLimitHeaders(refusal, 0).filter((_, index) => index % 2 === 0);
  expect(names).toEqual([...rateLimitHeaderNames]);
});
