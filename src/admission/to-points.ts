export type RateCost = 'request' | 'usage';

/** The parts of an operation's usage that say what it costs to serve. */
export interface PricedUsage {
  readonly inputNodes: number;
  readonly outputNodes: number;
}

export interface PriceLimits {
  readonly maxQueryNodes: number;
  readonly maxOutputNodes: number;
}

/** Points that a question as large as allowed adds, and an answer as large as allowed adds again. */
const pointsPerFullLimit = 10;

/**
 * What an operation counts for. By `request`: 1. By `usage`: 1 for asking, and up to 10 each by how near its input nodes
 * and its output nodes come to their limits. So small operations count as they do by request, and the largest, 21,
 * leaves a caller of 600 a minute 28 of them: nodes drive the work of the ledger, and a limit is what it bears at once.
 * @param usage `null` when the operation was refused unread
 */
export function toPoints(usage: PricedUsage | null, cost: RateCost, limits: PriceLimits): number {
  if (cost === 'request' || !usage) return 1;
  const input = Math.min(1, usage.inputNodes / limits.maxQueryNodes);
  const output = Math.min(1, usage.outputNodes / limits.maxOutputNodes);
  return 1 + Math.floor(pointsPerFullLimit * (input + output));
}
