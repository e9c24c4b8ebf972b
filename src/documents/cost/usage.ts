/** What a request costs, as `extensions.usage` reports it. Every number is at most `maxCount`. */
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
 * The largest integer that a browser reads exactly from JSON. Counts stop here: fragments that spread one another reach it
 * within a few hundred bytes of text.
 */
export const maxCount = Number.MAX_SAFE_INTEGER;

/** Adds and stops at `maxCount`. A result below `maxCount` is exact, since counts are never negative. */
export function addCounts(left: number, right: number): number {
  return Math.min(left + right, maxCount);
}

/**
 * Adds usage to a response, if the client asked for it. An upstream's own extensions are not shown, because they are about the
 * gateway's request.
 * @param usage `null` = not asked for, or nothing was counted
 */
export function withUsage<Result extends object>(result: Result, usage: Usage | null): Result {
  return usage ? { ...result, extensions: { usage } } : result;
}

/** Usage as JSON text to append to other members, with a comma before it; empty if the client did not ask for it. */
export function toUsageMember(usage: Usage | null): string {
  return usage ? `,"extensions":{"usage":${JSON.stringify(usage)}}` : '';
}

/**
 * Do headers ask for usage, under any of the network's names for it? `false`, `0` and an empty value mean no, although real
 * ledgers only check that the header is present.
 */
export function isUsageAsked(
  headers: Readonly<Record<string, string | string[] | null | undefined>>,
  names: readonly string[],
): boolean {
  for (const name of names) if (saysYes(headers[name])) return true;
  return false;
}

function saysYes(header: string | string[] | null | undefined): boolean {
  if (header === undefined) return false;
  const value = (Array.isArray(header) ? header[0] : header)?.trim().toLowerCase() ?? '';
  return value !== '' && value !== 'false' && value !== '0';
}
