import {
  type RateLimiterAbstract,
  RateLimiterCluster,
  RateLimiterClusterMaster,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { RedisOptions } from '../upstream/connect-redis.ts';
import type { Caller } from '../upstream/operation-context.ts';

/** The fields of a caller that decide its counter and its limit. */
export type RatedCaller = Pick<Caller, 'rate'>;

/** What remains of a caller's rate limit in its window. */
export interface RateQuota {
  /** Points per window. */
  readonly limit: number;
  readonly remaining: number;
  /** When the window ends, in milliseconds since the Unix epoch. */
  readonly resetsAtMs: number;
}

export interface Allowance extends RateQuota {
  readonly isGranted: true;
}

export interface RateRefusal extends RateQuota {
  readonly isGranted: false;
  /** Seconds until the next window, at least 1. */
  readonly retryAfterSeconds: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

export interface RateLimiterOptions {
  readonly store: RateStore;
  /** Points a minute for callers without a limit of their own; 0 = no limit. */
  readonly perMinute: number;
  /** How many instances share the store. While it is unavailable, each counts in memory and grants this share of the limit. */
  readonly sharedBy?: number;
  readonly outage: Outage;
  readonly now: () => number;
}

/** The counters of one limit: those in the store, and those in memory that replace them while it is unavailable. */
interface Counters {
  readonly shared: RateLimiterAbstract;
  readonly own: RateLimiterAbstract;
}

const unlimited = Promise.resolve(null);

/**
 * Limits the attempts of each caller. Never rejects its promise: while the store is unavailable, it counts in the memory of
 * this process.
 */
export function createRateLimiter({ store, perMinute: usual, sharedBy = 1, outage, now }: RateLimiterOptions) {
  const ownStore = createMemoryRateStore();
  const known = new Map<number, Counters>();

  /** The counters of this limit; `null`: there is none. */
  function countersOf(perMinute: number): Counters | null {
    if (perMinute === 0) return null;
    let counters = known.get(perMinute);
    if (!counters) {
      const own = ownStore.countersOf(Math.ceil(perMinute / sharedBy));
      counters = { shared: store.countersOf(perMinute), own };
      known.set(perMinute, counters);
    }
    return counters;
  }

  /** Counts in the memory of this process, which cannot fail. */
  function consumeFrom(counters: RateLimiterAbstract, key: string, cost: number): Promise<Allowance | RateRefusal> {
    const { points } = counters;
    // At most the whole limit: otherwise an operation that costs more could never run.
    return counters.consume(key, Math.min(cost, points)).then(
      (result) => toAllowance(points, result, now()),
      (refusal: RateLimiterRes) => toRefusal(points, refusal, now()),
    );
  }

  function take(key: string, perMinute: number, cost: number): Promise<Allowance | RateRefusal | null> {
    const counters = countersOf(perMinute);
    if (!counters) return unlimited;
    const { shared, own } = counters;
    return shared.consume(key, Math.min(cost, shared.points)).then(
      (result) => {
        outage.succeeded();
        return toAllowance(shared.points, result, now());
      },
      (error: unknown) => {
        // This process may reject by itself, without a call to the store.
        if (error instanceof RateLimiterRes) return toRefusal(shared.points, error, now());
        outage.failed(error);
        return consumeFrom(own, key, cost);
      },
    );
  }

  async function look(key: string, perMinute: number): Promise<RateQuota | null> {
    const counters = countersOf(perMinute);
    if (!counters) return null;
    const { shared, own } = counters;
    try {
      return toQuota(shared.points, await shared.get(key), now());
    } catch {
      return toQuota(own.points, await own.get(key), now());
    }
  }

  return {
    /**
     * Takes points from the windows of the caller, never more than the whole limit. Rejected attempts count too, so a caller that
     * keeps trying is served again only in the next window. What a visitor has no points for does not count for its key.
     * @returns the state of the window with least left; `null` for a caller without a limit
     */
    consume({ rate: { key, perMinute, total } }: RatedCaller, cost: number): Promise<Allowance | RateRefusal | null> {
      const own = take(key, perMinute ?? usual, cost);
      if (!total) return own;
      return own.then((standing) => {
        if (standing && !standing.isGranted) return standing;
        return take(total.key, total.perMinute, cost).then((whole) => narrower(standing, whole));
      });
    },
    /** Reads what remains of the caller's limit. Does not report outages, because `consume` was called before and did. */
    async peek({ rate: { key, perMinute, total } }: RatedCaller): Promise<RateQuota | null> {
      const own = look(key, perMinute ?? usual);
      return total ? narrower(await own, await look(total.key, total.perMinute)) : own;
    },
    close: () => store.close(),
  };
}

function narrower<Standing extends RateQuota>(one: Standing | null, other: Standing | null): Standing | null {
  if (!one || !other) return one ?? other;
  return other.remaining < one.remaining || 'retryAfterSeconds' in other ? other : one;
}

/** @param result `null` for a caller without attempts in this window */
function toQuota(limit: number, result: RateLimiterRes | null, nowMs: number): RateQuota {
  const remaining = result?.remainingPoints ?? limit;
  return { limit, remaining, resetsAtMs: nowMs + Math.max(0, result?.msBeforeNext ?? 0) };
}

function toAllowance(limit: number, { remainingPoints, msBeforeNext }: RateLimiterRes, nowMs: number): Allowance {
  return { isGranted: true, limit, remaining: remainingPoints, resetsAtMs: nowMs + Math.max(0, msBeforeNext) };
}

function toRefusal(limit: number, { msBeforeNext }: RateLimiterRes, nowMs: number): RateRefusal {
  const resetsAtMs = nowMs + Math.max(0, msBeforeNext);
  const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return { isGranted: false, limit, remaining: 0, resetsAtMs, retryAfterSeconds };
}

export interface OutageEvents {
  /**
   * Called at the first failure.
   * @param reason one line, without credentials
   */
  readonly began: (reason: string) => void;
  readonly ended: () => void;
}

type Outage = ReturnType<typeof createOutage>;

/** Reduces many failures and successes to two events: the store is unavailable, the store is back. */
export function createOutage({ began, ended }: OutageEvents) {
  let isUnavailable = false;
  return {
    failed(error: unknown): void {
      if (isUnavailable) return;
      isUnavailable = true;
      began(toOutageReason(error));
    },
    succeeded(): void {
      if (!isUnavailable) return;
      isUnavailable = false;
      ended();
    },
  };
}

/** The message alone: errors of the Redis client also hold the failed command, and a failed login holds the password. */
export function toOutageReason(error: unknown): string {
  const { message, code } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { message: String(error), code: undefined };
  return message.split('\n', 1)[0] || code || 'unknown';
}

/** Seconds of one window, which begins with a caller's first attempt. */
export const windowSeconds = 60;

/** Prefix of every key, since other programs may use the same Redis. */
const keyPrefix = 'ledger-gateway:rate';

/** Where attempts are counted: memory, primary process or Redis. */
export interface RateStore {
  /** Creates the counters of all callers with this limit per window. Called once for each limit. */
  countersOf(points: number): RateLimiterAbstract;
  close(): void;
}

export type RateStoreOptions =
  /** Attempts are counted in the memory of this process. */
  | { readonly kind: 'memory' }
  /** In the primary process of a `node:cluster`, which must call `countForWorkers` before it starts the first worker. */
  | { readonly kind: 'cluster'; readonly timeoutMs?: number }
  /** Attempts are counted in Redis, for all instances that share it. */
  | ({ readonly kind: 'redis' } & RedisOptions);

/**
 * Milliseconds that the primary process may take to answer; then the worker counts by itself. Long, because the primary does
 * little work and is late only when the whole machine is overloaded.
 */
const clusterTimeoutMs = 2_000;

/** Opens a store. With Redis, resolves when Redis is connected, or after a bounded wait; the client keeps reconnecting. */
export async function openRateStore(options: RateStoreOptions, outage: Outage): Promise<RateStore> {
  switch (options.kind) {
    case 'memory':
      return createMemoryRateStore();
    case 'cluster': {
      const { timeoutMs = clusterTimeoutMs } = options;
      // The primary keeps one limiter for each prefix, with the limit of its first use: each limit needs its own prefix.
      const countersOf = (points: number) =>
        new RateLimiterCluster({ keyPrefix: `${keyPrefix}:${points}`, points, duration: windowSeconds, timeoutMs });
      return { countersOf, close() {} };
    }
    case 'redis': {
      // Loaded when used, because the Redis client is a large part of the code to load at start.
      const { connectRedis } = await import('../upstream/connect-redis.ts');
      const redis = await connectRedis(options, { failed: outage.failed, ready: outage.succeeded });
      const countersOf = (points: number) =>
        new RateLimiterRedis({
          storeClient: redis,
          keyPrefix,
          points,
          duration: windowSeconds,
          // This process rejects a caller without points until its window ends, without a call to Redis.
          inMemoryBlockOnConsumed: points,
        });
      return { countersOf, close: () => redis.disconnect() };
    }
  }
}

export function createMemoryRateStore(): RateStore {
  return { countersOf: (points) => new RateLimiterMemory({ keyPrefix, points, duration: windowSeconds }), close() {} };
}

/** Lets this process, the primary of a `node:cluster`, count for all its workers. */
export function countForWorkers(): void {
  new RateLimiterClusterMaster();
}
