import type { Config } from '../config/config.ts';
import { systemClock } from '../live/clock.ts';
import type { Fleet } from '../live/fleet/fleet.ts';
import type { Telemetry } from '../telemetry/events.ts';

export interface LiveFleetOptions {
  readonly config: Pick<Config, 'rateLimit' | 'upstreams'>;
  readonly telemetry: Pick<Telemetry, 'liveFleetAway' | 'liveFleetBack'>;
}

/**
 * Those who read live streams together: all processes on one Redis. `null` where there is none, and on the embedded network,
 * which each instance has for itself. Connects when the first stream is opened.
 */
export async function openLiveFleet({ config, telemetry }: LiveFleetOptions): Promise<Fleet | null> {
  const { redis } = config.rateLimit;
  if (!redis || config.upstreams.kind === 'devnet') return null;
  // Loaded only when used, because the Redis client is a large part of all code to load at start.
  const [{ createFleet }, { createRedisBoard }] = await Promise.all([
    import('../live/fleet/fleet.ts'),
    import('../live/fleet/redis-board.ts'),
  ]);
  return createFleet({
    board: createRedisBoard({ url: redis.url }),
    clock: systemClock,
    onAway: (error) => telemetry.liveFleetAway(error instanceof Error ? error.message : String(error), 'REDIS_URL'),
    onBack: telemetry.liveFleetBack,
  });
}
