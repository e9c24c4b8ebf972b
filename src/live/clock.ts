import type { Cancellation } from '../upstream/cancellation.ts';

/** Time and randomness, which tests replace. */
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

/** Resolves after this many milliseconds, or as soon as it is cancelled. */
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
  /** Milliseconds between two polls while items come. */
  readonly minMs: number;
  /** Milliseconds between two polls after several polls brought nothing. */
  readonly maxMs: number;
}

const slower = 1.5;
/** While the upstream announces new items, polls only find those that it did not announce. */
const announcedSlower = 2;
const announcedMaxMs = 15_000;
const firstRetryMs = 200;
/** About the pause between idle polls, so that retries cost the upstream no more than polls. */
const longestRetryMs = 2_500;

export type Pace = ReturnType<typeof createPace>;

/** Milliseconds to wait before the next poll. */
export function createPace({ minMs, maxMs }: PaceOptions, { random }: Pick<Clock, 'random'>) {
  let delayMs = minMs;
  let failures = 0;
  return {
    afterSuccess(isNews: boolean, isAnnounced = false): number {
      failures = 0;
      const longest = isAnnounced ? Math.max(maxMs, announcedMaxMs) : maxMs;
      delayMs = isNews ? minMs : Math.min(longest, delayMs * (isAnnounced ? announcedSlower : slower));
      return delayMs;
    },
    /** Polls often again. Called when new items are announced: the upstream may show them a few polls later. */
    reset(): void {
      delayMs = minMs;
    },
    /** Grows with each failure up to a limit, with jitter. A lower limit, for an upstream that answers, also bounds the next one. */
    afterFailure(maxRetryMs = longestRetryMs): number {
      const longest = Math.min(maxRetryMs, firstRetryMs * 2 ** failures);
      failures = Math.min(failures + 1, Math.ceil(Math.log2(maxRetryMs / firstRetryMs)));
      // After an outage there is often news: poll often at first.
      delayMs = minMs;
      return longest * (0.5 + random() / 2);
    },
  };
}
