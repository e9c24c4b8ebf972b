import type { Cancellation } from '../upstream/cancellation.ts';
import type { Watch, WatchListener } from './keep-watch.ts';

/** A place in the order in which an upstream tells its items. */
export interface Place {
  /** Names the item for ever; the source finds it again by this text. */
  readonly key: string;
  /** Milliseconds since the Unix epoch; `null` if the upstream does not say. */
  readonly timestampMs: number | null;
}

export interface LiveEntry<Item> extends Place {
  readonly item: Item;
  /** What it takes in memory, roughly. */
  readonly bytes: number;
}

export interface PlacePage<Entry extends Place = Place> {
  readonly entries: readonly Entry[];
  /** Does the upstream say that more follows? */
  readonly hasMore: boolean;
  /** Names of entries that stand where they cannot be, by what else the upstream says of its order. Left out: none. */
  readonly misplaced?: readonly string[];
}

/** Oldest first. */
export type LivePage<Item> = PlacePage<LiveEntry<Item>>;

/** Items of one query of an upstream, in its order. Rejects when the upstream cannot be asked, or when cancelled. */
export interface LiveSource<Item> {
  /**
   * Reads one page strictly behind a place; `null` = from the oldest item that the upstream keeps.
   * @throws PlaceLostError if the upstream does not know the place
   */
  after(place: Place | null, cancellation: Cancellation): Promise<LivePage<Item>>;
  /** The newest places, newest first; as many as asked for, if the upstream has them. */
  newest(count: number, cancellation: Cancellation): Promise<PlacePage>;
  /** Has it be told when it is worth asking. Left out: nobody tells, and it is asked again and again. */
  readonly watch?: ((listener: WatchListener) => Watch) | undefined;
}

/** The upstream does not know a place: it keeps it no longer, or this one of several nodes has not heard of it yet. */
export class PlaceLostError extends Error {
  override readonly name = 'PlaceLostError';
}

/** Where a stream is to go on. */
export interface ResumePoint {
  /** The item that was delivered last; `null` = none, ever. */
  readonly place: Place | null;
  /** What to read on from. Another place than `place` if that item came late, after others that follow it. */
  readonly from: Place | null;
}

/** The point right behind an item that came in its order. */
export function resumeAt(place: Place | null): ResumePoint {
  return { place, from: place };
}
