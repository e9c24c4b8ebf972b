import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { dirname, resolve } from 'node:path';
import { createChildren } from './load/child-processes.ts';
import { runSoak } from './soak/run-soak.ts';
import { parseSoakOptions, type SoakOptions, soakHelp } from './soak/soak-options.ts';
import { formatSoak, judgeSoak } from './soak/soak-report.ts';

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Resolves with the exit code: 0 sound, 1 a request failed, memory grew or nothing could be measured, 2 bad options. */
export async function main(args: readonly string[]): Promise<number> {
  let options: SoakOptions | null;
  try {
    options = parseSoakOptions(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 2;
  }
  if (options === null) {
    process.stdout.write(soakHelp);
    return 0;
  }
  if (process.platform !== 'linux') {
    process.stderr.write('Memory is read from /proc, which only Linux has.\n');
    return 1;
  }

  const children = createChildren();
  process.on('exit', () => children.killAll());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
  try {
    const [loadBefore = 0] = loadavg();
    if (loadBefore > 0.5) say(`NOTE: the load of this machine is ${loadBefore.toFixed(1)} already.`);
    const result = await runSoak(children, options, say);
    const verdict = judgeSoak(result);
    say(`\n${formatSoak(result, verdict)}`);
    const at = new Date().toISOString();
    const file = resolve(options.json ?? `bench-results/soak-${at.replaceAll(/[:.]/g, '-')}.json`);
    mkdirSync(dirname(file), { recursive: true });
    const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, loadBefore };
    writeFileSync(file, `${JSON.stringify({ at, machine, options, verdict, ...result }, null, 2)}\n`);
    say(`\nwritten to ${file}`);
    return verdict.isSound ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    children.killAll();
  }
}
