import type { Secret } from '../config/secret.ts';
import { createMemoryStore } from '../sponsor/store/memory-store.ts';
import { createRetryingStore, type GivenUpEnd } from '../sponsor/store/retrying-store.ts';
import type { SponsorshipStore } from '../sponsor/store/sponsorship-store.ts';
import type { Telemetry } from '../telemetry/events.ts';
import type { Siblings } from './siblings.ts';

export interface SponsorshipStoreOptions {
  /** The Redis that instances share. */
  readonly redis: { readonly url: Secret } | null;
  /** The other workers, who remember together where there is no Redis; `null`: this process is the whole gateway. */
  readonly siblings: Pick<Siblings, 'store'> | null;
  readonly telemetry: Pick<Telemetry, 'sponsorshipForgotten' | 'sponsorshipStoreAway' | 'sponsorshipStoreBack'>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/**
 * Opens what is remembered of sponsorship: in Redis, or without one in memory, that of the first of several processes. With Redis: resolves once it is connected, or
 * after a bounded wait; it is used as soon as it answers.
 */
export async function openSponsorshipStore(options: SponsorshipStoreOptions): Promise<SponsorshipStore> {
  const { redis, siblings, telemetry, now } = options;
  const givenUp = (forgotten: GivenUpEnd): void => {
    const { caller, leaseId, outcome } = forgotten.end;
    const digest = forgotten.kind === 'execution' ? forgotten.end.digest : null;
    telemetry.sponsorshipForgotten({ caller, leaseId, digest, outcome: outcome.kind });
  };
  if (!redis) return siblings ? createRetryingStore(siblings.store, { now, givenUp }) : createMemoryStore();
  let isAway = false;
  const failed = (error: unknown): void => {
    if (!isAway) telemetry.sponsorshipStoreAway(error instanceof Error ? error.message : String(error), 'REDIS_URL');
    isAway = true;
  };
  const ready = (): void => {
    if (isAway) telemetry.sponsorshipStoreBack();
    isAway = false;
  };
  // Loaded only when used, because the Redis client is a large part of all code to load at start.
  const { connectRedisStore } = await import('../sponsor/redis-store/redis-store.ts');
  const store = await connectRedisStore({ url: redis.url }, { failed, ready });
  return createRetryingStore(store, { now, givenUp });
}
