import type { Command } from './command.ts';
import { commandsOf, commandWords } from './commands.ts';

const about = 'ledger-gateway: one GraphQL endpoint over a ledger, its gas sponsor and its events.';
const generalOptions = section('Options', [
  ['-h, --help', 'show this help; after a command, the help of the command'],
  ['-V, --version', 'show the version'],
]);
const manyOptions = 20;

/** The help of the commands that begin with a word, or of all. */
export function helpOf(word: string | null): string {
  const shown = (word === null ? commandWords : [word]).flatMap(commandsOf);
  const usage = shown.flatMap(({ name, usage }) =>
    usage.map(
      ([args, text]) => [`ledger-gateway ${name === 'serve' ? '[serve]' : name} ${args}`.trim(), text] as const,
    ),
  );
  const examples = shown.flatMap(({ examples = [] }) => examples.map((each) => `  ${each}`));
  const parts = [
    ...(word === null ? [about] : []),
    section('Usage', usage),
    ...(word === null ? [generalOptions] : []),
    ...shown.map((command) => optionsOf(command, word === null)),
    ...shown.map(({ notes = '' }) => notes),
    examples.length > 0 ? ['Examples', ...examples].join('\n') : '',
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function optionsOf({ name, options }: Command, isShort: boolean): string {
  const lines = Object.entries(options).map(([option, rules]) => {
    const value = 'type' in rules && rules.shown !== '' ? ` ${rules.shown}` : '';
    return [`--${option}${value}`, rules.about] as const;
  });
  if (lines.length === 0) return '';
  return isShort && lines.length > manyOptions
    ? section(`Options of ${name}`, [[`ledger-gateway ${name} --help`, `lists its ${lines.length} options`]])
    : section(`Options of ${name}`, lines);
}

function section(heading: string, lines: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...lines.map(([left]) => left.length));
  return [heading, ...lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)].join('\n');
}
