import type { Cancellation } from '../upstream/cancellation.ts';

/** The place of an item in the upstream's order. */
export interface ItemPosition {
  /** Identifies the item for ever; the source finds it again by this text. */
  readonly key: string;
  /** Milliseconds since the Unix epoch; `null` if the upstream does not say. */
  readonly timestampMs: number | null;
}

export interface LiveEntry<Item> extends ItemPosition {
  readonly item: Item;
  /** What it takes in memory, roughly. */
  readonly bytes: number;
}

export interface PositionPage<Entry extends ItemPosition = ItemPosition> {
  readonly entries: readonly Entry[];
  /** Does the upstream say that more follows? */
  readonly hasMore: boolean;
  /** Keys of entries whose position contradicts what else the upstream says of its order. Left out: none. */
  readonly misplaced?: readonly string[];
}

/** Oldest first. */
export type LivePage<Item> = PositionPage<LiveEntry<Item>>;

/** Hears when it is worth polling an upstream. What happened is read by the poll. */
export interface WatchListener {
  /** Something may have happened, or was missed. */
  news(): void;
  /** Does the upstream announce news? From `false` on, anything may happen unannounced. */
  isUp(isUp: boolean): void;
}

/** A subscription to the announcements of an upstream. */
export interface Watch {
  /** A poll brought unannounced news: reconnect, since the subscription may be dead, whatever its connection says. */
  doubt(): void;
  stop(): void;
}

/** Items of one query of an upstream, in its order. Rejects when the upstream cannot be asked, or when cancelled. */
export interface LiveSource<Item> {
  /**
   * Reads one page strictly behind a place; `null` = from the oldest item that the upstream keeps.
   * @throws PositionLostError if the upstream does not know the position
   */
  after(place: ItemPosition | null, cancellation: Cancellation): Promise<LivePage<Item>>;
  /** The newest places, newest first; as many as asked for, if the upstream has them. */
  newest(count: number, cancellation: Cancellation): Promise<PositionPage>;
  /** Subscribes to announcements of news. Left out: the upstream has none, and is polled. */
  readonly watch?: ((listener: WatchListener) => Watch) | undefined;
}

/** The upstream does not know a place: it keeps it no longer, or this one of several nodes does not have it yet. */
export class PositionLostError extends Error {
  override readonly name = 'PositionLostError';
}

/** Where a stream resumes. */
export interface ResumePoint {
  /** The item that was delivered last; `null` = none, ever. */
  readonly place: ItemPosition | null;
  /** Where to read on. Differs from `place` if that item came late, after items that follow it. */
  readonly from: ItemPosition | null;
}

/** The point right behind an item that came in its order. */
export function resumeAt(place: ItemPosition | null): ResumePoint {
  return { place, from: place };
}
