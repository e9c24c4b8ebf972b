import { readFileSync } from 'node:fs';

/**
 * Reads the Lua scripts of a folder: for each step the file of its name (`beginExecution` is `begin-execution.lua`), preceded by
 * `rules.lua`, which all steps share, and by the constants, each a local variable.
 * @param folder ends in a slash
 */
export function readRedisScripts<Step extends string>(
  folder: URL,
  steps: readonly Step[],
  constants: Readonly<Record<string, string | number>>,
): Readonly<Record<Step, string>> {
  const read = (name: string) => readFileSync(new URL(`${name}.lua`, folder), 'utf8');
  // On one line, so that the lines that Redis reports differ by one from those of `rules.lua`.
  const locals = Object.entries(constants).map(([name, value]) => `local ${name} = ${JSON.stringify(value)}`);
  const shared = `${locals.join(' ')}\n${read('rules')}\n`;
  const toFileName = (step: Step) => step.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return Object.fromEntries(steps.map((step) => [step, shared + read(toFileName(step))])) as Record<Step, string>;
}
