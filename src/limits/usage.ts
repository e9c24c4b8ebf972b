/** What a request counts for, as `extensions.usage` reports it. Every number is at most `maxCount`. */
export interface Usage {
  /** Selections of all operations, fragments expanded at every spread. */
  readonly inputNodes: number;
  /** Fields that an answer would have if every page were full. */
  readonly outputNodes: number;
  /** Levels of the deepest operation; a fragment is a level. */
  readonly depth: number;
  /** Number of variables sent, declared or not. */
  readonly variables: number;
  /** Number of fragment definitions, used or not. */
  readonly fragments: number;
  /** Bytes of the query text. */
  readonly queryPayload: number;
}

/**
 * Counts stop at the largest integer that a browser reads exactly from JSON. Fragments that spread one another reach it
 * within a few hundred bytes of text.
 */
export const maxCount = Number.MAX_SAFE_INTEGER;

/**
 * Adds and stops at `maxCount`. A result below `maxCount` is exact: counts are never negative, so a sum that was cut once
 * stays at `maxCount`.
 */
export function addCounts(left: number, right: number): number {
  return Math.min(left + right, maxCount);
}
