import { createCancellation } from '../upstream/cancellation.ts';
import type { Pace } from './clock.ts';
import {
  type ItemPosition,
  type LiveEntry,
  type LivePage,
  type LiveSource,
  PositionFailedError,
  PositionLostError,
  positionBehind,
  QueryRejectedError,
} from './live-source.ts';
import { type LostPosition, PageRefusedError, PositionReader, type PositionReaderOptions } from './position-reader.ts';
import { Progress } from './progress.ts';
import { type ItemPositions, readBackItems, type Timeline, toItemPosition } from './timeline.ts';
import { Announcements } from './watch.ts';

export interface ReaderOptions
  extends Pick<PositionReaderOptions<unknown>, 'clock' | 'judge' | 'lostAfterMs' | 'pace'> {
  /** Bytes that the timeline may keep now. */
  readonly mostBytes: () => number;
  /** Called for each new item. */
  readonly onItem?: (item: ItemPosition) => void;
  /** Called if the upstream rejects the query: no retry will help. */
  readonly onRejected?: (reason: Error) => void;
  /** Called after each call to the upstream. */
  readonly onRead?: () => void;
}

/** Pages in a row that may bring nothing new although more follow: small pages, on the way to the newest position. */
const maxIdlePages = readBackItems;

/** A poll that takes several pages. */
interface Walk<Item> {
  readonly begin: ItemPosition | null;
  /** Where the next page begins. */
  at: ItemPosition | null;
  /** Has it reached the newest position of the timeline? */
  isBeyond: boolean;
  /** Unknown items before the newest position: they came late, if the newest position follows them. */
  readonly late: LiveEntry<Item>[];
  idlePages: number;
  /** Did a page end where the upstream had searched up to, with fewer items than there was room for? */
  isSearch: boolean;
}

/**
 * Polls an upstream and adds new items to a timeline. A poll begins 24 items before the newest one, because the upstream may show
 * items late, and reads pages until the upstream has no more. Failures are retried for ever; a lost position becomes a gap.
 */
export class Reader<Item> {
  readonly progress: Progress;
  readonly #source: LiveSource<Item>;
  readonly #timeline: Timeline<Item>;
  readonly #options: ReaderOptions;
  readonly #positions: PositionReader<Item>;
  readonly #cancellation = createCancellation();
  readonly #pace: Pace;
  readonly #announcements: Announcements;
  #isOn = false;
  #isRunning = false;
  /** Did the last poll read everything without a failure, or fail only at older positions? */
  #isUp = false;
  /** `null` = the next poll begins anew. */
  #walk: Walk<Item> | null = null;
  /** A poll that read many pages without anything new: the next one continues it, and reaches the end in time. */
  #unfinished: Walk<Item> | null = null;
  /** Where the last page of a poll with a search began. The next poll repeats that page alone. */
  #searchedFrom: ItemPosition | null = null;
  /** The last poll did not find the newest position: the next one begins there, to find out whether it is lost. */
  #isMissing = false;
  /** Callbacks that wait for a poll that has not begun, and for the poll in flight. */
  readonly #waiting = new Set<() => void>();
  readonly #served = new Set<() => void>();
  /** Shortens the pause between two polls to this many milliseconds since it began. */
  #limitRest = (_ms: number) => {};

  constructor(source: LiveSource<Item>, timeline: Timeline<Item>, options: ReaderOptions) {
    this.#source = source;
    this.#timeline = timeline;
    this.#options = options;
    this.progress = new Progress('reader', options.clock);
    const readAfter = (position: ItemPosition | null) => source.after(position, this.#cancellation);
    const answersNow = () =>
      source.newest(1, this.#cancellation).then(
        () => true,
        () => false,
      );
    this.#positions = new PositionReader({ ...options, readAfter, answersNow, progress: this.progress });
    this.#pace = this.#positions.pace;
    this.#announcements = new Announcements(source.listen, options.clock, () => {
      this.#pace.reset();
      // Not while the upstream fails.
      if (this.#isUp) this.#limitRest(options.pace.minMs);
    });
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  start(): void {
    this.#isOn = true;
    this.#positions.interrupt();
    this.#announcements.start();
    if (!this.#isRunning) void this.#run();
  }

  /** Stops polling, and ignores the page in flight. @returns the waiting callbacks, which are no longer called */
  stop(): (() => void)[] {
    this.#isOn = false;
    this.#walk = null;
    this.#unfinished = null;
    this.#searchedFrom = null;
    this.#announcements.stop();
    this.#limitRest(0);
    return [...takeAll(this.#served), ...takeAll(this.#waiting)];
  }

  /** Calls back when a poll that begins after this call has read everything there is, or when the reader is closed. */
  whenCaughtUp(then: () => void): void {
    this.#waiting.add(then);
    // While the upstream fails, another subscriber does not hasten the retry.
    if (this.#isUp) this.#limitRest(0);
  }

  /** Drops a callback: during an outage, any number of streams may be opened and left. */
  stopWaiting(then: () => void): void {
    this.#waiting.delete(then);
    this.#served.delete(then);
  }

  close(): void {
    this.#cancellation.cancel('aborted');
    for (const then of this.stop()) then();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const { news } = this.#timeline;
    let hasChanged = false;
    while (this.#isOn) {
      // A callback that comes during a poll waits for the next one: this poll may contain only older items.
      if (!this.#walk) {
        for (const then of takeAll(this.#waiting)) this.#served.add(then);
        this.#announcements.beginPoll();
      }
      const { end } = news;
      let delayMs = 0;
      let isWhole = false;
      try {
        isWhole = await this.#readPage();
        hasChanged ||= news.end > end;
        if (isWhole) {
          this.#announcements.endPoll(hasChanged);
          delayMs = this.#pace.afterSuccess(hasChanged, this.#announcements.isUp);
          hasChanged = false;
          this.#isUp = true;
        } else if (this.#walk && this.#walk.idlePages > maxIdlePages) delayMs = this.#options.pace.minMs;
        if (isWhole || news.end > end || this.#walk?.isSearch) this.progress.advance();
      } catch (error) {
        // Where only older positions fail, the next poll begins at the newest one, and decides.
        this.#isUp &&= this.#isMissing && error instanceof PositionFailedError;
        if (error instanceof QueryRejectedError) this.#options.onRejected?.(error.reason);
        delayMs = await this.#recover(error);
      }
      const followed = news.end > end ? this.#timeline.wakeFollowers() : null;
      this.#options.onRead?.();
      if (isWhole) for (const then of takeAll(this.#served)) then();
      await followed;
      const isAwaited = isWhole && this.#waiting.size > 0;
      if (delayMs > 0 && !isAwaited && this.#isOn) await this.#rest(delayMs);
    }
    this.#isRunning = false;
    this.#isUp = false;
    this.progress.advance();
  }

  #rest(delayMs: number): Promise<void> {
    const { clock, pace } = this.#options;
    return new Promise((resolve) => {
      const beganMs = clock.now();
      let limitMs = Number.POSITIVE_INFINITY;
      let stop = () => {};
      const end = () => {
        stop();
        this.#limitRest = () => {};
        resolve();
      };
      // Announcements may come a thousand times a second: a limit that changes nothing sets no timer.
      this.#limitRest = (ms) => {
        if (ms >= limitMs) return;
        limitMs = ms;
        stop();
        const restMs = ms - (clock.now() - beganMs);
        if (restMs > 0) stop = clock.after(restMs, end);
        else end();
      };
      this.#limitRest(delayMs);
      if (this.#announcements.isPending && this.#isUp) this.#limitRest(pace.minMs);
    });
  }

  /** @returns whether the poll has read everything that the upstream had when the poll began */
  async #readPage(): Promise<boolean> {
    const timeline = this.#timeline;
    if (!timeline.isStarted) {
      this.progress.waitFor('an answer');
      const newest = await this.#readNewest();
      if (!this.#isOn || timeline.isStarted) return false;
      timeline.beginAt(newest);
      return true;
    }
    this.#walk ??= this.#beginWalk();
    const walk = this.#walk;
    const { at } = walk;
    const oldest = timeline.recent[0]?.key ?? '';
    const { end } = timeline.news;
    try {
      const page = await this.#positions.read(at);
      // It was stopped: another process may have read the page.
      if (this.#walk !== walk) return false;
      this.#add(page, walk);
      if (!this.#walk && at !== walk.begin) this.#searchedFrom = walk.isSearch ? at : null;
      walk.idlePages = timeline.news.end > end ? 0 : walk.idlePages + 1;
      if (this.#walk && walk.idlePages > maxIdlePages && !walk.isSearch) {
        this.#unfinished = walk;
        this.#walk = null;
        this.#options.judge.acceptIfPersistent([{ what: 'is one of many that bring nothing new', key: oldest }]);
        return true;
      }
      return !this.#walk && !this.#isMissing;
    } catch (error) {
      this.#walk = null;
      this.#searchedFrom = null;
      const isAtFrontier = timeline.recent.length === 1 || walk.at?.key === timeline.frontier?.key;
      // Perhaps only the older positions fail: the next poll begins at the newest one.
      if (error instanceof PositionFailedError && !isAtFrontier) this.#isMissing = true;
      if (!(error instanceof PositionLostError)) throw error;
      if (isAtFrontier) {
        // The upstream may still know the older positions: its node may lag.
        this.#isMissing = true;
        throw error;
      }
      timeline.dropOlderPositions();
      return false;
    }
  }

  #beginWalk(): Walk<Item> {
    const unfinished = this.#unfinished;
    this.#unfinished = null;
    if (unfinished) return { ...unfinished, late: [], idlePages: 0 };
    const { recent, frontier } = this.#timeline;
    const missing = this.#isMissing ? frontier : null;
    this.#isMissing = false;
    const at = missing ?? this.#searchedFrom ?? recent[0] ?? null;
    return toWalk(at, at?.key === frontier?.key);
  }

  #add(page: LivePage<Item>, walk: Walk<Item>): void {
    const { entries, hasMore } = page;
    const timeline = this.#timeline;
    // Only now: the followers have read the items of the last page.
    timeline.shrinkTo(this.#options.mostBytes());
    for (const entry of entries) {
      const isNewest = entry.key === timeline.frontier?.key;
      if (isNewest) for (const late of walk.late.splice(0)) timeline.addLate(late);
      walk.isBeyond ||= isNewest;
      if (walk.isBeyond) this.#addNext(entry);
      else if (!timeline.knows(entry.key)) walk.late.push(entry);
    }
    const next = positionBehind(page, walk.at);
    if (hasMore && (next?.key !== walk.at?.key || next?.mark !== walk.at?.mark)) {
      walk.at = next;
      walk.isSearch ||= page.mark != null;
      this.#walk = walk;
    } else {
      this.#walk = null;
      this.#isMissing = !walk.isBeyond;
    }
  }

  #addNext(entry: LiveEntry<Item>): void {
    if (!this.#timeline.knows(entry.key)) this.#options.onItem?.(entry);
    this.#timeline.addNext(entry);
  }

  /** The upstream's newest positions, the newest last. */
  async #readNewest(): Promise<ItemPositions> {
    const newest = await this.#source.newest(readBackItems + 1, this.#cancellation);
    const isEmpty = newest.entries.length === 0;
    const oldestFirst = { ...newest, entries: newest.entries.toReversed(), hasMore: isEmpty && newest.hasMore };
    const { entries } = this.#options.judge.take(oldestFirst, null);
    // Otherwise the whole history would be delivered as new.
    if (isEmpty && (await this.#source.after(null, this.#cancellation)).entries.length > 0) {
      throw new PageRefusedError('the page of the newest items is empty, and that of the oldest ones is not');
    }
    return isEmpty ? [null] : entries.map(toItemPosition);
  }

  /** @returns milliseconds until the next poll */
  async #recover(error: unknown): Promise<number> {
    const loss = await this.#positions.recover(error, this.#timeline.frontier);
    if (typeof loss === 'number') return loss;
    try {
      await this.#goOnBehind(loss);
      return 0;
    } catch (failure) {
      return this.#positions.retryAfter(failure);
    }
  }

  async #goOnBehind({ lost, reason, oldest }: LostPosition<Item>): Promise<void> {
    const recent = oldest ? [null] : await this.#readNewest();
    if (!this.#isOn || this.#timeline.frontier?.key !== lost?.key) return;
    this.#timeline.addGap(lost, oldest?.entries[0] ?? null, reason, recent);
    if (oldest) this.#add(oldest, toWalk(null, true));
  }
}

function toWalk<Item>(begin: ItemPosition | null, isBeyond: boolean): Walk<Item> {
  return { begin, at: begin, isBeyond, late: [], idlePages: 0, isSearch: false };
}

export function takeAll<Value>(values: Set<Value>): Value[] {
  const all = [...values];
  values.clear();
  return all;
}
