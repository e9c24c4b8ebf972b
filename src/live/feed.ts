import type { Cancellation } from '../upstream/cancellation.ts';
import type { Turns } from '../upstream/fair-turns.ts';
import type { EvenShares } from '../upstream/quota.ts';
import type { History } from './history.ts';
import type { ItemPosition, LiveSource } from './live-source.ts';
import type { Progress } from './progress.ts';
import { Reader, type ReaderOptions } from './reader.ts';
import { Timeline } from './timeline.ts';

export interface FeedOptions<Item> extends Omit<ReaderOptions, 'mostBytes' | 'onRead' | 'judge'> {
  /** Bytes that all feeds together may keep. */
  readonly budget: EvenShares;
  readonly turns: Turns;
  readonly history: History<Item>;
  /** Shares the reading with other processes; left out: this process reads for itself. */
  readonly join?: JoinFleet<Item> | undefined;
}

/** The parts of a feed that a fleet controls: it starts and stops the reader, and adds items that other processes read. */
export interface FeedParts<Item> {
  readonly timeline: Timeline<Item>;
  /** Not started yet. */
  readonly reader: Pick<Reader<Item>, 'start' | 'stop' | 'whenCaughtUp' | 'stopWaiting' | 'progress'>;
  /** Bytes that the feed may keep now. */
  readonly mostBytes: () => number;
}

export type JoinFleet<Item> = (feed: FeedParts<Item>) => FleetMember;

export interface FleetMember {
  /** Does another process read for this one? */
  readonly isFollowing: boolean;
  /** Calls back when the timeline has the items of a poll that began after this call, or when the member is closed. */
  whenCaughtUp(then: () => void): void;
  stopWaiting(then: () => void): void;
  /** Call when the reader may have added items to the timeline: the other processes get them. */
  share(): void;
  close(): void;
}

/** The newest item of a feed. */
export interface FeedEnd {
  readonly sequence: number;
  readonly frontier: ItemPosition | null;
}

/** The newest part of one query, read once for all its followers. */
export class Feed<Item> extends Timeline<Item> {
  readonly history: History<Item>;
  readonly #reader: Reader<Item>;
  readonly #member: FleetMember | null = null;
  readonly #leaveBudget: () => void;
  readonly #turns: Turns;

  constructor(source: LiveSource<Item>, { budget, turns, history, join, ...options }: FeedOptions<Item>) {
    super(turns);
    this.#turns = turns;
    this.history = history;
    this.#leaveBudget = budget.enter(() => void this.wakeFollowers().then(() => this.shrinkTo(budget.share())));
    const mostBytes = budget.share;
    const onRead = () => this.#member?.share();
    const reader = new Reader(source, this, { ...options, judge: history.judge, mostBytes, onRead });
    this.#reader = reader;
    if (join) this.#member = join({ timeline: this, reader, mostBytes });
    else reader.start();
  }

  /** Did the last poll succeed, or does the feed follow another process? */
  get isUp(): boolean {
    return this.#member?.isFollowing || this.#reader.isUp;
  }

  get end(): FeedEnd {
    return { sequence: this.news.end - 1, frontier: this.frontier };
  }

  get progress(): Progress {
    return this.#reader.progress;
  }

  /**
   * Resolves when a poll that begins after this call has read everything, or when it is cancelled. Thousands may wait for one
   * poll, so they continue in turns.
   * @returns the end of the feed when the poll ended; by their turn, it may have more
   */
  caughtUp(cancellation: Cancellation): Promise<FeedEnd> {
    const polls = this.#member ?? this.#reader;
    return new Promise((resolve) => {
      let stopListening = () => {};
      const then = () => {
        stopListening();
        const { end } = this;
        this.#turns.add(() => resolve(end));
      };
      polls.whenCaughtUp(then);
      stopListening = cancellation.onCancel(() => {
        polls.stopWaiting(then);
        resolve(this.end);
      });
    });
  }

  close(): void {
    this.#leaveBudget();
    this.#member?.close();
    this.#reader.close();
  }
}
