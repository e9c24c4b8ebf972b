import type { Child } from './child-processes.ts';
import type { ClientOrder, ClientReport } from './client-orders.ts';
import type { Contestant } from './contestants.ts';
import type { LoadOptions } from './load-options.ts';
import { isRunning, readCpuMs } from './process-usage.ts';
import { type Slice, type Summary, summarise } from './summarise.ts';
import type { Work } from './works.ts';

export interface WorkResult {
  readonly work: Work;
  /** In the order of the contestants; `fault` where an answer was wrong, and then nothing was measured. */
  readonly rows: readonly {
    readonly name: string;
    readonly summary: Summary | null;
    readonly fault: string | null;
  }[];
  /** The busiest the client and the upstream were, as a part of one core. */
  readonly clientLoad: number;
  readonly upstreamLoad: number;
}

export interface Arena {
  readonly upstream: Child;
  readonly client: Child;
  /** The first is the floor. */
  readonly contestants: readonly Contestant[];
}

type Options = Pick<LoadOptions, 'seconds' | 'requests' | 'warmUpSeconds' | 'repeat' | 'concurrency' | 'variants'>;

/**
 * Measures one work: everybody warms up, then takes turns, so that whatever the machine does meanwhile meets all alike.
 * The floor runs once more at the end.
 */
export async function runRounds(
  arena: Arena,
  work: Work,
  options: Options,
  say: (line: string) => void,
): Promise<WorkResult> {
  const [floor, ...others] = arena.contestants;
  if (!floor) throw new Error('there is no floor');
  const slices = new Map<Contestant, Slice[]>();
  const faults = new Map<Contestant, string>();

  const take = async (contestant: Contestant, length: Pick<ClientOrder, 'atLeastMs' | 'atLeastRequests'>) => {
    const { slice, fault } = await measure(arena, contestant, work, { ...options, ...length });
    if (fault !== null) faults.set(contestant, fault);
    return slice;
  };

  // Every variant at least once, so that what is measured never meets a document for the first time.
  const warmUp = { atLeastMs: options.warmUpSeconds * 1_000, atLeastRequests: options.variants };
  for (const contestant of [floor, ...others]) {
    await take(contestant, warmUp);
    slices.set(contestant, []);
  }
  if (faults.has(floor)) throw new Error(`the floor answered wrongly: ${faults.get(floor)}`);

  const length =
    options.requests === null
      ? { atLeastMs: options.seconds * 1_000, atLeastRequests: 1 }
      : { atLeastMs: 0, atLeastRequests: options.requests };
  for (let round = 0; round <= options.repeat; round += 1) {
    say(`${work.id} ${round < options.repeat ? `round ${round + 1} of ${options.repeat}` : 'the floor once more'}`);
    for (const contestant of round < options.repeat ? [floor, ...others] : [floor]) {
      if (faults.has(contestant)) continue;
      const slice = await take(contestant, length);
      if (slice) slices.get(contestant)?.push(slice);
    }
  }

  const floors = slices.get(floor) ?? [];
  const all = [...slices.values()].flat();
  return {
    work,
    rows: [floor, ...others].map((contestant) => ({
      name: contestant.name,
      summary: faults.has(contestant)
        ? null
        : summarise((slices.get(contestant) ?? []).slice(0, options.repeat), floors),
      fault: faults.get(contestant) ?? null,
    })),
    clientLoad: Math.max(...all.map(({ clientLoad }) => clientLoad)),
    upstreamLoad: Math.max(...all.map(({ upstreamLoad }) => upstreamLoad)),
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
  length: Pick<ClientOrder, 'concurrency' | 'variants' | 'atLeastMs' | 'atLeastRequests'>,
): Promise<Measured> {
  const { concurrency, variants, atLeastMs, atLeastRequests } = length;
  const order: ClientOrder = {
    contestant: contestant.name,
    dialect: contestant.dialect,
    url: contestant.url,
    workId: work.id,
    concurrency,
    variants,
    atLeastMs,
    atLeastRequests,
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
  return {
    fault: null,
    slice: {
      requests: report.requests,
      elapsedMs: report.elapsedMs,
      bytes: report.bytes,
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
