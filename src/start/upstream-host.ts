import { deriveSecret, type Siblings } from './siblings.ts';
import type { LentHost } from './upstreams.ts';

type Lent = Pick<LentHost, 'config' | 'telemetry' | 'now' | 'sponsorshipStore' | 'liveFleet' | 'watchSecret'>;

export interface UpstreamHostOptions extends Lent {
  /** `null`: this process is the whole gateway. */
  readonly siblings: Siblings | null;
}

/** What the rooms of the upstreams may use of what instances of a gateway share: they know nothing of a store. */
export function createUpstreamHost({
  siblings,
  ...options
}: UpstreamHostOptions): Omit<LentHost, 'transactions' | 'streamPlaces' | 'ledgerPush'> {
  const { redis } = options.config.rateLimit;
  return {
    ...options,
    async shareSecret(name, own, adopt) {
      // The workers of one gateway agree without a store, and while it is away.
      const offered = siblings ? deriveSecret(siblings.shared, name) : own;
      if (siblings) adopt(offered);
      if (!redis) return () => {};
      // Loaded only where it is used: the client of Redis is a large part of what there is to load.
      const { shareSecret } = await import('./share-secret.ts');
      const shared = await shareSecret({ url: redis.url, name, own: offered, adopt });
      return () => shared.close();
    },
  };
}
