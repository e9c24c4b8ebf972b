import { RateLimiterMemory } from 'rate-limiter-flexible';
import { type RateStore, rateKeyPrefix, windowSeconds } from './rate-store.ts';

/** Counts in the memory of this process. */
export function createMemoryRateStore(): RateStore {
  return {
    countersOf: (points) => new RateLimiterMemory({ keyPrefix: rateKeyPrefix, points, duration: windowSeconds }),
    close() {},
  };
}
