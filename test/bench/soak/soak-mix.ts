/**
 * How often each work is asked for, in parts of a hundred: mostly small reads, some lists, a few large ones, a few texts
 * that are new each time, and some reservations and executions, whose number in eight minutes the gateway bounds.
 */
export const soakWeights: Readonly<Record<string, number>> = {
  W1: 32,
  W2: 22,
  W3: 4,
  W4: 1,
  W5: 15,
  W6: 13,
  W7: 1,
  W8: 4,
  W9: 1,
  'W1-new': 3,
  'W2-new': 2,
  'W6-new': 2,
};

/**
 * Of a steady load the gateway remembers more and more reservations for so long: three minutes until the longest is over, and
 * five in which it still knows them. Documents and answers have filled their memory by then.
 */
export const rememberedSeconds = 180 + 300;

/** After so many requests by turns each work has been asked in all its variants. @param variants how many of each */
export function requestsUntilAllSeen(
  weights: Readonly<Record<string, number>>,
  variants: Readonly<Record<string, number>>,
): number {
  const turns = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  return turns * Math.max(...Object.entries(weights).map(([id, weight]) => Math.ceil((variants[id] ?? 1) / weight)));
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
