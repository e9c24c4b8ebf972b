import type { Config } from '../config/config.ts';
import { systemClock } from '../live/clock.ts';
import type { JoinFleet } from '../live/feed.ts';
import type { ItemText } from '../live/fleet/entry-text.ts';
import type { Fleet } from '../live/fleet/fleet.ts';
import { CallQueue } from '../live/history.ts';
import { createLiveHub } from '../live/live-hub.ts';
import type { StallReport } from '../live/progress.ts';
import { createQuota, createShares, type StreamQuota } from '../live/quota.ts';
import { Turns } from '../live/turns.ts';
import type { CursorKeys } from './cursors/cursor-keys.ts';
import type { EventsClient } from './events-client.ts';
import { toEventNode, wholeTransaction } from './events-resolvers.ts';
import type { LiveEventEntry } from './feed/event-source.ts';
import type { EventWatches } from './feed/event-watches.ts';
import { eventText, transactionText } from './feed/item-text.ts';
import { createLiveEventResolvers } from './feed/live-event-resolvers.ts';
import { createLiveTransactionResolvers } from './feed/live-transaction-resolvers.ts';
import type { LiveRoot } from './feed/present.ts';
import type { NodeTransaction } from './feed/transaction-source.ts';
import { liveReaderCapability } from './live-reader-capability.ts';
import { selectsField } from './selects-field.ts';
import { toEventFilterWire } from './to-event-filter-wire.ts';
import { toTransactionFilterWire } from './to-transaction-filter-wire.ts';

export interface OpenLiveEventsOptions {
  readonly config: Pick<Config, 'live' | 'profile'>;
  readonly places: StreamQuota;
  readonly watches: Pick<EventWatches, 'ofEvents' | 'ofTransactions'>;
  /** @throws `NOT_CONFIGURED` where there is no events upstream */
  readonly client: () => EventsClient;
  readonly cursorKeys: CursorKeys;
  readonly fleet: Pick<Fleet, 'join'> | null;
  /** Of the events upstream; `null` where it is not configured. */
  readonly address: string | null;
  /** Once a minute for each fault. @param fault in words, of a page that was taken nevertheless */
  readonly onPageTaken: (fault: string) => void;
  readonly onStall: (report: StallReport) => void;
}

/** A place that is unknown for so long is taken for gone: other nodes behind the same address have had the time to hear of it. */
const lostAfterMs = 10_000;
/**
 * Clients reconnect within this time. The reader that goes on meanwhile finds the events that the node shows late; a new one
 * would take those for told.
 */
const graceMs = 5_000;

/** However many readers there are, each keeps so much: else no stream could go over from history to what is live. */
const leastReplayBytes = 8 * 1024;
/** Of calls that read what was before a stream, for all streams of the process. Its pages have 50 items. */
const historyBounds = { maxAtOnce: 4, maxPerSecond: 50 };
/** Items as they are told, of all streams: some kilobytes each beside what is told. */
const mostMade = 4_096;

/** Live streams over the queries of a node. */
export function openLiveEvents(options: OpenLiveEventsOptions) {
  const { places, watches, client, cursorKeys } = options;
  const { live, profile } = options.config;
  const readerQuota = createQuota({ max: live.maxReaders, maxPerCaller: live.maxReadersPerCaller });
  // Of both kinds together: they share the bounds, not the readers.
  const shared = {
    pace: { minMs: live.pollMinMs, maxMs: live.pollMaxMs },
    clock: systemClock,
    budget: createShares({ total: live.replayBytes, least: leastReplayBytes }),
    made: createShares({ total: mostMade, least: 2 }),
    turns: new Turns(),
    streamQuota: places,
    readerQuota,
    historyCalls: new CallQueue({ clock: systemClock, ...historyBounds }),
    lostAfterMs,
    graceMs,
    onPageTaken: options.onPageTaken,
    onStall: options.onStall,
  };
  const events = createLiveHub<LiveEventEntry, LiveRoot>({ ...shared, join: joinFor(options, 'events', eventText) });
  const transactions = createLiveHub<NodeTransaction, LiveRoot>({
    ...shared,
    join: joinFor(options, 'transactions', transactionText),
  });
  const Subscription = {
    ...createLiveEventResolvers({
      hub: events,
      filters: profile.events.filters,
      cursorKeys,
      toNode: toEventNode,
      toQuery: (given) => {
        const { queryEvents } = client();
        const { wire: filter, identity } = toEventFilterWire(given, profile.events);
        return {
          identity,
          ask: (request) => queryEvents({ ...request, filter }),
          watch: watches.ofEvents(given, filter),
        };
      },
    }),
    ...createLiveTransactionResolvers({
      hub: transactions,
      cursorKeys,
      selects: selectsField,
      toQuery: (given, isWhole) => {
        const { queryTransactionBlocks } = client();
        const { wire: filter, identity } = toTransactionFilterWire(given);
        const options = isWhole ? wholeTransaction : {};
        return {
          identity,
          ask: (request) => queryTransactionBlocks({ ...request, filter, options }),
          watch: watches.ofTransactions(given, filter),
        };
      },
    }),
  };
  return {
    resolvers: { Subscription },
    capability: (caller: string) => liveReaderCapability(readerQuota.boundOf(caller)),
    stop() {
      events.stop();
      transactions.stop();
    },
    close() {
      events.close();
      transactions.close();
    },
  };
}

/** What entries look like; another number is another reader, so that none meets entries that it cannot read. */
const entryFormat = 2;

/**
 * One reader for all processes that ask the same node in the same way. Nodes are asked without anything of a caller, so what
 * one caller's stream has read may be told to any other.
 */
function joinFor<Item>(
  { fleet, address, config: { profile } }: OpenLiveEventsOptions,
  kind: 'events' | 'transactions',
  itemText: ItemText<Item>,
): ((query: string) => JoinFleet<Item>) | undefined {
  if (!fleet || address === null) return undefined;
  const { origin, pathname, search } = new URL(address);
  const { methods, timeRange } = profile.events;
  const scope = [entryFormat, kind, profile.name, origin + pathname + search, methods, timeRange];
  return (query) => fleet.join(JSON.stringify([...scope, query]), itemText);
}
