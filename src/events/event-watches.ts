import type { Config } from '../config/config.ts';
import type { NetworkProfile } from '../config/network-profile.ts';
import type { EventQueryFilter, TransactionStreamFilter } from '../generated/own.ts';
import type { LedgerPush } from '../ledger/ledger-streams.ts';
import { toCanonicalAddress } from '../ledger/values/move-types.ts';
import type { Listen, WatchAttempt } from '../live/live-source.ts';
import type { Telemetry } from '../telemetry/events.ts';
import { createRpcSocket } from '../upstream/sockets/rpc-socket.ts';
import type { SocketAddresses } from '../upstream/sockets/shared-connection.ts';
import { toEventFilterWire, toTransactionFilterWire } from './filter-wire.ts';
import type { FilterWire } from './wire.ts';

/** Subscribes to announcements of news for a query; `undefined` = there are none. */
export interface EventWatches {
  ofEvents(query: EventQueryFilter): Listen | undefined;
  ofTransactions(filter: TransactionStreamFilter | null): Listen | undefined;
  close(): void;
}

interface EventWatchesOptions {
  readonly source: Config['settings']['LIVE_SOURCE'];
  readonly profile: NetworkProfile;
  readonly push: LedgerPush;
  /** Where JSON-RPC subscriptions are opened; `null` = nowhere. */
  readonly rpcSockets: SocketAddresses | null;
  readonly telemetry: Pick<Telemetry, 'subscriptionsChanged'>;
}

export function createEventWatches(options: EventWatchesOptions): EventWatches {
  const { source, profile, telemetry } = options;
  const reported =
    (listen: Listen): Listen =>
    (attempt) =>
      listen(reportLosses(attempt, telemetry));
  if (source === 'websocket' && options.rpcSockets !== null) {
    return overRpc(options.rpcSockets, profile.events, reported);
  }
  const isGraphql = source === 'auto' || source === 'graphql';
  const over = (pushed: PushedFilter) =>
    isGraphql ? reported(createListen(pushed, options.push, source === 'graphql')) : undefined;
  return {
    ofEvents: (query) => over(toPushedEvents(query, profile.subscriptions)),
    ofTransactions: (filter) => over(toPushedTransactions(filter, profile.subscriptions)),
    close() {},
  };
}

/** A rejected subscription is not a loss: the upstream does not offer it. */
function reportLosses(attempt: WatchAttempt, telemetry: EventWatchesOptions['telemetry']): WatchAttempt {
  return {
    news: attempt.news,
    up() {
      telemetry.subscriptionsChanged(true);
      attempt.up();
    },
    down(isRefused) {
      if (!isRefused) telemetry.subscriptionsChanged(false);
      attempt.down(isRefused);
    },
  };
}

/** Looks up what the ledger offers at each attempt: its schema may have changed. */
function createListen({ field, filter }: PushedFilter, push: LedgerPush, mayBeWider: boolean): Listen {
  return (attempt) => {
    const isExact = filter !== 'inexpressible' && push.offers(field, filter?.member ?? null);
    if (!isExact && !(mayBeWider && push.offers(field, null))) {
      queueMicrotask(() => attempt.down(true));
      return () => {};
    }
    const member = isExact && filter ? `(filter:{${filter.member}:${JSON.stringify(filter.value)}})` : '';
    // The message is only a signal: its content is read by the poll.
    return push.listen(`subscription{${field}${member}{__typename}}`, attempt);
  };
}

/** The bound of nodes, per connection and for all connections of a client. */
const maxSubscriptions = 100;

function overRpc(
  addresses: SocketAddresses,
  profile: NetworkProfile['events'],
  reported: (listen: Listen) => Listen,
): EventWatches {
  const { methods } = profile;
  // Messages are only a signal, so few of them are enough.
  const socket = createRpcSocket({ ...addresses, maxSubscriptions, socket: { maxMessagesPerSecond: 2_000 } });
  const over = (subscribe: string, unsubscribe: string, wire: FilterWire) =>
    reported((attempt) =>
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
    ofEvents: (query) =>
      over(methods.subscribeEvent, methods.unsubscribeEvent, toSubscribed(toEventFilterWire(query, profile).wire)),
    ofTransactions(filter) {
      const { wire } = toTransactionFilterWire(filter);
      // Nodes have no subscription to all transactions.
      return wire ? over(methods.subscribeTransaction, methods.unsubscribeTransaction, wire) : undefined;
    },
    close: () => socket.close(),
  };
}

/** In subscriptions, every network calls the filter by event type `MoveEventType`. */
function toSubscribed(wire: FilterWire): FilterWire {
  return typeof wire.EventType === 'string' ? { MoveEventType: wire.EventType } : wire;
}

/** A root field of the ledger's `Subscription`, and its argument `filter`. */
interface PushedFilter {
  readonly field: string;
  /** `null` = none: the query is for all items. */
  readonly filter: { readonly member: string; readonly value: string } | null | 'inexpressible';
}

type Names = NetworkProfile['subscriptions'];

function toPushedEvents({ all, moveModule }: EventQueryFilter, { events }: Names): PushedFilter {
  const { field } = events;
  if (all) return { field, filter: null };
  if (!moveModule) return { field, filter: 'inexpressible' };
  return { field, filter: { member: events.moveModule, value: `${moveModule.package}::${moveModule.module}` } };
}

function toPushedTransactions(given: TransactionStreamFilter | null, { transactions }: Names): PushedFilter {
  const { field } = transactions;
  if (!given) return { field, filter: null };
  const { fromAddress, moveFunction } = given;
  if (fromAddress) return { field, filter: { member: transactions.fromAddress, value: toWhole(fromAddress) } };
  if (!moveFunction) return { field, filter: 'inexpressible' };
  const names = [toWhole(moveFunction.package), moveFunction.module, moveFunction.function];
  return {
    field,
    filter: { member: transactions.moveFunction, value: names.filter((name) => name != null).join('::') },
  };
}

/** With all 32 bytes. The argument was checked before. */
function toWhole(address: string): string {
  return toCanonicalAddress(address) ?? address;
}
