import type { Clock } from './ledger-state.ts';

/** Time as the ledger sees it. */
export interface NetworkTime {
  /** Milliseconds since the Unix epoch. */
  readonly now: Clock;
  /** Called for every interval of the checkpoint clock, closed or skipped. */
  pass(intervalMs: number): void;
}

/**
 * The system's time, or time that begins at an instant and moves only with the checkpoint clock. Only the latter can be
 * lived twice: the system's time between two checkpoints is never the same again, and every digest depends on it.
 */
export function createNetworkTime(source: Clock | { readonly startMs: number }): NetworkTime {
  if (typeof source === 'function') return { now: source, pass: () => {} };
  let nowMs = source.startMs;
  return {
    now: () => nowMs,
    pass: (intervalMs) => {
      nowMs += intervalMs;
    },
  };
}
