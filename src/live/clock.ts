import type { Cancellation } from '../upstream/cancellation.ts';

/** Time and chance, as tests replace them. */
export interface Clock {
  /** Milliseconds that only go forward. */
  now(): number;
  /** Calls back once. @returns stops it */
  after(ms: number, then: () => void): () => void;
  /** From 0 to 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** Resolves after so many milliseconds, or as soon as it is cancelled. */
export function pause(clock: Clock, ms: number, cancellation: Cancellation): Promise<void> {
  return new Promise((resolve) => {
    let stopListening = () => {};
    const stop = clock.after(ms, () => {
      stopListening();
      resolve();
    });
    stopListening = cancellation.onCancel(() => {
      stop();
      resolve();
    });
  });
}
