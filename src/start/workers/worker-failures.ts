import type { WorkerProcess } from './worker-processes.ts';

/** Milliseconds between two heartbeats of a worker. */
export const workerHeartbeatMs = 1_000;
/** Missed heartbeats in a row after which an idle process counts as frozen: stopped, or deadlocked. */
const maxMissedHeartbeats = 10;
/**
 * The limit for a process that uses CPU time: one turn of its event loop may take long, or the machine may be overloaded. An
 * endless loop looks the same, so there is a limit.
 */
const maxMissedHeartbeatsBusy = 30;
/**
 * A process counts as busy if it used at least this part of the silence as CPU time, even on an overloaded machine. A stopped
 * process uses none.
 */
const busyShare = 0.01;

export type HeartbeatMonitor = ReturnType<typeof createHeartbeatMonitor>;

/**
 * Counts the heartbeats that one worker missed.
 * Detects a worker that accepts connections but answers none, although its process is alive. Counts checks instead of time, so
 * that a pause of this process or of the whole machine is not blamed on the worker.
 */
export function createHeartbeatMonitor(worker: Pick<WorkerProcess, 'cpuMs'>, everyMs: number) {
  let missed = 0;
  /** CPU time when the silence began; `null` if the system does not report it. */
  let cpuBeforeMs: number | null = null;
  const isBusy = (silentMs: number): boolean => {
    const cpuMs = worker.cpuMs();
    return cpuBeforeMs !== null && cpuMs !== null && cpuMs - cpuBeforeMs >= silentMs * busyShare;
  };
  return {
    noteHeartbeat(): void {
      missed = 0;
    },
    /**
     * Call once per heartbeat interval.
     * @returns how long the worker has been silent, once it counts as frozen, else `null`
     */
    check(): number | null {
      if (missed === 0) cpuBeforeMs = worker.cpuMs();
      missed += 1;
      const silentMs = missed * everyMs;
      const isFrozen = missed > maxMissedHeartbeatsBusy || (missed > maxMissedHeartbeats && !isBusy(silentMs));
      return isFrozen ? silentMs : null;
    },
  };
}

/** Milliseconds of service after which a worker counts as stable: its exit does not predict that its replacement fails. */
const stableMs = 10_000;
/** Milliseconds before the second replacement in a row; doubled for each one after it. */
const firstPauseMs = 250;
const longestPauseMs = 10_000;
/** Rounds of early exits in a row, without any serving worker, after which the gateway gives up. */
const maxEarlyExits = 5;

/** Is a worker replaced for its memory? Not before it is stable: a limit below the normal use would start workers all the time. */
export function isGrown(rssBytes: number, servedMs: number, maxRssBytes: number): boolean {
  return rssBytes > maxRssBytes && servedMs >= stableMs;
}

export interface EndedWorker {
  /** How long the worker served, in milliseconds; `null` = never. */
  readonly servedMs: number | null;
  readonly othersServe: boolean;
}

/** Decides about a worker that exited by itself: milliseconds until its replacement starts; `null` = give up. */
export type ReplacementRule = (ended: EndedWorker) => number | null;

/**
 * Replaces a worker immediately, or after growing pauses if workers keep exiting early. If no worker serves and new ones do
 * not start, the gateway gives up, so that its supervisor notices.
 * @param workers their number: all of them may exit for one reason, which counts as one exit
 */
export function createReplacementRule(workers: number): ReplacementRule {
  let inARow = 0;
  return ({ servedMs, othersServe }) => {
    inARow = servedMs !== null && servedMs >= stableMs ? 0 : inARow + 1;
    if (!othersServe && inARow > maxEarlyExits * workers) return null;
    const rounds = Math.ceil(inARow / workers);
    return rounds <= 1 ? 0 : Math.min(firstPauseMs * 2 ** (rounds - 2), longestPauseMs);
  };
}
