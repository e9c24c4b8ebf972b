import type { NetworkProfile } from '../config/network-profile.ts';
import type { EventsClient } from './events-client.ts';
import { type EventSources, type Source, toTimestampMs } from './source.ts';
import { toEventFilterWire } from './to-event-filter-wire.ts';
import { toTransactionFilterWire } from './to-transaction-filter-wire.ts';
import type { EventIdWire, EventWire, FilterWire, TransactionOptionsWire, TransactionWire } from './wire.ts';

/** Requested only if `raw` is selected: these parts cost the node more than the transaction itself. */
const wholeTransaction: TransactionOptionsWire = {
  showInput: true,
  showEffects: true,
  showEvents: true,
  showObjectChanges: true,
  showBalanceChanges: true,
};

/** Events and transactions from the ledger's JSON-RPC. */
export function createRpcSources(client: EventsClient, { events }: Pick<NetworkProfile, 'events'>): EventSources {
  return {
    events(filter) {
      const { wire, identity } = toEventFilterWire(filter, events);
      return { identity, source: createEventSource(client, wire) };
    },
    transactions(filter, isWhole) {
      const { wire, identity } = toTransactionFilterWire(filter);
      return { identity, source: createTransactionSource(client, wire, isWhole ? wholeTransaction : {}) };
    },
  };
}

/** The events that match a filter. */
export function createEventSource(client: EventsClient, filter: FilterWire): Source<EventWire> {
  const toPosition = ({ txDigest, eventSeq }: EventIdWire) => ({ digest: txDigest, eventSeq, timestampMs: null });
  return {
    positionOf: ({ id, timestampMs }) => ({ ...toPosition(id), timestampMs: toTimestampMs(timestampMs) }),
    async readPage({ after, ...request }) {
      const cursor = after && { txDigest: after.digest, eventSeq: after.eventSeq ?? '0' };
      const { data, nextCursor, hasNextPage } = await client.queryEvents({
        ...request,
        filter,
        cursor,
        cursorMs: after?.timestampMs ?? null,
      });
      return { items: data, next: nextCursor && toPosition(nextCursor), hasMore: hasNextPage };
    },
  };
}

/**
 * The transactions that match a filter.
 * @param options the parts of each that the node adds
 */
function createTransactionSource(
  client: EventsClient,
  filter: FilterWire | null,
  options: TransactionOptionsWire,
): Source<TransactionWire> {
  const toPosition = (digest: string) => ({ digest, eventSeq: null, timestampMs: null });
  return {
    positionOf: ({ digest, timestampMs }) => ({ ...toPosition(digest), timestampMs: toTimestampMs(timestampMs) }),
    async readPage({ after, ...request }) {
      const page = await client.queryTransactionBlocks({
        ...request,
        filter,
        options,
        cursor: after?.digest ?? null,
        cursorMs: after?.timestampMs ?? null,
      });
      const next = page.nextCursor === null ? null : toPosition(page.nextCursor);
      return { items: page.data, next, hasMore: page.hasNextPage };
    },
  };
}
