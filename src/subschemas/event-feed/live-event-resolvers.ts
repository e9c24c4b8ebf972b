import type { NetworkProfile } from '../../config/network-profile.ts';
import type { CursorKeys } from '../../cursors/cursor-keys.ts';
import type { EventQueryFilter, LiveEvent, LiveEventItem, LiveGap, LiveMissed, RpcEvent } from '../../generated/own.ts';
import type { Presenter } from '../../live/channel.ts';
import { matchesTree } from '../../live/filter-tree.ts';
import type { LiveHub } from '../../live/live-hub.ts';
import { matchesLeaf } from './event-leaf.ts';
import { type AskForEvents, createEventSource, type LiveEventEntry, type NodeEvent } from './event-source.ts';
import { createLiveCursors, type LiveCursors } from './live-cursor.ts';
import { type EventFilterTree, parseEventStreamFilter } from './parse-event-stream-filter.ts';
import { pushDown } from './push-down.ts';

/** One result of the stream, as the root of its selection. */
export interface LiveEventRoot {
  readonly liveEvents: LiveEvent;
}

export interface LiveEventResolversOptions {
  readonly hub: LiveHub<LiveEventEntry, LiveEventRoot>;
  readonly filters: NetworkProfile['events']['filters'];
  readonly cursorKeys: CursorKeys;
  /** What asks for the pages of a query, and a text that is the same for the same query; throws if nobody can be asked. */
  readonly toQuery: (filter: EventQueryFilter) => { readonly identity: string; readonly ask: AskForEvents };
  readonly toNode: (event: NodeEvent) => RpcEvent;
}

export interface LiveEventsArguments {
  readonly filter?: Parameters<typeof parseEventStreamFilter>[0];
  readonly after?: string | null | undefined;
}

/** The resolver of `Subscription.liveEvents`. */
export function createLiveEventResolvers({ hub, filters, cursorKeys, toQuery, toNode }: LiveEventResolversOptions) {
  return {
    Subscription: {
      liveEvents: {
        subscribe(
          _: unknown,
          { filter, after }: LiveEventsArguments,
          { caller }: { readonly caller: { readonly rate: { readonly key: string } } },
        ) {
          const tree = parseEventStreamFilter(filter);
          const { identity, ask } = toQuery(pushDown(tree, filters));
          const cursors = createLiveCursors('liveEvents', tree.key, cursorKeys);
          return hub.open({
            query: identity,
            source: () => createEventSource(ask, toNode),
            filter: tree.key,
            presenter: () => createPresenter(tree, cursors),
            after: after == null ? null : cursors.toPoint('after', after),
            caller: caller.rate.key,
          });
        },
      },
    },
  };
}

function createPresenter(tree: EventFilterTree, { toCursor }: LiveCursors): Presenter<LiveEventEntry, LiveEventRoot> {
  return {
    matches: ({ facts }) => matchesTree(tree, (leaf) => matchesLeaf(leaf, facts)),
    item(entry, at) {
      let made: string | undefined;
      return {
        liveEvents: {
          ...named('LiveEventItem'),
          // Signed when it is first read, and then once for all who follow.
          get cursor() {
            made ??= toCursor(at);
            return made;
          },
          event: entry.item.node,
        } satisfies LiveEventItem,
      };
    },
    gap: (after, before, reason) => ({
      liveEvents: {
        ...named('LiveGap'),
        after: toCursor(after),
        before: before && toCursor({ place: before, from: before }),
        reason,
      } satisfies LiveGap,
    }),
    missed: (count, resumeAfter) => ({
      liveEvents: { ...named('LiveMissed'), count, resumeAfter: toCursor(resumeAfter) } satisfies LiveMissed,
    }),
  };
}

/** Tells the types of a union apart. */
const named = (name: string) => ({ __typename: name });
