import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { ValueKind } from '../config/config-key.ts';
import { moveCallTargets } from '../config/move-call.ts';
import { quoteText } from '../config/quote-text.ts';
import { bearerToken, host, integer } from '../config/value-kinds.ts';
import type { Command, UsageError } from './command.ts';
import { devnetDefaults } from './devnet-defaults.ts';
import { clientId, jsonObject, namedOrigins, profileName, scopeList, startTime } from './option-kinds.ts';

const everywhere = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'V' } } as const;

const ofDevnet = {
  host: { type: 'string' },
  port: { type: 'string' },
  seed: { type: 'string' },
  'sponsor-token': { type: 'string' },
  profile: { type: 'string' },
  'start-time': { type: 'string' },
  'checkpoint-ms': { type: 'string' },
  'history-checkpoints': { type: 'string' },
  'available-checkpoints': { type: 'string' },
} as const;

const ofKeys = {
  id: { type: 'string' },
  scopes: { type: 'string' },
  'per-minute': { type: 'string' },
  origins: { type: 'string' },
  'gas-per-day': { type: 'string' },
  'move-calls': { type: 'string' },
} as const;

const ofExplain = {
  variables: { type: 'string' },
  operation: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** Reads the arguments after the program's name. Without a command it means `serve`. */
export function parseArguments(argv: readonly string[]): Command | UsageError {
  const command = argv.find((argument) => !argument.startsWith('-'));
  const own = new Map<string | undefined, ParseArgsConfig['options']>([
    ['devnet', ofDevnet],
    ['keys', ofKeys],
    ['explain', ofExplain],
  ]).get(command);
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: { ...everywhere, ...own },
      allowPositionals: true,
    });
    if (values.help) return { name: 'help' };
    if (values.version) return { name: 'version' };
    if (command === 'explain') return toExplain(positionals, values);
    if (command === 'devnet') return toDevnet(positionals, values);
    return command === 'keys' ? toKeysNew(positionals, values) : toPlainCommand(positionals);
  } catch (error) {
    return usageError(firstSentence(error));
  }
}

function toPlainCommand(positionals: readonly string[]): Command | UsageError {
  const [command = 'serve', subcommand, ...rest] = positionals;
  if (command === 'help' && subcommand === undefined) return { name: 'help' };
  if (command === 'serve' || command === 'worker')
    return subcommand === undefined ? { name: command } : unexpected(subcommand);
  const group = commandGroups.get(command);
  if (!group)
    return usageError(
      `Unknown command ${quoteText(command)}; there are serve, devnet, schema print, config check, config schema, explain and keys new`,
    );
  const found = group.find(({ name }) => name === `${command} ${subcommand}`);
  if (!found) {
    const there = group.map(({ name }) => name).join(' and ');
    const verb = group.length > 1 ? 'are' : 'is';
    return usageError(`Unknown command ${quoteText(`${command} ${subcommand ?? ''}`.trim())}; there ${verb} ${there}`);
  }
  return rest[0] === undefined ? found : unexpected(rest[0]);
}

/** Commands of two words, by the first; none has an option. */
const commandGroups: ReadonlyMap<string, readonly Command[]> = new Map([
  ['schema', [{ name: 'schema print' }]],
  ['config', [{ name: 'config check' }, { name: 'config schema' }]],
]);

function toExplain([, file, extra]: readonly string[], values: OptionTexts): Command | UsageError {
  if (file === undefined) return usageError('explain needs a file with an operation, or - for standard input');
  if (extra !== undefined) return unexpected(extra);
  const { read, orMistakes } = optionReader<keyof typeof ofExplain>(values);
  return orMistakes({
    name: 'explain',
    file,
    variables: read('variables', jsonObject) ?? {},
    operationName: typeof values.operation === 'string' ? values.operation : null,
    isJson: values.json === true,
  });
}

type OptionTexts = Readonly<Record<string, string | boolean | undefined>>;

function toDevnet([, extra]: readonly string[], values: OptionTexts): Command | UsageError {
  if (extra !== undefined) return unexpected(extra);
  const { read, orMistakes } = optionReader<keyof typeof ofDevnet>(values);
  const address = { host: read('host', host), port: read('port', integer(0, 65_535)) };
  const seed = read('seed', integer(0, 4_294_967_295));
  const start = read('start-time', startTime) ?? (seed === null ? 'now' : Date.parse(devnetDefaults.seededStart));
  return orMistakes({
    name: 'devnet',
    host: address.host ?? devnetDefaults.host,
    port: address.port ?? devnetDefaults.port,
    seed,
    profile: read('profile', profileName) ?? 'ledger',
    startMs: start === 'now' ? null : start,
    sponsorToken: read('sponsor-token', bearerToken),
    checkpointIntervalMs: read('checkpoint-ms', integer(0, 3_600_000, 'milliseconds')),
    historyCheckpoints: read('history-checkpoints', integer(1, 1_000_000)),
    availableCheckpoints: read('available-checkpoints', integer(0, 1_000_000)),
  });
}

function toKeysNew([, subcommand, extra]: readonly string[], values: OptionTexts): Command | UsageError {
  if (subcommand !== 'new')
    return usageError(`Unknown command ${quoteText(`keys ${subcommand ?? ''}`.trim())}; there is keys new`);
  if (extra !== undefined) return unexpected(extra);
  if (values.id === undefined) return usageError('keys new needs --id, the name of the client');
  const { read, orMistakes } = optionReader<keyof typeof ofKeys>(values);
  return orMistakes({
    name: 'keys new',
    id: read('id', clientId) ?? '',
    scopes: read('scopes', scopeList) ?? ['read'],
    perMinute: read('per-minute', integer(0, 1_000_000_000)),
    origins: read('origins', namedOrigins),
    gasPerDay: read('gas-per-day', integer(1, 999_999_999_999_999, 'of the smallest unit of the gas coin')),
    moveCalls: read('move-calls', moveCallTargets),
  });
}

/** Reads options by the same rules as settings, and collects what is wrong with each. */
function optionReader<Option extends string>(values: OptionTexts) {
  const mistakes: string[] = [];
  return {
    read<T>(option: Option, kind: ValueKind<T>): T | null {
      const text = values[option];
      if (typeof text !== 'string') return null;
      const value = kind.parse(text);
      if (value === undefined)
        mistakes.push(`--${option}: expected ${kind.expected}, got ${(kind.show ?? quoteText)(text)}`);
      return value ?? null;
    },
    orMistakes: (command: Command): Command | UsageError =>
      mistakes.length > 0 ? usageError(mistakes.join('; ')) : command,
  };
}

function unexpected(argument: string): UsageError {
  return usageError(`Unexpected argument ${quoteText(argument)}`);
}

function usageError(message: string): UsageError {
  return { name: 'usage error', message };
}

/** The first sentence of Node's long message names the option that is wrong. */
function firstSentence(error: unknown): string {
  const [sentence = ''] = (error instanceof Error ? error.message : '').split(/\.\s|\n/);
  return sentence.replace(/\.$/, '') || 'The arguments cannot be read';
}
