import { createClusterRateStore } from './cluster-rate-store.ts';
import { createMemoryRateStore } from './memory-rate-store.ts';
import type { Outage } from './outage.ts';
import type { RateStore } from './rate-store.ts';
import type { RedisRateStoreOptions } from './redis-rate-store.ts';

export type RateStoreOptions =
  /** In this process alone. */
  | { readonly kind: 'memory' }
  /** Among the workers of one `node:cluster`, in its primary process. */
  | { readonly kind: 'cluster'; readonly timeoutMs?: number }
  /** Among all instances that share one Redis. */
  | ({ readonly kind: 'redis' } & RedisRateStoreOptions);

/** How long the primary process may take to answer, in milliseconds, before a caller is counted here instead. */
const clusterTimeoutMs = 300;

/** Opens a store. With Redis, resolves once it is connected or has had its chance to; it is used as soon as it answers. */
export async function openRateStore(options: RateStoreOptions, outage: Outage): Promise<RateStore> {
  switch (options.kind) {
    case 'memory':
      return createMemoryRateStore();
    case 'cluster':
      return createClusterRateStore(options.timeoutMs ?? clusterTimeoutMs);
    case 'redis': {
      // Loaded only where it is used: the client is a large part of what there is to load.
      const { connectRedisRateStore } = await import('./redis-rate-store.ts');
      return connectRedisRateStore(options, outage);
    }
  }
}
