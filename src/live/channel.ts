import type { Turns } from '../upstream/fair-turns.ts';
import type { EvenShares } from '../upstream/quota.ts';
import type { Feed } from './feed.ts';
import type { History } from './history.ts';
import type { ItemPosition, LiveEntry, ResumePoint } from './live-source.ts';
import { MatchBits } from './numbered-list.ts';
import type { FeedChange } from './timeline.ts';
import { type Wakeable, WakeList } from './wake-list.ts';

/** Makes the payloads of one filter. */
export interface Presenter<Item, Payload> {
  /** The cursor of a position. */
  readonly toCursor: (at: ResumePoint) => string;
  readonly matches: (item: Item) => boolean;
  readonly item: (entry: LiveEntry<Item>, at: ResumePoint) => Payload;
  /** @param after `null` = the position before the gap is unknown */
  readonly gap: (after: ResumePoint | null, before: ItemPosition | null, reason: string) => Payload;
  /** Reports the number of items that were left out. A new stream that resumes at this point gets them. */
  readonly missed: (count: number, resumeAfter: ResumePoint) => Payload;
}

/** A payload, and where a stream resumes behind it. */
export interface Delivery<Payload> {
  readonly payload: Payload;
  readonly at: ResumePoint;
}

/** A follower's read position. */
export interface ChannelPosition {
  /** Sequence number of the feed to read next. */
  next: number;
  /** Matching items before it. */
  matched: number;
}

export interface ChannelOptions {
  readonly turns: Turns;
  /** Payloads that all channels together may keep. */
  readonly made: EvenShares;
}

/** Payloads that one channel keeps, because its followers read them in different turns of the event loop. */
const maxMade = 512;

/**
 * A feed through one filter, from when the channel is opened. It matches each item once for all followers, and keeps a bit of
 * each. It keeps only the newest payloads and makes others again, because a thousand channels may share one feed.
 */
export class LiveChannel<Item, Payload> implements Wakeable {
  readonly feed: Feed<Item>;
  readonly presenter: Presenter<Item, Payload>;
  /** Older items, read with the narrowest possible query. */
  readonly history: History<Item>;
  readonly #matches: MatchBits;
  /** Payloads by sequence number, oldest first. */
  readonly #made = new Map<number, Delivery<Payload>>();
  /** Payloads of history pages that several streams read together. */
  readonly #old = new WeakMap<object, Delivery<Payload> | null>();
  readonly followers: WakeList;
  readonly #options: ChannelOptions;
  readonly #leaveShares: () => void;

  constructor(feed: Feed<Item>, presenter: Presenter<Item, Payload>, options: ChannelOptions, history = feed.history) {
    this.feed = feed;
    this.presenter = presenter;
    this.history = history;
    this.#matches = new MatchBits(feed.news.end);
    this.followers = new WakeList(options.turns);
    this.#options = options;
    this.#leaveShares = options.made.enter();
    feed.followers.add(this);
  }

  get turns(): Turns {
    return this.#options.turns;
  }

  /** The first sequence number of the feed that it matches. Streams match older items themselves. */
  get first(): number {
    return this.#matches.first;
  }

  /** @param sequence not before `first` */
  positionAt(sequence: number): ChannelPosition {
    this.#catchUp();
    return { next: sequence, matched: this.#matches.countBefore(sequence) };
  }

  /**
   * Reads what is next, and moves the position behind it.
   * @returns a delivery; the number of items that were dropped before this follower read them; `null` = nothing is new
   */
  read(position: ChannelPosition): Delivery<Payload> | number | null {
    this.#catchUp();
    const { start } = this.feed.news;
    if (position.next < start) {
      const missed = this.#matches.dropped - position.matched;
      position.next = start;
      position.matched = this.#matches.dropped;
      if (missed > 0) return missed;
    }
    position.next = this.#matches.next(position.next);
    if (position.next >= this.#matches.end) return null;
    const delivery = this.#deliver(position.next);
    position.next += 1;
    position.matched += 1;
    return delivery;
  }

  /** Matches new items of the feed, and wakes the followers if any item matches. */
  wake(): void {
    this.#catchUp();
  }

  /** For an item of a history page. `null` if the filter does not match it. */
  deliverOld(entry: LiveEntry<Item>, at: ResumePoint): Delivery<Payload> | null {
    const known = this.#old.get(entry);
    if (known !== undefined) return known;
    const delivery = this.deliverIfMatching({ kind: 'item', entry, at });
    this.#old.set(entry, delivery);
    return delivery;
  }

  deliverIfMatching(change: FeedChange<Item>): Delivery<Payload> | null {
    return this.#isMatching(change) ? this.#present(change) : null;
  }

  close(): void {
    this.feed.followers.delete(this);
    this.#leaveShares();
  }

  #catchUp(): void {
    const { news } = this.feed;
    let isNew = false;
    while (this.#matches.end < news.end) {
      const each = news.at(this.#matches.end);
      const isMatch = each !== undefined && this.#isMatching(each);
      this.#matches.add(isMatch);
      isNew ||= isMatch;
    }
    this.#matches.dropBefore(news.start);
    for (const sequence of this.#made.keys()) {
      if (sequence >= news.start) break;
      this.#made.delete(sequence);
    }
    if (isNew) this.followers.wakeAll();
  }

  #deliver(sequence: number): Delivery<Payload> {
    const known = this.#made.get(sequence);
    if (known) return known;
    const delivery = this.#present(this.feed.news.at(sequence) as FeedChange<Item>);
    // A single follower never reads it again.
    if (this.followers.size > 1) this.#keep(sequence, delivery);
    return delivery;
  }

  #keep(sequence: number, delivery: Delivery<Payload>): void {
    this.#made.set(sequence, delivery);
    const maxKept = Math.min(maxMade, this.#options.made.share());
    for (const oldest of this.#made.keys()) {
      if (this.#made.size <= maxKept) return;
      this.#made.delete(oldest);
    }
  }

  #isMatching(news: FeedChange<Item>): boolean {
    return news.kind === 'gap' || this.presenter.matches(news.entry.item);
  }

  #present(news: FeedChange<Item>): Delivery<Payload> {
    if (news.kind === 'gap')
      return { payload: this.presenter.gap(news.after, news.before, news.reason), at: news.after };
    return { payload: this.presenter.item(news.entry, news.at), at: news.at };
  }
}
