import { createCancellation } from '../upstream/cancellation.ts';
import type { Clock } from './clock.ts';
import { goneReason, judgeLoss, unknownReason } from './judge-loss.ts';
import { type LiveEntry, type LivePage, type LiveSource, type Place, PlaceLostError } from './live-source.ts';
import { Lookout } from './lookout.ts';
import { createPace, lookAgainMs, type Pace, type PaceOptions } from './pace.ts';
import { type PageJudge, PageRefusedError } from './page-judge.ts';
import { lostWait, Progress, wordsOf } from './progress.ts';
import { readBack, type Timeline, toPlace } from './timeline.ts';

export interface ReaderOptions {
  readonly pace: PaceOptions;
  readonly clock: Clock;
  /** How long a place may be unknown to the upstream, in milliseconds, before the stream goes on without it. */
  readonly lostAfterMs: number;
  readonly judge: PageJudge;
  /** What the timeline may keep at this moment, in bytes. */
  readonly mostBytes: () => number;
  /** Waited for after each look, before anybody hears that it has read everything. Must not reject. */
  readonly afterLook?: () => Promise<void>;
}

/** Pages in a row that may bring nothing and say that there is more: small ones, on the way to the newest place. */
const maxIdlePages = readBack;

/** Asks an upstream, while it is on, for what follows on a timeline, and adds it there. */
export class Reader<Item> {
  readonly progress: Progress;
  readonly #source: LiveSource<Item>;
  readonly #timeline: Timeline<Item>;
  readonly #options: ReaderOptions;
  readonly #cancellation = createCancellation();
  readonly #pace: Pace;
  readonly #lookout: Lookout;
  /** Where the poll goes on that is under way in several pages; `undefined` = the next one begins anew. */
  #walkAt: Place | null | undefined;
  /** Has the poll under way come by the newest place? */
  #isBeyond = false;
  /** What it has before that and was never told: it came late, if the newest place follows it. */
  #lateOnes: LiveEntry<Item>[] = [];
  /** Did the last poll not find the newest place? Then the next one asks for what follows it, to hear what has become of it. */
  #isMissing = false;
  /** Did the last look end well, with everything read? */
  #isUp = false;
  /** Pages in a row of that poll that brought nothing. */
  #idlePages = 0;
  #lostSinceMs: number | null = null;
  #isOn = false;
  #isRunning = false;
  /** Who waits for a poll that has not begun, and for the one under way. */
  #waiting: (() => void)[] = [];
  #served: (() => void)[] = [];
  #wake = () => {};
  /** Ends a rest as soon as the shortest one is over. */
  #shorten = () => {};

  constructor(source: LiveSource<Item>, timeline: Timeline<Item>, options: ReaderOptions) {
    this.#source = source;
    this.#timeline = timeline;
    this.#options = options;
    this.progress = new Progress('reader', options.clock);
    this.#pace = createPace(options.pace, options.clock);
    this.#lookout = new Lookout(source, () => {
      this.#pace.hint();
      this.#shorten();
    });
  }

  /** Did the last look end well? Then the timeline is as far as the upstream was a moment ago. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Calls back when a poll that begins after this call has read everything there is. */
  whenCaughtUp(then: () => void): void {
    this.#waiting.push(then);
    this.#wake();
  }

  /** Begins to read, or goes on. */
  start(): void {
    this.#isOn = true;
    this.#lookout.start();
    if (!this.#isRunning) void this.#run();
  }

  /** Reads no more than what it has asked for already. @returns those who wait, and are not called any more */
  stop(): (() => void)[] {
    this.#isOn = false;
    this.#lookout.stop();
    this.#wake();
    return [...this.#served.splice(0), ...this.#waiting.splice(0)];
  }

  /** Ends the call and the timer under way, for ever. @returns as `stop` */
  close(): (() => void)[] {
    this.#cancellation.cancel('aborted');
    return this.stop();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const { afterLook } = this.#options;
    const { news } = this.#timeline;
    const pace = this.#pace;
    const lookout = this.#lookout;
    let isNews = false;
    while (this.#isOn && !this.#cancellation.cause) {
      // Who comes while a poll is under way waits for the next one: what happened before it came may be in that.
      if (this.#walkAt === undefined) {
        this.#served.push(...this.#waiting.splice(0));
        lookout.beginLook();
      }
      const before = news.end;
      let hasFailed = false;
      let delayMs = 0;
      let isWhole = false;
      try {
        this.progress.waitFor('an answer');
        isWhole = await this.#poll();
        isNews ||= news.end > before;
        if (isWhole) {
          lookout.looked(isNews);
          delayMs = pace.went(isNews, lookout.isUp);
          isNews = false;
          this.#lostSinceMs = null;
          this.#isUp = true;
        }
        if (isWhole || news.end > before) this.progress.advance();
      } catch (error) {
        hasFailed = true;
        this.#isUp = false;
        delayMs = await this.#recover(error);
      }
      if (news.end > before) this.#timeline.tell();
      if (afterLook) {
        this.progress.waitFor('the other processes');
        await afterLook();
        if (isWhole) this.progress.advance();
      }
      if (isWhole) for (const then of this.#served.splice(0)) then();
      const isHasty = this.#waiting.length > 0 && this.#walkAt === undefined && this.#served.length === 0;
      if (this.#isOn && delayMs > 0 && !isHasty) await this.#rest(delayMs, hasFailed);
    }
    this.#walkAt = undefined;
    this.#isRunning = false;
    this.#isUp = false;
    this.progress.advance();
  }

  /** @param hasFailed nobody who tells of news shortens it, nor who comes where others wait: the upstream is away */
  #rest(delayMs: number, hasFailed: boolean): Promise<void> {
    const { clock, pace } = this.#options;
    const isFailing = this.#served.length > 0;
    const ms = this.#lookout.isHinted && !hasFailed ? Math.min(delayMs, pace.minMs) : delayMs;
    return new Promise((resolve) => {
      const beganMs = clock.now();
      const end = () => {
        this.#wake = () => {};
        this.#shorten = () => {};
        resolve();
      };
      let stop = clock.after(ms, end);
      this.#shorten = () => {
        if (hasFailed) return;
        this.#shorten = () => {};
        stop();
        // The shortest time holds for those who are told of news a thousand times a second.
        stop = clock.after(Math.max(0, Math.min(pace.minMs, ms) - (clock.now() - beganMs)), end);
      };
      this.#wake = () => {
        if (isFailing && this.#isOn) return;
        stop();
        end();
      };
      if (!this.#isOn) this.#wake();
    });
  }

  /** @returns is everything read that the upstream had when it began? */
  async #poll(): Promise<boolean> {
    const { recent, frontier, news } = this.#timeline;
    if (recent.length === 0) {
      await this.#begin();
      return true;
    }
    if (this.#walkAt === undefined) {
      const isWhole = !this.#isMissing || frontier === null;
      this.#walkAt = isWhole ? (recent[0] ?? null) : frontier;
      this.#isBeyond = !isWhole || recent.length === 1;
      this.#lateOnes = [];
      this.#isMissing = false;
      this.#idlePages = 0;
    }
    const from = this.#walkAt;
    try {
      const page = this.#options.judge.take(await this.#source.after(from, this.#cancellation), from);
      const before = news.end;
      this.#take(page);
      this.#idlePages = news.end > before ? 0 : this.#idlePages + 1;
      if (this.#walkAt !== undefined && this.#idlePages > maxIdlePages) {
        this.#options.judge.insist([{ what: 'is one of many that bring nothing new', key: recent[0]?.key ?? '' }]);
        this.#walkAt = undefined;
        return true;
      }
      return this.#walkAt === undefined && !this.#isMissing;
    } catch (error) {
      // Begin anew: behind the newest place if an older one is not known any more.
      this.#walkAt = undefined;
      if (error instanceof PlaceLostError && this.#timeline.recent.length > 1) {
        this.#timeline.forgetAllBut(this.#timeline.frontier);
        return false;
      }
      throw error;
    }
  }

  /** Begins at the newest item there is. @param lost the place that it should have gone on from */
  async #begin(lost: Place | null = null): Promise<void> {
    const { judge } = this.#options;
    const newest = await this.#source.newest(readBack + 1, this.#cancellation);
    const isEmpty = newest.entries.length === 0;
    const oldestFirst = { ...newest, entries: newest.entries.toReversed(), hasMore: isEmpty && newest.hasMore };
    const { entries: places } = judge.take(oldestFirst, null);
    // Else the whole history would be told as new.
    if (isEmpty && (await this.#source.after(null, this.#cancellation)).entries.length > 0) {
      throw new PageRefusedError('the page of the newest items is empty, and that of the oldest ones is not');
    }
    if (lost) this.#addGap(lost, null, unknownReason);
    this.#timeline.beginAt(isEmpty ? [null] : places.map(toPlace));
  }

  #take({ entries, hasMore }: LivePage<Item>): void {
    const timeline = this.#timeline;
    // Now, and not when it was read: those who follow have had the time since then to read it.
    timeline.shrinkTo(this.#options.mostBytes());
    for (const entry of entries) {
      const isNewest = entry.key === timeline.frontier?.key;
      if (isNewest) for (const late of this.#lateOnes.splice(0)) timeline.addLate(late);
      this.#isBeyond ||= isNewest;
      if (timeline.knows(entry.key)) continue;
      if (this.#isBeyond) timeline.addNext(entry);
      else this.#lateOnes.push(entry);
    }
    const last = entries.at(-1);
    this.#walkAt = hasMore && last ? toPlace(last) : undefined;
    this.#isMissing = this.#walkAt === undefined && !this.#isBeyond;
  }

  /** After a look that failed. @returns milliseconds until the next one */
  async #recover(error: unknown): Promise<number> {
    const isLost = error instanceof PlaceLostError;
    const isAnswered = isLost || error instanceof PageRefusedError;
    this.progress.waitFor(isLost ? lostWait : wordsOf(error));
    try {
      if (isLost && (await this.#dealWithLoss())) return 0;
    } catch (judging) {
      this.progress.waitFor(wordsOf(judging));
      return this.#pace.failed(judging instanceof PageRefusedError ? lookAgainMs : undefined);
    }
    return this.#pace.failed(isAnswered ? lookAgainMs : undefined);
  }

  /** @returns is there a place to go on from now? */
  async #dealWithLoss(): Promise<boolean> {
    const lost = this.#timeline.frontier;
    if (!lost) return false;
    const { clock, lostAfterMs, judge } = this.#options;
    this.#lostSinceMs ??= clock.now();
    const loss = await judgeLoss(lost, this.#source, this.#cancellation);
    if (loss.kind === 'gone') {
      const oldest = judge.take(loss.oldest, null);
      this.#addGap(lost, oldest.entries[0] ?? null, goneReason);
      this.#timeline.forgetAllBut(null);
      this.#isBeyond = true;
      this.#take(oldest);
      return true;
    }
    if (clock.now() - this.#lostSinceMs < lostAfterMs) return false;
    await this.#begin(lost);
    return true;
  }

  #addGap(after: Place, before: Place | null, reason: string): void {
    this.#lostSinceMs = null;
    this.#timeline.addGap(after, before, reason);
  }
}
