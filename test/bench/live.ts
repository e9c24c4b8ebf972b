import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { dirname, resolve } from 'node:path';
import { type LiveOptions, liveHelp, parseLiveOptions } from './live/live-options.ts';
import { formatLive } from './live/live-report.ts';
import { type LiveResult, runLive } from './live/run-live.ts';
import { createChildren } from './load/child-processes.ts';

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Resolves with the exit code: 0 everybody got every event once, 1 somebody did not, 2 bad options. */
export async function main(args: readonly string[]): Promise<number> {
  let options: LiveOptions | null;
  try {
    options = parseLiveOptions(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 2;
  }
  if (options === null) {
    process.stdout.write(liveHelp);
    return 0;
  }
  if (process.platform !== 'linux') {
    process.stderr.write('CPU time and memory are read from /proc, which only Linux has.\n');
    return 1;
  }
  const [loadBefore = 0] = loadavg();
  if (loadBefore > 0.5) say(`NOTE: the load of this machine is ${loadBefore.toFixed(1)} already.`);
  const results: LiveResult[] = [];
  for (const scenario of options.scenarios) {
    const children = createChildren();
    const killAll = () => children.killAll();
    process.on('exit', killAll);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
    try {
      const result = await runLive(children, scenario, options);
      results.push(result);
      say(formatLive([result]));
    } catch (error) {
      process.stderr.write(`${scenario.id}: ${error instanceof Error ? error.message : error}\n`);
      return 1;
    } finally {
      killAll();
      process.off('exit', killAll);
    }
  }
  const at = new Date().toISOString();
  const file = resolve(options.json ?? `bench-results/live-${at.replaceAll(/[:.]/g, '-')}.json`);
  mkdirSync(dirname(file), { recursive: true });
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, loadBefore };
  writeFileSync(file, `${JSON.stringify({ at, machine, options, results }, null, 2)}\n`);
  say(`\nwritten to ${file}`);
  return results.every(({ faults }) => faults === 0) ? 0 : 1;
}
