import type { AddressSetting } from './address-setting.ts';
import type { ConfigMistake } from './config-error.ts';
import type { ConfigKey } from './config-key.ts';
import { type ConfigKeyName, type ConfigValues, configKeyNames, configKeys } from './keys.ts';
import { quoteText } from './quote-text.ts';
import { type RawSettings, type ReadFile, toErrorCode } from './read-settings.ts';

/** Secrets that may be given as a file: the setting of the secret, and the setting of the file's path. */
export const secretFiles = [
  ['SPONSOR_TOKEN', 'SPONSOR_TOKEN_FILE'],
  ['LEASE_KEYS', 'LEASE_KEYS_FILE'],
  ['CURSOR_KEYS', 'CURSOR_KEYS_FILE'],
] as const satisfies readonly (readonly [ConfigKeyName, ConfigKeyName])[];

export interface ParsedValues {
  /** A setting with a mistake has its default here. A secret read from a file has the name of the secret. */
  readonly values: ConfigValues;
  readonly mistakes: readonly ConfigMistake[];
}

/** Parses every setting on its own; `checkSettings` checks their combinations. */
export function parseValues(texts: RawSettings['texts'], readFile: ReadFile): ParsedValues {
  const mistakes: ConfigMistake[] = [];
  const values = new Map<ConfigKeyName, unknown>();
  for (const name of configKeyNames) {
    const text = texts.get(name);
    values.set(name, text === undefined ? configKeys[name].fallback : parseValue(name, toKey(name), text, mistakes));
  }
  for (const [secret, file] of secretFiles) {
    const path = texts.get(file);
    if (path !== undefined && !texts.has(secret))
      values.set(secret, readSecret(secret, file, path, readFile, mistakes));
  }
  return { values: Object.fromEntries(values) as ConfigValues, mistakes };
}

const toKey = (name: ConfigKeyName): ConfigKey<unknown> => configKeys[name];

/** Parses settings beside those of the table, each by its own rule. @returns those that are set and have no mistake */
export function parseAddresses(
  further: readonly AddressSetting[],
  texts: RawSettings['texts'],
): { readonly addresses: Readonly<Record<string, string>>; readonly mistakes: readonly ConfigMistake[] } {
  const mistakes: ConfigMistake[] = [];
  const addresses: Record<string, string> = {};
  for (const { name, key } of further) {
    const text = texts.get(name);
    const address = text === undefined ? key.fallback : parseValue(name, key, text, mistakes);
    if (address !== null) addresses[name] = address;
  }
  return { addresses, mistakes };
}

function parseValue<T>(
  name: string,
  { kind, fallback, inForce }: ConfigKey<T>,
  text: string,
  mistakes: ConfigMistake[],
): T | null {
  if (inForce === 'refused') {
    const expected =
      'it unset: this version does not support it, and going on without it would be less safe than asked for';
    mistakes.push({ key: name, expected, got: 'a value' });
    return fallback;
  }
  const value = kind.parse(text);
  if (value !== undefined) return value;
  mistakes.push({ key: name, expected: kind.expected, got: (kind.show ?? quoteText)(text) });
  return fallback;
}

function readSecret(
  secret: ConfigKeyName,
  file: ConfigKeyName,
  path: string,
  readFile: ReadFile,
  mistakes: ConfigMistake[],
): unknown {
  const { kind }: ConfigKey<unknown> = configKeys[secret];
  const refuse = (expected: string, got: string) => {
    mistakes.push({ key: file, expected, got });
    return null;
  };
  let text: string;
  try {
    text = readFile(path).trim();
  } catch (error) {
    return refuse('a path to a readable file', `one that cannot be read (${toErrorCode(error)})`);
  }
  if (text === '') return refuse(`a file that holds ${kind.expected}`, 'an empty one');
  return kind.parse(text) ?? refuse(`a file that holds ${kind.expected}`, 'one that holds something else');
}
