/** However many readers there are, each may keep so much: else none could hand over from history. */
const leastBytes = 8 * 1024;

/** Divides the memory for what streams have read among all their readers. */
export interface ReplayBudget {
  /** Counts a reader. @returns takes it off again; safe to call twice */
  enter(): () => void;
  /** What one reader may keep, in bytes. */
  share(): number;
}

export function createReplayBudget(totalBytes: number): ReplayBudget {
  let readers = 0;
  return {
    enter() {
      readers += 1;
      let isIn = true;
      return () => {
        if (isIn) readers -= 1;
        isIn = false;
      };
    },
    share: () => Math.max(leastBytes, totalBytes / Math.max(1, readers)),
  };
}
