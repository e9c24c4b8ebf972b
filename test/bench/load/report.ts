import { ownName } from './contestants.ts';
import type { Waits } from './explain-slow.ts';
import type { LatencyResult, WorkResult } from './run-rounds.ts';
import type { Slice, Spread, Summary } from './summarise.ts';

/** Most CPU time per request of a transport: a GET in multiples of the floor's, a WebSocket of the same POST's. */
const transportGoals = { GET: 2.5, WebSocket: 1.3 } as const;

/** One work as a table of its contestants. */
export function formatWork({ work, rows, comparisons, latency, clientLoad, upstreamLoad }: WorkResult): string {
  const bytes = rows[0]?.summary?.answerBytes ?? 0;
  const head = `${work.id}  ${work.title}, ${formatBytes(bytes)}; goal ≤ ${work.goal} ×`;
  const lines = rows.flatMap(({ name, summary, fault }, index) =>
    summary
      ? [formatRow(name, summary, index === 0, work.goal), ...formatProcesses(summary)]
      : [`  ${name.padEnd(10)} FAILED: ${fault}`],
  );
  const busy = [
    ...(clientLoad > busyLoad ? [`the client was busy ${formatPercent(clientLoad)} of a core`] : []),
    ...(upstreamLoad > busyLoad ? [`the upstream was busy ${formatPercent(upstreamLoad)} of a core`] : []),
  ];
  return [
    head,
    ...lines,
    ...comparisons.map(formatComparison),
    ...(latency ? formatLatency(latency) : []),
    ...busy.map((line) => `  (${line}: requests per second are bounded by it)`),
    '',
  ].join('\n');
}

/** All works at a glance, as a Markdown table: CPU time in multiples of the floor's, the median and the quartiles. */
export function formatOverview(results: readonly WorkResult[]): string {
  const variants = new Set(results.flatMap(({ comparisons }) => comparisons.filter(isVariant).map(({ name }) => name)));
  const [floorName, ...names] = [...new Set(results.flatMap(({ rows }) => rows.map(({ name }) => name)))].filter(
    (name) => !variants.has(name),
  );
  const hasLatency = results.some(({ latency }) => latency !== null);
  const lines = results.map(({ work, rows, latency }) => {
    const cell = (name: string) => {
      const row = rows.find((each) => each.name === name);
      return row?.summary ? formatSpread(row.summary.ratio, 2, '') : row ? 'failed' : '–';
    };
    const collected = ['floor', 'gateway'].map((of) => rows.find(({ name }) => name === of)?.summary?.collected);
    return [
      `${work.id} ${work.title}`,
      `${rows[0]?.summary?.cpuMicros.median.toFixed(0)} µs`,
      `≤ ${work.goal}`,
      ...names.map(cell),
      ...(hasLatency ? [latency ? formatSpread(latency.ratio, 2, '') : '–'] : []),
      collected.map(formatCollected).join(' / '),
    ];
  });
  const latencyHead = hasLatency ? ['Gateway p99'] : [];
  return formatTable([
    ['Workload', ...[floorName ?? '', 'goal', ...names].map(capitalise), ...latencyHead, 'GC floor / gateway'],
    ...lines,
  ]);
}

/** The gateway by other transports and on another Node, as a Markdown table; empty where none was asked for. */
export function formatComparisons(results: readonly WorkResult[]): string {
  const lines = results.flatMap(({ work, rows, comparisons }) =>
    comparisons.filter(isVariant).map(({ name, base, comparison }) => {
      const ratio = rows.find((row) => row.name === name)?.summary?.ratio;
      const ofFloor = ratio ? formatSpread(ratio, 2, '') : '–';
      return [`${work.id} ${name}`, ofFloor, `${formatSpread(comparison.ratio, 2, '')} of ${base}`];
    }),
  );
  return lines.length > 0 ? formatTable([['Workload', 'Multiple of the floor', 'Compared with'], ...lines]) : '';
}

/** Is it the gateway in another way than in the overview? */
function isVariant({ name }: Pick<WorkResult['comparisons'][number], 'name'>): boolean {
  return name !== ownName;
}

/** A Markdown table; the first line is its head. */
export function formatTable([head = [], ...lines]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...lines.map(line)].join('\n');
}

const busyLoad = 0.9;
/** Processes of one server that differ by so much are shown one by one. */
const remarkableDifference = 1.2;

function formatRow(name: string, summary: Summary, isFloor: boolean, goal: number): string {
  const ratio = isFloor ? 'floor' : formatSpread(summary.ratio, 2, ' ×');
  const most = name === 'gateway' ? goal : name === 'GET' ? transportGoals.GET : null;
  return [
    `  ${name.padEnd(10)}`,
    ratio.padEnd(24),
    (most === null ? '' : formatVerdict(summary.ratio, most)).padEnd(7),
    `${formatSpread(summary.cpuMicros, 0, ' µs CPU')}`.padEnd(30),
    `${formatCalls(summary)} upstream`.padEnd(20),
    `GC ${formatCollected(summary.collected)}`.padEnd(14),
    `${summary.requestsPerSecond.median.toFixed(0)} req/s`,
  ].join(' ');
}

/** Nothing where all processes cost about the same. */
function formatProcesses({ processes }: Summary): readonly string[] {
  const costs = processes.map(({ cpuMicros }) => cpuMicros);
  if (Math.max(...costs) < Math.min(...costs) * remarkableDifference) return [];
  const each = processes.map(
    ({ name, cpuMicros, collected }) => `${name} ${cpuMicros.toFixed(0)} µs with GC ${formatCollected(collected)}`,
  );
  return [`             ${each.join(', ')}`];
}

function formatLatency({
  requestsPerSecond,
  floorP99Ms,
  gatewayP99Ms,
  ratio,
  slow,
  gatewayCoreWait,
}: LatencyResult): readonly string[] {
  const [floor, gateway] = [floorP99Ms, gatewayP99Ms].map((spread) => formatSpread(spread, 1, ' ms'));
  const rate = `at ${requestsPerSecond.toFixed(0)} req/s`;
  return [
    `  ${rate} p99 is ${gateway}, the floor's ${floor}: ${formatSpread(ratio, 2, ' ×')}  ${formatVerdict(ratio, 1)}`,
    ...(slow.length === 0
      ? []
      : [
          `  while its slowest 1 % waited, collected garbage: ${formatWaits(slow.map(({ slowest }) => slowest))}`,
          `  while all its requests waited: ${formatWaits(slow.map(({ all }) => all))}`,
          `  the gateway was ready and had no core ${formatPercent(gatewayCoreWait.median)} of the time`,
        ]),
  ];
}

/** The means of the rounds, as parts of the time that requests took. */
function formatWaits(waits: readonly Waits[]): string {
  const mean = (of: (wait: Waits) => number) =>
    formatPercent(waits.reduce((sum, wait) => sum + of(wait), 0) / waits.length);
  return `the gateway ${mean(({ server }) => server)} of the time, the upstream ${mean(({ upstream }) => upstream)}, the client ${mean(({ client }) => client)}`;
}

/** The median with its quartiles, and where the median is for sure. */
function formatComparison({ name, base, comparison: { ratio, interval } }: WorkResult['comparisons'][number]): string {
  const { lower, upper } = interval;
  const verdict = name === 'WebSocket' ? `  ${formatVerdict(ratio, transportGoals.WebSocket)}` : '';
  return `  ${name} against ${base}: ${formatSpread(ratio, 3, ' ×')}, 95 % interval of the median ${lower.toFixed(3)}–${upper.toFixed(3)}${verdict}`;
}

function formatVerdict({ median }: Spread, goal: number): string {
  return median <= goal ? 'met' : 'MISSED';
}

/** Scavenges and mark-compacts per 1,000 requests. */
function formatCollected(collected: Slice['collected'] | undefined): string {
  if (!collected) return '–';
  const { scavenges, markCompacts } = collected;
  return `${scavenges.toFixed(1)} + ${markCompacts.toFixed(2)}`;
}

/** The median, with the quartiles in brackets. */
export function formatSpread({ median, lower, upper }: Spread, digits: number, unit: string): string {
  return `${median.toFixed(digits)}${unit} (${lower.toFixed(digits)}–${upper.toFixed(digits)})`;
}

/** Ledger and sponsor calls per request. */
function formatCalls({ ledgerCalls, sponsorCalls }: Summary): string {
  const parts = [ledgerCalls, sponsorCalls].map((calls) => String(Math.round(calls * 100) / 100));
  return parts[1] === '0' ? String(parts[0]) : parts.join(' + ');
}

function formatBytes(bytes: number): string {
  return bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(1)} KB`;
}

function formatPercent(part: number): string {
  return `${Math.round(part * 100)} %`;
}

function capitalise(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
