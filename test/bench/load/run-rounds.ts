import type { Child } from './child-processes.ts';
import type { ClientOrder, ClientReport } from './client-orders.ts';
import type { Contestant } from './contestants.ts';
import type { LoadOptions } from './load-options.ts';
import { isRunning, readCpuMs } from './process-usage.ts';
import { type Slice, type Spread, type Summary, summarise, toRatio, toSpread } from './summarise.ts';
import type { Work } from './work.ts';

export interface WorkResult {
  readonly work: Work;
  /** In the order of the contestants; `fault` where an answer was wrong, and then nothing was measured. */
  readonly rows: readonly {
    readonly name: string;
    readonly summary: Summary | null;
    readonly fault: string | null;
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
}

export interface Arena {
  readonly upstream: Child;
  readonly client: Child;
  /** The first is the floor, the second the gateway. */
  readonly contestants: readonly Contestant[];
}

type Options = Pick<LoadOptions, 'seconds' | 'requests' | 'warmUpSeconds' | 'repeat' | 'concurrency' | 'latencyRounds'>;
type Length = Pick<ClientOrder, 'atLeastMs' | 'atLeastRequests'>;
type Take = (contestant: Contestant, length: Length, pacedAt: number | null) => Promise<Slice | null>;

/**
 * Measures one work: everybody warms up, then takes turns in short slices, so that whatever the machine does meanwhile
 * meets all alike. Each round begins with another of them, so that nobody always comes behind the same one.
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
  const faults = new Map<Contestant, string>();
  const take: Take = async (contestant, length, pacedAt) => {
    if (faults.has(contestant)) return null;
    const { slice, fault } = await measure(arena, contestant, work, { ...options, ...length, pacedAt });
    if (fault !== null) faults.set(contestant, fault);
    return slice;
  };

  say(`${work.id} warm-up`);
  // Every variant at least once, so that what is measured meets nothing for the first time but what is meant to be new.
  const warmUp = { atLeastMs: options.warmUpSeconds * 1_000, atLeastRequests: work.variants };
  for (const contestant of contestants) await take(contestant, warmUp, null);
  if (faults.has(floor)) throw new Error(`the floor answered wrongly: ${faults.get(floor)}`);

  const length =
    options.requests === null
      ? { atLeastMs: options.seconds * 1_000, atLeastRequests: 1 }
      : { atLeastMs: 0, atLeastRequests: options.requests };
  const rounds = new Map(contestants.map((contestant) => [contestant, new Map<number, Slice>()]));
  for (let round = 0; round < options.repeat; round += 1) {
    say(`${work.id} round ${round + 1} of ${options.repeat}`);
    for (const contestant of rotate(contestants, round)) {
      const slice = round % contestant.everyRounds === 0 ? await take(contestant, length, null) : null;
      if (slice) rounds.get(contestant)?.set(round, slice);
    }
  }

  const roundsOf = (contestant: Contestant) => rounds.get(contestant) ?? new Map<number, Slice>();
  const rows = contestants.map((contestant) => ({
    name: contestant.name,
    summary: faults.has(contestant) ? null : summarise(roundsOf(contestant), roundsOf(floor)),
  }));
  const capacity = Math.min(...rows.slice(0, 2).map(({ summary }) => summary?.requestsPerSecond.median ?? 0));
  const latency = await measureLatency(floor, gateway, capacity / 2, options.latencyRounds, (contestant, pacedAt) =>
    take(contestant, length, pacedAt),
  );
  const all = [...rounds.values()].flatMap((slices) => [...slices.values()]);
  return {
    work,
    rows: rows.map((row, index) => {
      const fault = faults.get(contestants[index] as Contestant) ?? null;
      return { ...row, summary: fault === null ? row.summary : null, fault };
    }),
    latency: faults.has(gateway) ? null : latency,
    clientLoad: Math.max(...all.map(({ clientLoad }) => clientLoad)),
    upstreamLoad: Math.max(...all.map(({ upstreamLoad }) => upstreamLoad)),
  };
}

function rotate<Each>(all: readonly Each[], by: number): readonly Each[] {
  const first = by % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

async function measureLatency(
  floor: Contestant,
  gateway: Contestant,
  requestsPerSecond: number,
  rounds: number,
  take: (contestant: Contestant, pacedAt: number) => Promise<Slice | null>,
): Promise<LatencyResult | null> {
  if (rounds === 0 || requestsPerSecond === 0) return null;
  const floors = new Map<number, Slice>();
  const gateways = new Map<number, Slice>();
  for (let round = 0; round < rounds; round += 1) {
    for (const contestant of rotate([floor, gateway], round)) {
      const slice = await take(contestant, requestsPerSecond);
      if (slice) (contestant === floor ? floors : gateways).set(round, slice);
    }
  }
  const p99Ms = ({ p99Ms }: Slice) => p99Ms;
  return {
    requestsPerSecond,
    floorP99Ms: toSpread([...floors.values()].map(p99Ms)),
    gatewayP99Ms: toSpread([...gateways.values()].map(p99Ms)),
    ratio: toRatio(gateways, floors, p99Ms),
  };
}

type Measured =
  | { readonly slice: Slice; readonly fault: null }
  /** The contestant answered wrongly, or not at all. */
  | { readonly slice: null; readonly fault: string };

async function measure(
  { upstream, client }: Arena,
  contestant: Contestant,
  work: Work,
  { concurrency, atLeastMs, atLeastRequests, pacedAt }: Length & Pick<ClientOrder, 'concurrency' | 'pacedAt'>,
): Promise<Measured> {
  const { name, dialect, url } = contestant;
  const order: ClientOrder = {
    contestant: name,
    dialect,
    url,
    workId: work.id,
    concurrency,
    atLeastMs,
    atLeastRequests,
    pacedAt,
  };
  const ended = { slice: null, fault: 'it ended by itself' } as const;
  if (!isRunning(contestant.pid)) return ended;
  const callsBefore = await countCalls(upstream);
  const before = [contestant, client, upstream].map(({ pid }) => readCpuMs(pid));
  const { report } = (await client.ask(order)) as unknown as { readonly report: ClientReport };
  if (!isRunning(contestant.pid)) return ended;
  if (report.fault !== null) return { slice: null, fault: report.fault };
  const used = [contestant, client, upstream].map(({ pid }, index) => readCpuMs(pid) - (before[index] ?? 0));
  const callsAfter = await countCalls(upstream);
  const [cpuMs = 0, clientMs = 0, upstreamMs = 0] = used;
  const { fault: _none, ...counted } = report;
  return {
    fault: null,
    slice: {
      ...counted,
      cpuMs,
      upstreamCalls: {
        ledger: callsAfter.ledger - callsBefore.ledger,
        sponsor: callsAfter.sponsor - callsBefore.sponsor,
      },
      clientLoad: clientMs / report.elapsedMs,
      upstreamLoad: upstreamMs / report.elapsedMs,
    },
  };
}

async function countCalls(upstream: Child): Promise<Slice['upstreamCalls']> {
  const { calls } = (await upstream.ask({ kind: 'calls' })) as unknown as { readonly calls: Slice['upstreamCalls'] };
  return { ...calls };
}
