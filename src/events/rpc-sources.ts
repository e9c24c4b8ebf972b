import type { EventsClient } from './events-client.ts';
import { type Source, toTimestampMs } from './source.ts';
import type { EventIdWire, EventWire, FilterWire, TransactionOptionsWire, TransactionWire } from './wire.ts';

/** Requested only when `raw` is selected: these parts cost the node more than the transaction itself. */
export const wholeTransaction: TransactionOptionsWire = {
  showInput: true,
  showEffects: true,
  showEvents: true,
  showObjectChanges: true,
  showBalanceChanges: true,
};

/** The events that match a filter, by JSON-RPC. */
export function createEventSource(client: EventsClient, filter: FilterWire): Source<EventWire> {
  const toPosition = ({ txDigest, eventSeq }: EventIdWire) => ({ digest: txDigest, eventSeq, timestampMs: null });
  return {
    positionOf: ({ id, timestampMs }) => ({ ...toPosition(id), timestampMs: toTimestampMs(timestampMs) }),
    async readPage({ after, ...request }) {
      const cursor = after && { txDigest: after.digest, eventSeq: after.eventSeq ?? '0' };
      const { data, nextCursor, hasNextPage } = await client.queryEvents({ ...request, filter, cursor });
      return { items: data, next: nextCursor && toPosition(nextCursor), hasMore: hasNextPage };
    },
  };
}

/** The transactions that match a filter, by JSON-RPC. @param options the parts of each that the node adds */
export function createTransactionSource(
  client: EventsClient,
  filter: FilterWire | null,
  options: TransactionOptionsWire,
): Source<TransactionWire> {
  const toPosition = (digest: string) => ({ digest, eventSeq: null, timestampMs: null });
  return {
    positionOf: ({ digest, timestampMs }) => ({ ...toPosition(digest), timestampMs: toTimestampMs(timestampMs) }),
    async readPage({ after, ...request }) {
      const page = await client.queryTransactionBlocks({ ...request, filter, options, cursor: after?.digest ?? null });
      const next = page.nextCursor === null ? null : toPosition(page.nextCursor);
      return { items: page.data, next, hasMore: page.hasNextPage };
    },
  };
}
