import type { RateLimiterAbstract } from 'rate-limiter-flexible';

/** Seconds of one window; it begins with a caller's first attempt. */
export const windowSeconds = 60;

/** In front of every key, so that a store that others use too keeps ours apart. */
export const rateKeyPrefix = 'ledger-gateway:rate';

/** Where attempts are counted. */
export interface RateStore {
  /** The counters of all callers that may have so many points in a window. Asked for once per limit. */
  countersOf(points: number): RateLimiterAbstract;
  /** Rejects when nothing can be counted there. */
  check(): Promise<unknown>;
  close(): void;
}
