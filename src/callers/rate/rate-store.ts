import type { RateLimiterAbstract } from 'rate-limiter-flexible';

/** Seconds of one window. A window begins with the caller's first attempt. */
export const windowSeconds = 60;

/** Begins every key, since other programs may use the same Redis. */
export const rateKeyPrefix = 'ledger-gateway:rate';

/** Creates the counters of attempts: in memory, in Redis, or in a cluster's primary process. */
export interface RateStore {
  /** Creates the counters of all callers with a limit of so many points a window. Called once per limit. */
  countersOf(points: number): RateLimiterAbstract;
  close(): void;
}
