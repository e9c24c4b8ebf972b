import type { LatencyResult, WorkResult } from './run-rounds.ts';
import type { Comparison, Spread, Summary } from './summarise.ts';

/** One work as a table of its contestants. */
export function formatWork({ work, rows, againstOther, latency, clientLoad, upstreamLoad }: WorkResult): string {
  const bytes = rows[0]?.summary?.answerBytes ?? 0;
  const head = `${work.id}  ${work.title}, ${formatBytes(bytes)}; goal ≤ ${work.goal} ×`;
  const lines = rows.map(({ name, summary, fault }, index) =>
    summary ? formatRow(name, summary, index === 0, work.goal) : `  ${name.padEnd(10)} FAILED: ${fault}`,
  );
  const busy = [
    ...(clientLoad > busyLoad ? [`the client was busy ${formatPercent(clientLoad)} of a core`] : []),
    ...(upstreamLoad > busyLoad ? [`the upstream was busy ${formatPercent(upstreamLoad)} of a core`] : []),
  ];
  return [
    head,
    ...lines,
    ...(againstOther ? [`  gateway against other: ${formatComparison(againstOther)}`] : []),
    ...(latency ? [formatLatency(latency)] : []),
    ...busy.map((line) => `  (${line}: requests per second are bounded by it)`),
    '',
  ].join('\n');
}

/** All works at a glance, as a Markdown table: CPU time in multiples of the floor's, the median and the quartiles. */
export function formatOverview(results: readonly WorkResult[]): string {
  const [floorName, ...names] = [...new Set(results.flatMap(({ rows }) => rows.map(({ name }) => name)))];
  const hasLatency = results.some(({ latency }) => latency !== null);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const lines = results.map(({ work, rows, latency }) => {
    const cell = (name: string) => {
      const row = rows.find((each) => each.name === name);
      return row?.summary ? formatSpread(row.summary.ratio, 2, '') : row ? 'failed' : '–';
    };
    return line([
      `${work.id} ${work.title}`,
      `${rows[0]?.summary?.cpuMicros.median.toFixed(0)} µs`,
      `≤ ${work.goal}`,
      ...names.map(cell),
      ...(hasLatency ? [latency ? formatSpread(latency.ratio, 2, '') : '–'] : []),
    ]);
  });
  const head = ['work', floorName ?? '', 'goal', ...names, ...(hasLatency ? ['p99 of the gateway'] : [])];
  return [line(head), line(head.map(() => '---')), ...lines].join('\n');
}

const busyLoad = 0.9;

function formatRow(name: string, summary: Summary, isFloor: boolean, goal: number): string {
  const ratio = isFloor ? 'floor' : formatSpread(summary.ratio, 2, ' ×');
  const verdict = name === 'gateway' ? (summary.ratio.median <= goal ? 'met' : 'MISSED') : '';
  return [
    `  ${name.padEnd(10)}`,
    ratio.padEnd(24),
    verdict.padEnd(7),
    `${formatSpread(summary.cpuMicros, 0, ' µs CPU')}`.padEnd(30),
    `${formatCalls(summary)} upstream`.padEnd(20),
    `${summary.requestsPerSecond.median.toFixed(0)} req/s`,
  ].join(' ');
}

function formatLatency({ requestsPerSecond, floorP99Ms, gatewayP99Ms, ratio }: LatencyResult): string {
  const [floor, gateway] = [floorP99Ms, gatewayP99Ms].map((spread) => formatSpread(spread, 1, ' ms'));
  const verdict = ratio.median <= 1 ? 'met' : 'MISSED';
  return `  at ${requestsPerSecond.toFixed(0)} req/s p99 is ${gateway}, the floor's ${floor}: ${formatSpread(ratio, 2, ' ×')}  ${verdict}`;
}

/** The median with its quartiles, and where the median is for sure. */
function formatComparison({ ratio, interval: { lower, upper } }: Comparison): string {
  return `${formatSpread(ratio, 3, ' ×')}, 95 % interval of the median ${lower.toFixed(3)}–${upper.toFixed(3)}`;
}

function formatSpread({ median, lower, upper }: Spread, digits: number, unit: string): string {
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
