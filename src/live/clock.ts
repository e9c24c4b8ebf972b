import type { Cancellation } from '../upstream/cancellation.ts';

/** Time and chance, as tests replace them. */
export interface Clock {
  /** Milliseconds that only go forward. */
  now(): number;
  /** Calls back once. @returns stops it */
  after(ms: number, then: () => void): () => void;
  /** From 0 to 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** Resolves after so many milliseconds, or as soon as it is cancelled. */
export function pause(clock: Clock, ms: number, cancellation: Cancellation): Promise<void> {
  return new Promise((resolve) => {
    let stopListening = () => {};
    const stop = clock.after(ms, () => {
      stopListening();
      resolve();
    });
    stopListening = cancellation.onCancel(() => {
      stop();
      resolve();
    });
  });
}

export interface PaceOptions {
  /** Between two polls while items come, in milliseconds. */
  readonly minMs: number;
  /** Between two polls when several in a row brought nothing. */
  readonly maxMs: number;
}

/** Milliseconds to wait before the next poll. */
export interface Pace {
  /** @param isAnnounced does the upstream announce news? */
  afterSuccess(isNews: boolean, isAnnounced?: boolean): number;
  /** Poll often again: news was announced, and the upstream may take some polls to show it. */
  reset(): void;
  /** Grows with each failure, with jitter. */
  afterFailure(maxMs?: number): number;
}

const slower = 1.5;
/** Where news is announced, polls only find what was not. */
const announcedSlower = 2;
const announcedMaxMs = 15_000;
const firstRetryMs = 200;
/** About as long as an idle poll waits by default: one retry costs the upstream no more. */
const longestRetryMs = 3_000;

export function createPace({ minMs, maxMs }: PaceOptions, { random }: Pick<Clock, 'random'>): Pace {
  let delayMs = minMs;
  let failures = 0;
  return {
    afterSuccess(isNews, isAnnounced = false) {
      failures = 0;
      const longest = isAnnounced ? Math.max(maxMs, announcedMaxMs) : maxMs;
      delayMs = isNews ? minMs : Math.min(longest, delayMs * (isAnnounced ? announcedSlower : slower));
      return delayMs;
    },
    reset() {
      delayMs = minMs;
    },
    afterFailure(maxRetryMs = longestRetryMs) {
      const longest = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(failures, 16));
      failures += 1;
      // After an outage there is often news: poll often at first.
      delayMs = minMs;
      return longest * (0.5 + random() / 2);
    },
  };
}
