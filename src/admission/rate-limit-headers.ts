import type { Quota, RateRefusal } from './rate-limiter.ts';
import { windowSeconds } from './rate-store.ts';

/** Headers that tell a caller what it has left. CORS must expose them, or pages of other origins cannot read them. */
export const rateLimitHeaderNames = ['ratelimit', 'ratelimit-policy', 'retry-after'] as const;

/**
 * The headers of the IETF draft "RateLimit header fields for HTTP": what is left and for how many seconds
 * (`"default";r=599;t=60`), and the policy (`"default";q=600;w=60`). A refusal adds `Retry-After`.
 * @param nowMs milliseconds since the Unix epoch
 * @returns names and values by turns
 */
export function toRateLimitHeaders(quota: Quota | RateRefusal, nowMs: number): string[] {
  const seconds = Math.max(0, Math.ceil((quota.resetsAtMs - nowMs) / 1000));
  const headers = [
    'ratelimit',
    `"default";r=${quota.remaining};t=${seconds}`,
    'ratelimit-policy',
    `"default";q=${quota.limit};w=${windowSeconds}`,
  ];
  if ('retryAfterSeconds' in quota) headers.push('retry-after', String(quota.retryAfterSeconds));
  return headers;
}
