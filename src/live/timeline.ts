import type { Turns } from '../upstream/fair-turns.ts';
import { type ItemPosition, type LiveEntry, type ResumePoint, resumeAt } from './live-source.ts';
import { NumberedList } from './numbered-list.ts';
import { WakeList } from './wake-list.ts';

export type ItemPositions = readonly (ItemPosition | null)[];

/** An item or a gap, in the order of delivery. */
export type FeedChange<Item> =
  | { readonly kind: 'item'; readonly entry: LiveEntry<Item>; readonly at: ResumePoint }
  | {
      readonly kind: 'gap';
      readonly after: ResumePoint;
      /** The first item behind the gap; `null` if it is not known. */
      readonly before: ItemPosition | null;
      readonly reason: string;
    };

/**
 * How many items before the newest one a poll begins to read. It finds items there that the upstream shows late, before others
 * that it has shown already. Less than half a page, so that a poll has room for new items.
 */
export const readBackItems = 24;
/** Keys of dropped items that are remembered: more than a poll can bring twice. */
const maxDroppedKeys = 256;
/** What an entry takes beside its item, in bytes. */
const entryBytes = 400;

/**
 * The newest items of one query, from when its reader began: delivered once each, whichever poll or process brings them. Older
 * items are dropped to keep within a number of bytes; their keys are remembered longer.
 */
export class Timeline<Item> {
  /** Indexes are the sequence numbers of everything delivered. */
  readonly news = new NumberedList<FeedChange<Item>>();
  readonly followers: WakeList;
  readonly #seen = new Map<string, number>();
  readonly #late = new Set<string>();
  #recent: ItemPositions = [];
  #bytes = 0;

  constructor(turns: Turns) {
    this.followers = new WakeList(turns);
  }

  /** The newest positions in the upstream's order, the newest last; `null` = before the oldest. Empty before the beginning. */
  get recent(): ItemPositions {
    return this.#recent;
  }

  /** The newest position; `null` = there is no item, or the timeline has not begun. */
  get frontier(): ItemPosition | null {
    return this.#recent.at(-1) ?? null;
  }

  get isStarted(): boolean {
    return this.#recent.length > 0;
  }

  /** Bytes of everything that is kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The sequence number of an item that came in its order and is known; `null` for any other. */
  inOrderSequenceOf(key: string): number | null {
    return this.#late.has(key) ? null : this.sequenceOf(key);
  }

  /** The sequence number of an item that came in its order or late, and is known. */
  sequenceOf(key: string): number | null {
    return this.#seen.get(key) ?? null;
  }

  /** Was the item delivered, or is it older than the beginning? */
  knows(key: string): boolean {
    return this.#seen.has(key);
  }

  /** @returns when every follower has read the news. Nothing that is new may be dropped before. */
  wakeFollowers(): Promise<void> {
    this.followers.wakeAll();
    return this.followers.idle();
  }

  /** Continues behind the last of these positions. All of them count as delivered. */
  beginAt(recent: ItemPositions): void {
    this.#recent = recent;
    const newest = recent.at(-1);
    // A stream at an older position must not join here: the feed does not have the items that follow it.
    for (const position of recent) {
      if (position && !this.#seen.has(position.key)) this.#seen.set(position.key, Number.NEGATIVE_INFINITY);
    }
    if (newest) this.#seen.set(newest.key, this.news.end - 1);
  }

  /** Drops the older ones of `recent`: the upstream does not know them any more. */
  dropOlderPositions(): void {
    this.#recent = [this.frontier];
  }

  /** Adds the item that follows the newest one, unless it is known. */
  addNext(entry: LiveEntry<Item>): void {
    if (this.knows(entry.key)) return;
    const position = toItemPosition(entry);
    this.#recent = [...this.#recent.slice(-readBackItems), position];
    this.#remember(entry.key);
    this.#add({ kind: 'item', entry, at: resumeAt(position) }, entry.bytes);
  }

  /** Adds an item whose position is before the newest one, unless it is known. */
  addLate(entry: LiveEntry<Item>): void {
    if (this.knows(entry.key)) return;
    this.#late.add(entry.key);
    this.#remember(entry.key);
    this.#add({ kind: 'item', entry, at: { last: toItemPosition(entry), from: this.frontier } }, entry.bytes);
  }

  /** @param recent the newest positions, from which the timeline goes on */
  addGap(after: ItemPosition | null, before: ItemPosition | null, reason: string, recent: ItemPositions): void {
    this.#add({ kind: 'gap', after: resumeAt(after), before: before && toItemPosition(before), reason }, 0);
    this.beginAt(recent);
  }

  /** Drops the oldest news until the rest takes at most this many bytes. */
  shrinkTo(maxBytes: number): void {
    while (this.#bytes > maxBytes) {
      const dropped = this.news.dropOldest();
      if (!dropped) return;
      this.#bytes -= entryBytes + (dropped.kind === 'item' ? dropped.entry.bytes : 0);
    }
  }

  #remember(key: string): void {
    this.#seen.set(key, this.news.end);
    const maxKeys = this.news.end - this.news.start + maxDroppedKeys;
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= maxKeys) return;
      this.#seen.delete(oldest);
      this.#late.delete(oldest);
    }
  }

  #add(news: FeedChange<Item>, bytes: number): void {
    this.news.add(news);
    this.#bytes += bytes + entryBytes;
  }
}

/** Drops the item, because positions are kept longer. */
export function toItemPosition({ key, timestampMs, mark }: ItemPosition): ItemPosition {
  return { key, timestampMs, mark };
}
