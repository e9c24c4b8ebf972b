import { type ParseArgsConfig, parseArgs } from 'node:util';
import { clientIdRule, isClientId } from '../config/api-key.ts';
import type { ValueKind } from '../config/config-key.ts';
import { type NetworkProfileName, networkProfiles } from '../config/network-profile.ts';
import { type Client, clientScopes } from '../config/parse-clients.ts';
import { quoteText } from '../config/quote-text.ts';
import type { Secret } from '../config/secret.ts';
import { bearerToken, host, integer, origins } from '../config/value-kinds.ts';

export type Command =
  | { readonly name: 'serve' }
  | {
      readonly name: 'devnet';
      readonly host: string;
      /** One port for all faces; 0 = any free one. */
      readonly port: number;
      /** `null` where the devnet's own default holds. */
      readonly seed: number | null;
      readonly sponsorToken: Secret | null;
      /** The network it plays. */
      readonly profile: NetworkProfileName;
      /** When the network's time begins, milliseconds since the Unix epoch; `null` = the system's time. */
      readonly startMs: number | null;
      /** 0 = a checkpoint closes only when a transaction is executed. */
      readonly checkpointIntervalMs: number | null;
      /** Checkpoints of history that are kept. `null` where the devnet's own default holds, as below. */
      readonly historyCheckpoints: number | null;
      /** Checkpoints behind the newest at which live objects can be read. */
      readonly availableCheckpoints: number | null;
    }
  | { readonly name: 'schema print' }
  | {
      readonly name: 'keys new';
      readonly id: string;
      readonly scopes: Client['scopes'];
      /** `null`: what everybody may. */
      readonly perMinute: number | null;
      /** `null`: bound to none. */
      readonly origins: Client['origins'];
    }
  | {
      readonly name: 'explain';
      /** `-` = standard input. */
      readonly file: string;
      readonly variables: Readonly<Record<string, unknown>>;
      /** `null`: the only one there is. */
      readonly operationName: string | null;
      readonly isJson: boolean;
    }
  | { readonly name: 'help' }
  | { readonly name: 'version' };

export interface UsageError {
  readonly name: 'usage error';
  /** One line. */
  readonly message: string;
}

export const devnetDefaults = {
  host: '127.0.0.1',
  port: 4100,
  checkpointMs: 500,
  /** When the time of a network with a seed begins, unless told otherwise: without a fixed one no digest could be. */
  seededStart: '2026-01-01T00:00:00Z',
} as const;

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
} as const;

const ofExplain = {
  variables: { type: 'string' },
  operation: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const jsonObject: ValueKind<Readonly<Record<string, unknown>>> = {
  expected: 'a JSON object',
  parse: (text) => {
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
    } catch {
      return undefined;
    }
  },
};

/** The years a ledger's whole milliseconds and RFC 3339 can both say. */
const startTime: ValueKind<number | 'now'> = {
  expected: 'now, or an instant in UTC like 2026-01-31T12:00:00Z, from 1971 to 2199',
  parse: (text) => {
    if (text === 'now') return text;
    if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/.test(text)) return undefined;
    const ms = Date.parse(text);
    const isOfCalendar = Number.isFinite(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 19));
    const year = Number(text.slice(0, 4));
    return isOfCalendar && year >= 1971 && year <= 2199 ? ms : undefined;
  },
};

const profileNames = Object.keys(networkProfiles) as NetworkProfileName[];

const profileName: ValueKind<NetworkProfileName> = {
  expected: `one of ${profileNames.join(', ')}`,
  parse: (text) => profileNames.find((name) => name === text),
};

const clientId: ValueKind<string> = { expected: clientIdRule, parse: (text) => (isClientId(text) ? text : undefined) };

const scopeList: ValueKind<Client['scopes']> = {
  expected: `scopes separated by commas, of ${clientScopes.join(', ')}`,
  parse: (text) => {
    const asked = new Set(text.split(',').map((scope) => scope.trim()));
    const known = clientScopes.filter((scope) => asked.has(scope));
    return known.length === asked.size ? known : undefined;
  },
};

const namedOrigins: ValueKind<readonly string[]> = {
  expected: 'origins separated by commas, each like https://app.example.com, without a path',
  parse: (text) => {
    const list = origins.parse(text);
    return list === '*' ? undefined : list;
  },
};

/** Reads the arguments after the program's name. `serve` is what no command means. */
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
  if (command === 'serve') return subcommand === undefined ? { name: 'serve' } : unexpected(subcommand);
  if (command !== 'schema')
    return usageError(
      `Unknown command ${quoteText(command)}; there are serve, devnet, schema print, explain and keys new`,
    );
  if (subcommand !== 'print')
    return usageError(`Unknown command ${quoteText(`schema ${subcommand ?? ''}`.trim())}; there is schema print`);
  return rest[0] === undefined ? { name: 'schema print' } : unexpected(rest[0]);
}

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
  });
}

/** Reads options by the rules of settings; every one that breaks its rule is told. */
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

/** Node explains at length; its first sentence names the option. */
function firstSentence(error: unknown): string {
  const [sentence = ''] = (error instanceof Error ? error.message : '').split(/\.\s|\n/);
  return sentence.replace(/\.$/, '') || 'The arguments cannot be read';
}
