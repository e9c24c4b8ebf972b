import { RateLimiterRedis } from 'rate-limiter-flexible';
import { connectRedis, type RedisOptions } from '../../upstream/connect-redis.ts';
import type { Outage } from '../rate-limiter.ts';
import { type RateStore, rateKeyPrefix, windowSeconds } from './rate-store.ts';

export type RedisRateStoreOptions = RedisOptions;

/** Counts in Redis. Resolves when it is connected, or after a bounded wait; then it goes on trying by itself. */
export async function connectRedisRateStore(options: RedisRateStoreOptions, outage: Outage): Promise<RateStore> {
  const redis = await connectRedis(options, { failed: outage.failed, ready: outage.succeeded });
  return {
    countersOf: (points) =>
      new RateLimiterRedis({
        storeClient: redis,
        keyPrefix: rateKeyPrefix,
        points,
        duration: windowSeconds,
        // A caller without points left is refused in this process until its window ends, so hammering costs Redis nothing.
        inMemoryBlockOnConsumed: points,
      }),
    // Checks by writing, because a read-only replica answers but cannot count.
    close: () => redis.disconnect(),
  };
}
