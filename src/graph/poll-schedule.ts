/** Milliseconds to wait after a failed poll. Doubles with each failure, up to one of the maxima below. */
const firstRetryMs = 250;
/** Without a schema of the ledger: clients wait for it, so keep polling often. */
const longestRetryMs = 10_000;
/** With a schema in force and polling off, the poll was probably unnecessary, so retry rarely. */
const longestServingRetryMs = 60_000;
/**
 * Milliseconds between a poll and one requested meanwhile. While a ledger is replaced instance by instance, each poll may see
 * another version and request the next poll.
 */
const followUpMs = 1_000;

export interface PollScheduleOptions {
  /** Never rejects. `hasFailed` causes another poll soon. */
  readonly poll: () => Promise<{ readonly hasFailed: boolean }>;
  /** Is a schema from the ledger in force? */
  readonly isServing: () => boolean;
  /** Milliseconds between successful polls; 0 = no more polls after a success. */
  readonly pollMs: number;
}

export interface PollSchedule {
  /**
   * Schedules the next poll.
   * @param hasFailed the outcome of the last one
   */
  planNext(hasFailed: boolean): void;
  /** Resolves when a poll that began after the call has ended, or the schedule was stopped. */
  request(): Promise<void>;
  stop(): void;
}

/** Runs polls one at a time: by the clock, soon after a failure, and on request. */
export function createPollSchedule({ poll, isServing, pollMs }: PollScheduleOptions): PollSchedule {
  let timer: NodeJS.Timeout | undefined;
  let retryMs = firstRetryMs;
  let isPolling = false;
  let stopped = false;
  /** Callbacks of requests that no poll has served yet. */
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
        // The poll scheduled by an earlier request serves this one too.
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
