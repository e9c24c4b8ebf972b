import type { Clock } from './clock.ts';
import type { LiveSource, Watch, WatchListener } from './live-source.ts';

/** Receives the outcome of one attempt to subscribe. Nothing is called after `down` or after unsubscribing. */
export interface WatchAttempt {
  up(): void;
  news(): void;
  /** @param isRefused the upstream rejects such subscriptions: retry late */
  down(isRefused: boolean): void;
}

/** Subscribes; must not call back before it returns. @returns unsubscribes */
export type Listen = (attempt: WatchAttempt) => () => void;

const firstRetryMs = 500;
const longestRetryMs = 30_000;
const refusedMs = 60_000;
/** Milliseconds after which a subscription that stays up resets the backoff. */
const soundMs = 30_000;

/** Keeps a subscription open: subscribes again after each failure, with backoff. */
export function keepWatch(listen: Listen, listener: WatchListener, clock: Clock): Watch {
  let leave = () => {};
  let cancelRetry = () => {};
  let failures = 0;
  let isStopped = false;
  let upSinceMs: number | null = null;
  let attempt = 0;

  function begin(): void {
    const own = attempt;
    const isCurrent = () => own === attempt && !isStopped;
    leave = listen({
      up() {
        if (!isCurrent() || upSinceMs !== null) return;
        upSinceMs = clock.now();
        listener.isUp(true);
      },
      news() {
        if (isCurrent()) listener.news();
      },
      down(isRefused) {
        if (isCurrent()) lose(isRefused);
      },
    });
  }

  function lose(isRefused: boolean): void {
    attempt += 1;
    leave = () => {};
    if (upSinceMs !== null && clock.now() - upSinceMs >= soundMs) failures = 0;
    const longest = isRefused ? refusedMs : Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures, 16));
    failures += 1;
    const wasUp = upSinceMs !== null;
    upSinceMs = null;
    cancelRetry = clock.after(longest * (0.5 + clock.random() / 2), begin);
    if (wasUp) listener.isUp(false);
  }

  begin();
  return {
    doubt() {
      leave();
      lose(false);
    },
    stop() {
      isStopped = true;
      cancelRetry();
      leave();
    },
  };
}

/** Polls with unannounced items before the reader reconnects. More than one, because announcements may be slower than polls. */
const maxUnannounced = 2;

/** A reader's subscription to announcements of new items. */
export class Announcements {
  readonly #source: LiveSource<unknown>;
  readonly #onNews: () => void;
  #watch: Watch | null = null;
  #isUp = false;
  #isPending = false;
  #unannounced = 0;

  /** @param onNews called when new items are announced, up to thousands of times a second */
  constructor(source: LiveSource<unknown>, onNews: () => void) {
    this.#source = source;
    this.#onNews = onNews;
  }

  /** Does the upstream announce new items now? */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Were new items announced since the last poll began? */
  get isPending(): boolean {
    return this.#isPending;
  }

  start(): void {
    this.#watch ??=
      this.#source.watch?.({
        news: () => this.#announce(),
        isUp: (isUp) => {
          this.#isUp = isUp;
          // Poll now for items that came without a subscription. Without one, polls become frequent again.
          this.#announce();
        },
      }) ?? null;
  }

  stop(): void {
    this.#watch?.stop();
    this.#watch = null;
    this.#isUp = false;
    this.#isPending = false;
  }

  /** Items that are announced from now on may be missing in this poll. */
  beginPoll(): void {
    if (this.#isPending) this.#unannounced = 0;
    this.#isPending = false;
  }

  endPoll(isNews: boolean): void {
    if (!this.#isUp || !isNews) return;
    this.#unannounced += 1;
    if (this.#unannounced > maxUnannounced) this.#watch?.doubt();
  }

  #announce(): void {
    this.#isPending = true;
    this.#onNews();
  }
}
