import type { ReplayBudget } from '../backlogs/replay-budget.ts';
import type { Cancellation } from '../transport/cancellation.ts';
import type { LiveSource, Place } from './live-source.ts';
import { Reader, type ReaderOptions } from './reader.ts';
import { Timeline } from './timeline.ts';

export type { FeedNews } from './timeline.ts';

export interface FeedOptions extends Omit<ReaderOptions, 'mostBytes' | 'afterLook'> {
  readonly budget: ReplayBudget;
}

/** One query of an upstream for all who follow it, from now on: read once, and its newest part kept. */
export class Feed<Item> {
  readonly source: LiveSource<Item>;
  readonly #timeline = new Timeline<Item>();
  readonly #reader: Reader<Item>;
  readonly #leaveBudget: () => void;
  #isOver = false;

  constructor(source: LiveSource<Item>, { budget, ...options }: FeedOptions) {
    this.source = source;
    this.#leaveBudget = budget.enter();
    this.#reader = new Reader(source, this.#timeline, { ...options, mostBytes: budget.share });
    this.#reader.start();
  }

  /** Indexes are the sequence numbers of everything read. */
  get news(): Timeline<Item>['news'] {
    return this.#timeline.news;
  }

  /** The newest place that was read; `null` = there is none. */
  get frontier(): Place | null {
    return this.#timeline.frontier;
  }

  /** Did the first poll go well? Until then the feed knows nothing. */
  get isStarted(): boolean {
    return this.#timeline.isStarted;
  }

  /** The sequence number of an item that came in its order and is known; `null` for any other. */
  placeOf(key: string): number | null {
    return this.#timeline.placeOf(key);
  }

  /** The sequence number of an item that was read, in its order or late. */
  sequenceOf(key: string): number | null {
    return this.#timeline.sequenceOf(key);
  }

  /** Resolves when a poll that begins after this call has read everything there is; or when cancelled. */
  caughtUp(cancellation: Cancellation): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isOver || cancellation.cause) return resolve();
      const stopListening = cancellation.onCancel(() => resolve());
      this.#reader.whenCaughtUp(() => {
        stopListening();
        resolve();
      });
    });
  }

  /** Called after each poll that brought something. @returns stops it */
  onNews(listener: () => void): () => void {
    return this.#timeline.onNews(listener);
  }

  /** Ends the call and the timer under way. */
  close(): void {
    this.#isOver = true;
    this.#leaveBudget();
    for (const resolve of this.#reader.close()) resolve();
  }
}
