import { createOutage, toOutageReason } from '../callers/rate-limiter.ts';
import type { Config } from '../config/config.ts';
import { Secret } from '../config/secret.ts';
import { systemClock } from '../live/clock.ts';
import type { Fleet } from '../live/fleet/fleet.ts';
import type { SponsorshipStore } from '../sponsor/store/decide.ts';
import { createJournalStore } from '../sponsor/store/journal-store.ts';
import { createMemoryStore } from '../sponsor/store/memory-store.ts';
import { type AbandonedOutcome, createRetryingStore } from '../sponsor/store/retrying-store.ts';
import type { Telemetry } from '../telemetry/events.ts';
import type { RedisOptions } from '../upstream/connect-redis.ts';
import type { UpstreamHost } from '../upstream/upstream.ts';
import { deriveSecret, type Siblings } from './siblings.ts';

// The Redis client is loaded only when used, because loading it is a large part of the start.

export interface SponsorshipStoreOptions {
  readonly redis: { readonly url: Secret } | null;
  /** The folder of the journal; `null` = none. */
  readonly journal: string | null;
  readonly telemetry: Pick<
    Telemetry,
    'sponsorshipForgotten' | 'sponsorshipStoreAway' | 'sponsorshipStoreBack' | 'sponsorshipMayBeEvicted'
  >;
  readonly now: () => number;
}

/**
 * Opens the sponsorship store: in Redis, or in the memory of a single process, with a journal or without. With Redis, resolves when connected or after a
 * bounded wait; the store works as soon as Redis answers.
 */
export async function openSponsorshipStore(options: SponsorshipStoreOptions): Promise<SponsorshipStore> {
  const { redis, journal, telemetry, now } = options;
  const givenUp = (forgotten: AbandonedOutcome): void => {
    const { caller, leaseId, outcome } = forgotten.end;
    const digest = forgotten.kind === 'execution' ? forgotten.end.digest : null;
    telemetry.sponsorshipForgotten({ caller, leaseId, digest, outcome: outcome.kind });
  };
  const setting = redis ? 'REDIS_URL' : 'SPONSORSHIP_JOURNAL';
  const began = (reason: string) => telemetry.sponsorshipStoreAway(reason, setting);
  const outage = createOutage({ began, ended: telemetry.sponsorshipStoreBack });
  if (!redis) {
    if (journal === null) return createMemoryStore();
    const events = { failed: outage.failed, ready: outage.succeeded };
    return createRetryingStore(createJournalStore({ folder: journal, now }, events), { now, givenUp });
  }
  const { connectRedisStore } = await import('../sponsor/redis-store/redis-store.ts');
  const events = { failed: outage.failed, ready: outage.succeeded, mayEvict: telemetry.sponsorshipMayBeEvicted };
  const store = await connectRedisStore({ url: redis.url }, events);
  return createRetryingStore(store, { now, givenUp });
}

export interface LiveFleetOptions {
  readonly config: Pick<Config, 'redis' | 'upstreams'>;
  readonly telemetry: Pick<Telemetry, 'liveFleetAway' | 'liveFleetBack'>;
}

/**
 * All processes on one Redis, which share live readers; `null` without Redis, and on the embedded network, because each
 * instance has its own. Connects when the first stream is opened.
 */
export async function openLiveFleet({ config, telemetry }: LiveFleetOptions): Promise<Fleet | null> {
  const { redis } = config;
  if (!redis || config.upstreams.kind === 'devnet') return null;
  const [{ createFleet }, { createRedisLeasedLogs }] = await Promise.all([
    import('../live/fleet/fleet.ts'),
    import('../live/fleet/redis-leased-log.ts'),
  ]);
  return createFleet({
    logs: createRedisLeasedLogs({ url: redis.url }),
    clock: systemClock,
    onUnavailable: (error) => telemetry.liveFleetAway(toOutageReason(error)),
    onBack: telemetry.liveFleetBack,
  });
}

export interface ShareSecretOptions extends RedisOptions {
  readonly name: string;
  /** This instance's own secret, used until Redis has one. Stored in Redis if Redis has none. */
  readonly own: Secret;
  /** Called with each secret that replaces the one in use. */
  readonly adopt: (secret: Secret) => void;
  /** Milliseconds between two reads of Redis. */
  readonly everyMs?: number;
}

/** Within a minute after Redis was emptied, each instance stores its secret again, so that new instances find it. */
const defaultEveryMs = 60_000;

/**
 * Makes all instances on one Redis use one secret: the first instance stores its own, and the others adopt it. While Redis is
 * unavailable, each instance keeps its secret.
 * @returns after the first read, or when Redis did not answer in time: a function that stops it
 */
export async function shareSecret(options: ShareSecretOptions): Promise<() => void> {
  const { name, adopt, everyMs = defaultEveryMs } = options;
  let current = options.own;
  const { connectRedis } = await import('../upstream/connect-redis.ts');
  // Do not report failures here: the rate store reports that Redis is unavailable, once.
  const redis = await connectRedis(options, { failed: () => {}, ready: () => {} });

  const exchange = async (): Promise<void> => {
    await redis.set(name, current.reveal(), 'NX');
    const stored = await redis.get(name);
    // Ignore a value that cannot come from a gateway.
    if (stored === null || !/^[\x21-\x7e]{32,}$/.test(stored) || stored === current.reveal()) return;
    current = new Secret(stored);
    adopt(current);
  };
  const tryExchange = (): Promise<void> => exchange().catch(() => {});
  await tryExchange();
  redis.on('ready', tryExchange);
  const timer = setInterval(tryExchange, everyMs).unref();
  return () => {
    clearInterval(timer);
    redis.disconnect();
  };
}

/**
 * Makes all workers of a gateway, and all instances on one Redis, use one secret.
 * @param siblings `null` without workers
 */
export function createShareSecret(redis: Config['redis'], siblings: Siblings | null): UpstreamHost['shareSecret'] {
  return async (name, own, adopt) => {
    // Workers agree without Redis, and while it is unavailable.
    const offered = siblings ? deriveSecret(siblings.shared, name) : own;
    if (siblings) adopt(offered);
    return redis ? shareSecret({ url: redis.url, name, own: offered, adopt }) : () => {};
  };
}
