import type { EventQueryFilter, TransactionQueryFilter } from '../generated/own.ts';
import type { ItemPosition } from '../live/live-source.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import type { ReadTransactionKeys } from './transaction-keys.ts';
import type { EventIdWire, EventWire, TransactionWire } from './wire.ts';

/**
 * One query of the ledger for events or for transactions: everything that pages and live streams need of an upstream. Another
 * upstream with the same items implements this.
 */
export interface Source<Item> {
  /** One upstream call. Rejects with errors of the catalogue: `STALE_CURSOR` if the upstream does not know `after`. */
  readPage(request: SourcePageRequest): Promise<SourcePage<Item>>;
  positionOf(item: Item): ItemPosition;
}

export interface SourcePageRequest {
  /** Exclusive; `null` starts at the newest item if `descending`, else at the oldest. */
  readonly after: ItemPosition | null;
  /** Maximum items of the page, 1 to 50. */
  readonly limit: number;
  readonly descending: boolean;
  readonly cancellation: Cancellation | undefined;
  /** A position that the ledger which answers must have. Left out or `null`: that of `after`. */
  readonly upTo?: ItemPosition | null | undefined;
}

export interface SourcePage<Item> {
  readonly items: readonly Item[];
  /** Position to continue after, beyond the items if none follow up to there; some upstreams return `null` although there is more. */
  readonly next: ItemPosition | null;
  /** `null` if the upstream does not report it; then only an empty page means the end. */
  readonly hasMore: boolean | null;
  /**
   * How many of the items precede each item of an unknown form. Left out: there is none, since a source that is not live rejects
   * its page.
   */
  readonly unreadableAt?: readonly number[] | undefined;
}

/** A query, and the text that cursors are bound to: the same for every way of writing the same filter. */
export interface Query<Item> {
  readonly identity: string;
  readonly source: Source<Item>;
}

/** The sources of events and transactions. Both throw `BAD_USER_INPUT` for a filter that the upstream cannot express. */
export interface EventSources {
  events(filter: EventQueryFilter | null | undefined): Query<EventWire>;
  /** @param isWhole whether `raw` must be complete */
  transactions(filter: TransactionQueryFilter | null | undefined, isWhole: boolean): Query<TransactionWire>;
  /** For complete transactions. */
  readonly keysOf: ReadTransactionKeys;
}

export function positionOfEvent({ id, timestampMs, mark }: EventWire): ItemPosition {
  return { key: toItemKey(id), timestampMs: toTimestampMs(timestampMs), mark };
}

export function positionOfTransaction({ digest, timestampMs, mark }: TransactionWire): ItemPosition {
  return { key: digest, timestampMs: toTimestampMs(timestampMs), mark };
}

/** Two items have the same key only if they are the same. @param id `eventSeq` is `null` for a transaction */
export function toItemKey({ txDigest, eventSeq }: ReturnType<typeof readItemKey>): string {
  return eventSeq === null ? txDigest : `${txDigest}:${eventSeq}`;
}

export function readItemKey(key: string): Pick<EventIdWire, 'txDigest'> & { readonly eventSeq: string | null } {
  const [txDigest = '', ...rest] = key.split(':');
  return { txDigest, eventSeq: rest.length === 0 ? null : rest.join(':') };
}

/** The order of two numbers as decimal text. Never throws: a node may send other text, which gets some order. */
export function compareNumberTexts(a: string, b: string): number {
  return a.length - b.length || Number(a > b) - Number(a < b);
}

/** `null` for anything but whole milliseconds: times only order items, and a missing one does no harm. */
export function toTimestampMs(text: string | null): number | null {
  const value = text === null ? Number.NaN : Number(text);
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}
