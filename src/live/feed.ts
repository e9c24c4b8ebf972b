import type { Cancellation } from '../upstream/cancellation.ts';
import type { History } from './history.ts';
import type { LiveSource } from './live-source.ts';
import type { Progress } from './progress.ts';
import { Reader, type ReaderOptions } from './reader.ts';
import type { Shares } from './shares.ts';
import { Timeline } from './timeline.ts';
import type { Turns } from './turns.ts';

export type { FeedNews } from './timeline.ts';

export interface FeedOptions<Item> extends Omit<ReaderOptions, 'mostBytes' | 'afterLook' | 'judge'> {
  /** Bytes that all feeds together may keep. */
  readonly budget: Shares;
  readonly turns: Turns;
  readonly history: History<Item>;
  /** Has the feed read together with those of other processes; left out: it reads for itself. */
  readonly join?: JoinFleet<Item> | undefined;
}

/** The part of a feed that is lent to whoever decides when it reads, and brings what others have read. */
export interface FeedParts<Item> {
  readonly timeline: Timeline<Item>;
  /** Not started yet. */
  readonly reader: Pick<Reader<Item>, 'start' | 'stop' | 'whenCaughtUp' | 'isUp'>;
  /** What the feed may keep at this moment, in bytes. */
  readonly mostBytes: () => number;
}

export type JoinFleet<Item> = (feed: FeedParts<Item>) => FleetMember;

export interface FleetMember {
  /** Is the timeline as far as the upstream was a moment ago, as far as it is known here? */
  readonly isUp: boolean;
  /** Calls back when everything is told that the upstream had at some moment after this call. */
  whenCaughtUp(then: () => void): void;
  /** After each look of the reader at the upstream. Must not reject. */
  afterLook(): Promise<void>;
  /** @returns those who wait, and are not called any more */
  close(): (() => void)[];
}

/** One query of an upstream for all who follow it, from now on: read once, and its newest part kept. */
export class Feed<Item> extends Timeline<Item> {
  /** What the query has of before. */
  readonly history: History<Item>;
  readonly #reader: Reader<Item>;
  readonly #member: FleetMember | null = null;
  readonly #leaveBudget: () => void;
  #isOver = false;

  constructor(source: LiveSource<Item>, { budget, turns, history, join, ...options }: FeedOptions<Item>) {
    super(turns);
    this.history = history;
    this.#leaveBudget = budget.enter(() => this.shrinkTo(budget.share()));
    const mostBytes = budget.share;
    const afterLook = async () => this.#member?.afterLook();
    const { judge } = history;
    const reader = new Reader(source, this, { ...options, judge, mostBytes, ...(join && { afterLook }) });
    this.#reader = reader;
    if (join) this.#member = join({ timeline: this, reader, mostBytes });
    else reader.start();
  }

  get isUp(): boolean {
    return (this.#member ?? this.#reader).isUp;
  }

  get progress(): Progress {
    return this.#reader.progress;
  }

  /** Resolves when a poll that begins after this call has read everything there is; or when cancelled. */
  caughtUp(cancellation: Cancellation): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isOver || cancellation.cause) return resolve();
      const stopListening = cancellation.onCancel(() => resolve());
      (this.#member ?? this.#reader).whenCaughtUp(() => {
        stopListening();
        resolve();
      });
    });
  }

  /** Ends the call and the timer under way. */
  close(): void {
    this.#isOver = true;
    this.#leaveBudget();
    for (const resolve of [...this.#reader.close(), ...(this.#member?.close() ?? [])]) resolve();
  }
}
