import { parseArgs } from 'node:util';
import { quoteText } from '../config/config-error.ts';
import { secretNames } from '../config/keys.ts';
import { nearestName } from '../config/nearest-name.ts';
import { expectedOf, parseText, showText } from '../config/value-types.ts';
import type { Command, GivenOptions } from './command.ts';
import { commands, commandsOf, commandWords } from './commands.ts';

/** What the arguments of the program ask for. */
export type ParsedArguments =
  | {
      readonly kind: 'command';
      readonly name: string;
      readonly given: GivenOptions<Command['options']>;
      readonly files: readonly string[];
    }
  /** `null`: about all commands; else about those that begin with the word. */
  | { readonly kind: 'help'; readonly word: string | null }
  | { readonly kind: 'version' }
  /** What is wrong with the arguments, in one line. */
  | { readonly kind: 'usage error'; readonly message: string };

/** Parses the arguments after the program's name. Without a command: `serve`. */
export function parseArguments(argv: readonly string[]): ParsedArguments {
  const words = argv.filter((argument) => !argument.startsWith('-'));
  // Without a command, the first word is the value of an option.
  const isServe = words.every((word) => !commandWords.includes(word)) && (argv[0] ?? '-').startsWith('-');
  const own = findCommand(isServe ? ['serve'] : words)?.options ?? {};
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: {
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'V' },
        ...Object.fromEntries(
          Object.entries(own).map(([name, option]) => [
            name,
            { type: 'type' in option ? 'string' : 'boolean' } as const,
          ]),
        ),
      },
      allowPositionals: true,
    });
    if (values.help) return toHelp(isServe ? null : words[0]);
    if (values.version) return { kind: 'version' };
    return toCommand(positionals.length === 0 ? ['serve'] : positionals, values);
  } catch (error) {
    const typed = unknownOptionOf(error);
    const setting = typed?.toUpperCase().replaceAll('-', '_') ?? '';
    const isSecret = (isServe || words[0] === 'serve') && secretNames.has(setting);
    const advice = isSecret
      ? `. Set ${setting} in the environment: it is a secret`
      : suggestion(typed, Object.keys(own), '--');
    return usageError(firstSentence(error) + advice);
  }
}

/** The command that the words begin with. */
function findCommand([first = '', second = '']: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name === first || name === `${first} ${second}`);
}

type OptionTexts = Readonly<Record<string, string | boolean | undefined>>;

/** Every mistake of an option is reported at once. */
function toCommand(words: readonly string[], texts: OptionTexts): ParsedArguments {
  const [first = '', second] = words;
  if (first === 'help') return words.length > 2 ? unexpected(words[2]) : toHelp(second);
  const command = findCommand(words);
  if (!command) return unknownCommand(first, second);
  const { name, options, maxFiles = 0 } = command;
  const files = words.slice(name.split(' ').length);
  if (files.length > maxFiles) return unexpected(files[maxFiles]);
  const mistakes: string[] = [];
  const given = Object.entries(options).map(([option, rules]) => {
    const text = texts[option];
    if (!('type' in rules)) return [option, text === true];
    if (typeof text !== 'string') return [option, null];
    const value = parseText(rules.type, text);
    if (value === undefined)
      mistakes.push(`--${option}: expected ${expectedOf(rules.type)}, got ${showText(rules.type, text)}`);
    return [option, value];
  });
  if (mistakes.length > 0) return usageError(mistakes.join('; '));
  const parsed = { kind: 'command', name, given: Object.fromEntries(given), files } as const;
  const mistake = command.check?.(parsed.given, files) ?? null;
  return mistake === null ? parsed : usageError(mistake);
}

function unknownCommand(first: string, second = ''): ParsedArguments {
  const similar = commandsOf(first);
  const known = (similar.length > 0 ? similar : commandWords.flatMap(commandsOf)).map(({ name }) => name);
  const last = known.pop();
  const list = known.length > 0 ? `there are ${known.join(', ')} and ${last}` : `there is ${last}`;
  const typed = quoteText(similar.length > 0 ? `${first} ${second}`.trim() : first);
  return usageError(`Unknown command ${typed}; ${list}${suggestion(first, commandWords)}`);
}

function toHelp(word: string | null = null): ParsedArguments {
  if (word === null || commandWords.includes(word)) return { kind: 'help', word };
  return usageError(`Unknown command ${quoteText(word)}${suggestion(word, commandWords)}`);
}

/** The end of a message about a misspelt name; empty if no name is similar. */
function suggestion(typed: string | null, names: readonly string[], prefix = ''): string {
  if (typed === null || names.includes(typed)) return '';
  const toUpper = (name: string) => name.toUpperCase().replaceAll('-', '_');
  const nearest = nearestName(typed, names.map(toUpper));
  const name = names.find((each) => toUpper(each) === nearest);
  return name === undefined ? '' : `. Did you mean ${prefix}${name}?`;
}

/** The unknown option in an error of `parseArgs`, without its hyphens; `null` for other errors. */
function unknownOptionOf(error: unknown): string | null {
  return /^Unknown option '--([^']*)'/.exec(error instanceof Error ? error.message : '')?.[1] ?? null;
}

const unexpected = (argument = '') => usageError(`Unexpected argument ${quoteText(argument)}`);

function usageError(message: string): ParsedArguments {
  return { kind: 'usage error', message };
}

/** The first sentence of Node's long message names the option that is wrong. */
function firstSentence(error: unknown): string {
  const [sentence = ''] = (error instanceof Error ? error.message : '').split(/\.\s|\n/);
  return sentence.replace(/\.$/, '') || 'The arguments cannot be read';
}
