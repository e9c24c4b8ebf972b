import type { Child, Children } from './child-processes.ts';
import { type Contestant, startContestants } from './contestants.ts';
import type { LoadOptions } from './load-options.ts';
import { formatSpread, formatTable } from './report.ts';
import { type Slice, type Summary, summarise } from './summarise.ts';
import { takeSlice } from './take-slice.ts';
import type { Work } from './work.ts';

/** Of fresh processes, without their start: the first requests, and the same number once they are warm. */
export interface ColdResult {
  readonly work: Work;
  readonly cold: Pair;
  readonly warm: Pair;
}

interface Pair {
  readonly floor: Summary;
  readonly gateway: Summary;
}

const sliceRequests = 2_000;
/** Not reported; a process is warm after them. */
const slicesBetween = 4;

/** Can a work be measured cold? What is asked before its requests would warm the process up. */
export function canBeCold({ before }: Work): boolean {
  return before === undefined;
}

/**
 * Measures one work in fresh processes, a floor and a gateway in each round.
 * @throws Error where an answer was wrong
 */
export async function runCold(
  children: Children,
  { upstream, client }: Readonly<Record<'upstream' | 'client', Child>>,
  work: Work,
  options: LoadOptions,
  say: (line: string) => void,
): Promise<ColdResult> {
  const { concurrency } = options;
  const alone = { raw: false, transports: false, nginx: false, naive: false, peers: false, stores: false };
  const taken = { cold: [new Map<number, Slice>(), new Map()], warm: [new Map<number, Slice>(), new Map()] } as const;
  for (let round = 0; round < options.processes; round += 1) {
    say(`${work.id} in fresh processes, ${round + 1} of ${options.processes}`);
    const fresh = { ...options, ...alone, against: null, alsoNode: null, processes: 1 };
    const contestants = await startContestants(children, upstream.url, fresh, say);
    const arena = { upstream, client, contestants };
    const take = async ({ name, dialect, transport, processes: [process] }: Contestant) => {
      if (!process) throw new Error(`there is no ${name}`);
      const length = { atLeastMs: 0, atLeastRequests: sliceRequests };
      const order = { concurrency, pacedAt: null, ...length };
      const { slice, fault } = await takeSlice(arena, { ...process, dialect, transport }, work, order);
      if (!slice) throw new Error(`${name} answered wrongly: ${fault}`);
      return slice;
    };
    for (const [index, contestant] of contestants.entries()) taken.cold[index]?.set(round, await take(contestant));
    for (let count = 0; count < slicesBetween; count += 1) for (const each of contestants) await take(each);
    for (const [index, contestant] of contestants.entries()) taken.warm[index]?.set(round, await take(contestant));
    for (const { processes } of contestants) for (const each of processes) each.kill();
  }
  const toPair = ([floors, gateways]: (typeof taken)['cold']): Pair => ({
    floor: summarise(floors, floors),
    gateway: summarise(gateways, floors),
  });
  return { work, cold: toPair(taken.cold), warm: toPair(taken.warm) };
}

/** As a Markdown table. */
export function formatCold(results: readonly ColdResult[]): string {
  const micros = ({ cpuMicros }: Summary) => `${cpuMicros.median.toFixed(0)} µs`;
  const cells = ({ floor, gateway }: Pair) => [micros(floor), micros(gateway), formatSpread(gateway.ratio, 2, '')];
  return formatTable([
    ['Workload', ...['cold', 'warm'].flatMap((state) => [`Floor ${state}`, `Gateway ${state}`, `Ratio ${state}`])],
    ...results.map(({ work, cold, warm }) => [`${work.id} ${work.title}`, ...cells(cold), ...cells(warm)]),
  ]);
}
