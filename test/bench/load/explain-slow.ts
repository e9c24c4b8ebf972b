import type { Interval } from './collections.ts';

/** How much of the time of some requests another process than the client's spent collecting garbage, as parts of 1. */
export interface Waits {
  readonly requests: number;
  readonly server: number;
  readonly upstream: number;
  readonly client: number;
}

/** The slowest of the requests: one in so many. */
const slowestPart = 100;

/**
 * Do slow requests wait for collections? Of the slowest 1 % and of all requests, the part of their time in which a process that they
 * pass was collecting garbage.
 */
export function explainSlow(
  requests: readonly Interval[],
  pauses: Readonly<Record<'server' | 'upstream' | 'client', readonly Interval[]>>,
): { readonly slowest: Waits; readonly all: Waits } {
  const byLength = [...requests].sort((left, right) => lengthOf(right) - lengthOf(left));
  const toWaits = (chosen: readonly Interval[]): Waits => ({
    requests: chosen.length,
    server: toPart(chosen, pauses.server),
    upstream: toPart(chosen, pauses.upstream),
    client: toPart(chosen, pauses.client),
  });
  return { slowest: toWaits(byLength.slice(0, Math.ceil(requests.length / slowestPart))), all: toWaits(requests) };
}

/** The part of the time of the intervals that is within the pauses, which do not overlap one another. */
function toPart(intervals: readonly Interval[], pauses: readonly Interval[]): number {
  const total = intervals.reduce((sum, interval) => sum + lengthOf(interval), 0);
  const within = intervals.reduce(
    (sum, interval) => sum + pauses.reduce((paused, pause) => paused + toOverlap(interval, pause), 0),
    0,
  );
  return total === 0 ? 0 : within / total;
}

function lengthOf([from, to]: Interval): number {
  return to - from;
}

function toOverlap(one: Interval, other: Interval): number {
  return Math.max(0, Math.min(one[1], other[1]) - Math.max(one[0], other[0]));
}
