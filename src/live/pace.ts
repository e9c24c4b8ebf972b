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
  /**
   * Milliseconds, after one that failed: longer each time, and never the same for two who failed together.
   * @param longestMs at most so long
   */
  failed(longestMs?: number): number;
}

const slower = 1.5;
/** With somebody who tells of news, polls are there for what he does not tell. */
const watchedSlower = 2;
const watchedMaxMs = 15_000;
const firstRetryMs = 200;
/** About as long as an idle poll waits by default: one retry costs the upstream no more. */
const longestRetryMs = 3_000;
/** For `failed`, where the upstream answers, and a later answer may be a better one. */
export const lookAgainMs = 1_000;

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
    failed(longestMs = longestRetryMs) {
      const longest = Math.min(longestMs, firstRetryMs * 2 ** Math.min(failures, 16));
      failures += 1;
      // What comes back after an outage has often happened meanwhile: look often at first.
      delayMs = minMs;
      return longest * (0.5 + random() / 2);
    },
  };
}
