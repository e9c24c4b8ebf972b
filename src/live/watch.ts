import type { Clock } from './clock.ts';
import type { Listen } from './live-source.ts';

const firstRetryMs = 500;
const longestRetryMs = 30_000;
const refusedMs = 60_000;
/** Milliseconds after which a subscription that stays up resets the backoff. */
const soundMs = 30_000;
/** Polls with unannounced items before the reader reconnects. More than one, because announcements may be slower than polls. */
const maxUnannounced = 2;

/**
 * A reader's subscription to announcements of new items. Subscribes again after each failure, with backoff, and when polls bring
 * unannounced items: the subscription may be dead although its connection is up.
 */
export class Announcements {
  readonly #listen: Listen | undefined;
  readonly #clock: Clock;
  readonly #onNews: () => void;
  /** The attempt that counts; `null` = stopped. */
  #attempt: object | null = null;
  #leave = () => {};
  #stopRetry = () => {};
  #failures = 0;
  #upSinceMs: number | null = null;
  #isPending = false;
  #unannounced = 0;

  /**
   * @param listen left out: the upstream has no announcements
   * @param onNews called when new items are announced, up to thousands of times a second
   */
  constructor(listen: Listen | undefined, clock: Clock, onNews: () => void) {
    this.#listen = listen;
    this.#clock = clock;
    this.#onNews = onNews;
  }

  /** Does the upstream announce new items now? */
  get isUp(): boolean {
    return this.#upSinceMs !== null;
  }

  /** Were new items announced since the last poll began? */
  get isPending(): boolean {
    return this.#isPending;
  }

  start(): void {
    if (!this.#attempt) this.#subscribe();
  }

  stop(): void {
    this.#attempt = null;
    this.#stopRetry();
    this.#leave();
    this.#leave = () => {};
    this.#failures = 0;
    this.#upSinceMs = null;
    this.#isPending = false;
  }

  /** Items that are announced from now on may be missing in this poll. */
  beginPoll(): void {
    if (this.#isPending) this.#unannounced = 0;
    this.#isPending = false;
  }

  endPoll(isNews: boolean): void {
    if (!this.isUp || !isNews) return;
    this.#unannounced += 1;
    if (this.#unannounced <= maxUnannounced) return;
    this.#leave();
    this.#lose(false);
  }

  #subscribe(): void {
    if (!this.#listen) return;
    const attempt = {};
    this.#attempt = attempt;
    const ifCurrent = (then: () => void) => {
      if (this.#attempt === attempt) then();
    };
    this.#leave = this.#listen({
      up: () =>
        ifCurrent(() => {
          if (this.isUp) return;
          this.#upSinceMs = this.#clock.now();
          // Poll now for items that came without a subscription.
          this.#announce();
        }),
      news: () => ifCurrent(() => this.#announce()),
      down: (isRefused) => ifCurrent(() => this.#lose(isRefused)),
    });
  }

  #lose(isRefused: boolean): void {
    const upSinceMs = this.#upSinceMs;
    this.#attempt = {};
    this.#leave = () => {};
    this.#upSinceMs = null;
    if (upSinceMs !== null && this.#clock.now() - upSinceMs >= soundMs) this.#failures = 0;
    const longest = isRefused ? refusedMs : Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(this.#failures, 16));
    this.#failures += 1;
    this.#stopRetry = this.#clock.after(longest * (0.5 + this.#clock.random() / 2), () => this.#subscribe());
    // Without a subscription, polls become frequent again.
    if (upSinceMs !== null) this.#announce();
  }

  #announce(): void {
    this.#isPending = true;
    this.#onNews();
  }
}
