import type { Clock } from './clock.ts';

export interface PaceOptions {
  /** Between two polls while items come, in milliseconds. */
  readonly minMs: number;
  /** Between two polls when nothing has come for a while. */
  readonly maxMs: number;
}

/** How long to wait before an upstream is asked again. */
export interface Pace {
  /**
   * Milliseconds, after a poll that went well.
   * @param isNews did it bring anything?
   * @param isWatched would somebody tell that there is more?
   */
  went(isNews: boolean, isWatched?: boolean): number;
  /** Somebody tells that there is more. It may take the upstream a while to show it: it is looked for often at first. */
  hint(): void;
  /** Milliseconds, after one that failed: longer each time, and never the same for two who failed together. */
  failed(): number;
}

const slower = 1.5;
/** With somebody who tells of news, polls are there for what he does not tell. */
const watchedSlower = 2;
const watchedMaxMs = 15_000;
const firstRetryMs = 200;
const longestRetryMs = 10_000;

export function createPace({ minMs, maxMs }: PaceOptions, { random }: Pick<Clock, 'random'>): Pace {
  let delayMs = minMs;
  let failures = 0;
  return {
    went(isNews, isWatched = false) {
      failures = 0;
      const longest = isWatched ? Math.max(maxMs, watchedMaxMs) : maxMs;
      delayMs = isNews ? minMs : Math.min(longest, delayMs * (isWatched ? watchedSlower : slower));
      return delayMs;
    },
    hint() {
      delayMs = minMs;
    },
    failed() {
      const longest = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures, 16));
      failures += 1;
      // What comes back after an outage has often happened meanwhile: look often at first.
      delayMs = minMs;
      return longest * (0.5 + random() / 2);
    },
  };
}
