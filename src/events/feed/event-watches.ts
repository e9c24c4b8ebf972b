import type { Config } from '../../config/config.ts';
import type { NetworkProfile } from '../../config/network-profile.ts';
import type { EventQueryFilter, TransactionStreamFilter } from '../../generated/own.ts';
import type { LedgerPush } from '../../ledger/ledger-push.ts';
import type { Clock } from '../../live/clock.ts';
import type { LiveSource } from '../../live/live-source.ts';
import { keepWatch, type Listen } from '../../live/watch.ts';
import { createRpcSocket } from '../../upstream/sockets/rpc-socket.ts';
import { type PushedFilter, toPushedEvents, toPushedTransactions } from './pushed-filter.ts';

type WatchSource = LiveSource<unknown>['watch'];
/** An externally tagged filter, for example `{ Sender: '0x2' }`. */
type FilterWire = Readonly<Record<string, unknown>>;

/** Finds who tells when it is worth asking a query again; `undefined` = nobody. */
export interface EventWatches {
  /** @param wire the query as nodes know it */
  ofEvents(query: EventQueryFilter, wire: FilterWire): WatchSource;
  ofTransactions(filter: TransactionStreamFilter | null, wire: FilterWire | null): WatchSource;
  close(): void;
}

export interface EventWatchesOptions {
  readonly source: Config['live']['source'];
  readonly profile: NetworkProfile;
  readonly push: LedgerPush;
  /** Where nodes take JSON-RPC subscriptions; `null` = nowhere. */
  readonly rpcSocketUrl: string | null;
  readonly clock: Clock;
}

export function createEventWatches(options: EventWatchesOptions): EventWatches {
  const { source, profile, clock } = options;
  const watching =
    (listen: Listen): WatchSource =>
    (listener) =>
      keepWatch(listen, listener, clock);
  if (source === 'websocket' && options.rpcSocketUrl !== null) {
    return overRpc(options.rpcSocketUrl, profile.events.methods, watching);
  }
  const isGraphql = source === 'auto' || source === 'graphql';
  const over = (pushed: PushedFilter) =>
    isGraphql ? watching(createListen(pushed, options.push, source === 'graphql')) : undefined;
  return {
    ofEvents: (query) => over(toPushedEvents(query, profile.subscriptions)),
    ofTransactions: (filter) => over(toPushedTransactions(filter, profile.subscriptions)),
    close() {},
  };
}

/** What the ledger offers is looked at anew each time: its schema may be another by then. */
function createListen({ field, filter }: PushedFilter, push: LedgerPush, mayBeWider: boolean): Listen {
  return (attempt) => {
    const isExact = filter !== 'inexpressible' && push.offers(field, filter?.member ?? null);
    if (!isExact && !(mayBeWider && push.offers(field, null))) {
      queueMicrotask(() => attempt.down(true));
      return () => {};
    }
    const member = isExact && filter ? `(filter:{${filter.member}:${JSON.stringify(filter.value)}})` : '';
    // What happened is asked for elsewhere; that it did is enough.
    return push.listen(`subscription{${field}${member}{__typename}}`, attempt);
  };
}

/** The bound of nodes, per connection and for all connections of a client. */
const maxSubscriptions = 100;

function overRpc(
  url: string,
  methods: NetworkProfile['events']['methods'],
  watching: (listen: Listen) => WatchSource,
): EventWatches {
  // Messages are only a signal, so few of them are enough.
  const socket = createRpcSocket({ url, maxSubscriptions, socket: { maxMessagesPerSecond: 2_000 } });
  const over = (subscribe: string, unsubscribe: string, wire: FilterWire) =>
    watching((attempt) =>
      socket.subscribe(
        { subscribe, unsubscribe, params: [wire] },
        {
          up: () => attempt.up(),
          news: () => attempt.news(),
          refused: () => attempt.down(true),
          lost: () => attempt.down(false),
        },
      ),
    );
  return {
    ofEvents: (_, wire) => over(methods.subscribeEvent, methods.unsubscribeEvent, toSubscribed(wire)),
    // Nodes take no subscription to everything.
    ofTransactions: (_, wire) =>
      wire ? over(methods.subscribeTransaction, methods.unsubscribeTransaction, wire) : undefined,
    close: () => socket.close(),
  };
}

/** Subscriptions know a type of events by one name on every network. */
function toSubscribed(wire: FilterWire): FilterWire {
  return typeof wire.EventType === 'string' ? { MoveEventType: wire.EventType } : wire;
}
