import type { WorkerProcess } from './worker-processes.ts';

/** Milliseconds between two heartbeats of a worker. */
export const heartbeatMs = 1_000;
/** Missed heartbeats in a row after which an idle process counts as frozen: it was stopped, or waits forever. */
const mostMissed = 10;
/**
 * The same while the process uses the processor: one turn of its event loop may take long, or the machine is overloaded. An
 * endless loop looks the same, so this bound ends it.
 */
const mostMissedBusy = 30;
/** The part of the silence for which a busy process has used the processor, even beside many others. A stopped one uses none. */
const busyPart = 0.01;

/** Counts the heartbeats that one worker missed. */
export interface HeartbeatMonitor {
  noteHeartbeat(): void;
  /** Call it once per heartbeat interval. @returns how long the worker has been silent once it counts as frozen, else `null` */
  check(): number | null;
}

/**
 * Detects a worker that the system considers alive, that accepts connections, and answers none of them. Counts checks
 * instead of time: if this process or the whole machine stood still, the worker is not to blame.
 */
export function createHeartbeatMonitor(worker: Pick<WorkerProcess, 'cpuMs'>, everyMs: number): HeartbeatMonitor {
  let missed = 0;
  /** Processor time when the silence began; `null` where the system does not report it. */
  let cpuBeforeMs: number | null = null;
  const isBusy = (silentMs: number): boolean => {
    const cpuMs = worker.cpuMs();
    return cpuBeforeMs !== null && cpuMs !== null && cpuMs - cpuBeforeMs >= silentMs * busyPart;
  };
  return {
    noteHeartbeat() {
      missed = 0;
    },
    check() {
      if (missed === 0) cpuBeforeMs = worker.cpuMs();
      missed += 1;
      const silentMs = missed * everyMs;
      const isFrozen = missed > mostMissedBusy || (missed > mostMissed && !isBusy(silentMs));
      return isFrozen ? silentMs : null;
    },
  };
}

/** Milliseconds of service after which a worker counts as stable: its end does not predict that of its successor. */
const stableMs = 10_000;
/** Milliseconds before the second replacement in a row; doubled for each one after it. */
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

/** Decides about a worker that ended by itself: milliseconds until the next one starts; `null` = give up. */
export type ReplacementRule = (ended: EndedWorker) => number | null;

/**
 * Replaces a worker immediately; workers that keep ending early are replaced after ever longer pauses. If none is left and
 * new ones do not come up, the gateway gives up, so that its supervisor notices.
 * @param workers how many there are: all of them may end for one reason, which counts as one end
 */
export function createReplacementRule(workers: number): ReplacementRule {
  let inARow = 0;
  return ({ servedMs, othersServe }) => {
    inARow = servedMs !== null && servedMs >= stableMs ? 0 : inARow + 1;
    if (!othersServe && inARow > mostInARow * workers) return null;
    const rounds = Math.ceil(inARow / workers);
    return rounds <= 1 ? 0 : Math.min(firstPauseMs * 2 ** (rounds - 2), longestPauseMs);
  };
}
