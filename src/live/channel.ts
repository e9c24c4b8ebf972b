import type { Feed, FeedNews } from './feed.ts';
import type { History } from './history.ts';
import type { LiveEntry, Place, ResumePoint } from './live-source.ts';
import { MatchLog } from './match-log.ts';
import { type Follower, Rounds } from './rounds.ts';
import type { Shares } from './shares.ts';
import type { Turns } from './turns.ts';

/** How items, gaps and misses are told to those who follow one filter. */
export interface Presenter<Item, Payload> {
  readonly matches: (item: Item) => boolean;
  readonly item: (entry: LiveEntry<Item>, at: ResumePoint) => Payload;
  /** @param after `null` = nothing is known of what was before */
  readonly gap: (after: ResumePoint | null, before: Place | null, reason: string) => Payload;
  /** So many items are left out, which can be read from this point. */
  readonly missed: (count: number, resumeAfter: ResumePoint) => Payload;
}

/** What is told, and where a stream goes on behind it. */
export interface Told<Payload> {
  readonly payload: Payload;
  readonly at: ResumePoint;
}

/** How far one who follows has come. */
export interface Position {
  /** Sequence number of the feed that is looked at next. */
  next: number;
  /** How many items before that match, of those that the channel knows. */
  matched: number;
}

/** What is next for one who follows. */
export type Reading<Payload> =
  | { readonly kind: 'told'; readonly told: Told<Payload> }
  /** So many were dropped before they were told. */
  | { readonly kind: 'missed'; readonly count: number }
  /** Everything has been told: wait for news. */
  | { readonly kind: 'nothing' }
  /** Nothing yet, and there is more to look at; others should have their turn first. */
  | { readonly kind: 'more' }
  /** The feed has dropped what is next, and the channel was not there to know whether it matches. */
  | { readonly kind: 'dropped' };

export interface ChannelOptions {
  readonly turns: Turns;
  /** Items that all channels together may keep as they were made. */
  readonly made: Shares;
}

/** Items of one channel that are kept as they were made: other followers read them a few turns later, when more has come. */
const maxMade = 512;
/** Items that are matched for one who follows before others have their turn. */
const stretch = 256;

/**
 * What a feed has for one filter. From when it is opened on, each item is matched once, however many follow; what is older is
 * matched for those who come back to it. Of what matches only a bit is kept, and what it is told as is made again for those
 * who are far behind: there may be a thousand filters over one feed, and each would keep all of it in other words.
 */
export class Channel<Item, Payload> implements Follower {
  readonly feed: Feed<Item>;
  readonly presenter: Presenter<Item, Payload>;
  /** What the filter wants of before, read with the narrowest query there is. */
  readonly history: History<Item>;
  readonly #matches: MatchLog;
  /** What news was made into: kept no longer than the feed keeps the news. */
  readonly #made = new WeakMap<FeedNews<Item>, Told<Payload>>();
  /** News that it was made of, oldest first, by sequence number. */
  readonly #madeAt = new Set<number>();
  readonly #old = new WeakMap<object, Told<Payload> | null>();
  readonly #rounds: Rounds;
  readonly #options: ChannelOptions;
  readonly #leaveShares: () => void;
  #frontier: Place | null = null;

  constructor(feed: Feed<Item>, presenter: Presenter<Item, Payload>, options: ChannelOptions, history = feed.history) {
    this.feed = feed;
    this.presenter = presenter;
    this.history = history;
    this.#matches = new MatchLog(feed.news.end);
    this.#frontier = feed.frontier;
    this.#rounds = new Rounds(options.turns);
    this.#options = options;
    this.#leaveShares = options.made.enter();
    feed.follow(this);
  }

  /** The newest place up to which everything has been looked at; `null` = there is none. */
  get frontier(): Place | null {
    return this.#frontier;
  }

  /** Right behind a sequence number of the feed. */
  positionBehind(sequence: number): Position {
    this.#catchUp();
    return { next: sequence + 1, matched: this.#matches.countBefore(sequence + 1) };
  }

  /** Looks at what is next, and moves the position behind it. */
  read(position: Position): Reading<Payload> {
    this.#catchUp();
    const { start } = this.feed.news;
    if (position.next < start) {
      if (position.next < this.#matches.first) return { kind: 'dropped' };
      const count = this.#matches.dropped - position.matched;
      position.next = start;
      position.matched = this.#matches.dropped;
      if (count > 0) return { kind: 'missed', count };
    }
    const older = this.#readOlder(position);
    if (older) return older;
    position.next = this.#matches.next(position.next);
    if (position.next >= this.#matches.end) return { kind: 'nothing' };
    const told = this.#make(position.next);
    position.next += 1;
    position.matched += 1;
    // What matches is told, and it is there.
    return told ? { kind: 'told', told } : { kind: 'more' };
  }

  /** The feed has news: matches them, and wakes the followers if any of them matches. */
  wake(): void {
    this.#catchUp();
  }

  /** Wakes it whenever there is something new. */
  follow(follower: Follower): void {
    this.#rounds.add(follower);
  }

  unfollow(follower: Follower): void {
    this.#rounds.delete(follower);
  }

  /** The same for an item that was read behind a place: made once for all who read it together. */
  tellOld(entry: LiveEntry<Item>, at: ResumePoint): Told<Payload> | null {
    if (!this.#old.has(entry)) this.#old.set(entry, this.tell({ kind: 'item', entry, at }));
    return this.#old.get(entry) ?? null;
  }

  /** `null` for an item that the filter does not match. */
  tell(news: FeedNews<Item>): Told<Payload> | null {
    return this.#matchesNews(news) ? this.#present(news) : null;
  }

  close(): void {
    this.feed.unfollow(this);
    this.#leaveShares();
  }

  /** @returns `null` when it has come to what the channel has matched already */
  #readOlder(position: Position): Reading<Payload> | null {
    const { first } = this.#matches;
    const last = Math.min(position.next + stretch, first);
    while (position.next < last) {
      const news = this.feed.news.at(position.next);
      position.next += 1;
      const told = news && this.tell(news);
      if (told) return { kind: 'told', told };
    }
    return position.next < first ? { kind: 'more' } : null;
  }

  #catchUp(): void {
    const { news } = this.feed;
    this.#frontier = this.feed.frontier;
    let isNew = false;
    while (this.#matches.end < news.end) {
      // What was dropped before it was looked at counts as missed by all.
      const each = news.at(this.#matches.end);
      const isMatch = !each || this.#matchesNews(each);
      this.#matches.add(isMatch);
      isNew ||= isMatch;
    }
    this.#matches.dropBefore(news.start);
    if (isNew) this.#rounds.begin();
  }

  #make(sequence: number): Told<Payload> | null {
    const news = this.feed.news.at(sequence);
    if (!news) return null;
    const known = this.#made.get(news);
    if (known) return known;
    const told = this.#present(news);
    // A single follower reads it now, and nobody else does.
    if (this.#rounds.size > 1) this.#keep(news, sequence, told);
    return told;
  }

  #keep(news: FeedNews<Item>, sequence: number, told: Told<Payload>): void {
    this.#made.set(news, told);
    this.#madeAt.add(sequence);
    const most = Math.min(maxMade, this.#options.made.share());
    for (const oldest of this.#madeAt) {
      if (this.#madeAt.size <= most) return;
      this.#madeAt.delete(oldest);
      const dropped = this.feed.news.at(oldest);
      if (dropped) this.#made.delete(dropped);
    }
  }

  #matchesNews(news: FeedNews<Item>): boolean {
    return news.kind === 'gap' || this.presenter.matches(news.entry.item);
  }

  #present(news: FeedNews<Item>): Told<Payload> {
    if (news.kind === 'gap')
      return { payload: this.presenter.gap(news.after, news.before, news.reason), at: news.after };
    return { payload: this.presenter.item(news.entry, news.at), at: news.at };
  }
}
