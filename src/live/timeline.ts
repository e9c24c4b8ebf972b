import { Backlog } from './backlog.ts';
import { type LiveEntry, type Place, type ResumePoint, resumeAt } from './live-source.ts';
import { type Follower, Rounds } from './rounds.ts';
import type { Turns } from './turns.ts';

/** What is told of a query, in the order in which it is delivered. */
export type FeedNews<Item> =
  | { readonly kind: 'item'; readonly entry: LiveEntry<Item>; readonly at: ResumePoint }
  | { readonly kind: 'gap'; readonly after: ResumePoint; readonly before: Place | null; readonly reason: string };

/**
 * How far back of the newest item a poll begins to read: an item that the upstream tells late, at a place before others that
 * it told already, is found there. Less than half a page, so that a poll has room for what is new.
 */
export const readBack = 24;
/**
 * Names of items that are known to have been told although they are not kept any more: more than a poll can bring twice. There
 * may be thousands of these lists, so no more than that.
 */
const mostForgotten = 256;
/** What an entry takes beside its item, in bytes. */
const entryBytes = 400;

/**
 * What one process has told of one query, from now on: the newest part of it, the names of all that was told lately, and how far
 * it goes. Whoever brings it news, nothing is told twice.
 */
export class Timeline<Item> {
  /** Indexes are the sequence numbers of everything told. */
  readonly news = new Backlog<FeedNews<Item>>();
  readonly #rounds: Rounds;
  /** By the name of an item: its sequence number. */
  readonly #seen = new Map<string, number>();
  readonly #late = new Set<string>();
  #recent: readonly (Place | null)[] = [];
  #beginnings = 0;
  #bytes = 0;

  constructor(turns: Turns) {
    this.#rounds = new Rounds(turns);
  }

  /** The newest places in the upstream's order, the newest last, `null` = before the oldest; empty until it begins. */
  get recent(): readonly (Place | null)[] {
    return this.#recent;
  }

  /** The newest place there is news up to; `null` = there is none. */
  get frontier(): Place | null {
    return this.#recent.at(-1) ?? null;
  }

  /** Has it begun? Until then nothing is known. */
  get isStarted(): boolean {
    return this.#recent.length > 0;
  }

  /** How often it has begun at a place that does not follow from what was told. */
  get beginnings(): number {
    return this.#beginnings;
  }

  /** The sequence number of an item that came in its order and is known; `null` for any other. */
  placeOf(key: string): number | null {
    return this.#late.has(key) ? null : (this.#seen.get(key) ?? null);
  }

  /** The sequence number of an item that was told, in its order or late. */
  sequenceOf(key: string): number | null {
    return this.#seen.get(key) ?? null;
  }

  /** Was it told, or is it older than where this began? */
  knows(key: string): boolean {
    return this.#seen.has(key);
  }

  /** Wakes it after news. */
  follow(follower: Follower): void {
    this.#rounds.add(follower);
  }

  unfollow(follower: Follower): void {
    this.#rounds.delete(follower);
  }

  tell(): void {
    this.#rounds.begin();
  }

  /** Goes on behind the last of these places, whatever was before. They count as told. */
  beginAt(recent: readonly (Place | null)[]): void {
    this.#recent = recent;
    this.#beginnings += 1;
    const newest = recent.at(-1);
    // Who comes by an older one of them has not been told those that follow it.
    for (const place of recent) {
      if (place && !this.#seen.has(place.key)) this.#seen.set(place.key, Number.NEGATIVE_INFINITY);
    }
    if (newest) this.#seen.set(newest.key, this.news.end - 1);
  }

  /** Of the newest places only this one can be gone on from. */
  forgetAllBut(place: Place | null): void {
    this.#recent = [place];
  }

  addNext(entry: LiveEntry<Item>): void {
    const place = toPlace(entry);
    this.#recent = [...this.#recent.slice(-readBack), place];
    this.#remember(entry.key);
    this.#add({ kind: 'item', entry, at: resumeAt(place) }, entry.bytes);
  }

  addLate(entry: LiveEntry<Item>): void {
    this.#late.add(entry.key);
    this.#remember(entry.key);
    this.#add({ kind: 'item', entry, at: { place: toPlace(entry), from: this.frontier } }, entry.bytes);
  }

  addGap(after: Place, before: Place | null, reason: string): void {
    this.#add({ kind: 'gap', after: resumeAt(after), before: before && toPlace(before), reason }, 0);
  }

  /** Drops the oldest news until the rest takes no more bytes than this. */
  shrinkTo(mostBytes: number): void {
    while (this.#bytes > mostBytes) {
      const dropped = this.news.dropOldest();
      if (!dropped) return;
      this.#bytes -= entryBytes + (dropped.kind === 'item' ? dropped.entry.bytes : 0);
    }
  }

  #remember(key: string): void {
    this.#seen.set(key, this.news.end);
    const most = this.news.end - this.news.start + mostForgotten;
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= most) return;
      this.#seen.delete(oldest);
      this.#late.delete(oldest);
    }
  }

  #add(news: FeedNews<Item>, bytes: number): void {
    this.news.add(news);
    this.#bytes += bytes + entryBytes;
  }
}

/** Without the item: places are kept longer. */
export function toPlace({ key, timestampMs }: Place): Place {
  return { key, timestampMs };
}
