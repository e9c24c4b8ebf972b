import { parseArgs } from 'node:util';
import { clientIdRule, clientScopes, isClientId } from '../config/client.ts';
import { quoteText } from '../config/config-error.ts';
import { configKeyNames, configKeys, secretNames } from '../config/keys.ts';
import { nearestName } from '../config/nearest-name.ts';
import { type NetworkProfileName, networkProfiles } from '../config/network-profile.ts';
import {
  anyText,
  bearerToken,
  expectedOf,
  integer,
  jsonObject,
  namedOrigins,
  oneOf,
  parseText,
  showText,
  textType,
  url,
  type ValueType,
} from '../config/value-types.ts';
import type { Command, UsageError } from './command.ts';

export const devnetDefaults = {
  host: '127.0.0.1',
  port: 4100,
  checkpointMs: 500,
  /** Default `--start-time` with `--seed`: digests depend on the time, so only a fixed start makes them reproducible. */
  seededStart: '2026-01-01T00:00:00Z',
} as const;

/** Where `serve` serves without settings. */
export const defaultUrl = `http://${configKeys.HOST.fallback}:${configKeys.PORT.fallback}/graphql`;

type OptionTypes = Readonly<Record<string, ValueType<unknown>>>;

const devnetOptions = {
  host: configKeys.HOST.type,
  port: configKeys.PORT.type,
  seed: integer(0, 4_294_967_295),
  'sponsor-token': bearerToken,
  profile: oneOf(...(Object.keys(networkProfiles) as NetworkProfileName[])),
  'start-time': textType('now, or an instant in UTC like 2026-01-31T12:00:00Z, from 1971 to 2199', parseStartTime),
  'checkpoint-ms': integer(0, 3_600_000, 'milliseconds'),
  'history-checkpoints': integer(1, 1_000_000),
  'available-checkpoints': integer(0, 1_000_000),
};

const keysOptions = {
  id: textType(clientIdRule, (text) => (isClientId(text) ? text : undefined)),
  scopes: textType(`scopes separated by commas, of ${clientScopes.join(', ')}`, parseScopes),
  'per-minute': integer(0, 1_000_000_000),
  origins: namedOrigins,
  'gas-per-day': configKeys.JWT_GAS_PER_DAY.type,
  'move-calls': configKeys.JWT_MOVE_CALLS.type,
};

const explainOptions = { variables: jsonObject, operation: anyText, manifest: anyText };

const tailOptions = {
  url: url('http', 'https'),
  filter: jsonObject,
  after: anyText,
  state: anyText,
  'key-file': anyText,
};

const policyOptions = { client: anyText, tx: anyText };

const pullOptions = { out: anyText };

/** Help texts by command, or by command and subcommand. */
const optionsOf = new Map<string, OptionTypes>([
  ['devnet', devnetOptions],
  ['keys', keysOptions],
  ['policy', policyOptions],
  ['explain', explainOptions],
  ['tail', tailOptions],
  ['schema pull', pullOptions],
]);

/** Settings that `serve` takes as options. Not secrets: other users of the machine can read a process's arguments. */
export const serveOptions: ReadonlyMap<string, string> = new Map(
  configKeyNames
    .filter((name) => !secretNames.has(name))
    .map((name) => [name.toLowerCase().replaceAll('_', '-'), name]),
);

/** The first word of each command. */
const commandNames = ['serve', 'devnet', 'tail', 'schema', 'config', 'explain', 'keys', 'audit', 'policy'];

const flagsOf = new Map([
  ['explain', 'json'],
  ['audit', 'json'],
  ['tail', 'transactions'],
  ['schema print', 'federation'],
  ['schema pull', 'gateway'],
  ['schema check', 'gateway'],
]);

/** Parses the arguments after the program's name. Without a command: `serve`. */
export function parseArguments(argv: readonly string[]): Command | UsageError {
  const words = argv.filter((argument) => !argument.startsWith('-'));
  // Without a command, the first word is the value of an option.
  const isServe = words.every((word) => !commandNames.includes(word)) && (argv[0] ?? '-').startsWith('-');
  const [command = '', subcommand] = isServe ? ['serve'] : words;
  const name = command === 'schema' ? `${command} ${subcommand}` : command;
  const names = command === 'serve' ? [...serveOptions.keys()] : Object.keys(optionsOf.get(name) ?? {});
  const flag = flagsOf.get(name);
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: {
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'V' },
        ...(flag && { [flag]: { type: 'boolean' } as const }),
        ...Object.fromEntries(names.map((option) => [option, { type: 'string' } as const])),
      },
      allowPositionals: true,
    });
    if (values.help) return toHelp(isServe ? null : command);
    if (values.version) return { name: 'version' };
    if (command === 'explain') return toExplain(positionals, values);
    if (command === 'tail') return toTail(positionals, values);
    if (command === 'audit') return toAudit(positionals, values);
    if (command === 'policy') return toPolicyCheck(positionals, values);
    if (command === 'devnet') return toDevnet(positionals, values);
    if (command === 'keys') return toKeysNew(positionals, values);
    return command === 'schema' ? toSchema(positionals, values) : toPlainCommand(positionals, values);
  } catch (error) {
    const typed = unknownOptionOf(error);
    const setting = typed?.toUpperCase().replaceAll('-', '_') ?? '';
    const isSecret = command === 'serve' && secretNames.has(setting);
    const advice = isSecret ? `. Set ${setting} in the environment: it is a secret` : suggestion(typed, names, '--');
    return usageError(firstSentence(error) + advice);
  }
}

function toPlainCommand(
  [command = 'serve', subcommand, extra]: readonly string[],
  texts: OptionTexts,
): Command | UsageError {
  if (command === 'config') {
    if (subcommand !== 'check' && subcommand !== 'schema')
      return unknownSubcommand(command, subcommand, 'config check and config schema');
    return extra === undefined ? { name: `config ${subcommand}` } : unexpected(extra);
  }
  if (command === 'help') return extra === undefined ? toHelp(subcommand) : unexpected(extra);
  if (command !== 'serve' && command !== 'worker')
    return usageError(
      `Unknown command ${quoteText(command)}; there are serve, devnet, tail, schema print, schema pull, schema check, config check, config schema, explain, audit, policy check and keys new${suggestion(command, commandNames)}`,
    );
  if (subcommand !== undefined) return unexpected(subcommand);
  return command === 'worker' ? { name: command } : { name: command, settings: toSettings(texts) };
}

function toSettings(texts: OptionTexts): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [option, name] of serveOptions) {
    const text = texts[option];
    if (typeof text === 'string') settings[name] = text;
  }
  return settings;
}

function toHelp(command: string | null = null): Command | UsageError {
  if (command === null || commandNames.includes(command)) return { name: 'help', command };
  return usageError(`Unknown command ${quoteText(command)}${suggestion(command, commandNames)}`);
}

/** The end of a message about a misspelt name; empty if no name is similar. */
function suggestion(typed: string | null, names: readonly string[], prefix = ''): string {
  const toUpper = (name: string) => name.toUpperCase().replaceAll('-', '_');
  const nearest = typed && nearestName(typed, names.map(toUpper));
  const name = names.find((each) => toUpper(each) === nearest);
  return name === undefined ? '' : `. Did you mean ${prefix}${name}?`;
}

/** The unknown option in an error of `parseArgs`, without its hyphens; `null` for other errors. */
function unknownOptionOf(error: unknown): string | null {
  return /^Unknown option '--([^']*)'/.exec(error instanceof Error ? error.message : '')?.[1] ?? null;
}

function toSchema([command = '', subcommand, ...rest]: readonly string[], texts: OptionTexts): Command | UsageError {
  const [file, extra] = subcommand === 'check' ? rest : [undefined, ...rest];
  if (extra !== undefined) return unexpected(extra);
  const isGateway = texts.gateway === true;
  switch (subcommand) {
    case 'print':
      return { name: 'schema print', isFederation: texts.federation === true };
    case 'pull':
      return withOptions(pullOptions, texts, ({ out }) => ({ name: 'schema pull', file: out, isGateway }));
    case 'check':
      return file === undefined
        ? usageError('schema check needs a file with the schema from before, as schema pull writes it')
        : { name: 'schema check', file, isGateway };
    default:
      return unknownSubcommand(command, subcommand, 'schema print, schema pull and schema check');
  }
}

type OptionTexts = Readonly<Record<string, string | boolean | undefined>>;

function toExplain([, file, extra]: readonly string[], texts: OptionTexts): Command | UsageError {
  const isJson = texts.json === true;
  if (texts.manifest !== undefined) {
    if (file !== undefined) return unexpected(file);
    if (texts.operation !== undefined) return usageError('--operation names an operation of a file, not of a manifest');
    return withOptions(explainOptions, texts, ({ variables, manifest }) => ({
      name: 'explain manifest',
      file: manifest ?? '',
      variables: variables ?? {},
      isJson,
    }));
  }
  if (file === undefined)
    return usageError('explain needs a file with an operation, - for standard input, or --manifest FILE');
  if (extra !== undefined) return unexpected(extra);
  return withOptions(explainOptions, texts, ({ variables, operation }) => ({
    name: 'explain',
    file,
    variables: variables ?? {},
    operationName: operation,
    isJson,
  }));
}

function toTail([, extra]: readonly string[], texts: OptionTexts): Command | UsageError {
  if (extra !== undefined) return unexpected(extra);
  return withOptions(tailOptions, texts, (given) => ({
    name: 'tail',
    url: given.url ?? defaultUrl,
    filter: given.filter,
    isTransactions: texts.transactions === true,
    after: given.after,
    stateFile: given.state,
    keyFile: given['key-file'],
  }));
}

function toPolicyCheck([, subcommand, extra]: readonly string[], texts: OptionTexts): Command | UsageError {
  if (subcommand !== 'check')
    return usageError(`Unknown command ${quoteText(`policy ${subcommand ?? ''}`.trim())}; there is policy check`);
  if (extra !== undefined) return unexpected(extra);
  if (texts.client === undefined || texts.tx === undefined)
    return usageError('policy check needs --client, a client or a policy, and --tx, a transaction in base64');
  return withOptions(policyOptions, texts, ({ client, tx }) => ({
    name: 'policy check',
    client: client ?? '',
    tx: tx ?? '',
  }));
}

function toAudit([, ...files]: readonly string[], texts: OptionTexts): Command {
  return { name: 'audit', files, isJson: texts.json === true };
}

function toDevnet([, extra]: readonly string[], texts: OptionTexts): Command | UsageError {
  if (extra !== undefined) return unexpected(extra);
  return withOptions(devnetOptions, texts, (given) => {
    const { seed, 'history-checkpoints': checkpoints, 'available-checkpoints': availableCheckpoints } = given;
    const defaultStart = seed === null ? 'now' : Date.parse(devnetDefaults.seededStart);
    const startMs = given['start-time'] ?? defaultStart;
    const checkpointIntervalMs = given['checkpoint-ms'] ?? devnetDefaults.checkpointMs;
    return {
      name: 'devnet',
      profile: given.profile ?? 'ledger',
      sponsorToken: given['sponsor-token'],
      options: {
        host: given.host ?? devnetDefaults.host,
        port: given.port ?? devnetDefaults.port,
        checkpointIntervalMs,
        checkpointPerTransaction: checkpointIntervalMs === 0,
        ...(seed !== null && { seed }),
        ...(startMs !== 'now' && { startMs }),
        ...(checkpoints !== null && { retention: { checkpoints } }),
        ...(availableCheckpoints !== null && { availableCheckpoints }),
      },
    };
  });
}

function toKeysNew([, subcommand, extra]: readonly string[], texts: OptionTexts): Command | UsageError {
  if (subcommand !== 'new')
    return usageError(`Unknown command ${quoteText(`keys ${subcommand ?? ''}`.trim())}; there is keys new`);
  if (extra !== undefined) return unexpected(extra);
  if (texts.id === undefined) return usageError('keys new needs --id, the name of the client');
  return withOptions(keysOptions, texts, ({ id, scopes, origins, ...given }) => ({
    name: 'keys new',
    id: id ?? '',
    scopes: scopes ?? ['read'],
    perMinute: given['per-minute'],
    origins,
    gasPerDay: given['gas-per-day'],
    moveCalls: given['move-calls'],
  }));
}

type OptionValues<Types extends OptionTypes> = {
  readonly [Name in keyof Types]: Types[Name] extends ValueType<infer Value> ? Value | null : never;
};

/** Makes a command from options, which follow the rules of settings. Every mistake is reported at once. */
function withOptions<Types extends OptionTypes>(
  types: Types,
  texts: OptionTexts,
  toCommand: (values: OptionValues<Types>) => Command,
): Command | UsageError {
  const mistakes: string[] = [];
  const values = Object.entries(types).map(([option, type]) => {
    const text = texts[option];
    if (typeof text !== 'string') return [option, null];
    const value = parseText(type, text);
    if (value === undefined) {
      mistakes.push(`--${option}: expected ${expectedOf(type)}, got ${showText(type, text)}`);
    }
    return [option, value];
  });
  return mistakes.length > 0
    ? usageError(mistakes.join('; '))
    : toCommand(Object.fromEntries(values) as OptionValues<Types>);
}

/** Instants that a ledger's whole milliseconds and RFC 3339 text can both express. */
function parseStartTime(text: string): number | 'now' | undefined {
  if (text === 'now') return text;
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/.test(text)) return undefined;
  const ms = Date.parse(text);
  const isOfCalendar = Number.isFinite(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 19));
  const year = Number(text.slice(0, 4));
  return isOfCalendar && year >= 1971 && year <= 2199 ? ms : undefined;
}

function parseScopes(text: string) {
  const given = new Set(text.split(',').map((scope) => scope.trim()));
  const known = clientScopes.filter((scope) => given.has(scope));
  return known.length === given.size ? known : undefined;
}

function unexpected(argument: string): UsageError {
  return usageError(`Unexpected argument ${quoteText(argument)}`);
}

function unknownSubcommand(command: string, subcommand = '', known: string): UsageError {
  return usageError(`Unknown command ${quoteText(`${command} ${subcommand}`.trim())}; there are ${known}`);
}

function usageError(message: string): UsageError {
  return { name: 'usage error', message };
}

/** The first sentence of Node's long message names the option that is wrong. */
function firstSentence(error: unknown): string {
  const [sentence = ''] = (error instanceof Error ? error.message : '').split(/\.\s|\n/);
  return sentence.replace(/\.$/, '') || 'The arguments cannot be read';
}
