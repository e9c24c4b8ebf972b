/**
 * How often each work is asked for, in parts of a hundred: mostly small reads, some lists, a few large ones, and enough
 * reservations that what they leave behind is seen.
 */
export const soakWeights: Readonly<Record<string, number>> = { W1: 30, W2: 18, W3: 4, W4: 16, W5: 14, W6: 12, W7: 6 };

/** After so many requests by turns even the rarest work has been asked in all its variants. */
export function requestsUntilAllSeen(weights: Readonly<Record<string, number>>, variants: number): number {
  const turns = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  return turns * Math.ceil(variants / Math.min(...Object.values(weights)));
}

/**
 * The order in which works take turns, spread so that no work comes in a burst: each turn goes to the work that is
 * furthest behind its share.
 * @returns as many ids as the weights add up to
 */
export function toSchedule(weights: Readonly<Record<string, number>>): readonly string[] {
  const shares = Object.entries(weights).map(([id, weight]) => ({ id, weight, credit: 0 }));
  const turns = shares.reduce((sum, { weight }) => sum + weight, 0);
  return Array.from({ length: turns }, () => {
    for (const share of shares) share.credit += share.weight;
    const next = shares.reduce((most, share) => (share.credit > most.credit ? share : most));
    next.credit -= turns;
    return next.id;
  });
}
