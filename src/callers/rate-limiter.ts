import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { Caller } from '../upstream/operation-context.ts';
import { createMemoryRateStore } from './rate/memory-rate-store.ts';
import type { RateStore } from './rate/rate-store.ts';

/** The part of a caller that says under which key and limit it is counted. */
export type RatedCaller = Pick<Caller, 'rate'>;

/** What a caller has left of its limit. */
export interface Quota {
  /** Points allowed in a window. */
  readonly limit: number;
  readonly remaining: number;
  /** When the window ends, in milliseconds since the Unix epoch. */
  readonly resetsAtMs: number;
}

export interface Allowance extends Quota {
  readonly isGranted: true;
}

export interface RateRefusal extends Quota {
  readonly isGranted: false;
  /** At least 1. */
  readonly retryAfterSeconds: number;
}

export interface RateLimiter {
  /**
   * Takes points from what the caller has left in this window. Refused attempts count too, so a caller that keeps asking is
   * served again only in the next window. Never takes more than the whole limit.
   * @returns `null` for a caller without a limit
   */
  consume(caller: RatedCaller, points: number): Promise<Allowance | RateRefusal | null>;
  /** Reads what the caller has left, without taking anything. */
  peek(caller: RatedCaller): Promise<Quota | null>;
  close(): void;
}

export interface RateLimiterOptions {
  readonly store: RateStore;
  /** Points a minute for callers without a limit of their own; 0 = no limit. */
  readonly perMinute: number;
  /**
   * How many instances share the store. While it is away, each counts in its own memory and grants this part of the limit,
   * so that all together stay near the limit.
   */
  readonly sharedBy?: number;
  readonly outage: Outage;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

const unlimited = Promise.resolve(null);

/** The counters of one limit: those in the store, and those that replace them while it is away. */
interface Counters {
  readonly shared: RateLimiterAbstract;
  readonly own: RateLimiterAbstract;
}

/** Limits how much each caller may ask. Never rejects: while the store is away, it counts in the memory of this process. */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { store, outage, now, sharedBy = 1 } = options;
  const ownStore = createMemoryRateStore();
  const countersOf = memoize(
    (perMinute): Counters => ({
      shared: store.countersOf(perMinute),
      own: ownStore.countersOf(Math.ceil(perMinute / sharedBy)),
    }),
  );
  const limitOf = ({ rate }: RatedCaller) => rate.perMinute ?? options.perMinute;

  return {
    consume(caller, cost) {
      const perMinute = limitOf(caller);
      if (perMinute === 0) return unlimited;
      return consumeFrom(countersOf(perMinute), caller.rate.key, cost, outage, now);
    },
    async peek(caller) {
      const perMinute = limitOf(caller);
      if (perMinute === 0) return null;
      return peekInto(countersOf(perMinute), caller.rate.key, outage, now);
    },
    close: () => store.close(),
  };
}

function consumeFrom(
  { shared, own }: Counters,
  key: string,
  cost: number,
  outage: Outage,
  now: () => number,
): Promise<Allowance | RateRefusal> {
  return take(shared, key, cost).then(
    (result) => {
      outage.succeeded();
      return toAllowance(shared.points, result, now());
    },
    (error: unknown) => {
      // Do not call `outage.succeeded` here: a caller without points left is refused without asking the store.
      if (error instanceof RateLimiterRes) return toRefusal(shared.points, error, now());
      outage.failed(error);
      return consumeOwn(own, key, cost, now);
    },
  );
}

/** Counts in this process, while the store is away. */
function consumeOwn(
  own: RateLimiterAbstract,
  key: string,
  cost: number,
  now: () => number,
): Promise<Allowance | RateRefusal> {
  return take(own, key, cost).then(
    (result) => toAllowance(own.points, result, now()),
    (error: unknown) => toRefusal(own.points, error, now()),
  );
}

async function peekInto({ shared, own }: Counters, key: string, outage: Outage, now: () => number): Promise<Quota> {
  try {
    const result = await shared.get(key);
    outage.succeeded();
    return toQuota(shared.points, result, now());
  } catch (error) {
    outage.failed(error);
    return toQuota(own.points, await own.get(key), now());
  }
}

/** Takes at most the whole limit; otherwise an operation that costs more could never be asked. */
function take(counters: RateLimiterAbstract, key: string, cost: number): Promise<RateLimiterRes> {
  return counters.consume(key, Math.min(cost, counters.points));
}

/** @param result `null` for a caller that has not asked in this window */
function toQuota(points: number, result: RateLimiterRes | null, nowMs: number): Quota {
  return {
    limit: points,
    remaining: result?.remainingPoints ?? points,
    resetsAtMs: nowMs + Math.max(0, result?.msBeforeNext ?? 0),
  };
}

function toAllowance(points: number, result: RateLimiterRes, nowMs: number): Allowance {
  return {
    isGranted: true,
    limit: points,
    remaining: result.remainingPoints,
    resetsAtMs: nowMs + Math.max(0, result.msBeforeNext),
  };
}

/** @param error the library rejects with a result for a refusal, and with an error for a failure, which is thrown again */
function toRefusal(points: number, error: unknown, nowMs: number): RateRefusal {
  if (!(error instanceof RateLimiterRes)) throw error;
  const resetsAtMs = nowMs + Math.max(0, error.msBeforeNext);
  const retryAfterSeconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000));
  return { isGranted: false, limit: points, remaining: 0, resetsAtMs, retryAfterSeconds };
}

function memoize<Value>(make: (key: number) => Value): (key: number) => Value {
  const made = new Map<number, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

export interface OutageEvents {
  /** Called at the first failure. @param reason one line, without credentials */
  readonly began: (reason: string) => void;
  readonly ended: () => void;
}

/** Turns many failures and successes into two events: the store went away, the store came back. */
export interface Outage {
  failed(error: unknown): void;
  succeeded(): void;
}

export function createOutage({ began, ended }: OutageEvents): Outage {
  let isAway = false;
  return {
    failed(error) {
      if (isAway) return;
      isAway = true;
      began(toReason(error));
    },
    succeeded() {
      if (!isAway) return;
      isAway = false;
      ended();
    },
  };
}

/** Takes the message alone. Errors of the Redis client also hold the failed command, and a failed login holds the password. */
function toReason(error: unknown): string {
  const { message, code } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { message: String(error), code: undefined };
  return message.split('\n', 1)[0] || code || 'unknown';
}
