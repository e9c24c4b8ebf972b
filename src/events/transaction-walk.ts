import type { Cancellation } from '../upstream/cancellation.ts';
import type { EventsClient } from './events-client.ts';
import { type Position, toTimestampMs } from './position.ts';
import type { Walk } from './read-page.ts';
import type { FilterWire, TransactionOptionsWire, TransactionWire } from './wire.ts';

/** Which transactions to walk over, and which parts of each the node should add. */
export interface TransactionsAsked {
  readonly filter: FilterWire | null;
  readonly options: TransactionOptionsWire;
}

/** A walk over the transactions that match a filter. */
export function createTransactionWalk(
  client: EventsClient,
  asked: TransactionsAsked,
  cancellation: Cancellation | undefined,
): Walk<TransactionWire> {
  return {
    positionOf: ({ digest, timestampMs }) => ({ ...toPosition(digest), timestampMs: toTimestampMs(timestampMs) }),
    step: async (position, limit, descending) => {
      const cursor = position?.digest ?? null;
      const page = await client.queryTransactionBlocks({ ...asked, cursor, limit, descending, cancellation });
      return {
        items: page.data,
        next: page.nextCursor ? toPosition(page.nextCursor) : null,
        hasMore: page.hasNextPage,
      };
    },
  };
}

function toPosition(digest: string): Position {
  return { digest, eventSeq: null, timestampMs: null };
}
