import { maxSpareCalls } from '../config/event-calls.ts';

/** Counts down the `maxSpareCalls` of one operation. */
export interface SpareCalls {
  /** Takes one; `false` when they are used up. */
  take(): boolean;
}

export function createSpareCalls(): SpareCalls {
  let left = maxSpareCalls;
  return {
    take() {
      if (left === 0) return false;
      left -= 1;
      return true;
    },
  };
}
