import { createCancellation } from '../upstream/cancellation.ts';
import type { Turns } from '../upstream/fair-turns.ts';
import type { ChannelPosition, Delivery, LiveChannel } from './channel.ts';
import { type Clock, pause } from './clock.ts';
import type { Feed, FeedEnd } from './feed.ts';
import type { History } from './history.ts';
import {
  type ItemPosition,
  type LiveEntry,
  type LivePage,
  positionBehind,
  QueryRejectedError,
  type ResumePoint,
  resumeAt,
} from './live-source.ts';
import { PositionReader, type PositionReaderOptions, unavailableReason, unknownReason } from './position-reader.ts';
import { Progress } from './progress.ts';
import { type FeedChange, toItemPosition } from './timeline.ts';

export interface CatchUpOptions extends Pick<PositionReaderOptions<unknown>, 'clock' | 'lostAfterMs'> {
  /** The owner of the stream: callers take turns at reading history. */
  readonly caller: string;
}

/** Where a stream goes live. */
export interface Handover {
  /** Read position in the channel. Everything before it is delivered. */
  readonly position: ChannelPosition;
  /** Keys of later items in the feed that are delivered already, because they came to the feed late. */
  readonly delivered: ReadonlySet<string>;
  /** Where the stream resumes if it delivers nothing more. */
  readonly at: ResumePoint | null;
}

/** The point at which a stream changes from the upstream's history to the feed. */
interface Joint {
  /** Sequence number of the feed up to which everything is delivered. */
  readonly sequence: number;
  readonly delivered: ReadonlySet<string>;
}

const pace = { minMs: 100, maxMs: 2_000 };
/** Delivered keys that a stream remembers because they may come again from the feed; far more than can have come late. */
const maxDelivered = 256;
/**
 * The same limit while it reads history: more than two pages, yet small, because ten thousand streams may read different
 * history.
 */
const maxDeliveredFromHistory = 128;
/** Delivered keys that the feed may not have read yet: more than its reader reads back. */
const maxUnread = 32;
/** Milliseconds within which a poll usually ends. A stream that waits longer begins where the reader is. */
const quickMs = 500;
/** Milliseconds within which a poll ends while the upstream is up. */
const promptMs = 2_000;
/** Items that are matched for one stream before other streams have their turn. */
const maxMatchedAtOnce = 16;

/**
 * Delivers the items between a stream's resume point and the present. Reads the upstream's history page by page until it meets the
 * feed, then the items that the feed had before the channel was opened. A stream without a resume point begins now. Failures of
 * the upstream are retried until the stream ends.
 */
export class CatchUp<Item, Payload> {
  readonly progress: Progress;
  readonly #channel: LiveChannel<Item, Payload>;
  readonly #options: CatchUpOptions;
  readonly #cancellation = createCancellation();
  readonly #deliveries: AsyncGenerator<Delivery<Payload>, Handover | null>;
  /** Resume point after the last delivery. */
  #at: ResumePoint | null;
  /** Keys that the stream has delivered, and that the feed may bring again. */
  #delivered: ReadonlySet<string>;
  /** The rest of the page that is being delivered. */
  #entries: LiveEntry<Item>[] = [];
  /** Does the upstream have more items after this page? */
  #hasMore = false;
  /** Where to read on behind the page, if the upstream has searched beyond its items. */
  #mark: string | null = null;
  /** The newest position of the feed that the next page must be as new as, where the feed does not know the items of pages. */
  #upTo: ItemPosition | null = null;
  #matched = 0;

  constructor(
    { at, delivered }: Pick<Handover, 'at' | 'delivered'>,
    channel: LiveChannel<Item, Payload>,
    options: CatchUpOptions,
  ) {
    this.progress = new Progress('stream', options.clock);
    this.#at = at;
    this.#delivered = delivered;
    this.#channel = channel;
    this.#options = options;
    this.#deliveries = this.#deliver();
  }

  /** The last result is the handover; `null` if the stream was cancelled. */
  next(): Promise<IteratorResult<Delivery<Payload>, Handover | null>> {
    return this.#deliveries.next();
  }

  /** Frees the memory of the page. The rest of it is read again when it is needed. */
  releasePage(): void {
    if (this.#entries.length === 0) return;
    this.#hasMore = true;
    this.#mark = null;
    this.#entries = [];
  }

  cancel(): void {
    this.#cancellation.cancel('aborted');
  }

  async *#deliver(): AsyncGenerator<Delivery<Payload>, Handover | null> {
    const channel = this.#channel;
    while (!this.#cancellation.cause) {
      const joint = this.#at ? yield* this.#readHistory(this.#at) : yield* this.#beginNow();
      if (!joint) return null;
      if (joint.delivered.size > 0) this.#remember(joint.delivered);
      const isWhole = yield* this.#readFeed(joint.sequence + 1);
      const next = Math.max(joint.sequence + 1, channel.first);
      // The feed dropped items before this stream read them: read them from the upstream.
      if (!isWhole || next < channel.feed.news.start) continue;
      return { position: channel.positionAt(next), delivered: this.#delivered, at: this.#at };
    }
    return null;
  }

  #remember(delivered: ReadonlySet<string>): void {
    const all = new Set([...this.#delivered, ...delivered]);
    this.#delivered = all.size > maxDelivered ? delivered : all;
  }

  /**
   * Begins after the reader's next poll. If that takes long, the stream must not skip items silently: it begins at the reader's
   * position when it was opened or, if polls fail, with a gap. A process that leads may have died a moment ago.
   */
  async *#beginNow(): AsyncGenerator<Delivery<Payload>, Joint | null> {
    const { feed, presenter } = this.#channel;
    const opening = feed.isStarted ? feed.end : null;
    const { isUp } = feed;
    const { clock } = this.#options;
    const openedMs = clock.now();
    this.progress.waitFor('the reader to look at the upstream');
    const caughtUp = feed.caughtUp(this.#cancellation);
    const isQuick = await isWithin(quickMs, caughtUp, clock, this.#channel.turns);
    const known = isUp ? opening : feed.isUp ? feed.end : null;
    if (!isQuick && known) {
      this.#at = resumeAt(known.frontier);
      return jointAtEnd(known);
    }
    const end = await caughtUp;
    if (this.#cancellation.cause || !feed.isStarted) return null;
    this.#at = resumeAt(end.frontier);
    if (clock.now() - openedMs > promptMs) {
      const after = opening && resumeAt(opening.frontier);
      yield this.#passing({ payload: presenter.gap(after, null, unavailableReason), at: after ?? this.#at });
    }
    return jointAtEnd(end);
  }

  async *#readHistory(point: ResumePoint): AsyncGenerator<Delivery<Payload>, Joint | null> {
    const channel = this.#channel;
    const { feed, presenter } = channel;
    const { clock, lostAfterMs } = this.#options;
    const cancellation = this.#cancellation;
    const known = jointAfter(feed, point);
    if (known) return known;
    // First the filter's own query, which has fewer items, then the query of the feed, until it meets the feed.
    let { history } = channel;
    let reader = this.#readerOf(history);
    let at = point.from;
    const delivered = new Set<string>(lateKeysOf(point));
    const jointAt = (sequence: number | null): Joint | null =>
      sequence === null ? null : { sequence, delivered: behind(delivered, sequence, feed) };
    /** How long the reader has had newer items than this position, although nothing follows it. An outage does not count. */
    let waiting = { key: '', ms: 0, lastMs: 0 };
    while (!cancellation.cause) {
      const from = at;
      try {
        // Not a variable, which would keep a released page in memory.
        this.#takePage(await reader.read(at));
      } catch (error) {
        if (error instanceof QueryRejectedError) throw error.reason;
        const loss = await reader.recover(error, at);
        if (typeof loss === 'number') {
          await pause(clock, loss, cancellation);
          continue;
        }
        const lost = resumeAt(loss.lost);
        const oldest = loss.oldest?.entries[0] ?? null;
        const payload = presenter.gap(lost, oldest && toItemPosition(oldest), loss.reason);
        yield this.#passing({ payload, at: lost });
        if (!loss.oldest) return jointAtEnd(await feed.caughtUp(cancellation));
        // Only now, so that nothing releases the page before its first item.
        this.#takePage(loss.oldest);
      }
      let isNew = false;
      for (let entry = this.#entries.shift(); entry; entry = this.#entries.shift()) {
        const { key } = entry;
        at = toItemPosition(entry);
        // A node whose order changes may bring an item twice.
        const isKnown = key === point.last?.key || delivered.has(key);
        const delivery = isKnown ? null : channel.deliverOld(entry, resumeAt(at));
        this.progress.advance();
        if (delivery) yield this.#passing(delivery);
        isNew ||= !isKnown;
        delivered.add(key);
        if (this.#isTurnOver()) await this.#nextTurn();
        const joint = jointAt(sequenceAt(feed, at));
        if (joint) return joint;
        const [oldest = ''] = delivered;
        if (delivered.size > maxDeliveredFromHistory) delivered.delete(oldest);
      }
      at = positionBehind({ entries: [], mark: this.#mark }, at);
      if (this.#hasMore) {
        const isSearching = this.#mark !== null && this.#mark !== from?.mark;
        if (isSearching) this.progress.advance();
        // Pages may go round in a circle.
        if (!isNew && !isSearching) await pause(clock, reader.pace.afterSuccess(false), cancellation);
        continue;
      }
      if (history !== feed.history) {
        history = feed.history;
        reader = this.#readerOf(history);
        continue;
      }
      this.progress.waitFor('the reader to come as far');
      await feed.caughtUp(cancellation);
      // A ledger that searches has a newest position that no filter matches: everything up to it has been read.
      const isRead = this.#upTo !== null && this.#upTo.key === feed.frontier?.key;
      const sequence = isRead ? sequenceAt(feed, feed.frontier) : sequenceAtLateEnd(feed, point.from, delivered);
      const joint = jointAt(sequenceAt(feed, at) ?? sequence);
      if (joint) return joint;
      // Other ledgers show the newest position in their pages, which proves more.
      const isSearched = this.#mark !== null || this.#upTo !== null;
      this.#upTo = isSearched && feed.frontier?.mark ? feed.frontier : null;
      const { key = '' } = at ?? {};
      const nowMs = clock.now();
      const isBehind = (at?.timestampMs ?? Number.POSITIVE_INFINITY) < (feed.frontier?.timestampMs ?? 0);
      const isSame = isBehind && key === waiting.key;
      waiting = { key, ms: isSame ? waiting.ms + Math.min(nowMs - waiting.lastMs, pace.maxMs) : 0, lastMs: nowMs };
      if (at && isBehind && waiting.ms >= lostAfterMs) {
        const passed = resumeAt(at);
        yield this.#passing({ payload: presenter.gap(passed, null, unknownReason), at: passed });
        return jointAt(feed.end.sequence);
      }
      await pause(clock, reader.pace.afterSuccess(at?.key !== from?.key), cancellation);
    }
    return null;
  }

  /** Delivers what the feed has from before the channel was opened. @returns `false` if the feed drops some of it first */
  async *#readFeed(first: number): AsyncGenerator<Delivery<Payload>, boolean> {
    const channel = this.#channel;
    for (let next = first; next < channel.first; next += 1) {
      const change = channel.feed.news.at(next);
      if (!change || this.#cancellation.cause) return false;
      const isDelivered = change.kind === 'item' && this.#delivered.has(change.entry.key);
      const delivery = isDelivered ? null : channel.deliverIfMatching(change);
      if (delivery) yield this.#passing(delivery);
      if (this.#isTurnOver()) await this.#nextTurn();
    }
    return true;
  }

  #isTurnOver(): boolean {
    this.#matched = (this.#matched + 1) % maxMatchedAtOnce;
    return this.#matched === 0;
  }

  #nextTurn(): Promise<void> {
    return new Promise((resolve) => this.#channel.turns.add(resolve));
  }

  #readerOf(history: History<Item>): PositionReader<Item> {
    const { clock, caller, lostAfterMs } = this.#options;
    const requester = { caller, cancellation: this.#cancellation };
    const readAfter = (position: ItemPosition | null) => history.pageAfter(position, requester, this.#upTo);
    const answersNow = async () => this.#channel.feed.isUp;
    const { judge } = history;
    return new PositionReader({ readAfter, answersNow, judge, clock, pace, lostAfterMs, progress: this.progress });
  }

  #takePage({ entries, hasMore, mark = null }: LivePage<Item>): void {
    this.#entries = [...entries];
    this.#hasMore = hasMore;
    this.#mark = mark;
  }

  #passing(delivery: Delivery<Payload>): Delivery<Payload> {
    this.#at = delivery.at;
    return delivery;
  }
}

/** @param turns in which it resolves with `false`: thousands may give up at once */
function isWithin(ms: number, settling: Promise<unknown>, clock: Clock, turns: Turns): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = clock.after(ms, () => turns.add(() => resolve(false)));
    void settling.then(() => {
      stop();
      resolve(true);
    });
  });
}

function jointAtEnd({ sequence }: FeedEnd): Joint {
  return { sequence, delivered: new Set() };
}

/** The sequence number of a position; `null` if the feed does not know it, or has dropped what follows it. */
function sequenceAt<Item>(feed: Feed<Item>, position: ItemPosition | null): number | null {
  if (!position?.key) return feed.isStarted && feed.frontier === null ? feed.news.end - 1 : null;
  const sequence = feed.inOrderSequenceOf(position.key);
  return sequence !== null && sequence + 1 >= feed.news.start ? sequence : null;
}

/**
 * Joins a stream at the feed's newest position, if that position is delivered and the feed knows every delivered item.
 * Needed if the stream's newest item came late to the feed: the feed then ends at another position. @returns a sequence
 * number
 */
function sequenceAtLateEnd<Item>(
  feed: Feed<Item>,
  from: ItemPosition | null,
  delivered: ReadonlySet<string>,
): number | null {
  const { frontier } = feed;
  const isDelivered = frontier !== null && (frontier.key === from?.key || delivered.has(frontier.key));
  return isDelivered && [...delivered].every((key) => feed.knows(key)) ? sequenceAt(feed, frontier) : null;
}

/**
 * The joint of a resume point. An item that came late to one feed may come to another feed in its order, later, or not yet, so the
 * joint is at the position behind which it was delivered.
 */
function jointAfter<Item>(feed: Feed<Item>, point: ResumePoint): Joint | null {
  const sequence = sequenceAt(feed, point.from);
  if (sequence === null) return null;
  const keys = lateKeysOf(point);
  const late = feed.sequenceOf(keys[0] ?? '') ?? sequence;
  // If only late items lie between them, those have been delivered too.
  let end = sequence;
  while (end < late && isLate(feed.news.at(end + 1))) end += 1;
  const isAmongThem = end === late && late > sequence;
  return { sequence: isAmongThem ? late : sequence, delivered: new Set(isAmongThem ? [] : keys) };
}

function isLate<Item>(news: FeedChange<Item> | undefined): boolean {
  return news?.kind === 'item' && news.at.from?.key !== news.at.last?.key;
}

/** The key of the item that was delivered last, if it came late. */
function lateKeysOf({ last, from }: ResumePoint): string[] {
  return last && last.key !== from?.key ? [last.key] : [];
}

/**
 * Delivered keys that follow the joint in the feed, and the newest ones that the feed does not know: it may yet read them as
 * late items.
 */
function behind<Item>(delivered: ReadonlySet<string>, sequence: number, feed: Feed<Item>): ReadonlySet<string> {
  const firstUnknown = delivered.size - maxUnread;
  return new Set(
    [...delivered].filter((key, index) => {
      const known = feed.sequenceOf(key);
      return known === null ? index >= firstUnknown : known > sequence;
    }),
  );
}
