import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { Caller } from '../subschemas/operation-context.ts';
import { createMemoryRateStore } from './memory-rate-store.ts';
import type { Outage } from './outage.ts';
import type { RateStore } from './rate-store.ts';

/** Whose attempts are counted. */
export type RatedCaller = Pick<Caller, 'rate'>;

/** Where a caller stands. */
export interface Quota {
  /** Points a window. */
  readonly limit: number;
  readonly remaining: number;
  /** When the window ends, in milliseconds since the Unix epoch. */
  readonly resetsAtMs: number;
}

export interface Allowance extends Quota {
  readonly isGranted: true;
}

export interface Refusal extends Quota {
  readonly isGranted: false;
  /** At least 1. */
  readonly retryAfterSeconds: number;
}

export interface RateLimiter {
  /**
   * Takes points from what the caller has left in this window. What was refused counts too, so one who keeps asking is
   * served again only in the next window. More points than the whole limit count as the whole limit.
   * @returns `null` for a caller without a limit
   */
  consume(caller: RatedCaller, points: number): Promise<Allowance | Refusal | null>;
  /** Takes nothing. */
  peek(caller: RatedCaller): Promise<Quota | null>;
  /** Is what it counts, at this moment, the same for all instances? */
  isShared(): Promise<boolean>;
  close(): void;
}

export interface RateLimiterOptions {
  readonly store: RateStore;
  /** Points a minute of a caller that has no limit of its own; 0 = no limit. */
  readonly perMinute: number;
  /**
   * Instances that count in the same store. While it is away each of them counts in its own memory and grants that part
   * of the limit, so what all grant together stays bounded.
   */
  readonly sharedBy?: number;
  readonly outage: Outage;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

const unlimited = Promise.resolve(null);

/** Says how much each caller may ask. Never rejects: with the store away it counts in this process. */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { store, outage, now, sharedBy = 1 } = options;
  const own = createMemoryRateStore();
  const countersOf = memoize((perMinute) => ({
    shared: store.countersOf(perMinute),
    own: own.countersOf(Math.ceil(perMinute / sharedBy)),
  }));

  const limitOf = ({ rate }: RatedCaller) => rate.perMinute ?? options.perMinute;

  const toQuota = (points: number, result: RateLimiterRes | null): Quota => ({
    limit: points,
    remaining: result?.remainingPoints ?? points,
    resetsAtMs: now() + Math.max(0, result?.msBeforeNext ?? 0),
  });

  const toAllowance = (points: number, result: RateLimiterRes): Allowance => ({
    isGranted: true,
    limit: points,
    remaining: result.remainingPoints,
    resetsAtMs: now() + Math.max(0, result.msBeforeNext),
  });

  /** The library rejects both with refusals and with errors. */
  const toRefusal = (points: number, error: unknown): Refusal => {
    if (!(error instanceof RateLimiterRes)) throw error;
    const { limit, resetsAtMs } = toQuota(points, error);
    const retryAfterSeconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000));
    return { isGranted: false, limit, remaining: 0, resetsAtMs, retryAfterSeconds };
  };

  const take = (counters: RateLimiterAbstract, key: string, cost: number) =>
    counters.consume(key, Math.min(cost, counters.points));

  /** While the store is away, this process alone counts. */
  const takeOwn = (counters: RateLimiterAbstract, key: string, cost: number, reason: unknown) => {
    outage.failed(reason);
    return take(counters, key, cost).then(
      (result) => toAllowance(counters.points, result),
      (error: unknown) => toRefusal(counters.points, error),
    );
  };

  return {
    consume(caller, cost) {
      const perMinute = limitOf(caller);
      if (perMinute === 0) return unlimited;
      const { shared, own: fallback } = countersOf(perMinute);
      const { key } = caller.rate;
      return take(shared, key, cost).then(
        (result) => {
          outage.succeeded();
          return toAllowance(shared.points, result);
        },
        // Who has used up everything may be refused without asking the store: that says nothing of the store.
        (error: unknown) =>
          error instanceof RateLimiterRes ? toRefusal(shared.points, error) : takeOwn(fallback, key, cost, error),
      );
    },
    async peek(caller) {
      const perMinute = limitOf(caller);
      if (perMinute === 0) return null;
      const { shared, own: fallback } = countersOf(perMinute);
      const { key } = caller.rate;
      try {
        const result = await shared.get(key);
        outage.succeeded();
        return toQuota(shared.points, result);
      } catch (error) {
        outage.failed(error);
        return toQuota(fallback.points, await fallback.get(key));
      }
    },
    isShared: () =>
      store.check().then(
        () => {
          outage.succeeded();
          return true;
        },
        (error: unknown) => {
          outage.failed(error);
          return false;
        },
      ),
    close: () => store.close(),
  };
}

function memoize<Value>(make: (key: number) => Value): (key: number) => Value {
  const made = new Map<number, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}
