import { setTimeout as pause } from 'node:timers/promises';
import type { Child, Children } from '../load/child-processes.ts';
import { toGatewayCommand } from '../load/gateway-command.ts';
import { readCpuMs, readRssMib } from '../load/process-usage.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { LiveOptions } from './live-options.ts';
import type { LiveOrder, LiveReport, TellOrder, TellReport } from './live-orders.ts';
import type { LiveScenario } from './live-scenarios.ts';

export interface LiveResult {
  readonly id: string;
  readonly title: string;
  readonly subscriptions: number;
  readonly frozen: number;
  readonly connections: number;
  /** Queries that the upstream was asked for, cursors aside. */
  readonly readers: number;
  /** How often the upstream was asked from the first connection until everybody had an event. */
  readonly callsToBegin: number;
  /** KiB of the process for each subscription, frozen ones included, after its garbage was collected. */
  readonly rssKib: number;
  /** Of that, what JavaScript and its buffers have in use. */
  readonly heapKib: number;
  /** CPU of the serving process while one event goes to everybody, reading it included. */
  readonly cpuMsPerEvent: number;
  /** The same with nothing to tell, in a second. */
  readonly idleCpuMsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** MiB by which the process grew from the first measured event to the last. */
  readonly grownMib: number;
  readonly faults: number;
  readonly fault: string | null;
}

const clients = 2;
/** Who has not got an event by then never will; in milliseconds. */
const patienceMs = 120_000;
/** The same once something went wrong: who was closed will not have it ever. */
const briefMs = 5_000;
/** Events that those who resume have missed. */
const history = 2_000;
/** The port of its debugger for the process that is measured. */
const inspectPort = 9_339;

/** Runs one scenario in processes of its own. Rejects when one of them ends. */
export async function runLive(children: Children, scenario: LiveScenario, options: LiveOptions): Promise<LiveResult> {
  const ours = (name: string) => new URL(`../processes/${name}.js`, import.meta.url);
  const isFloor = scenario.id === 'floor';
  const total = toTotal(scenario, options);
  const connections = Math.ceil(total / scenario.operations);
  const frozen = Math.floor((connections * (scenario.frozenPercent ?? 0)) / 100);
  const told = await children.fork(isFloor ? 'floor' : 'upstream', ours(isFloor ? 'live-floor' : 'live-upstream'), [
    String(inspectPort),
  ]);
  const server = isFloor
    ? told
    : await startGateway(children, told, await children.fork('ledger', ours('upstream'), []));
  const { pid } = server;
  const path = isFloor ? '' : '/graphql';
  const readers = await Promise.all(
    Array.from({ length: clients }, (_, index) =>
      children.fork(`client ${index}`, ours('live-client'), [server.url + path]),
    ),
  );
  const tell = async (order: TellOrder) => (await told.ask(order)) as unknown as TellReport;
  const order = async (each: LiveOrder) => merge((await Promise.all(readers.map((child) => child.ask(each)))) as never);
  const senders = scenario.isDistinct ? total : 1;

  let serial = 0;
  const tellNext = async () => {
    serial += 1;
    await tell({ kind: 'tell', senders });
  };
  await tellNext();
  const after = scenario.isResuming ? await takeCursor(children, server.url + path, tellNext) : null;
  if (after !== null) for (let index = 0; index < history; index += 1) await tellNext();
  const before = await measure(pid);
  const callsBefore = (await tell({ kind: 'counts' })).calls;
  const share = { operations: scenario.operations, over: scenario.over, after };
  const opened = readers.map((child, index) =>
    child.ask({
      kind: 'open',
      ...share,
      connections: split(connections, index),
      firstSender: scenario.isDistinct ? 1 + (index === 0 ? 0 : split(connections, 0)) : null,
      frozen: split(frozen, index),
    } satisfies LiveOrder),
  );
  await Promise.all(opened);
  const reach = async (least: number): Promise<LiveReport> => {
    for (const since = performance.now(); ; await pause(20)) {
      const report = await order({ kind: 'report' });
      if (report.least >= least && report.begun === report.subscriptions) return report;
      if (performance.now() - since > (report.faults > 0 ? briefMs : patienceMs))
        return { ...report, faults: report.faults + 1, fault: `stuck at ${report.least}` };
    }
  };
  // Who follows from now on has to be there first, and nobody is told when the last one is.
  const openedAt = performance.now();
  for (let all = false; !all; ) {
    await tellNext();
    await pause(options.everyMs);
    const { begun, subscriptions, fault } = await order({ kind: 'report' });
    all = begun === subscriptions;
    if (!all && performance.now() - openedAt > (fault === null ? patienceMs : briefMs)) {
      throw new Error(`only ${begun} of ${subscriptions} streams had an event${fault === null ? '' : `: ${fault}`}`);
    }
  }
  await reach(serial);
  const begun = await tell({ kind: 'counts' });
  const settled = await measure(pid);
  const idleMs = 3_000;
  const idleFrom = readCpuMs(pid);
  await pause(idleMs);
  const idleCpuMsPerSecond = ((readCpuMs(pid) - idleFrom) / idleMs) * 1_000;

  // Each event ends the reader's long pauses: some first, so that all that are measured find it awake.
  for (let index = 0; index < 3; index += 1) {
    await tellNext();
    await pause(options.everyMs);
  }
  await reach(serial);
  await order({ kind: 'report', isFresh: true });
  const rssBefore = readRssMib(pid) ?? 0;
  const cpuBefore = readCpuMs(pid);
  const since = performance.now();
  for (let index = 0; index < options.events; index += 1) {
    await tellNext();
    await pause(options.everyMs);
  }
  const tookMs = performance.now() - since;
  const cpuMs = readCpuMs(pid) - cpuBefore - (idleCpuMsPerSecond * tookMs) / 1_000;
  const report = await reach(serial);
  const kib = (bytes: number) => bytes / 1_024 / total;
  return {
    id: scenario.id,
    title: scenario.title,
    subscriptions: report.subscriptions,
    frozen: frozen * scenario.operations,
    connections,
    readers: begun.queries,
    callsToBegin: begun.calls - callsBefore,
    rssKib: ((settled.rssMib - before.rssMib) * 1_024) / total,
    heapKib: kib(settled.inUse - before.inUse),
    cpuMsPerEvent: cpuMs / options.events,
    idleCpuMsPerSecond,
    p50Ms: report.p50Ms,
    p99Ms: report.p99Ms,
    grownMib: (readRssMib(pid) ?? 0) - rssBefore,
    faults: report.faults,
    fault: report.fault,
  };
}

function toTotal({ count }: LiveScenario, { subscribers, filters }: LiveOptions): number {
  if (count === 'filters') return filters;
  return count === 'tenth' ? Math.ceil(subscribers / 10) : subscribers;
}

/** The part of one client. */
function split(count: number, index: number): number {
  return Math.floor((count + clients - 1 - index) / clients);
}

function startGateway(children: Children, events: Child, ledger: Child): Promise<Child> {
  const limits = { WEBSOCKET_MAX: '100000', WEBSOCKET_MAX_PER_ADDRESS: '100000', LIVE_MAX_STREAMS: '100000' };
  const env = { ...limits, LIVE_MAX_STREAMS_PER_CALLER: '100000', LEDGER_RPC_URL: events.url };
  const toCommand = (port: number) => {
    const command = toGatewayCommand(port, ledger.url, env);
    return { ...command, args: [`--inspect-port=${inspectPort}`, ...command.args] };
  };
  return children.spawnServer('gateway', toCommand, '/health/ready');
}

async function measure(pid: number): Promise<{ rssMib: number; inUse: number }> {
  const { heapUsed, external } = await collectGarbage(pid, inspectPort);
  return { rssMib: readRssMib(pid) ?? 0, inUse: heapUsed + external };
}

/** The cursor of an event that one who has left again was told: all behind it is history when others come. */
async function takeCursor(children: Children, url: string, tellNext: () => Promise<void>): Promise<string> {
  const client = await children.fork('first client', new URL('../processes/live-client.js', import.meta.url), [url]);
  const ask = async (order: LiveOrder) => (await client.ask(order)) as unknown as LiveReport;
  await ask({ kind: 'open', connections: 1, operations: 1, over: 'socket', firstSender: null, frozen: 0, after: null });
  for (;;) {
    await tellNext();
    await pause(500);
    const { cursor } = await ask({ kind: 'report' });
    if (cursor === null) continue;
    process.kill(client.pid);
    // Longer than a reader goes on that nobody follows.
    await pause(2_000);
    return cursor;
  }
}

function merge(reports: readonly LiveReport[]): LiveReport {
  const sum = (pick: (report: LiveReport) => number) => reports.reduce((all, each) => all + pick(each), 0);
  const most = (pick: (report: LiveReport) => number) => Math.max(...reports.map(pick));
  return {
    subscriptions: sum(({ subscriptions }) => subscriptions),
    begun: sum(({ begun }) => begun),
    least: Math.min(...reports.map(({ least }) => least)),
    faults: sum(({ faults }) => faults),
    fault: reports.find(({ fault }) => fault !== null)?.fault ?? null,
    p50Ms: most(({ p50Ms }) => p50Ms),
    p99Ms: most(({ p99Ms }) => p99Ms),
    cursor: reports[0]?.cursor ?? null,
  };
}
