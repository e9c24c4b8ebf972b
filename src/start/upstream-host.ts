import type { RateLimiter } from '../admission/rate-limiter.ts';
import type { UpstreamHost } from '../subschemas/upstream.ts';

export interface UpstreamHostOptions extends Pick<UpstreamHost, 'config' | 'telemetry' | 'now'> {
  /** Open by the time that the first operation is served. */
  readonly limiter: Promise<Pick<RateLimiter, 'isShared'>>;
}

/** What the rooms of the upstreams may use of what instances of a gateway share: they know nothing of a store. */
export function createUpstreamHost({ limiter, ...options }: UpstreamHostOptions): UpstreamHost {
  const { redis } = options.config.rateLimit;
  return {
    ...options,
    isCountShared: async () => (await limiter).isShared(),
    async shareSecret(name, own, adopt) {
      if (!redis) return () => {};
      // Loaded only where it is used: the client of Redis is a large part of what there is to load.
      const { shareSecret } = await import('../admission/share-secret.ts');
      const shared = await shareSecret({ url: redis.url, name, own, adopt });
      return () => shared.close();
    },
  };
}
