/** One measured slice of one contestant at one work. */
export interface Slice {
  readonly requests: number;
  readonly elapsedMs: number;
  /** Of the contestant's process alone. */
  readonly cpuMs: number;
  readonly bytes: number;
  readonly upstreamCalls: { readonly ledger: number; readonly sponsor: number };
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How busy the others were, as a part of one core: where either nears 1, requests per second say nothing. */
  readonly clientLoad: number;
  readonly upstreamLoad: number;
}

/** The slices of one contestant by their rounds; there need not be one in each. */
export type Rounds = ReadonlyMap<number, Slice>;

/** The middle of several rounds, and the middle of what is below it and above it. */
export interface Spread {
  readonly median: number;
  readonly lower: number;
  readonly upper: number;
}

export interface Summary {
  /** CPU time per request, microseconds. */
  readonly cpuMicros: Spread;
  /** The same in multiples of the floor's in the same round. */
  readonly ratio: Spread;
  readonly requestsPerSecond: Spread;
  readonly ledgerCalls: number;
  readonly sponsorCalls: number;
  readonly answerBytes: number;
  readonly requests: number;
}

function toCpuMicros({ cpuMs, requests }: Pick<Slice, 'cpuMs' | 'requests'>): number {
  return (cpuMs * 1_000) / requests;
}

/** @param floors of the floor, one in every round */
export function summarise(rounds: Rounds, floors: Rounds): Summary {
  const slices = [...rounds.values()];
  const requests = total(slices, ({ requests }) => requests);
  return {
    cpuMicros: toSpread(slices.map(toCpuMicros)),
    ratio: toRatio(rounds, floors, toCpuMicros),
    requestsPerSecond: toSpread(slices.map((slice) => (slice.requests * 1_000) / slice.elapsedMs)),
    ledgerCalls: total(slices, ({ upstreamCalls }) => upstreamCalls.ledger) / requests,
    sponsorCalls: total(slices, ({ upstreamCalls }) => upstreamCalls.sponsor) / requests,
    answerBytes: Math.round(total(slices, ({ bytes }) => bytes) / requests),
    requests,
  };
}

/** Each slice against the floor's of the same round: the machine drifts, and within a round it drifts little. */
export function toRatio(rounds: Rounds, floors: Rounds, of: (slice: Slice) => number): Spread {
  return toSpread(
    [...rounds].flatMap(([round, slice]) => {
      const floor = floors.get(round);
      return floor ? [of(slice) / of(floor)] : [];
    }),
  );
}

export function toSpread(values: readonly number[]): Spread {
  const sorted = [...values].sort((left, right) => left - right);
  const at = (part: number) => {
    const place = (sorted.length - 1) * part;
    const [below = Number.NaN, above = Number.NaN] = [Math.floor(place), Math.ceil(place)].map(
      (index) => sorted[index],
    );
    return below + (above - below) * (place - Math.floor(place));
  };
  return { median: at(0.5), lower: at(0.25), upper: at(0.75) };
}

function total(slices: readonly Slice[], of: (slice: Slice) => number): number {
  return slices.reduce((sum, slice) => sum + of(slice), 0);
}
