import { RateLimiterCluster, RateLimiterClusterMaster } from 'rate-limiter-flexible';
import { type RateStore, rateKeyPrefix, windowSeconds } from './rate-store.ts';

/**
 * Counts in the primary process of a `node:cluster`, for all its workers. The primary must
 * call `countForWorkers` before it starts the first worker.
 * @param timeoutMs how long the primary's answer may take
 */
export function createClusterRateStore(timeoutMs: number): RateStore {
  return {
    // The primary keeps one limiter per prefix, with the limit of its first use: each limit needs a prefix of its own.
    countersOf: (points) =>
      new RateLimiterCluster({ keyPrefix: `${rateKeyPrefix}:${points}`, points, duration: windowSeconds, timeoutMs }),
    close() {},
  };
}

/** Has this process, the primary of a `node:cluster`, hold the counts of all its workers, as long as it lives. */
export function countForWorkers(): void {
  new RateLimiterClusterMaster();
}
