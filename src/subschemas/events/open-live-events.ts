import type { Config } from '../../config/config.ts';
import type { CursorKeys } from '../../cursors/cursor-keys.ts';
import { systemClock } from '../../live/clock.ts';
import { createLiveHub } from '../../live/live-hub.ts';
import { createReplayBudget } from '../../live/replay-budget.ts';
import { createStreamPlaces } from '../../live/stream-places.ts';
import type { LiveEventEntry } from '../event-feed/event-source.ts';
import { createLiveEventResolvers, type LiveEventRoot } from '../event-feed/live-event-resolvers.ts';
import type { EventsClient } from './events-client.ts';
import { toEventNode } from './events-resolvers.ts';
import { toEventFilterWire } from './to-event-filter-wire.ts';

export interface OpenLiveEventsOptions {
  readonly config: Pick<Config, 'live' | 'profile'>;
  /** @throws `NOT_CONFIGURED` where there is no events upstream */
  readonly client: () => EventsClient;
  readonly cursorKeys: CursorKeys;
}

/** A place that is unknown for so long is taken for gone: other nodes behind the same address have had the time to hear of it. */
const lostAfterMs = 10_000;
/** Long enough for a page that is loaded again; short, since a reader that nobody follows costs the node calls. */
const graceMs = 500;

/** Live streams over the queries of a node. */
export function openLiveEvents({ config: { live, profile }, client, cursorKeys }: OpenLiveEventsOptions) {
  const hub = createLiveHub<LiveEventEntry, LiveEventRoot>({
    pace: { minMs: live.pollMinMs, maxMs: live.pollMaxMs },
    clock: systemClock,
    budget: createReplayBudget(live.replayBytes),
    places: createStreamPlaces({ max: live.maxStreams, maxPerCaller: live.maxStreamsPerCaller }),
    lostAfterMs,
    graceMs,
  });
  return {
    resolvers: createLiveEventResolvers({
      hub,
      filters: profile.events.filters,
      cursorKeys,
      toNode: toEventNode,
      toQuery: (given) => {
        const { queryEvents } = client();
        const { wire: filter, identity } = toEventFilterWire(given, profile.events);
        return { identity, ask: (request) => queryEvents({ ...request, filter }) };
      },
    }),
    stop: hub.stop,
    close: hub.close,
  };
}
