/** Memory is flat when it grows by no more than this, in percent. */
const flatPercent = 5;
/** Two stretches in a row that differ by no more than this, in percent, have settled. */
const settledPercent = 1;
/** The longest stretch that is compared with another, in seconds. At a low rate, garbage is collected once in two minutes. */
const longestWindowSeconds = 300;

export interface MemoryVerdict {
  /** Means of the first and the last stretch, in MiB. */
  readonly firstMib: number;
  readonly lastMib: number;
  readonly growthPercent: number;
  readonly isFlat: boolean;
}

/** Length of the first and of the last stretch of a run. */
export function toWindowSeconds(totalSeconds: number): number {
  return Math.min(longestWindowSeconds, totalSeconds / 6);
}

/**
 * Compares the memory at the end of a run with that at its beginning. Memory that shrank is flat: it was given back.
 * @param samples in MiB, evenly spaced
 * @param perWindow how many of them make the first, and the last, stretch
 */
export function judgeMemory(samples: readonly number[], perWindow: number): MemoryVerdict {
  const count = Math.max(1, perWindow);
  const firstMib = mean(samples.slice(0, count));
  const lastMib = mean(samples.slice(-count));
  const growthPercent = ((lastMib - firstMib) / firstMib) * 100;
  return { firstMib, lastMib, growthPercent, isFlat: growthPercent <= flatPercent };
}

/**
 * Whether memory under load has settled: the last stretch and the one before it are as good as equal.
 * @param samples in MiB, evenly spaced
 */
export function hasSettled(samples: readonly number[], perWindow: number): boolean {
  if (samples.length < 2 * perWindow) return false;
  const before = mean(samples.slice(-2 * perWindow, -perWindow));
  const last = mean(samples.slice(-perWindow));
  return Math.abs(last / before - 1) * 100 <= settledPercent;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
