import {
  type RateLimiterAbstract,
  RateLimiterCluster,
  RateLimiterClusterMaster,
  RateLimiterMemory,
  RateLimiterRedis,
} from 'rate-limiter-flexible';
import type { RedisOptions } from '../upstream/connect-redis.ts';

/** Seconds of one window, which begins with a caller's first attempt. */
export const windowSeconds = 60;

/** Prefix of every key, since other programs may use the same Redis. */
const keyPrefix = 'ledger-gateway:rate';

/** Where attempts are counted. */
export interface RateStore {
  /** Creates the counters of all callers with this limit a window. Called once for each limit. */
  countersOf(points: number): RateLimiterAbstract;
  close(): void;
}

/** What the store reports of the connection to Redis. */
export interface RateStoreEvents {
  failed(error: unknown): void;
  succeeded(): void;
}

export type RateStoreOptions =
  /** In the memory of this process. */
  | { readonly kind: 'memory' }
  /** In the primary process of a `node:cluster`, which must call `countForWorkers` before it starts the first worker. */
  | { readonly kind: 'cluster'; readonly timeoutMs?: number }
  /** For all instances that share one Redis. */
  | ({ readonly kind: 'redis' } & RedisOptions);

/**
 * Milliseconds that the primary process may take to answer; then the worker counts by itself. Long, because the primary does little:
 * it is late only when the whole machine is.
 */
const clusterTimeoutMs = 2_000;

/** Opens a store. With Redis it resolves when Redis is connected, or after a bounded wait; the client goes on trying. */
export async function openRateStore(options: RateStoreOptions, events: RateStoreEvents): Promise<RateStore> {
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
      const redis = await connectRedis(options, { failed: events.failed, ready: events.succeeded });
      const countersOf = (points: number) =>
        new RateLimiterRedis({
          storeClient: redis,
          keyPrefix,
          points,
          duration: windowSeconds,
          // A caller without points is refused in this process until its window ends, without a call to Redis.
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
