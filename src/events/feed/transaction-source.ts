import { itemsPerCall } from '../../config/event-calls.ts';
import { measureHeap } from '../../json/measure-heap.ts';
import type { LiveEntry, LiveSource, Place } from '../../live/live-source.ts';
import type { Cancellation } from '../../upstream/cancellation.ts';
import { asPlaceLost, findCursorWithin } from './event-source.ts';

/** A transaction as a node tells it. */
export interface NodeTransaction {
  readonly digest: string;
  readonly timestampMs: string | null;
  readonly checkpoint: string | null;
  /** The node's whole answer. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Asks a node for one page of the transactions of one query. Rejects with errors of the catalogue. */
export type AskForTransactions = (request: {
  /** Digest, exclusive; `null` = from the oldest, or from the newest if `descending`. */
  readonly cursor: string | null;
  readonly limit: number;
  readonly descending: boolean;
  readonly cancellation: Cancellation;
}) => Promise<{
  readonly data: readonly NodeTransaction[];
  readonly nextCursor: string | null;
  /** `null` if the node does not say. */
  readonly hasNextPage: boolean | null;
}>;

/** The transactions of one query, as its pages tell them. */
export function createTransactionSource(
  ask: AskForTransactions,
  watch?: LiveSource<NodeTransaction>['watch'],
): LiveSource<NodeTransaction> {
  return {
    async after(place, cancellation) {
      const request = { cursor: place?.key ?? null, limit: itemsPerCall, descending: false, cancellation };
      const { data, nextCursor, hasNextPage } = await ask(request).catch(asPlaceLost);
      const misplaced = findCursorWithin(data.map(toPlace), nextCursor);
      return { entries: data.map(toEntry), hasMore: hasNextPage ?? data.length >= itemsPerCall, misplaced };
    },
    async newest(count, cancellation) {
      const request = { cursor: null, limit: count, descending: true, cancellation };
      const { data, nextCursor, hasNextPage } = await ask(request);
      const entries = data.slice(0, count).map(toPlace);
      const misplaced = findCursorWithin(data.map(toPlace), nextCursor);
      return { entries, hasMore: hasNextPage ?? entries.length >= count, misplaced };
    },
    watch,
  };
}

function toPlace({ digest, timestampMs }: NodeTransaction): Place {
  const time = timestampMs === null ? Number.NaN : Number(timestampMs);
  return { key: digest, timestampMs: Number.isSafeInteger(time) ? time : null };
}

function toEntry(item: NodeTransaction): LiveEntry<NodeTransaction> {
  return { ...toPlace(item), item, bytes: measureHeap(item.raw) };
}
