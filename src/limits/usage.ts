/** What a request costs, as `extensions.usage` reports it. Every number is at most `maxCount`. */
export interface Usage {
  /** Selections of all operations, fragments expanded at every use. */
  readonly inputNodes: number;
  /** Fields an answer could have, were every page full. */
  readonly outputNodes: number;
  /** Levels of the deepest operation; a fragment is a level. */
  readonly depth: number;
  /** Entries of the variables object, declared or not. */
  readonly variables: number;
  /** Fragment definitions, used or not. */
  readonly fragments: number;
  /** Bytes of the query text. */
  readonly queryPayload: number;
}

/**
 * Counts stop here, the largest integer that survives JSON on its way to a browser. Nested fragments reach it within a
 * few hundred bytes of text.
 */
export const maxCount = Number.MAX_SAFE_INTEGER;

/**
 * Adds without passing `maxCount`. A sum below it is exact: no count is ever negative, so nothing that was cut on the way
 * can be part of it.
 */
export function addCounts(left: number, right: number): number {
  return Math.min(left + right, maxCount);
}
