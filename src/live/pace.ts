import type { Clock } from './clock.ts';

export interface PaceOptions {
  /** Between two polls while items come, in milliseconds. */
  readonly minMs: number;
  /** Between two polls when nothing has come for a while. */
  readonly maxMs: number;
}

/** How long to wait before an upstream is asked again. */
export interface Pace {
  /** Milliseconds, after a poll that went well. @param isNews did it bring anything? */
  went(isNews: boolean): number;
  /** Milliseconds, after one that failed: longer each time, and never the same for two who failed together. */
  failed(): number;
}

const slower = 1.5;
const firstRetryMs = 200;
const longestRetryMs = 10_000;

export function createPace({ minMs, maxMs }: PaceOptions, { random }: Pick<Clock, 'random'>): Pace {
  let delayMs = minMs;
  let failures = 0;
  return {
    went(isNews) {
      failures = 0;
      delayMs = isNews ? minMs : Math.min(maxMs, delayMs * slower);
      return delayMs;
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
