/** Nanoseconds for one call: the middle of several rounds, and the quietest and the noisiest of them. */
export interface Measurement {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface MeasureOptions {
  readonly rounds: number;
  /** Length of one round, in milliseconds. */
  readonly roundMs: number;
  /** Nanoseconds of a clock that never goes back. */
  readonly now: () => bigint;
}

/** What operations give is kept here for a moment: a result that nobody can see might as well not be computed. */
const seen: { last: unknown } = { last: undefined };

/** Calls an operation until the compiler has settled, then times it in rounds of equal length. */
export function measureOperation(operation: () => unknown, { rounds, roundMs, now }: MeasureOptions): Measurement {
  const time = (calls: number): number => {
    const startedAt = now();
    for (let call = 0; call < calls; call += 1) seen.last = operation();
    return Number(now() - startedAt);
  };
  let calls = 1;
  let warmUpNs = 0;
  // Twice as long as a round in all; the last and longest go says how many calls make a round.
  let nsPerCall = 0;
  while (warmUpNs < roundMs * 2e6) {
    const ns = time(calls);
    warmUpNs += ns;
    nsPerCall = ns / calls;
    calls *= 2;
  }
  const callsPerRound = Math.max(1, Math.round((roundMs * 1e6) / nsPerCall));
  const timed = Array.from({ length: rounds }, () => time(callsPerRound) / callsPerRound).sort((a, b) => a - b);
  const at = (index: number) => timed[index] ?? Number.NaN;
  return { median: at(Math.floor(rounds / 2)), min: at(0), max: at(rounds - 1) };
}
