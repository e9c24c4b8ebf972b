import type { Outage } from '../rate-limiter.ts';
import { createClusterRateStore } from './cluster-rate-store.ts';
import { createMemoryRateStore } from './memory-rate-store.ts';
import type { RateStore } from './rate-store.ts';
import type { RedisRateStoreOptions } from './redis-rate-store.ts';

export type RateStoreOptions =
  /** Counts in this process alone. */
  | { readonly kind: 'memory' }
  /** Counts for all workers of one `node:cluster`, in its primary process. */
  | { readonly kind: 'cluster'; readonly timeoutMs?: number }
  /** Counts for all instances that share one Redis. */
  | ({ readonly kind: 'redis' } & RedisRateStoreOptions);

/**
 * Milliseconds that the primary process may take to answer; after that the worker counts the caller itself. Long, because
 * it is a process of the same machine that does little else: it is late only where everything is, and a worker does not
 * outlive it.
 */
const clusterTimeoutMs = 2_000;

/** Opens a store. With Redis: resolves once it is connected, or after a bounded wait; it is used as soon as it answers. */
export async function openRateStore(options: RateStoreOptions, outage: Outage): Promise<RateStore> {
  switch (options.kind) {
    case 'memory':
      return createMemoryRateStore();
    case 'cluster':
      return createClusterRateStore(options.timeoutMs ?? clusterTimeoutMs);
    case 'redis': {
      // Loaded only when used, because the Redis client is a large part of all code to load at start.
      const { connectRedisRateStore } = await import('./redis-rate-store.ts');
      return connectRedisRateStore(options, outage);
    }
  }
}
