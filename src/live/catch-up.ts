import type { Cancellation } from '../upstream/cancellation.ts';
import type { Channel, Delivery } from './channel.ts';
import { type Clock, checkAgainMs, createPace, pause } from './clock.ts';
import type { Feed } from './feed.ts';
import type { History } from './history.ts';
import {
  type ItemPosition,
  type LiveEntry,
  PositionLostError,
  type PositionPage,
  type ResumePoint,
  resumeAt,
} from './live-source.ts';
import { dataLostReason, judgeLoss, PageRefusedError, unavailableReason, unknownReason } from './page-judge.ts';
import { lostWait, messageOf, type Progress } from './progress.ts';
import { type FeedChange, toItemPosition } from './timeline.ts';

export interface CatchUpOptions<Item> {
  readonly clock: Clock;
  readonly cancellation: Cancellation;
  /** The owner of the stream: callers take turns at reading history. */
  readonly caller: string;
  readonly lostAfterMs: number;
  readonly progress: Progress;
  /** The page that is being delivered. Nothing else holds it, so that it can be released. */
  readonly page: CurrentPage<LiveEntry<Item>>;
}

/** Where a stream that has read history goes live. */
export interface Handover {
  /** Sequence number of the feed up to which everything is delivered. */
  readonly sequence: number;
  /** Keys of items behind it that are delivered already: they came to the feed late. */
  readonly delivered: ReadonlySet<string>;
  /** The beginning of a stream without a resume point; `null` = it has one. */
  readonly at: ResumePoint | null;
}

/** Delivered keys that are remembered because they may come again; far more than can have come late. */
const maxDelivered = 1_000;
/** Keys before a joint that the feed may not have read yet: more than its reader reads back. */
const maxUnread = 32;
/** A poll takes less than so many milliseconds while the upstream is up. */
const promptMs = 2_000;

/** The page that a stream delivers, item by item. A released page says that there is more, and is read again from there. */
export class CurrentPage<Entry extends ItemPosition = ItemPosition> {
  #page: PositionPage<Entry> = { entries: [], hasMore: false };
  #next = 0;

  /** Does more follow behind its items? */
  get hasMore(): boolean {
    return this.#page.hasMore;
  }

  set(page: PositionPage<Entry>): void {
    this.#page = page;
    this.#next = 0;
  }

  /** `undefined` behind the last one. */
  next(): Entry | undefined {
    const entry = this.#page.entries[this.#next];
    this.#next += 1;
    return entry;
  }

  release(): void {
    this.set({ entries: [], hasMore: this.hasMore || this.#next < this.#page.entries.length });
  }
}

/**
 * Begins a stream at this moment: behind a poll of the reader. While none ends well, nothing may be left out silently: the stream
 * then begins where its reader was when it was opened or, if that is not known, with a gap.
 */
export async function* beginNow<Item, Payload>(
  { feed, presenter }: Channel<Item, Payload>,
  { clock, cancellation, progress }: Pick<CatchUpOptions<Item>, 'clock' | 'cancellation' | 'progress'>,
): AsyncGenerator<Delivery<Payload>, Handover | null> {
  const opening = feed.isStarted ? handoverAtEnd(feed, resumeAt(feed.frontier)) : null;
  const { isUp } = feed;
  progress.waitFor('the reader to look at the upstream');
  const caughtUp = feed.caughtUp(cancellation);
  const isPrompt = await isWithin(promptMs, caughtUp, clock);
  if (!isPrompt && opening && isUp) return opening;
  await caughtUp;
  if (cancellation.cause || !feed.isStarted) return null;
  const handover = handoverAtEnd(feed, resumeAt(feed.frontier));
  const at = opening?.at ?? handover.at ?? resumeAt(null);
  if (!isPrompt) yield { payload: presenter.gap(opening?.at ?? null, null, unavailableReason), at };
  return handover;
}

function isWithin(ms: number, settling: Promise<void>, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = clock.after(ms, () => resolve(false));
    void settling.then(() => {
      stop();
      resolve(true);
    });
  });
}

/**
 * Delivers history page by page from a resume point, until it meets what the feed has: from there on the stream is live. Retries
 * failures of the upstream until it is cancelled.
 */
export async function* catchUp<Item, Payload>(
  point: ResumePoint,
  channel: Channel<Item, Payload>,
  options: CatchUpOptions<Item>,
): AsyncGenerator<Delivery<Payload>, Handover | null> {
  const { clock, cancellation, caller, lostAfterMs, page, progress } = options;
  const { feed, presenter } = channel;
  const known = handoverAfter(feed, point);
  if (known) return known;
  /** First what only the filter's own query has, then all that the feed's has, until both meet. */
  let { history } = channel;
  let at = point.from;
  let lostSinceMs: number | null = null;
  /** The item behind the gap that was delivered last. */
  let behindGap: string | null = null;
  const pace = createPace({ minMs: 100, maxMs: 2_000 }, clock);
  const delivered = new Set<string>(lateKeysOf(point));
  const handoverAt = (sequence: number | null): Handover | null =>
    sequence === null ? null : { sequence, delivered: behind(delivered, sequence, feed), at: null };
  const gap = (lost: ItemPosition, before: ItemPosition | null, reason: string): Delivery<Payload> => {
    const resume = resumeAt(lost);
    return { payload: presenter.gap(resume, before, reason), at: resume };
  };
  while (!cancellation.cause) {
    const from = at;
    progress.waitFor('an answer');
    try {
      page.set(history.judge.take(await history.pageAfter(at, { caller, cancellation }), at));
      lostSinceMs = null;
    } catch (error) {
      const lost = error instanceof PositionLostError ? at : null;
      progress.waitFor(lost ? lostWait : messageOf(error));
      const loss = lost && (await tryJudging(lost, history, { caller, cancellation }));
      if (lost && loss?.kind === 'gone') {
        page.set(loss.oldest);
        const [oldest = lost] = loss.oldest.entries;
        // A page that was released at once is asked for here again.
        if (oldest.key !== behindGap) yield gap(lost, toItemPosition(oldest), dataLostReason);
        behindGap = oldest.key;
      } else {
        if (loss) lostSinceMs ??= clock.now();
        if (lost && loss && lostSinceMs !== null && clock.now() - lostSinceMs >= lostAfterMs) {
          yield gap(lost, null, unknownReason);
          await feed.caughtUp(cancellation);
          return handoverAtEnd(feed, null);
        }
        const isAnswered = loss !== null || error instanceof PageRefusedError;
        await pause(clock, pace.afterFailure(isAnswered ? checkAgainMs : undefined), cancellation);
        continue;
      }
    }
    let isNew = false;
    for (let entry = page.next(); entry; entry = page.next()) {
      const { key } = entry;
      at = toItemPosition(entry);
      // A late item that was delivered before the stream broke off lies before its place, and is not met here. And a node that
      // answers in another order each time may bring an item twice.
      const isKnown = key === point.place?.key || delivered.has(key);
      const delivery = isKnown ? null : channel.deliverOld(entry, resumeAt(at));
      progress.advance();
      if (delivery) yield delivery;
      isNew ||= !isKnown;
      delivered.add(key);
      const handover = handoverAt(sequenceAt(feed, at));
      if (handover) return handover;
      const [oldest = ''] = delivered;
      if (delivered.size > maxDelivered) delivered.delete(oldest);
    }
    if (page.hasMore) {
      // Pages may go round in a circle.
      if (!isNew) await pause(clock, pace.afterSuccess(false), cancellation);
      continue;
    }
    if (history !== feed.history) {
      history = feed.history;
      continue;
    }
    progress.waitFor('the reader to come as far');
    await feed.caughtUp(cancellation);
    const handover = handoverAt(sequenceAt(feed, at) ?? sequenceAtLateEnd(feed, point.from, delivered));
    if (handover) return handover;
    await pause(clock, pace.afterSuccess(at !== from), cancellation);
  }
  return null;
}

function handoverAtEnd<Item>({ news }: Feed<Item>, at: ResumePoint | null): Handover {
  return { sequence: news.end - 1, delivered: new Set(), at };
}

/** The sequence number of a place; `null` if the feed does not know it, or has dropped what follows it. */
function sequenceAt<Item>(feed: Feed<Item>, place: ItemPosition | null): number | null {
  if (place === null) return feed.isStarted && feed.frontier === null ? feed.news.end - 1 : null;
  const sequence = feed.inOrderSequenceOf(place.key);
  return sequence !== null && sequence + 1 >= feed.news.start ? sequence : null;
}

/**
 * The same where the newest item came late to the feed, which ends at another: if that one is delivered, and the feed knows all
 * that was delivered behind it.
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
 * The same for a resume point. An item that came late to one feed may come to another in its order, later, or not yet: the place
 * that it was delivered behind counts.
 */
function handoverAfter<Item>(feed: Feed<Item>, point: ResumePoint): Handover | null {
  const sequence = sequenceAt(feed, point.from);
  if (sequence === null) return null;
  const keys = lateKeysOf(point);
  const late = feed.sequenceOf(keys[0] ?? '') ?? sequence;
  // If only late items lie between them, those have been delivered too.
  let end = sequence;
  while (end < late && isLate(feed.news.at(end + 1))) end += 1;
  const isAmongThem = end === late && late > sequence;
  return { sequence: isAmongThem ? late : sequence, delivered: new Set(isAmongThem ? [] : keys), at: null };
}

function isLate<Item>(news: FeedChange<Item> | undefined): boolean {
  return news?.kind === 'item' && news.at.from?.key !== news.at.place?.key;
}

/** The item that was delivered last, if it came late. */
function lateKeysOf({ place, from }: ResumePoint): string[] {
  return place && place.key !== from?.key ? [place.key] : [];
}

/** Keys that the feed has behind the joint, and the newest that it does not know: it may yet read a late one of them. */
function behind<Item>(delivered: ReadonlySet<string>, sequence: number, feed: Feed<Item>): ReadonlySet<string> {
  const firstUnknown = delivered.size - maxUnread;
  return new Set(
    [...delivered].filter((key, index) => {
      const known = feed.sequenceOf(key);
      return known === null ? index >= firstUnknown : known > sequence;
    }),
  );
}

/** `null` if the upstream did not answer. */
async function tryJudging<Item>(
  lost: ItemPosition,
  history: History<Item>,
  asker: Pick<CatchUpOptions<Item>, 'caller' | 'cancellation'>,
): Promise<Awaited<ReturnType<typeof judgeLoss<Item>>> | null> {
  try {
    return await judgeLoss(lost, () => history.pageAfter(null, asker), history.judge);
  } catch {
    return null;
  }
}
