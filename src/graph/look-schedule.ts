/** How long to wait after a look that failed, in milliseconds: doubling, with a ceiling. */
const firstRetryMs = 250;
/** The ceiling while no schema of the ledger's own is in force: every client waits for it. */
const longestRetryMs = 10_000;
/** The ceiling while there is one and polling is off: the schema in force may well be the current one. */
const longestServingRetryMs = 60_000;
/**
 * Between a look and another that was asked for meanwhile, in milliseconds. While a ledger is replaced instance by
 * instance, each look may find the other version and ask for the next look.
 */
const followUpMs = 1_000;

export interface LookScheduleOptions {
  /** Looks at the ledger's schema once. Resolves with whether the ledger should be asked again soon. Never rejects. */
  readonly look: () => Promise<{ readonly hasFailed: boolean }>;
  /** Is a schema from the ledger in force? */
  readonly isServing: () => boolean;
  /** Milliseconds between looks that succeed; 0 = no more looks after one that did. */
  readonly pollMs: number;
}

export interface LookSchedule {
  /** Plans the next look. @param hasFailed the outcome of the last one */
  planNext(hasFailed: boolean): void;
  /** Resolves when a look that began after the call has ended, or the schedule was stopped. */
  request(): Promise<void>;
  stop(): void;
}

/** Runs looks one at a time: by the clock, soon after a failure, and when one is requested. */
export function createLookSchedule({ look, isServing, pollMs }: LookScheduleOptions): LookSchedule {
  let timer: NodeJS.Timeout | undefined;
  let retryMs = firstRetryMs;
  let isLooking = false;
  let stopped = false;
  /** Resolves requests that no look has served yet. */
  let waiting: (() => void)[] = [];

  const lookAndPlan = async (): Promise<void> => {
    clearTimeout(timer);
    const served = waiting;
    waiting = [];
    isLooking = true;
    const { hasFailed } = await look();
    isLooking = false;
    for (const resolve of served) resolve();
    planNext(hasFailed);
  };

  const planNext = (hasFailed: boolean): void => {
    clearTimeout(timer);
    if (!hasFailed) retryMs = firstRetryMs;
    let waitMs = pollMs;
    if (waiting.length > 0) waitMs = followUpMs;
    else if (hasFailed || !isServing()) {
      waitMs = Math.min(retryMs, isServing() ? pollMs || longestServingRetryMs : longestRetryMs);
      retryMs = waitMs * 2;
    }
    if (stopped || waitMs === 0) return;
    timer = setTimeout(() => void lookAndPlan(), waitMs);
    timer.unref();
  };

  return {
    planNext,
    request: () =>
      new Promise((resolve) => {
        if (stopped) return resolve();
        waiting.push(resolve);
        // An earlier request has its look planned already: that look serves this one too.
        if (!isLooking && waiting.length === 1) void lookAndPlan();
      }),
    stop() {
      stopped = true;
      clearTimeout(timer);
      for (const resolve of waiting) resolve();
      waiting = [];
    },
  };
}
