import { judgeMemory, type MemoryVerdict, mean } from './judge-memory.ts';
import type { SoakReport } from './soak-orders.ts';

/** One look at everything. */
export interface SoakSample extends SoakReport {
  /** Seconds since the load began. */
  readonly atSeconds: number;
  readonly rssMib: number;
  /** Files and sockets that the gateway has open. */
  readonly openFiles: number;
  /** Cores that the gateway kept busy since the last look, and those that were busy with none of the soak's processes. */
  readonly gatewayCores: number;
  readonly elsewhereCores: number;
  /** How many changes of the schema were in force by then. */
  readonly generation: number;
}

/** Handles of the gateway while it serves no client. */
export interface AtRest {
  readonly openFiles: number;
  readonly callsInFlight: number;
  readonly streams: number;
  readonly bodyBytes: number;
}

export interface SoakResult {
  readonly capacityPerSecond: number;
  readonly pacedPerSecond: number;
  /** Seconds until the memory had settled; `null` where it had not when time was up. */
  readonly settledAfterSeconds: number | null;
  /** Of the measured part. */
  readonly samples: readonly SoakSample[];
  readonly perWindow: number;
  readonly generations: number;
  /** Wrong answers and missing ones, of the whole run. */
  readonly errors: number;
  readonly faults: readonly string[];
  /** Failed requests that a fault explains, of the whole run, by error code. */
  readonly explained: Readonly<Record<string, number>>;
  /** Faults, events and the first error of a stream; `null` without faults. */
  readonly streams: { readonly faults: number; readonly events: number; readonly broken: string | null } | null;
  readonly before: AtRest;
  readonly after: AtRest;
}

export interface SoakVerdict extends MemoryVerdict {
  readonly isSound: boolean;
  /** What is wrong, one line each. */
  readonly complaints: readonly string[];
}

/** Unexplained errors that are printed; the JSON file has more. */
const maxShown = 20;
/** A paced load that was kept to less than this part of its rate was none. */
const keptRate = 0.97;

export function judgeSoak(result: SoakResult): SoakVerdict {
  const memory = judgeMemory(
    result.samples.map(({ rssMib }) => rssMib),
    result.perWindow,
  );
  const inForce = result.samples.at(-1)?.generation ?? 0;
  const leak = findLeak(result.before, result.after);
  const broken = result.streams?.broken ?? null;
  const complaints = [
    ...(leak === null ? [] : [leak]),
    ...(broken === null ? [] : [`a stream broke: ${broken}`]),
    ...(result.errors > 0
      ? [`${result.errors} requests failed:`, ...result.faults.slice(0, maxShown).map((each) => `  ${each}`)]
      : []),
    ...(memory.isFlat ? [] : [`memory grew by ${memory.growthPercent.toFixed(1)} %`]),
    ...(inForce === result.generations
      ? []
      : [`${inForce} of ${result.generations} changes of schema came into force`]),
  ];
  return { ...memory, isSound: complaints.length === 0, complaints };
}

/** The connection that reads the metrics page, and files that Node opens on first use. */
const fewFiles = 3;

/** What the gateway holds at the end and did not at first; `null`: nothing. */
export function findLeak(before: AtRest, after: AtRest): string | null {
  const { openFiles, ...held } = after;
  const isHeld = Object.values(held).some((count) => count > 0);
  if (openFiles <= before.openFiles + fewFiles && !isHeld) return null;
  return `at rest, ${before.openFiles} open files became ${openFiles}, and the gateway holds ${JSON.stringify(held)}`;
}

export function formatSample(sample: SoakSample): string {
  const { atSeconds, rssMib, requests, elapsedMs, p50Ms, p99Ms, errors, behind, generation } = sample;
  const { gatewayCores, elsewhereCores } = sample;
  return [
    `${atSeconds.toFixed(0).padStart(5)} s`,
    `${rssMib.toFixed(1).padStart(7)} MiB`,
    `${((requests * 1_000) / elapsedMs).toFixed(0).padStart(6)} req/s`,
    `p50 ${p50Ms.toFixed(1)} ms`.padEnd(12),
    `p99 ${p99Ms.toFixed(1)} ms`.padEnd(13),
    `gateway ${gatewayCores.toFixed(2)} cores, elsewhere ${elsewhereCores.toFixed(2)}`,
    `${errors} errors`,
    ...(generation > 0 ? [`schema ${generation}`] : []),
    ...(behind > 0 ? [`${behind} due`] : []),
  ].join('  ');
}

function formatPace({ pacedPerSecond, samples }: SoakResult, rate: number): string {
  const most = Math.max(...samples.map(({ behind }) => behind)) / pacedPerSecond;
  if (rate >= pacedPerSecond * keptRate) return `the pace was kept; at most ${most.toFixed(1)} s behind it`;
  const part = ((rate / pacedPerSecond) * 100).toFixed(0);
  return `NOTE: the pace was not kept, only ${part} % of it; the machine had other things to do, or less to give than before.`;
}

function formatFaults({ streams, explained, before, after }: SoakResult): readonly string[] {
  const atRest = `  at rest ${before.openFiles} open files before, ${after.openFiles} after`;
  if (!streams) return [atRest];
  const codes = Object.entries(explained).map(([code, count]) => `${count} ${code}`);
  return [
    `  ${streams.faults} faults, which explain ${codes.join(', ') || 'no error'}`,
    `  8 streams, each with ${streams.events} events, once and in order`,
    atRest,
  ];
}

/** The end of a run: what is to be looked at, first stretch against last, and the verdict. */
export function formatSoak(result: SoakResult, verdict: SoakVerdict): string {
  const { samples, perWindow, capacityPerSecond, pacedPerSecond } = result;
  const count = Math.max(1, perWindow);
  const row = (name: string, of: (sample: SoakSample) => number, unit: string) => {
    const [first, last] = [samples.slice(0, count), samples.slice(-count)].map((each) => mean(each.map(of)));
    const cells = [first, last].map((value) => `${(value ?? Number.NaN).toFixed(1)} ${unit}`.padStart(12));
    return `  ${name.padEnd(14)}${cells.join('')}`;
  };
  const requests = samples.reduce((sum, sample) => sum + sample.requests, 0);
  const seconds = samples.reduce((sum, { elapsedMs }) => sum + elapsedMs / 1_000, 0);
  const rate = requests / seconds;
  const sign = verdict.growthPercent < 0 ? '' : '+';
  return [
    `  ${''.padEnd(14)}${'at first'.padStart(12)}${'at last'.padStart(12)}`,
    `${row('RSS', ({ rssMib }) => rssMib, 'MiB')}   ${sign}${verdict.growthPercent.toFixed(1)} %`,
    row('open files', ({ openFiles }) => openFiles, '   '),
    row('gateway', ({ gatewayCores }) => gatewayCores * 100, '% '),
    row('elsewhere', ({ elsewhereCores }) => elsewhereCores * 100, '% '),
    row('latency p50', ({ p50Ms }) => p50Ms, 'ms '),
    row('latency p99', ({ p99Ms }) => p99Ms, 'ms '),
    '',
    `  ${requests} requests in ${seconds.toFixed(0)} s: ${rate.toFixed(0)} a second, paced at ${pacedPerSecond.toFixed(0)}` +
      ` of ${capacityPerSecond.toFixed(0)} possible; ${result.errors} errors`,
    ...formatFaults(result),
    ...(result.generations > 0 ? [`  ${samples.at(-1)?.generation ?? 0} changes of schema`] : []),
    `  ${formatPace(result, rate)}`,
    ...(result.settledAfterSeconds === null ? ['  NOTE: memory had not settled when the measured part began.'] : []),
    '',
    verdict.isSound
      ? 'SOUND: no request failed without a fault, memory is flat, no handle is left'
      : ['UNSOUND:', ...verdict.complaints].join('\n'),
  ].join('\n');
}
