import type { Collections } from './collections.ts';
import type { explainSlow } from './explain-slow.ts';

/** One measured slice of one contestant at one work. */
export interface Slice {
  /** The name of the process. */
  readonly process: string;
  readonly requests: number;
  readonly elapsedMs: number;
  /** Of the contestant's process alone. */
  readonly cpuMs: number;
  readonly bytes: number;
  readonly upstreamCalls: { readonly ledger: number; readonly sponsor: number };
  /** `null` for a process that does not count its collections. */
  readonly collected: Pick<Collections, 'scavenges' | 'markCompacts'> | null;
  /** What slow requests waited for; `null` unless the rate was steady and collections were counted. */
  readonly slow: ReturnType<typeof explainSlow> | null;
  /** The part of the time in which the process was ready and had no core. */
  readonly coreWait: number;
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
  /** Collections per 1,000 requests; `null` where they are not counted. */
  readonly collected: Slice['collected'];
  /** Each process by itself: how it is compiled and how it collects garbage stays with it for minutes. */
  readonly processes: readonly {
    readonly name: string;
    readonly cpuMicros: number;
    readonly collected: Slice['collected'];
  }[];
  readonly requestsPerSecond: Spread;
  readonly ledgerCalls: number;
  readonly sponsorCalls: number;
  readonly answerBytes: number;
  readonly requests: number;
}

/** Two of whom each round has a slice. */
export interface Comparison {
  /** CPU time per request of the one in multiples of the other's in the same round. */
  readonly ratio: Spread;
  /** Where the median ratio is with 95 % certainty, as far as these processes can tell. */
  readonly interval: Pick<Spread, 'lower' | 'upper'>;
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
    collected: toCollected(slices),
    processes: [...new Set(slices.map(({ process }) => process))].map((name) => {
      const own = slices.filter(({ process }) => process === name);
      return { name, cpuMicros: toSpread(own.map(toCpuMicros)).median, collected: toCollected(own) };
    }),
    requestsPerSecond: toSpread(slices.map((slice) => (slice.requests * 1_000) / slice.elapsedMs)),
    ledgerCalls: total(slices, ({ upstreamCalls }) => upstreamCalls.ledger) / requests,
    sponsorCalls: total(slices, ({ upstreamCalls }) => upstreamCalls.sponsor) / requests,
    answerBytes: Math.round(total(slices, ({ bytes }) => bytes) / requests),
    requests,
  };
}

/** Per 1,000 requests. */
function toCollected(slices: readonly Slice[]): Slice['collected'] {
  const thousands = total(slices, ({ requests }) => requests) / 1_000;
  const counted = slices.flatMap(({ collected }) => (collected ? [collected] : []));
  if (counted.length < slices.length || counted.length === 0) return null;
  return {
    scavenges: total(counted, ({ scavenges }) => scavenges) / thousands,
    markCompacts: total(counted, ({ markCompacts }) => markCompacts) / thousands,
  };
}

/** Each slice against the floor's of the same round: the machine drifts, and within a round it drifts little. */
export function toRatio(rounds: Rounds, floors: Rounds, of: (slice: Slice) => number): Spread {
  return toSpread(toRatios(rounds, floors, of));
}

/** The ratio of CPU times per request, in the rounds in which both took part. */
export function compare(rounds: Rounds, others: Rounds): Comparison {
  const ratios = toRatios(rounds, others, toCpuMicros);
  return { ratio: toSpread(ratios), interval: bootstrapMedian(ratios) };
}

function toRatios(rounds: Rounds, floors: Rounds, of: (slice: Slice) => number): readonly number[] {
  return [...rounds].flatMap(([round, slice]) => {
    const floor = floors.get(round);
    return floor ? [of(slice) / of(floor)] : [];
  });
}

const resamples = 2_000;

/**
 * Where the median of more such values would be with 95 % certainty: the medians of many samples that are drawn from these, with
 * repetition. The same values give the same interval.
 */
export function bootstrapMedian(values: readonly number[]): Pick<Spread, 'lower' | 'upper'> {
  const draw = createRandom();
  const sample = () => values.map(() => values[Math.floor(draw() * values.length)] ?? Number.NaN);
  const medians = Array.from({ length: resamples }, () => toSpread(sample()).median).sort(
    (left, right) => left - right,
  );
  const at = (part: number) => medians[Math.round((resamples - 1) * part)] ?? Number.NaN;
  return { lower: at(0.025), upper: at(0.975) };
}

/** Numbers from 0 to 1, the same ones each time: a linear congruential generator. */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
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

function total<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}
