import { readFileSync } from 'node:fs';

/**
 * Reads the Lua scripts of a folder, one file per step (`beginExecution` is `begin-execution.lua`). Each script begins with
 * the constants as local variables, and with `rules.lua`, which all steps share.
 * @param folder ends in a slash
 */
export function readRedisScripts<Step extends string>(
  folder: URL,
  steps: readonly Step[],
  constants: Readonly<Record<string, string | number>>,
): Readonly<Record<Step, string>> {
  const read = (name: string) => readFileSync(new URL(`${name}.lua`, folder), 'utf8');
  // On one line, so that line numbers in Redis errors differ by one from those in `rules.lua`.
  const locals = Object.entries(constants).map(([name, value]) => `local ${name} = ${JSON.stringify(value)}`);
  const shared = `${locals.join(' ')}\n${read('rules')}\n`;
  const toFileName = (step: Step) => step.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return Object.fromEntries(steps.map((step) => [step, shared + read(toFileName(step))])) as Record<Step, string>;
}
