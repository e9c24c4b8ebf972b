import { Backlog } from './backlog.ts';
import type { Feed, FeedNews } from './feed.ts';
import type { LiveEntry, Place, ResumePoint } from './live-source.ts';

/** How items, gaps and misses are told to those who follow one filter. */
export interface Presenter<Item, Payload> {
  readonly matches: (item: Item) => boolean;
  readonly item: (entry: LiveEntry<Item>, at: ResumePoint) => Payload;
  readonly gap: (after: ResumePoint, before: Place | null, reason: string) => Payload;
  /** So many items are left out, which can be read from this point. */
  readonly missed: (count: number, resumeAfter: ResumePoint) => Payload;
}

/** What is told, and where a stream goes on behind it. */
export interface Told<Payload> {
  readonly payload: Payload;
  readonly at: ResumePoint;
}

interface Kept<Payload> extends Told<Payload> {
  /** Of the feed. */
  readonly sequence: number;
}

/**
 * What a feed has for one filter: matched once, however many follow it. It keeps no longer than the feed does, and nothing of
 * its own for those who follow: each has an index into it.
 */
export class Channel<Item, Payload> {
  readonly feed: Feed<Item>;
  readonly presenter: Presenter<Item, Payload>;
  readonly #kept = new Backlog<Kept<Payload>>();
  readonly #stopListening: () => void;
  #waiting: (() => void)[] = [];
  /** Sequence number of the feed that is looked at next. */
  #next: number;
  #frontier: Place | null = null;

  constructor(feed: Feed<Item>, presenter: Presenter<Item, Payload>) {
    this.feed = feed;
    this.presenter = presenter;
    this.#next = feed.news.start;
    this.#stopListening = feed.onNews(() => this.#catchUp());
    this.#catchUp();
  }

  get start(): number {
    return this.#kept.start;
  }

  /** The newest place up to which everything has been looked at; `null` = there is none. */
  get frontier(): Place | null {
    return this.#frontier;
  }

  at(index: number): Told<Payload> | undefined {
    return this.#kept.at(index);
  }

  /** The index of the first item behind a sequence number of the feed. */
  indexBehind(sequence: number): number {
    this.#catchUp();
    let low = this.#kept.start;
    let high = this.#kept.end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#kept.at(middle)?.sequence ?? 0) > sequence) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Calls back once, when there is something new or the stream is to look around. @returns stops it */
  whenNews(then: () => void): () => void {
    this.#waiting.push(then);
    return () => {
      const at = this.#waiting.indexOf(then);
      if (at >= 0) this.#waiting.splice(at, 1);
    };
  }

  /** `null` for an item that the filter does not match. */
  tell(news: FeedNews<Item>): Told<Payload> | null {
    if (news.kind === 'gap')
      return { payload: this.presenter.gap(news.after, news.before, news.reason), at: news.after };
    const { entry, at } = news;
    return this.presenter.matches(entry.item) ? { payload: this.presenter.item(entry, at), at } : null;
  }

  wakeAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const then of waiting) then();
  }

  close(): void {
    this.#stopListening();
    this.wakeAll();
  }

  #catchUp(): void {
    const { news } = this.feed;
    const before = this.#kept.end;
    for (this.#next = Math.max(this.#next, news.start); this.#next < news.end; this.#next += 1) {
      const each = news.at(this.#next);
      const told = each && this.tell(each);
      if (told) this.#kept.add({ ...told, sequence: this.#next });
    }
    this.#frontier = this.feed.frontier;
    while ((this.#kept.at(this.#kept.start)?.sequence ?? news.start) < news.start) this.#kept.dropOldest();
    if (this.#kept.end > before) this.wakeAll();
  }
}
