import type { LiveResult } from './run-live.ts';

const columns: readonly (readonly [name: string, show: (result: LiveResult) => string])[] = [
  ['who follows', ({ id, title }) => `${id}: ${title}`],
  [
    'streams',
    ({ subscriptions, frozen }) => (frozen === 0 ? `${subscriptions}` : `${subscriptions} + ${frozen} frozen`),
  ],
  ['readers', ({ readers }) => `${readers}`],
  ['upstream calls to begin', ({ callsToBegin }) => `${callsToBegin}`],
  ['RSS each', ({ rssKib }) => `${rssKib.toFixed(1)} KiB`],
  ['heap each', ({ heapKib }) => `${heapKib.toFixed(1)} KiB`],
  ['CPU an event', ({ cpuMsPerEvent }) => `${cpuMsPerEvent.toFixed(1)} ms`],
  ['idle', ({ idleCpuMsPerSecond }) => `${idleCpuMsPerSecond.toFixed(1)} ms/s`],
  ['p50', ({ p50Ms }) => `${p50Ms.toFixed(0)} ms`],
  ['p99', ({ p99Ms }) => `${p99Ms.toFixed(0)} ms`],
  ['grown', ({ grownMib }) => `${grownMib.toFixed(1)} MiB`],
  ['every event once', ({ faults, fault }) => (faults === 0 ? 'yes' : `NO, ${faults}: ${fault}`)],
];

/** The results as a Markdown table. */
export function formatLive(results: readonly LiveResult[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    row(columns.map(([name]) => name)),
    row(columns.map(() => '---')),
    ...results.map((result) => row(columns.map(([, show]) => show(result)))),
  ].join('\n');
}
