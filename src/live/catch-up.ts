import type { Cancellation } from '../upstream/cancellation.ts';
import type { Channel, Told } from './channel.ts';
import { type Clock, pause } from './clock.ts';
import type { Feed, FeedNews } from './feed.ts';
import type { History } from './history.ts';
import { goneReason, judgeLoss, unknownReason } from './judge-loss.ts';
import { type LiveEntry, type Place, PlaceLostError, type ResumePoint, resumeAt } from './live-source.ts';
import { createPace, lookAgainMs } from './pace.ts';
import type { PageInHand } from './page-in-hand.ts';
import { PageRefusedError } from './page-judge.ts';
import { lostWait, type Progress, wordsOf } from './progress.ts';
import { toPlace } from './timeline.ts';

export interface CatchUpOptions<Item> {
  readonly clock: Clock;
  readonly cancellation: Cancellation;
  /** Whose stream it is: callers take turns at reading history. */
  readonly caller: string;
  readonly lostAfterMs: number;
  readonly progress: Progress;
  /** Has the page that is told: nothing else holds it while what was told of it waits for its reader. */
  readonly hand: PageInHand<LiveEntry<Item>>;
}

/** Where a stream that has read up to here joins those that are live. */
export interface Joint {
  /** Sequence number of the feed that is delivered already, with all before it. */
  readonly sequence: number;
  /** Names of items behind it that are delivered already: they came to the feed late. */
  readonly delivered: ReadonlySet<string>;
  /** Where a stream without a place of its own begins; `null` = it has one. */
  readonly at: ResumePoint | null;
}

/** Names that were delivered on the way and may come again; far more than can have come late. */
const maxDelivered = 1_000;
/** Names before a joint that the feed may not have read yet: more than it reads back. */
const maxUnread = 32;

/**
 * Reads on from a place, page by page, until it meets what the feed has: from there on the stream is live. Tells what it
 * reads in the meantime. Goes on behind failures of the upstream until it is cancelled.
 */
export async function* catchUp<Item, Payload>(
  point: ResumePoint,
  channel: Channel<Item, Payload>,
  options: CatchUpOptions<Item>,
): AsyncGenerator<Told<Payload>, Joint | null> {
  const { clock, cancellation, lostAfterMs, hand, progress } = options;
  const { feed } = channel;
  const known = jointBehind(feed, point);
  if (known) return known;
  /** First what only the filter's own query has, then all that the feed's has, until both meet. */
  let { history } = channel;
  let at = point.from;
  let lostSinceMs: number | null = null;
  /** The item behind the gap that was told last. */
  let behindGap: string | null = null;
  const pace = createPace({ minMs: 100, maxMs: 2_000 }, clock);
  const delivered = new Set<string>(lateNamesOf(point));
  while (!cancellation.cause) {
    const from = at;
    progress.waitFor('an answer');
    try {
      await readPage(at, history, options);
      lostSinceMs = null;
    } catch (error) {
      const isLost = error instanceof PlaceLostError && at !== null;
      progress.waitFor(isLost ? lostWait : wordsOf(error));
      const loss = isLost && at ? await tryJudging(at, history, options) : null;
      if (loss && loss !== 'unsure' && at) {
        // A page that was let go at once is asked for here again.
        if (loss.key !== behindGap) yield gap(channel, at, loss, goneReason);
        behindGap = loss.key;
      } else {
        if (loss) lostSinceMs ??= clock.now();
        if (at && loss && lostSinceMs !== null && clock.now() - lostSinceMs >= lostAfterMs) {
          yield gap(channel, at, null, unknownReason);
          await feed.caughtUp(cancellation);
          return { sequence: feed.news.end - 1, delivered: new Set(), at: null };
        }
        const isAnswered = loss !== null || error instanceof PageRefusedError;
        await pause(clock, pace.failed(isAnswered ? lookAgainMs : undefined), cancellation);
        continue;
      }
    }
    let isNew = false;
    for (let entry = hand.next(); entry; entry = hand.next()) {
      const { key, timestampMs } = entry;
      at = { key, timestampMs };
      // What came late and was delivered before the stream broke off lies before its place, and is not met here.
      // And a node that answers in another order each time may bring an item twice.
      const isTold = key === point.place?.key || delivered.has(key);
      const told = isTold ? null : channel.tellOld(entry, resumeAt(at));
      progress.advance();
      if (told) yield told;
      isNew ||= !isTold;
      delivered.add(key);
      const sequence = joinAt(feed, at);
      if (sequence !== null) return { sequence, delivered: behind(delivered, sequence, feed), at: null };
      const [oldest = ''] = delivered;
      if (delivered.size > maxDelivered) delivered.delete(oldest);
    }
    if (hand.hasMore) {
      // Pages may go round in a circle.
      if (!isNew) await pause(clock, pace.went(false), cancellation);
      continue;
    }
    if (history !== feed.history) {
      history = feed.history;
      continue;
    }
    // The feed has not read so far yet.
    progress.waitFor('the reader to come as far');
    await feed.caughtUp(cancellation);
    const sequence = joinAt(feed, at) ?? joinAtItsEnd(feed, point.from, delivered);
    if (sequence !== null) return { sequence, delivered: behind(delivered, sequence, feed), at: null };
    await pause(clock, pace.went(at !== from), cancellation);
  }
  return null;
}

/** The sequence number to go on behind; `null` if the feed does not know the place, or has dropped what follows it. */
function joinAt<Item>(feed: Feed<Item>, place: Place | null): number | null {
  if (place === null) return feed.isStarted && feed.frontier === null ? feed.news.end - 1 : null;
  const sequence = feed.placeOf(place.key);
  return sequence !== null && sequence + 1 >= feed.news.start ? sequence : null;
}

/**
 * The same where the newest item came late to the feed, which ends at another: where that one has been told, and the feed knows all
 * that was told behind it.
 */
function joinAtItsEnd<Item>(feed: Feed<Item>, from: Place | null, delivered: ReadonlySet<string>): number | null {
  const { frontier } = feed;
  const isTold = frontier !== null && (frontier.key === from?.key || delivered.has(frontier.key));
  return isTold && [...delivered].every((key) => feed.sequenceOf(key) !== null) ? joinAt(feed, frontier) : null;
}

/** The same for a point. An item that came late may come elsewhere in its order, later, or not yet: the place it was told behind counts. */
function jointBehind<Item>(feed: Feed<Item>, point: ResumePoint): Joint | null {
  const sequence = joinAt(feed, point.from);
  if (sequence === null) return null;
  const names = lateNamesOf(point);
  const late = feed.sequenceOf(names[0] ?? '') ?? sequence;
  // Where it came among late ones alone, those before it have been told too.
  let end = sequence;
  while (end < late && isLate(feed.news.at(end + 1))) end += 1;
  const isAmongThem = end === late && late > sequence;
  return isAmongThem
    ? { sequence: late, delivered: new Set(), at: null }
    : { sequence, delivered: new Set(names), at: null };
}

function isLate<Item>(news: FeedNews<Item> | undefined): boolean {
  return news?.kind === 'item' && news.at.from?.key !== news.at.place?.key;
}

/** The item that was told last, if it came late. */
function lateNamesOf({ place, from }: ResumePoint): string[] {
  return place && place.key !== from?.key ? [place.key] : [];
}

/** Those that the feed has behind the joint, and the last that it does not know: it may have yet to read one that came late. */
function behind<Item>(delivered: ReadonlySet<string>, sequence: number, feed: Feed<Item>): ReadonlySet<string> {
  const firstUnknown = delivered.size - maxUnread;
  return new Set(
    [...delivered].filter((key, index) => {
      const known = feed.sequenceOf(key);
      return known === null ? index >= firstUnknown : known > sequence;
    }),
  );
}

function gap<Item, Payload>(
  channel: Channel<Item, Payload>,
  lost: Place,
  before: Place | null,
  reason: string,
): Told<Payload> {
  const at = resumeAt(lost);
  return { payload: channel.presenter.gap(at, before, reason), at };
}

async function readPage<Item>(at: Place | null, history: History<Item>, options: CatchUpOptions<Item>): Promise<void> {
  options.hand.take(history.judge.take(await history.pageAfter(at, options), at));
}

/** @returns the oldest place there is, if the lost one is gone, and its page is in hand; `null` = who knows */
async function tryJudging<Item>(
  lost: Place,
  history: History<Item>,
  { caller, cancellation, hand }: CatchUpOptions<Item>,
): Promise<Place | 'unsure' | null> {
  try {
    const read = (place: Place | null, own: Cancellation) => history.pageAfter(place, { caller, cancellation: own });
    const loss = await judgeLoss(lost, { after: read }, cancellation);
    if (loss.kind === 'unsure') return 'unsure';
    const page = history.judge.take(loss.oldest, null);
    const [oldest] = page.entries;
    if (!oldest) return 'unsure';
    hand.take(page);
    return toPlace(oldest);
  } catch {
    return null;
  }
}
