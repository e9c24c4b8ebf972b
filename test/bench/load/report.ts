import type { WorkResult } from './run-rounds.ts';
import type { Spread, Summary } from './summarise.ts';

/** One work as a table of its contestants. */
export function formatWork({ work, rows, clientLoad, upstreamLoad }: WorkResult): string {
  const bytes = rows[0]?.summary?.answerBytes ?? 0;
  const head = `${work.id}  ${work.title}, ${formatBytes(bytes)}; goal ≤ ${work.goal} ×`;
  const lines = rows.map(({ name, summary, fault }, index) =>
    summary ? formatRow(name, summary, index === 0 ? null : work.goal, name) : `  ${name.padEnd(10)} FAILED: ${fault}`,
  );
  const busy = [
    ...(clientLoad > busyLoad ? [`the client was busy ${formatPercent(clientLoad)} of a core`] : []),
    ...(upstreamLoad > busyLoad ? [`the upstream was busy ${formatPercent(upstreamLoad)} of a core`] : []),
  ];
  return [head, ...lines, ...busy.map((line) => `  (${line}: requests per second are bounded by it)`), ''].join('\n');
}

/** All works at a glance, as a Markdown table: CPU time in multiples of the floor's, the median and the extremes. */
export function formatOverview(results: readonly WorkResult[]): string {
  const [, ...names] = results[0]?.rows.map(({ name }) => name) ?? [];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const lines = results.map(({ work, rows: [floor, ...others] }) =>
    line([
      `${work.id} ${work.title}`,
      `${floor?.summary?.cpuMicros.median.toFixed(0)} µs`,
      `≤ ${work.goal}`,
      ...others.map(({ summary }) => (summary ? formatSpread(summary.ratio, 2, '') : 'failed')),
    ]),
  );
  const head = ['work', 'floor', 'goal', ...names];
  return [line(head), line(head.map(() => '---')), ...lines].join('\n');
}

const busyLoad = 0.9;

function formatRow(name: string, summary: Summary, goal: number | null, contestant: string): string {
  const ratio = goal === null ? 'floor' : formatSpread(summary.ratio, 2, ' ×');
  const verdict = contestant === 'gateway' && goal !== null ? (summary.ratio.median <= goal ? 'met' : 'MISSED') : '';
  return [
    `  ${name.padEnd(10)}`,
    ratio.padEnd(24),
    verdict.padEnd(7),
    `${formatSpread(summary.cpuMicros, 0, ' µs CPU')}`.padEnd(30),
    `${formatCalls(summary)} upstream`.padEnd(20),
    `${summary.requestsPerSecond.median.toFixed(0)} req/s`,
  ].join(' ');
}

function formatSpread({ median, min, max }: Spread, digits: number, unit: string): string {
  return `${median.toFixed(digits)}${unit} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
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
