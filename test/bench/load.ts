import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { dirname, resolve } from 'node:path';
import { createChildren } from './load/child-processes.ts';
import { startContestants, versionOf } from './load/contestants.ts';
import { createLedgerAnswers } from './load/ledger-answers.ts';
import { type LoadOptions, loadHelp, parseLoadOptions } from './load/load-options.ts';
import { readRssMib } from './load/process-usage.ts';
import { formatComparisons, formatOverview, formatWork } from './load/report.ts';
import { canBeCold, formatCold, runCold } from './load/run-cold.ts';
import { runRounds, type WorkResult } from './load/run-rounds.ts';
import type { Arena } from './load/take-slice.ts';
import type { Work } from './load/work.ts';
import { createWorks } from './load/works.ts';

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Resolves with the exit code: 0 measured, 1 failed or somebody answered wrongly, 2 bad options. */
export async function main(args: readonly string[]): Promise<number> {
  const works = createWorks(createLedgerAnswers(process.cwd()));
  let options: LoadOptions | null;
  try {
    options = parseLoadOptions(
      args,
      works.map(({ id }) => id),
    );
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 2;
  }
  if (options === null) {
    process.stdout.write(loadHelp);
    return 0;
  }
  if (!existsSync('/proc/self/schedstat')) {
    process.stderr.write('CPU times are read from /proc/<pid>/schedstat, which only Linux has.\n');
    return 1;
  }

  const children = createChildren();
  process.on('exit', () => children.killAll());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
  try {
    const { only } = options;
    const selected = works.filter(({ id }) => only.length === 0 || only.includes(id));
    const program = { path: process.execPath, countsCollections: true };
    const ours = (name: string) => children.fork(name, new URL(`./processes/${name}.js`, import.meta.url), [], program);
    const [upstream, client] = [await ours('upstream'), await ours('client')];
    if (options.cold) {
      const cold = [];
      for (const work of selected.filter(canBeCold))
        cold.push(await runCold(children, { upstream, client }, work, options, say));
      say(`\n${formatCold(cold)}\n\nwritten to ${writeResults(options, cold, [])}`);
      return 0;
    }
    const contestants = await startContestants(children, upstream.url, options, say);
    const arena: Arena = { upstream, client, contestants };
    announceRun(arena, options, selected);

    const results: WorkResult[] = [];
    for (const work of selected) {
      const result = await runRounds(arena, work, options, say);
      results.push(result);
      say(`\n${formatWork(result)}`);
    }
    for (const table of [formatOverview(results), formatComparisons(results)]) if (table !== '') say(`${table}\n`);
    const memory = contestants
      .flatMap(({ processes }) => processes)
      .map(({ name, pid, startMs }) => ({ name, rssMib: readRssMib(pid), startMs }));
    for (const { name, rssMib, startMs } of memory)
      say(`${name.padEnd(10)} ${rssMib?.toFixed(0) ?? '?'} MiB at the end, ready after ${startMs.toFixed(0)} ms`);
    const file = writeResults(options, results, memory);
    say(`\nwritten to ${file}`);
    return results.some(({ rows }) => rows.some(({ fault }) => fault !== null)) ? 1 : 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    children.killAll();
  }
}

function announceRun({ contestants }: Arena, options: LoadOptions, works: readonly Work[]): void {
  const { seconds, requests, repeat, warmUpSeconds, latencyRounds } = options;
  const matches = works.flatMap((work) => contestants.filter(({ can }) => can(work)));
  const slices = matches.reduce((sum, { everyRounds }) => sum + Math.ceil(repeat / everyRounds), 0);
  const warmUps = matches.reduce((sum, { processes }) => sum + processes.length, 0);
  const length = (slices + works.length * 2 * latencyRounds) * seconds + warmUps * warmUpSeconds;
  say(
    `${contestants.map(({ name }) => name).join(', ')} on Node ${versionOf(options.node)}; ${works.length} works` +
      (requests === null ? `, about ${Math.ceil(length / 60)} min` : `, ${requests} requests a slice`),
  );
  const [load = 0] = loadavg();
  if (load > 0.5)
    say(`NOTE: the load of this machine is ${load.toFixed(1)} already; what follows is not worth quoting.`);
}

function writeResults(
  options: LoadOptions,
  results: readonly { readonly work: Work }[],
  memory: readonly object[],
): string {
  const at = new Date().toISOString();
  const file = resolve(options.json ?? `bench-results/load-${at.replaceAll(/[:.]/g, '-')}.json`);
  mkdirSync(dirname(file), { recursive: true });
  const works = results.map(({ work: { id, title, goal }, ...rest }) => ({ id, title, goal, ...rest }));
  const machine = {
    node: versionOf(options.node),
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    loadBefore: loadavg()[0],
  };
  writeFileSync(file, `${JSON.stringify({ at, machine, options, works, memory }, null, 2)}\n`);
  return file;
}
