import type { Child } from './child-processes.ts';
import type { ClientOrder, ClientReport } from './client-orders.ts';
import type { Contestant } from './contestants.ts';
import { explainSlow } from './explain-slow.ts';
import { isRunning, readCoreWaitMs, readCpuMs } from './process-usage.ts';
import type { Slice } from './summarise.ts';
import type { Work } from './work.ts';

export interface Arena {
  readonly upstream: Child;
  readonly client: Child;
  /** The first is the floor, the second the gateway. */
  readonly contestants: readonly Contestant[];
}

/** Who is asked, and how. */
export type Asked = Pick<Child, 'name' | 'url' | 'pid' | 'collections'> & Pick<ClientOrder, 'dialect' | 'transport'>;

export type SliceOrder = Pick<ClientOrder, 'concurrency' | 'atLeastMs' | 'atLeastRequests' | 'pacedAt'>;

type Taken =
  | { readonly slice: Slice; readonly fault: null }
  /** The contestant answered wrongly, or not at all. */
  | { readonly slice: null; readonly fault: string };

/** Puts one process of a contestant under load, and counts meanwhile what it and the others use. */
export async function takeSlice(
  { upstream, client }: Arena,
  { name, url, pid, dialect, transport, collections }: Asked,
  work: Work,
  asked: SliceOrder,
): Promise<Taken> {
  const order: ClientOrder = { dialect, transport, url, workId: work.id, ...asked };
  const ended = { slice: null, fault: 'it ended by itself' } as const;
  if (!isRunning(pid)) return ended;
  if (work.before) {
    const { report } = (await client.ask({ ...order, isPreparing: true })) as unknown as {
      readonly report: ClientReport;
    };
    if (report.fault !== null) return { slice: null, fault: report.fault };
  }
  const pids = [pid, client.pid, upstream.pid];
  const collecting = [collections, upstream.collections, client.collections];
  await Promise.all(collecting.map((collect) => collect()));
  const callsBefore = await countCalls(upstream);
  const before = pids.map(readCpuMs);
  const waitBefore = readCoreWaitMs(pid);
  const { report } = (await client.ask(order)) as unknown as { readonly report: ClientReport };
  if (!isRunning(pid)) return ended;
  const { fault, intervals, ...counted } = report;
  if (fault !== null) return { slice: null, fault };
  const [cpuMs = 0, clientMs = 0, upstreamMs = 0] = pids.map((each, index) => readCpuMs(each) - (before[index] ?? 0));
  const coreWait = (readCoreWaitMs(pid) - waitBefore) / report.elapsedMs;
  const [ofServer, ofUpstream, ofClient] = await Promise.all(collecting.map((collect) => collect()));
  const callsAfter = await countCalls(upstream);
  const upstreamCalls = {
    ledger: callsAfter.ledger - callsBefore.ledger,
    sponsor: callsAfter.sponsor - callsBefore.sponsor,
  };
  const [clientLoad, upstreamLoad] = [clientMs / report.elapsedMs, upstreamMs / report.elapsedMs];
  const slow =
    intervals.length > 0 && ofServer
      ? explainSlow(intervals, {
          server: ofServer.pauses,
          upstream: ofUpstream?.pauses ?? [],
          client: ofClient?.pauses ?? [],
        })
      : null;
  const collected = ofServer ? { scavenges: ofServer.scavenges, markCompacts: ofServer.markCompacts } : null;
  return {
    fault: null,
    slice: { ...counted, process: name, cpuMs, upstreamCalls, collected, slow, coreWait, clientLoad, upstreamLoad },
  };
}

async function countCalls(upstream: Child): Promise<Slice['upstreamCalls']> {
  const { calls } = (await upstream.ask({ kind: 'calls' })) as unknown as { readonly calls: Slice['upstreamCalls'] };
  return { ...calls };
}
