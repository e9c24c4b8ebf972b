import { RateLimiterCluster } from 'rate-limiter-flexible';
import { type RateStore, rateKeyPrefix, windowSeconds } from './rate-store.ts';

/**
 * Counts in the primary process of a `node:cluster`, for all its workers; the primary must have made a
 * `RateLimiterClusterMaster` before the first of them.
 * @param timeoutMs how long its answer may take
 */
export function createClusterRateStore(timeoutMs: number): RateStore {
  return {
    // The primary keeps one counter for each prefix, with the limit of whoever asked first: so the limit is part of it.
    countersOf: (points) =>
      new RateLimiterCluster({ keyPrefix: `${rateKeyPrefix}:${points}`, points, duration: windowSeconds, timeoutMs }),
    check: () => Promise.resolve(),
    close() {},
  };
}
