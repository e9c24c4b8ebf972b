/** One measured slice of one contestant at one work. */
export interface Slice {
  readonly requests: number;
  readonly elapsedMs: number;
  /** Of the contestant's process alone. */
  readonly cpuMs: number;
  readonly bytes: number;
  readonly upstreamCalls: { readonly ledger: number; readonly sponsor: number };
  /** How busy the others were, as a part of one core: where either nears 1, requests per second say nothing. */
  readonly clientLoad: number;
  readonly upstreamLoad: number;
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface Summary {
  /** CPU time per request, microseconds. */
  readonly cpuMicros: Spread;
  /** The same in multiples of the floor's. */
  readonly ratio: Spread;
  readonly requestsPerSecond: Spread;
  readonly ledgerCalls: number;
  readonly sponsorCalls: number;
  readonly answerBytes: number;
  readonly requests: number;
}

export function toCpuMicros({ cpuMs, requests }: Pick<Slice, 'cpuMs' | 'requests'>): number {
  return (cpuMs * 1_000) / requests;
}

/**
 * @param slices of the contestant, in order
 * @param floors of the floor around them, one more than there are slices: the machine drifts, so each slice is held
 *   against the mean of the floor just before and just after it
 */
export function summarise(slices: readonly Slice[], floors: readonly Slice[]): Summary {
  const ratios = slices.map((slice, index) => {
    const around = floors.slice(index, index + 2).map(toCpuMicros);
    return toCpuMicros(slice) / (around.reduce((sum, each) => sum + each, 0) / around.length);
  });
  const requests = total(slices, ({ requests }) => requests);
  return {
    cpuMicros: toSpread(slices.map(toCpuMicros)),
    ratio: toSpread(ratios),
    requestsPerSecond: toSpread(slices.map((slice) => (slice.requests * 1_000) / slice.elapsedMs)),
    ledgerCalls: total(slices, ({ upstreamCalls }) => upstreamCalls.ledger) / requests,
    sponsorCalls: total(slices, ({ upstreamCalls }) => upstreamCalls.sponsor) / requests,
    answerBytes: Math.round(total(slices, ({ bytes }) => bytes) / requests),
    requests,
  };
}

export function toSpread(values: readonly number[]): Spread {
  const sorted = [...values].sort((left, right) => left - right);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    min: at(0),
    max: at(sorted.length - 1),
  };
}

function total(slices: readonly Slice[], of: (slice: Slice) => number): number {
  return slices.reduce((sum, slice) => sum + of(slice), 0);
}
