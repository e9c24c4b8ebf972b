/** Counts of durations by size, so that a million of them take no more room than a hundred. */
export interface LatencyHistogram {
  /** Milliseconds. */
  add(durationMs: number): void;
  /**
   * @param part 0.99 for the duration that 99 of 100 stay within
   * @returns milliseconds, at most 5 % too long; 0 where nothing was counted
   */
  quantile(part: number): number;
  clear(): void;
}

/** Each bucket ends 5 % above the one before it; the first at a hundredth of a millisecond, the last beyond a minute. */
const growth = 1.05;
const firstMs = 0.01;
const buckets = 330;

export function createLatencyHistogram(): LatencyHistogram {
  const counts = new Uint32Array(buckets);
  let total = 0;
  return {
    add(durationMs) {
      const bucket = durationMs <= firstMs ? 0 : Math.ceil(Math.log(durationMs / firstMs) / Math.log(growth));
      const index = Math.min(bucket, buckets - 1);
      counts[index] = (counts[index] ?? 0) + 1;
      total += 1;
    },
    quantile(part) {
      if (total === 0) return 0;
      let left = Math.ceil(total * part);
      const index = counts.findIndex((count) => {
        left -= count;
        return left <= 0;
      });
      return firstMs * growth ** index;
    },
    clear() {
      counts.fill(0);
      total = 0;
    },
  };
}
