import type { GraphQLResolveInfo } from 'graphql';
import type { Config } from '../config/config.ts';
import type { NetworkProfile } from '../config/network-profile.ts';
import type { EventQueryFilter, EventStreamFilter, TransactionStreamFilter } from '../generated/own.ts';
import { measureHeap } from '../json/json-size.ts';
import { isDigest } from '../ledger/values/check-argument.ts';
import type { Clock } from '../live/clock.ts';
import type { JoinFleet } from '../live/feed.ts';
import type { ItemText } from '../live/fleet/entry-text.ts';
import type { Fleet } from '../live/fleet/fleet.ts';
import { HistoryCalls } from '../live/history.ts';
import { createLiveHub, type LiveHub, type LiveQuery, type OpenLiveStream } from '../live/live-hub.ts';
import type { ItemPosition } from '../live/live-source.ts';
import type { StallReport } from '../live/progress.ts';
import type { StreamQuota } from '../live/stream-quota.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Turns } from '../upstream/fair-turns.ts';
import { type LiveShares, type StreamSlot, toQuotaGroups } from '../upstream/operation-context.ts';
import { createEvenShares, Quota } from '../upstream/quota.ts';
import { type EventsSource, liveReaderCapability } from './capabilities.ts';
import { countTests, equalQueries, matchesTree, parseEventStreamFilter, pushDown } from './event-filter.ts';
import type { EventWatches } from './event-watches.ts';
import { selectsField } from './events-resolvers.ts';
import { soleMember } from './filter-wire.ts';
import {
  createLiveSource,
  createPresenter,
  createTransactionText,
  eventText,
  type LiveEvent,
  type LiveRoot,
  type LiveTransaction,
  type PresenterOptions,
  toLiveEvent,
  toLiveTransaction,
} from './live-items.ts';
import { type CursorKeys, createLiveCursors, isEventKey, type LiveCursorScope } from './signed-cursor.ts';
import type { EventSources } from './source.ts';
import type { ReadTransactionKeys } from './transaction-keys.ts';
import type { TransactionWire } from './wire.ts';

export interface LiveEventsOptions {
  readonly config: Pick<Config, 'settings' | 'profile'>;
  readonly streamQuota: StreamQuota;
  readonly watches: Pick<EventWatches, 'ofEvents' | 'ofTransactions'>;
  readonly sources: () => EventSources;
  /** The node's names of the filters that queries support now; `null` = not supported. */
  readonly filters: () => NetworkProfile['events']['filters'];
  readonly cursorKeys: CursorKeys;
  readonly fleet: Pick<Fleet, 'join'> | null;
  /** Addresses of the upstream that is read; none if it is not configured. */
  readonly addresses: readonly string[];
  readonly source: EventsSource;
  /** Called at most once a minute for each fault. @param fault describes the fault of a page that was accepted */
  readonly onFaultyPageAccepted: (fault: string) => void;
  readonly metrics: Pick<Metrics, 'gauge' | 'add' | 'liveLag'>;
  readonly now: () => number;
  readonly clock: Clock;
  readonly turns: Turns;
  readonly onStall: (report: StallReport) => void;
}

/** The part of an operation's context that a stream needs. */
interface Subscriber {
  readonly caller: { readonly rate: { readonly key: string }; readonly live?: LiveShares | undefined };
  readonly streamSlot?: StreamSlot | undefined;
}

interface StreamArguments<Filter> {
  readonly filter?: Filter | null | undefined;
  readonly after?: string | null | undefined;
}

/**
 * A position is lost if the node does not know it for this many milliseconds: by then, all nodes behind the address have it.
 */
const lostAfterMs = 10_000;
/**
 * Milliseconds for which a reader without subscribers waits for clients to reconnect. A new reader would treat late events as
 * known.
 */
const graceMs = 5_000;
/** Minimum replay buffer of a reader: without it, no stream could change from history to live events. */
const minReplayBytes = 8 * 1024;
/** Limits on calls that read history, for all streams of the process. A page has 50 items. */
const historyBounds = { maxAtOnce: 4, maxPerSecond: 50 };
/** Cached payloads of all streams: a few kilobytes each, besides their items. */
const maxPayloads = 4_096;
/** Each event is tested against each filter, so a filter with many tests counts as several streams. */
const testsPerStream = 10;
/** Processes with different format numbers do not share a reader, so no process gets entries that it cannot parse. */
const entryFormat = 5;

/** `liveEvents` and `liveTransactions` over the queries of a node. */
export function createLiveEvents(options: LiveEventsOptions) {
  const { streamQuota, watches, sources, cursorKeys, metrics, now, clock, turns } = options;
  const { settings } = options.config;
  const readerQuota = new Quota({
    max: settings.LIVE_MAX_READERS,
    maxPerCaller: settings.LIVE_MAX_READERS_PER_CALLER,
  });
  const onMissed = (count: number) => metrics.add('ledger_gateway_live_missed_total', count);
  // Events and transactions share limits, but not readers.
  const shared = {
    pace: {
      minMs: Math.min(settings.LIVE_POLL_MIN_MS, settings.LIVE_POLL_MAX_MS),
      maxMs: settings.LIVE_POLL_MAX_MS,
    },
    clock,
    budget: createEvenShares({ total: settings.LIVE_REPLAY_BYTES, least: minReplayBytes }),
    made: createEvenShares({ total: maxPayloads, least: 2 }),
    turns,
    streamQuota,
    readerQuota,
    historyCalls: new HistoryCalls({ clock, turns, ...historyBounds }),
    lostAfterMs,
    graceMs,
    onFaultyPageAccepted: options.onFaultyPageAccepted,
    onUnreadable: () => onMissed(1),
    onStall: options.onStall,
    onItem: ({ timestampMs }: ItemPosition) => {
      if (timestampMs !== null) metrics.liveLag(now() - timestampMs);
    },
  };
  const events = createLiveHub<LiveEvent, LiveRoot>({ ...shared, join: joinFor(options, 'events', eventText) });
  const keysOf: ReadTransactionKeys = (transaction) => {
    try {
      return sources().keysOf(transaction);
    } catch {
      // No filter can be decided.
      onMissed(1);
      return new Set();
    }
  };
  const transactions = createLiveHub<LiveTransaction, LiveRoot>({
    ...shared,
    join: joinFor(options, 'transactions', createTransactionText(keysOf)),
  });

  metrics.gauge('ledger_gateway_live_readers', () => events.readers + transactions.readers);
  metrics.gauge('ledger_gateway_live_replay_bytes', () => events.replayBytes + transactions.replayBytes);

  const eventQuery = (filter: EventQueryFilter): LiveQuery<LiveEvent> => {
    const { identity, source } = sources().events(filter);
    return { query: identity, source: () => createLiveSource(source, toLiveEvent, watches.ofEvents(filter)) };
  };

  const transactionQuery = (filter: TransactionStreamFilter | null, isWhole: boolean) => {
    const { identity, source } = sources().transactions(filter, isWhole);
    const toLive = (node: TransactionWire) => ({
      item: toLiveTransaction(node, filter ? null : keysOf),
      // Its keys are about as long as its parts.
      bytes: (isWhole && !filter ? 2 : 1) * measureHeap(node.raw),
    });
    const query: LiveQuery<LiveTransaction> = {
      query: `${isWhole ? 'whole' : 'brief'} ${identity}`,
      source: () => createLiveSource(source, toLive, watches.ofTransactions(filter)),
    };
    return { ...query, identity };
  };

  type Opening<Item> = Omit<PresenterOptions<Item>, 'onMissed'> &
    Omit<LiveCursorScope, 'field'> &
    Pick<OpenLiveStream<Item, LiveRoot>, 'query' | 'source' | 'everything' | 'weight'>;

  function open<Item>(
    hub: LiveHub<Item, LiveRoot>,
    { field, itemType, toItem, matches, filter, isKey, queries, ...query }: Opening<Item>,
    after: string | null | undefined,
    { caller, streamSlot }: Subscriber,
  ) {
    const cursors = createLiveCursors({ field, filter, isKey, queries }, cursorKeys);
    return hub.open({
      ...query,
      filter,
      presenter: () => createPresenter({ field, itemType, toItem, matches, onMissed }, cursors.toCursor),
      after: cursors.toBeginning(after, streamSlot),
      caller: caller.rate.key,
      groups: caller.live && toQuotaGroups(caller.live),
      onQuiet: streamSlot && tellQuiet(streamSlot),
    });
  }

  const liveEvents = {
    subscribe(_: unknown, { filter, after }: StreamArguments<EventStreamFilter>, subscriber: Subscriber) {
      const tree = parseEventStreamFilter(filter);
      const filters = options.filters();
      const opening: Opening<LiveEvent> = {
        field: 'liveEvents',
        itemType: 'LiveEventItem',
        toItem: ({ item }) => ({ event: item.node }),
        matches: ({ facts }) => matchesTree(tree, facts),
        filter: tree.key,
        isKey: isEventKey,
        queries: equalQueries(tree)
          .filter((query) => filters[soleMember(query)] !== null)
          .map((query) => ({ field: 'queryEvents', identity: sources().events(query).identity })),
        ...eventQuery(pushDown(tree, filters)),
        everything: filters.all === null ? null : eventQuery({ all: true }),
        weight: Math.max(1, Math.ceil(countTests(tree) / testsPerStream)),
      };
      return open(events, opening, after, subscriber);
    },
  };

  const liveTransactions = {
    subscribe(
      _: unknown,
      { filter = null, after }: StreamArguments<TransactionStreamFilter>,
      subscriber: Subscriber,
      info: GraphQLResolveInfo,
    ) {
      const own = transactionQuery(filter, selectsField(info, ['transaction', 'raw']));
      const { identity } = own;
      const opening: Opening<LiveTransaction> = {
        field: 'liveTransactions',
        itemType: 'LiveTransactionItem',
        toItem: ({ item }) => ({ transaction: item.node }),
        matches: ({ keys }) => !filter || keys === null || keys().has(identity),
        filter: identity,
        isKey: isDigest,
        queries: [{ field: 'queryTransactionBlocks', identity }],
        ...own,
        everything: filter ? transactionQuery(null, true) : own,
        weight: 1,
      };
      return open(transactions, opening, after, subscriber);
    },
  };

  return {
    resolvers: { Subscription: { liveEvents, liveTransactions } },
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

/** A function outside of `open`, whose variables it would keep. */
function tellQuiet(slot: StreamSlot): OpenLiveStream<unknown, unknown>['onQuiet'] {
  return (at, toCursor) => slot.quietAt(() => toCursor(at));
}

/**
 * All processes with the same node address, profile and filter share one reader. Requests to nodes contain no data about
 * callers, so all callers may share the results.
 */
function joinFor<Item>(
  { fleet, addresses, source, config: { profile } }: LiveEventsOptions,
  kind: 'events' | 'transactions',
  itemText: ItemText<Item>,
): ((query: string) => JoinFleet<Item>) | undefined {
  if (!fleet || addresses.length === 0) return undefined;
  const nodes = addresses.map((address) => {
    const { origin, pathname, search } = new URL(address);
    return origin + pathname + search;
  });
  const { methods, timeRange } = profile.events;
  const scope = [entryFormat, kind, source, profile.name, nodes.join(), methods, timeRange];
  return (query) => fleet.join(JSON.stringify([...scope, query]), itemText);
}
