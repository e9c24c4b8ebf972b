/** Milliseconds of service after which a worker counts as sound: its end does not predict that of its successor. */
const soundMs = 10_000;
/** Milliseconds before the second replacement in a row; doubled for each after it. */
const firstPauseMs = 250;
const longestPauseMs = 10_000;
/** Rounds of workers that may end early, one after another, while none serves. */
const mostInARow = 5;

export interface EndedWorker {
  /** How long it served, in milliseconds; `null` = it never did. */
  readonly servedMs: number | null;
  /** Do others serve? */
  readonly othersServe: boolean;
}

export interface ReplacementRule {
  /** What to do about a worker that ended by itself: milliseconds until another is started; `null` = give up. */
  afterEndOf(worker: EndedWorker): number | null;
}

/**
 * A worker that ends is replaced at once; those that keep ending early are replaced after ever longer pauses. If none is left
 * and new ones do not come up, the gateway gives up, so that whoever started it finds out.
 * @param workers how many there are to be: all of them may end for one reason, which counts as one end
 */
export function createReplacementRule(workers: number): ReplacementRule {
  let inARow = 0;
  return {
    afterEndOf({ servedMs, othersServe }) {
      inARow = servedMs !== null && servedMs >= soundMs ? 0 : inARow + 1;
      if (!othersServe && inARow > mostInARow * workers) return null;
      const rounds = Math.ceil(inARow / workers);
      return rounds <= 1 ? 0 : Math.min(firstPauseMs * 2 ** (rounds - 2), longestPauseMs);
    },
  };
}
