import type { Secret } from '../config/secret.ts';
import { createMemoryStore } from '../sponsor/store/memory-store.ts';
import { createRetryingStore, type GivenUpEnd } from '../sponsor/store/retrying-store.ts';
import type { SponsorshipStore } from '../sponsor/store/sponsorship-store.ts';
import type { Telemetry } from '../telemetry/events.ts';

export interface SponsorshipStoreOptions {
  /** The Redis that instances share. */
  readonly redis: { readonly url: Secret } | null;
  readonly telemetry: Pick<Telemetry, 'sponsorshipForgotten' | 'sponsorshipStoreAway' | 'sponsorshipStoreBack'>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/**
 * Opens what is remembered of sponsorship: in Redis, or in the memory of this process, which is then the only one. With Redis:
 * resolves once it is connected, or after a bounded wait; it is used as soon as it answers.
 */
export async function openSponsorshipStore(options: SponsorshipStoreOptions): Promise<SponsorshipStore> {
  const { redis, telemetry, now } = options;
  if (!redis) return createMemoryStore();
  const givenUp = (forgotten: GivenUpEnd): void => {
    const { caller, leaseId, outcome } = forgotten.end;
    const digest = forgotten.kind === 'execution' ? forgotten.end.digest : null;
    telemetry.sponsorshipForgotten({ caller, leaseId, digest, outcome: outcome.kind });
  };
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
