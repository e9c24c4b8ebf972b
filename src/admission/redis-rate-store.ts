import { RateLimiterRedis } from 'rate-limiter-flexible';
import { connectRedis, type RedisOptions } from './connect-redis.ts';
import type { Outage } from './outage.ts';
import { type RateStore, rateKeyPrefix, windowSeconds } from './rate-store.ts';

export type RedisRateStoreOptions = RedisOptions;

/** Counts in Redis. Resolves when it is connected, or after the time a connection may take; it connects by itself later. */
export async function connectRedisRateStore(options: RedisRateStoreOptions, outage: Outage): Promise<RateStore> {
  const redis = await connectRedis(options, { failed: outage.failed, ready: outage.succeeded });
  return {
    countersOf: (points) =>
      new RateLimiterRedis({
        storeClient: redis,
        keyPrefix: rateKeyPrefix,
        points,
        duration: windowSeconds,
        // Who has used up everything is refused from here until the window ends: hammering costs Redis nothing.
        inMemoryBlockOnConsumed: points,
      }),
    // It must be written to: a copy that may only be read counts nothing.
    check: () => redis.set(`${rateKeyPrefix}-check`, '', 'EX', windowSeconds),
    close: () => redis.disconnect(),
  };
}
