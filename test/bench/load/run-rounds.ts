import type { Contestant } from './contestants.ts';
import type { LoadOptions } from './load-options.ts';
import {
  type Comparison,
  compare,
  type Rounds,
  type Slice,
  type Spread,
  type Summary,
  summarise,
  toRatio,
  toSpread,
} from './summarise.ts';
import { type Arena, type SliceOrder, takeSlice } from './take-slice.ts';
import type { Work } from './work.ts';

export interface WorkResult {
  readonly work: Work;
  /** In the order of the contestants; `fault` where an answer was wrong, and then nothing was measured. */
  readonly rows: readonly {
    readonly name: string;
    readonly summary: Summary | null;
    readonly fault: string | null;
  }[];
  /** In the same rounds: two contestants of whom one is the base of the other. */
  readonly comparisons: readonly {
    readonly name: string;
    readonly base: string;
    readonly comparison: Comparison;
  }[];
  /** `null` where it was not asked for, or the gateway was out. */
  readonly latency: LatencyResult | null;
  /** The busiest the client and the upstream were, as a part of one core. */
  readonly clientLoad: number;
  readonly upstreamLoad: number;
}

/** Of floor and gateway at one steady rate: half of what the slower of them can take. */
export interface LatencyResult {
  readonly requestsPerSecond: number;
  readonly floorP99Ms: Spread;
  readonly gatewayP99Ms: Spread;
  readonly ratio: Spread;
  /** What slow requests of the gateway waited for, of all rounds. */
  readonly slow: readonly NonNullable<Slice['slow']>[];
  /** The part of the time in which the gateway was ready and had no core. */
  readonly gatewayCoreWait: Spread;
}

type Options = Pick<LoadOptions, 'seconds' | 'requests' | 'warmUpSeconds' | 'repeat' | 'concurrency' | 'latencyRounds'>;
/** Resolves with `null` once a contestant has answered wrongly. */
type Take = (contestant: Contestant, round: number, order: Partial<SliceOrder>) => Promise<Slice | null>;

/** Where slices are counted in requests, nobody is warm after one. */
const slicesOfWarmUp = 4;

/**
 * Measures one work: everybody warms up, then takes turns in short slices, so that whatever the machine does meanwhile
 * meets all alike; then floor and gateway at a steady rate. Of whom there are several processes, each takes its turn: how
 * one of them happens to be compiled and laid out in memory stays with it for all of its life.
 */
export async function runRounds(
  arena: Arena,
  work: Work,
  options: Options,
  say: (line: string) => void,
): Promise<WorkResult> {
  const contestants = arena.contestants.filter(({ can }) => can(work));
  const [floor, gateway] = contestants;
  if (!floor || !gateway) throw new Error('there is no floor or no gateway');
  const { seconds, concurrency } = options;
  const requests = options.requests ?? work.sliceRequests ?? null;
  const length =
    requests === null
      ? { atLeastMs: seconds * 1_000, atLeastRequests: 1 }
      : { atLeastMs: 0, atLeastRequests: requests };
  const faults = new Map<Contestant, string>();
  const take: Take = async (contestant, round, order) => {
    const { processes, dialect, transport } = contestant;
    const process = processes[round % processes.length];
    if (faults.has(contestant) || !process) return null;
    const { slice, fault } = await takeSlice(arena, { ...process, dialect, transport }, work, {
      concurrency,
      pacedAt: null,
      ...length,
      ...order,
    });
    if (fault !== null) faults.set(contestant, fault);
    if (fault !== null && contestant === floor) throw new Error(`the floor answered wrongly: ${fault}`);
    return slice;
  };

  say(`${work.id} warm-up`);
  // Every variant at least once, so that what is measured meets nothing for the first time but what is meant to be new.
  const warmUp = work.sliceRequests
    ? { atLeastMs: 0, atLeastRequests: slicesOfWarmUp * work.sliceRequests }
    : { atLeastMs: options.warmUpSeconds * 1_000, atLeastRequests: work.variants };
  for (const contestant of options.warmUpSeconds > 0 ? contestants : [])
    for (const index of contestant.processes.keys()) await take(contestant, index, warmUp);
  const rounds = await takeTurns(contestants, options.repeat, (contestant, round) => {
    if (contestant === floor) say(`${work.id} round ${round + 1} of ${options.repeat}`);
    return take(contestant, round, {});
  });
  const summaries = contestants.map((contestant) => summarise(roundsOf(rounds, contestant), roundsOf(rounds, floor)));
  const [floorRate = 0, gatewayRate = 0] = summaries.map(({ requestsPerSecond }) => requestsPerSecond.median);
  const pacedAt = Math.min(floorRate, gatewayRate) / 2;
  const isMeasured = options.latencyRounds > 0 && !faults.has(gateway);
  if (isMeasured) say(`${work.id} at a steady rate`);
  const paced = isMeasured
    ? await takeTurns([floor, gateway], options.latencyRounds, (contestant, round) =>
        take(contestant, round, { pacedAt }),
      )
    : null;

  const all = [...rounds.values()].flatMap((slices) => [...slices.values()]);
  return {
    work,
    rows: contestants.map((contestant, index) => {
      const fault = faults.get(contestant) ?? null;
      return { name: contestant.name, summary: fault === null ? (summaries[index] ?? null) : null, fault };
    }),
    comparisons: contestants.flatMap((contestant) => {
      const base = contestants.find(({ name }) => name === contestant.base);
      if (!base || faults.has(base) || faults.has(contestant)) return [];
      const comparison = compare(roundsOf(rounds, contestant), roundsOf(rounds, base));
      return [{ name: contestant.name, base: base.name, comparison }];
    }),
    latency:
      paced && !faults.has(gateway) ? toLatency(pacedAt, roundsOf(paced, floor), roundsOf(paced, gateway)) : null,
    clientLoad: Math.max(...all.map(({ clientLoad }) => clientLoad)),
    upstreamLoad: Math.max(...all.map(({ upstreamLoad }) => upstreamLoad)),
  };
}

/** Each round begins with another of them, so that nobody always comes behind the same one. */
async function takeTurns(
  contestants: readonly Contestant[],
  repeat: number,
  take: (contestant: Contestant, round: number) => Promise<Slice | null>,
): Promise<ReadonlyMap<Contestant, Rounds>> {
  const taken = new Map(contestants.map((contestant) => [contestant, new Map<number, Slice>()]));
  for (let round = 0; round < repeat; round += 1) {
    const first = round % contestants.length;
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      const slice = round % contestant.everyRounds === 0 ? await take(contestant, round) : null;
      if (slice) taken.get(contestant)?.set(round, slice);
    }
  }
  return taken;
}

function roundsOf(taken: ReadonlyMap<Contestant, Rounds>, contestant: Contestant): Rounds {
  return taken.get(contestant) ?? new Map();
}

function toLatency(requestsPerSecond: number, floors: Rounds, gateways: Rounds): LatencyResult {
  const p99Ms = ({ p99Ms }: Slice) => p99Ms;
  return {
    requestsPerSecond,
    floorP99Ms: toSpread([...floors.values()].map(p99Ms)),
    gatewayP99Ms: toSpread([...gateways.values()].map(p99Ms)),
    ratio: toRatio(gateways, floors, p99Ms),
    gatewayCoreWait: toSpread([...gateways.values()].map(({ coreWait }) => coreWait)),
    slow: [...gateways.values()].flatMap(({ slow }) => (slow ? [slow] : [])),
  };
}
