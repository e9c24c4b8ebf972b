import type { Cancellation } from '../upstream/cancellation.ts';

/** The position of an item in the upstream's order. */
export interface ItemPosition {
  /** Identifies the item for ever; the source finds it again by this text. */
  readonly key: string;
  /** Milliseconds since the Unix epoch; `null` if the upstream does not say. */
  readonly timestampMs: number | null;
  /**
   * Text with which the source reads on without a search: behind this item, and behind whatever follows it that is known to match
   * nothing. Left out or `null`: it has none.
   */
  readonly mark?: string | null | undefined;
}

export interface LiveEntry<Item> extends ItemPosition {
  readonly item: Item;
  /** Its approximate size in memory. */
  readonly bytes: number;
}

export interface PositionPage<Entry extends ItemPosition = ItemPosition> {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
  /** Where to read on, if the source has searched beyond the last entry: such a page may be empty although more follows. */
  readonly mark?: string | null | undefined;
  /** Keys of entries whose position contradicts other data of the page. Left out: none. */
  readonly misplaced?: readonly string[];
  /** For each item of an unknown form, which is not among the entries: the key before it. Left out: none. */
  readonly unreadableAfter?: readonly string[];
}

/** Oldest first. */
export type LivePage<Item> = PositionPage<LiveEntry<Item>>;

/** Receives the outcome of one attempt to subscribe. Nothing is called after `down` or after unsubscribing. */
export interface WatchAttempt {
  up(): void;
  /** There may be new items. A poll then reads them. */
  news(): void;
  /** @param isRefused the upstream rejects such subscriptions: retry late */
  down(isRefused: boolean): void;
}

/** Subscribes to announcements of news; must not call back before it returns. @returns unsubscribes */
export type Listen = (attempt: WatchAttempt) => () => void;

/** Items of one query of an upstream, in its order. Rejects if the upstream does not answer, or when it is cancelled. */
export interface LiveSource<Item> {
  /**
   * Reads one page strictly behind a position; `null` = from the oldest item that the upstream keeps.
   * @param upTo a position that the answer must be as new as, although it may not match. Left out or `null`: any
   * @throws PositionLostError if the upstream does not know the position
   */
  after(position: ItemPosition | null, cancellation: Cancellation, upTo?: ItemPosition | null): Promise<LivePage<Item>>;
  /** The `count` newest positions, newest first; fewer if the upstream has fewer. */
  newest(count: number, cancellation: Cancellation): Promise<PositionPage>;
  /** Left out: the upstream announces nothing, and is polled. */
  readonly listen?: Listen | undefined;
}

/** The upstream does not know a position: it has dropped it, or this node does not have it yet. */
export class PositionLostError extends Error {
  override readonly name = 'PositionLostError';
}

/** The upstream answers, but fails to read on from a position, whatever the reason. */
export class PositionFailedError extends Error {
  override readonly name = 'PositionFailedError';
}

/** The upstream rejects the query at every position. Its streams end with the reason, which is meant for clients. */
export class QueryRejectedError extends Error {
  override readonly name = 'QueryRejectedError';
  readonly reason: Error;

  constructor(reason: Error) {
    super(reason.message);
    this.reason = reason;
  }
}

/** Where to read on behind a page: at its last entry, or where the source has searched up to. */
export function positionBehind(
  { entries, mark = null }: Pick<PositionPage, 'entries' | 'mark'>,
  from: ItemPosition | null,
): ItemPosition | null {
  const last = entries.at(-1) ?? from;
  if (!last) return mark === null ? null : { key: '', timestampMs: null, mark };
  return { key: last.key, timestampMs: last.timestampMs, mark: mark ?? last.mark ?? null };
}

/** Where a stream resumes. */
export interface ResumePoint {
  /** The item that was delivered last; `null` = none was. */
  readonly last: ItemPosition | null;
  /** Where to read on. Differs from `last` if that item came late, after items that follow it. */
  readonly from: ItemPosition | null;
}

/** The point right behind an item that came in its order. */
export function resumeAt(position: ItemPosition | null): ResumePoint {
  return { last: position, from: position };
}
