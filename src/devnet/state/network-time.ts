import type { Clock } from './ledger-state.ts';

/** Time as the ledger sees it. */
export interface NetworkTime {
  /** Milliseconds since the Unix epoch. */
  readonly now: Clock;
  /** Called for every interval of the checkpoint clock, closed or skipped. */
  pass(intervalMs: number): void;
}

/**
 * The system's time, or time that begins at an instant and moves only with the checkpoint clock. Every digest depends
 * on the time, so only the latter gives the same digests in each run.
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
