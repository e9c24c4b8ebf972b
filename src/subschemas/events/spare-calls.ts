/**
 * Calls that an operation may make beyond those its pages need anyway: where the upstream gives less at a time than it was
 * asked for, does not say whether there is more, or where only meeting the second of two cursors tells its place. All pages
 * of the operation share them, so that what one page may cost is not multiplied by their number.
 */
export interface SpareCalls {
  /** Takes one; `false` when they are used up. */
  take(): boolean;
}

export const maxSpareCalls = 20;

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
