import type { NetworkProfile } from '../../config/network-profile.ts';
import type { EventQueryFilter, RpcEvent } from '../../generated/own.ts';
import type { LiveHub } from '../../live/live-hub.ts';
import type { LiveSource } from '../../live/live-source.ts';
import type { CursorKeys } from '../cursors/cursor-keys.ts';
import { matchesLeaf } from './event-leaf.ts';
import { type AskForEvents, createEventSource, type LiveEventEntry, type NodeEvent } from './event-source.ts';
import { countLeaves, matchesTree } from './filter-tree.ts';
import { createLiveCursors, isEventKey } from './live-cursor.ts';
import { parseEventStreamFilter } from './parse-event-stream-filter.ts';
import { type LiveFollower, type LiveRoot, present } from './present.ts';
import { pushDown } from './push-down.ts';

export interface LiveEventResolversOptions {
  readonly hub: LiveHub<LiveEventEntry, LiveRoot>;
  readonly filters: NetworkProfile['events']['filters'];
  readonly cursorKeys: CursorKeys;
  /** What asks for the pages of a query, and a text that is the same for the same query; throws if nobody can be asked. */
  readonly toQuery: (filter: EventQueryFilter) => {
    readonly identity: string;
    readonly ask: AskForEvents;
    readonly watch: LiveSource<unknown>['watch'];
  };
  readonly toNode: (event: NodeEvent) => RpcEvent;
}

export interface LiveEventsArguments {
  readonly filter?: Parameters<typeof parseEventStreamFilter>[0];
  readonly after?: string | null | undefined;
}

/** Each event is tested by each filter: one with many tests counts as several streams. */
const testsPerPlace = 10;

/** The resolver of `Subscription.liveEvents`. */
export function createLiveEventResolvers({ hub, filters, cursorKeys, toQuery, toNode }: LiveEventResolversOptions) {
  const toLiveQuery = (filter: EventQueryFilter) => {
    const { identity, ask, watch } = toQuery(filter);
    return { query: identity, source: () => createEventSource(ask, toNode, watch) };
  };
  return {
    liveEvents: {
      subscribe(_: unknown, { filter, after }: LiveEventsArguments, { caller, streamPlace }: LiveFollower) {
        const tree = parseEventStreamFilter(filter);
        const cursors = createLiveCursors({ field: 'liveEvents', filter: tree.key, isKey: isEventKey }, cursorKeys);
        return hub.open({
          ...toLiveQuery(pushDown(tree, filters)),
          everything: toLiveQuery({ all: true }),
          filter: tree.key,
          presenter: () =>
            present(
              {
                field: 'liveEvents',
                itemType: 'LiveEventItem',
                toItem: ({ item }) => ({ event: item.node }),
                matches: ({ facts }) => matchesTree(tree, (leaf) => matchesLeaf(leaf, facts)),
              },
              cursors,
            ),
          after: cursors.toBeginning(after, streamPlace),
          weight: Math.max(1, Math.ceil(countLeaves(tree) / testsPerPlace)),
          caller: caller.rate.key,
          onQuiet: streamPlace && ((at) => streamPlace.quietAt(() => cursors.toCursor(at))),
        });
      },
    },
  };
}
