import { parseArgs } from 'node:util';
import type { ValueKind } from '../config/config-key.ts';
import { quoteText } from '../config/quote-text.ts';
import type { Secret } from '../config/secret.ts';
import { bearerToken, host, integer } from '../config/value-kinds.ts';

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
      readonly checkpointIntervalMs: number | null;
    }
  | { readonly name: 'schema print' }
  | { readonly name: 'help' }
  | { readonly name: 'version' };

export interface UsageError {
  readonly name: 'usage error';
  /** One line. */
  readonly message: string;
}

export const devnetDefaults = { host: '127.0.0.1', port: 4100 } as const;

const everywhere = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'V' } } as const;

const ofDevnet = {
  host: { type: 'string' },
  port: { type: 'string' },
  seed: { type: 'string' },
  'sponsor-token': { type: 'string' },
  'checkpoint-ms': { type: 'string' },
} as const;

/** Reads the arguments after the program's name. `serve` is what no command means. */
export function parseArguments(argv: readonly string[]): Command | UsageError {
  const isDevnet = argv.find((argument) => !argument.startsWith('-')) === 'devnet';
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: isDevnet ? { ...everywhere, ...ofDevnet } : everywhere,
      allowPositionals: true,
    });
    if (values.help) return { name: 'help' };
    if (values.version) return { name: 'version' };
    return isDevnet ? toDevnet(positionals, values) : toPlainCommand(positionals);
  } catch (error) {
    return usageError(firstSentence(error));
  }
}

function toPlainCommand(positionals: readonly string[]): Command | UsageError {
  const [command = 'serve', subcommand, ...rest] = positionals;
  if (command === 'help' && subcommand === undefined) return { name: 'help' };
  if (command === 'serve') return subcommand === undefined ? { name: 'serve' } : unexpected(subcommand);
  if (command !== 'schema')
    return usageError(`Unknown command ${quoteText(command)}; there are serve, devnet and schema print`);
  if (subcommand !== 'print')
    return usageError(`Unknown command ${quoteText(`schema ${subcommand ?? ''}`.trim())}; there is schema print`);
  return rest[0] === undefined ? { name: 'schema print' } : unexpected(rest[0]);
}

function toDevnet(
  [, extra]: readonly string[],
  values: Readonly<Record<string, string | boolean | undefined>>,
): Command | UsageError {
  if (extra !== undefined) return unexpected(extra);
  const mistakes: string[] = [];
  const read = <T>(option: keyof typeof ofDevnet, kind: ValueKind<T>): T | null => {
    const text = values[option];
    if (typeof text !== 'string') return null;
    const value = kind.parse(text);
    if (value === undefined)
      mistakes.push(`--${option}: expected ${kind.expected}, got ${(kind.show ?? quoteText)(text)}`);
    return value ?? null;
  };
  const command: Command = {
    name: 'devnet',
    host: read('host', host) ?? devnetDefaults.host,
    port: read('port', integer(0, 65_535)) ?? devnetDefaults.port,
    seed: read('seed', integer(0, 4_294_967_295)),
    sponsorToken: read('sponsor-token', bearerToken),
    checkpointIntervalMs: read('checkpoint-ms', integer(1, 3_600_000, 'milliseconds')),
  };
  return mistakes.length > 0 ? usageError(mistakes.join('; ')) : command;
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
