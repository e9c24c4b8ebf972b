/** Milliseconds of wait after a failed look. It doubles with each failure, up to one of the ceilings below. */
const firstRetryMs = 250;
/** Without a schema of the ledger: clients wait for it, so keep asking often. */
const longestRetryMs = 10_000;
/** With a schema in force and polling off, the look was most likely needless: ask seldom. */
const longestServingRetryMs = 60_000;
/**
 * Milliseconds between a look and one requested meanwhile. While a ledger is replaced instance by instance, each look may see
 * another version and request the next look.
 */
const followUpMs = 1_000;

export interface PollScheduleOptions {
  /** Never rejects. `hasFailed` causes another look soon. */
  readonly poll: () => Promise<{ readonly hasFailed: boolean }>;
  /** Is a schema from the ledger in force? */
  readonly isServing: () => boolean;
  /** Milliseconds between looks that succeed; 0 = no more looks after a success. */
  readonly pollMs: number;
}

export interface PollSchedule {
  /** Plans the next look. @param hasFailed the outcome of the last one */
  planNext(hasFailed: boolean): void;
  /** Resolves when a look that began after the call has ended, or the schedule was stopped. */
  request(): Promise<void>;
  stop(): void;
}

/** Runs looks one at a time: by the clock, soon after a failure, and when one is requested. */
export function createPollSchedule({ poll, isServing, pollMs }: PollScheduleOptions): PollSchedule {
  let timer: NodeJS.Timeout | undefined;
  let retryMs = firstRetryMs;
  let isPolling = false;
  let stopped = false;
  /** Callbacks of requests that no look has served yet. */
  let waiting: (() => void)[] = [];

  const pollAndSchedule = async (): Promise<void> => {
    clearTimeout(timer);
    const served = waiting;
    waiting = [];
    isPolling = true;
    const { hasFailed } = await poll();
    isPolling = false;
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
    timer = setTimeout(() => void pollAndSchedule(), waitMs);
    timer.unref();
  };

  return {
    planNext,
    request: () =>
      new Promise((resolve) => {
        if (stopped) return resolve();
        waiting.push(resolve);
        // The look that an earlier request planned serves this one too.
        if (!isPolling && waiting.length === 1) void pollAndSchedule();
      }),
    stop() {
      stopped = true;
      clearTimeout(timer);
      for (const resolve of waiting) resolve();
      waiting = [];
    },
  };
}
