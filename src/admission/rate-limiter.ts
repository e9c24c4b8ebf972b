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

  /** The library rejects both with refusals and with errors. */
  const take = (counters: RateLimiterAbstract, key: string, cost: number): Promise<Allowance | Refusal> => {
    const { points } = counters;
    return counters.consume(key, Math.min(cost, points)).then(
      (result) => {
        const { limit, remaining, resetsAtMs } = toQuota(points, result);
        return { isGranted: true, limit, remaining, resetsAtMs };
      },
      (error: unknown) => {
        if (!(error instanceof RateLimiterRes)) throw error;
        const { limit, resetsAtMs } = toQuota(points, error);
        const retryAfterSeconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000));
        return { isGranted: false, limit, remaining: 0, resetsAtMs, retryAfterSeconds };
      },
    );
  };

  /** Asks the store and, when that fails, this process. */
  const ask = <T extends Quota>(
    perMinute: number,
    question: (counters: RateLimiterAbstract) => Promise<T>,
  ): Promise<T> => {
    const { shared, own } = countersOf(perMinute);
    return question(shared).then(
      (answer) => {
        // Who has used up everything is refused without asking the store: that says nothing of the store.
        if (!('retryAfterSeconds' in answer)) outage.succeeded();
        return answer;
      },
      (error: unknown) => {
        outage.failed(error);
        return question(own);
      },
    );
  };

  return {
    consume(caller, points) {
      const perMinute = limitOf(caller);
      if (perMinute === 0) return unlimited;
      return ask(perMinute, (counters) => take(counters, caller.rate.key, points));
    },
    async peek(caller) {
      const perMinute = limitOf(caller);
      if (perMinute === 0) return null;
      return ask(perMinute, async (counters) => toQuota(counters.points, await counters.get(caller.rate.key)));
    },
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
