import { type Cancellation, createCancellation } from '../transport/cancellation.ts';
import { Backlog } from './backlog.ts';
import type { Clock } from './clock.ts';
import { findPageFault } from './find-page-fault.ts';
import { goneReason, judgeLoss, unknownReason } from './judge-loss.ts';
import {
  type LiveEntry,
  type LivePage,
  type LiveSource,
  type Place,
  PlaceLostError,
  type ResumePoint,
  resumeAt,
} from './live-source.ts';
import { createPace, type PaceOptions } from './pace.ts';
import type { ReplayBudget } from './replay-budget.ts';

export interface FeedOptions {
  readonly pace: PaceOptions;
  readonly clock: Clock;
  readonly budget: ReplayBudget;
  /** How long a place may be unknown to the upstream, in milliseconds, before the stream goes on without it. */
  readonly lostAfterMs: number;
}

/** What a feed has read, in the order in which it is delivered. */
export type FeedNews<Item> =
  | { readonly kind: 'item'; readonly entry: LiveEntry<Item>; readonly at: ResumePoint }
  | { readonly kind: 'gap'; readonly after: ResumePoint; readonly before: Place | null; readonly reason: string };

/**
 * How far back of the newest item a poll begins to read: an item that the upstream tells late, at a place before others that
 * it told already, is found there. Less than half a page, so that a poll has room for what is new.
 */
const readBack = 24;
/** Names of items that are known to have been read. More than a poll can bring twice, and enough to hand over from history. */
const maxSeen = 4_096;
/** Pages in a row that may bring nothing and say that there is more: small ones, on the way to the newest place. */
const maxIdlePages = readBack;
/** What an entry takes beside its item, in bytes. */
const entryBytes = 400;

/** Reads one query of an upstream for all who follow it, from now on, and keeps the newest part of what it has read. */
export class Feed<Item> {
  /** Indexes are the sequence numbers of everything read. */
  readonly news = new Backlog<FeedNews<Item>>();
  readonly source: LiveSource<Item>;
  readonly #options: FeedOptions;
  readonly #cancellation = createCancellation();
  readonly #listeners = new Set<() => void>();
  readonly #leaveBudget: () => void;
  /** By the name of an item: its sequence number. */
  readonly #seen = new Map<string, number>();
  readonly #late = new Set<string>();
  /** The newest places in the upstream's order, the newest last; empty until the first poll went well. */
  #recent: (Place | null)[] = [];
  /** Where the poll goes on that is under way in several pages; `undefined` = the next one begins anew. */
  #walkAt: Place | null | undefined;
  /** Has the poll under way come by the newest place? */
  #isBeyond = false;
  /** What it has before that and was never told: it came late, if the newest place follows it. */
  #lateOnes: LiveEntry<Item>[] = [];
  /** Did the last poll not find the newest place? Then the next one asks for what follows it, to hear what has become of it. */
  #isMissing = false;
  /** Pages in a row of that poll that brought nothing. */
  #idlePages = 0;
  #lostSinceMs: number | null = null;
  #bytes = 0;
  #waiting: (() => void)[] = [];
  #wake = () => {};

  constructor(source: LiveSource<Item>, options: FeedOptions) {
    this.source = source;
    this.#options = options;
    this.#leaveBudget = options.budget.enter();
    void this.#run();
  }

  /** The newest place that was read; `null` = there is none. */
  get frontier(): Place | null {
    return this.#recent.at(-1) ?? null;
  }

  /** Did the first poll go well? Until then the feed knows nothing. */
  get isStarted(): boolean {
    return this.#recent.length > 0;
  }

  /** The sequence number of an item that came in its order and is known; `null` for any other. */
  placeOf(key: string): number | null {
    return this.#late.has(key) ? null : (this.#seen.get(key) ?? null);
  }

  /** The sequence number of an item that was read, in its order or late. */
  sequenceOf(key: string): number | null {
    return this.#seen.get(key) ?? null;
  }

  /** Resolves when a poll that begins after this call has read everything there is; or when cancelled. */
  caughtUp(cancellation: Cancellation): Promise<void> {
    return new Promise((resolve) => {
      if (this.#cancellation.cause || cancellation.cause) return resolve();
      const stopListening = cancellation.onCancel(() => resolve());
      this.#waiting.push(() => {
        stopListening();
        resolve();
      });
      this.#wake();
    });
  }

  /** Called after each poll that brought something. @returns stops it */
  onNews(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends the call and the timer under way. */
  close(): void {
    this.#cancellation.cancel('aborted');
    this.#leaveBudget();
    this.#wake();
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const pace = createPace(this.#options.pace, clock);
    let waiting: (() => void)[] = [];
    let isNews = false;
    while (!this.#cancellation.cause) {
      // Who comes while a poll is under way waits for the next one: what happened before it came may be in that.
      if (this.#walkAt === undefined) waiting = waiting.concat(this.#waiting.splice(0));
      const before = this.news.end;
      let delayMs: number;
      try {
        await this.#poll();
        const isWhole = this.#walkAt === undefined;
        isNews ||= this.news.end > before;
        delayMs = isWhole ? pace.went(isNews) : 0;
        if (isWhole) for (const resolve of waiting.splice(0)) resolve();
        if (isWhole) isNews = false;
        if (isWhole && !this.#isMissing) this.#lostSinceMs = null;
      } catch (error) {
        if (error instanceof PlaceLostError) delayMs = await this.#whenLost(pace.failed());
        else delayMs = pace.failed();
      }
      if (this.news.end > before) this.#tell();
      const isHasty = this.#waiting.length > 0 && this.#walkAt === undefined && waiting.length === 0;
      if (delayMs > 0 && !isHasty) await this.#rest(delayMs, waiting.length > 0);
    }
    for (const resolve of waiting) resolve();
  }

  /** @param isFailing nobody who comes meanwhile shortens it: the upstream is away */
  #rest(ms: number, isFailing: boolean): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#options.clock.after(ms, () => {
        this.#wake = () => {};
        resolve();
      });
      this.#wake = () => {
        if (isFailing && !this.#cancellation.cause) return;
        this.#wake = () => {};
        stop();
        resolve();
      };
      if (this.#cancellation.cause) this.#wake();
    });
  }

  async #poll(): Promise<void> {
    if (this.#recent.length === 0) return this.#start();
    if (this.#walkAt === undefined) {
      const isWhole = !this.#isMissing || this.frontier === null;
      this.#walkAt = isWhole ? (this.#recent[0] ?? null) : this.frontier;
      this.#isBeyond = !isWhole || this.#recent.length === 1;
      this.#lateOnes = [];
      this.#isMissing = false;
      this.#idlePages = 0;
    }
    const from = this.#walkAt;
    try {
      const page = await this.source.after(from, this.#cancellation);
      const fault = findPageFault(page, from);
      if (fault) throw new Error(`a page ${fault}`);
      const before = this.news.end;
      this.#take(page);
      this.#idlePages = this.news.end > before ? 0 : this.#idlePages + 1;
      if (this.#walkAt !== undefined && this.#idlePages > maxIdlePages) throw new Error('the pages do not advance');
    } catch (error) {
      // Begin anew: behind the newest place if an older one is not known any more.
      this.#walkAt = undefined;
      if (error instanceof PlaceLostError && this.#recent.length > 1) {
        this.#recent = [this.frontier];
        return;
      }
      throw error;
    }
  }

  /** Begins at the newest item there is. @param lost the place that it should have gone on from */
  async #start(lost: Place | null = null): Promise<void> {
    const newest = await this.source.newest(readBack + 1, this.#cancellation);
    if (lost) this.#addGap(lost, null, unknownReason);
    // With fewer than asked for, the whole history is known.
    this.#recent = [...(newest.length > readBack ? [] : [null]), ...newest.toReversed().map(toPlace)];
    // Who comes by an older one of them has not been told those that follow it.
    for (const { key } of newest) if (!this.#seen.has(key)) this.#seen.set(key, Number.NEGATIVE_INFINITY);
    const [first] = newest;
    if (first) this.#seen.set(first.key, this.news.end - 1);
  }

  #take({ entries, hasMore }: LivePage<Item>): void {
    // Now, and not when it was read: those who follow have had the time since then to read it.
    this.#dropOldest();
    for (const entry of entries) {
      const isNewest = entry.key === this.frontier?.key;
      if (isNewest) for (const late of this.#lateOnes.splice(0)) this.#tellLate(late);
      this.#isBeyond ||= isNewest;
      if (this.#seen.has(entry.key)) continue;
      if (this.#isBeyond) this.#tellNext(entry);
      else this.#lateOnes.push(entry);
    }
    const last = entries.at(-1);
    this.#walkAt = hasMore && last ? toPlace(last) : undefined;
    this.#isMissing = this.#walkAt === undefined && !this.#isBeyond;
  }

  #tellNext(entry: LiveEntry<Item>): void {
    const place = toPlace(entry);
    this.#recent.push(place);
    if (this.#recent.length > readBack + 1) this.#recent.shift();
    this.#remember(entry.key);
    this.#add({ kind: 'item', entry, at: resumeAt(place) }, entry.bytes);
  }

  #tellLate(entry: LiveEntry<Item>): void {
    this.#late.add(entry.key);
    this.#remember(entry.key);
    this.#add({ kind: 'item', entry, at: { place: toPlace(entry), from: this.frontier } }, entry.bytes);
  }

  #remember(key: string): void {
    this.#seen.set(key, this.news.end);
    if (this.#seen.size <= maxSeen) return;
    const [oldest = ''] = this.#seen.keys();
    this.#seen.delete(oldest);
    this.#late.delete(oldest);
  }

  #add(news: FeedNews<Item>, bytes: number): void {
    this.news.add(news);
    this.#bytes += bytes + entryBytes;
  }

  #dropOldest(): void {
    const most = this.#options.budget.share();
    while (this.#bytes > most) {
      const dropped = this.news.dropOldest();
      if (!dropped) return;
      this.#bytes -= entryBytes + (dropped.kind === 'item' ? dropped.entry.bytes : 0);
    }
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** @returns milliseconds until the next poll */
  async #whenLost(delayMs: number): Promise<number> {
    const lost = this.frontier;
    if (!lost) return delayMs;
    const { clock, lostAfterMs } = this.#options;
    this.#lostSinceMs ??= clock.now();
    try {
      const loss = await judgeLoss(lost, this.source, this.#cancellation);
      if (loss.kind === 'gone') {
        this.#addGap(lost, loss.oldest.entries[0] ?? null, goneReason);
        this.#recent = [null];
        this.#isBeyond = true;
        this.#take(loss.oldest);
        return 0;
      }
      if (clock.now() - this.#lostSinceMs < lostAfterMs) return delayMs;
      await this.#start(lost);
      return 0;
    } catch {
      return delayMs;
    }
  }

  #addGap(after: Place, before: Place | null, reason: string): void {
    this.#lostSinceMs = null;
    this.#add({ kind: 'gap', after: resumeAt(after), before: before && toPlace(before), reason }, 0);
  }
}

/** Without the item: places are kept longer. */
function toPlace({ key, timestampMs }: Place): Place {
  return { key, timestampMs };
}
