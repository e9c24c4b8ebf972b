export type RateCost = 'request' | 'usage';

/** The parts of an operation's usage that decide its price. */
export interface PricedUsage {
  readonly inputNodes: number;
  readonly outputNodes: number;
}

export interface PriceLimits {
  readonly maxQueryNodes: number;
  readonly maxOutputNodes: number;
}

/** Points added for input nodes at their limit, and again for output nodes at theirs. */
const pointsPerFullLimit = 10;

/**
 * The points of an operation. By `request`: 1. By `usage`: 1, plus up to 10 for input nodes and up to 10 for output nodes, in
 * proportion to their limits, because nodes drive the ledger's work. So a small operation counts 1, and a caller with 600
 * points a minute can ask 28 of the largest, 21 points each.
 * @param usage `null` when the operation was refused unread
 */
export function toPoints(usage: PricedUsage | null, cost: RateCost, limits: PriceLimits): number {
  if (cost === 'request' || !usage) return 1;
  const input = Math.min(1, usage.inputNodes / limits.maxQueryNodes);
  const output = Math.min(1, usage.outputNodes / limits.maxOutputNodes);
  return 1 + Math.floor(pointsPerFullLimit * (input + output));
}
