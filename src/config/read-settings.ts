import { type Document, isMap, isScalar as isScalarNode, parseDocument } from 'yaml';
import { type ConfigMistake, quoteKey, quoteText } from './config-error.ts';
import type { ConfigSource, ReadFile } from './config-source.ts';
import { misspeltName, nearestName } from './nearest-name.ts';
import { type ConfigKey, type ConfigTable, expectedOf, isListType, isObjectType } from './value-types.ts';

type ParsedYaml =
  | { readonly value: unknown; readonly document: Document }
  /** The mistake, without a quote of the text. */
  | { readonly problem: string };

/**
 * Parses YAML, which includes JSON. Of a syntax error only the line is reported: the parser's message would quote the text,
 * which may contain a secret.
 */
export function parseYaml(text: string): ParsedYaml {
  try {
    const document = parseDocument(text, { logLevel: 'error' });
    const [error] = document.errors;
    if (error) return { problem: `text that is neither (line ${error.linePos?.[0].line ?? '?'}: ${error.code})` };
    return { value: document.toJS(), document };
  } catch {
    return { problem: 'text that cannot be read as either' };
  }
}

export interface RawSettings {
  /** The settings that are set, as trimmed text. An empty text counts as unset. */
  readonly texts: ReadonlyMap<string, string>;
  readonly mistakes: readonly ConfigMistake[];
}

/** Merges the environment with the configuration file named in it, if any; the environment overrides the file. */
export function readSettings({ env, readFile }: ConfigSource, table: ConfigTable): RawSettings {
  const file = readConfigFile(env.CONFIG_FILE?.trim() ?? '', readFile, table);
  const texts = new Map<string, string>();
  for (const name of Object.keys(table)) {
    const text = ownText(env, name) || file.texts.get(name)?.trim();
    if (text) texts.set(name, text);
  }
  return { texts, mistakes: [...findMisspelt(env, Object.keys(table)), ...file.mistakes] };
}

function ownText(env: ConfigSource['env'], name: string): string {
  const text = env[name]?.trim() ?? '';
  return isServiceAddress(name, text) ? '' : text;
}

/**
 * Kubernetes adds a variable such as `METRICS_PORT=tcp://10.0.0.7:80` for each service, here one called metrics, to every
 * program. No setting has such a value.
 */
function isServiceAddress(name: string, text: string): boolean {
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\/[\da-f.:[\]]{2,45}:\d{1,5}$/.test(text.trim());
}

/** Misspelt settings of the environment: if one were ignored, the operator would believe that it has effect. */
function findMisspelt(env: ConfigSource['env'], names: readonly string[]): ConfigMistake[] {
  return Object.entries(env).flatMap(([typed, text]) => {
    if (!text?.trim() || names.includes(typed) || isServiceAddress(typed, text)) return [];
    const meant = misspeltName(typed, names);
    return meant ? [{ key: quoteKey(typed), expected: `the name ${meant}`, got: 'a similar one' }] : [];
  });
}

/** Beginnings of names that hardly any other program uses. */
const ownBeginnings =
  /^(LEDGER|SPONSOR|SPONSORSHIP|LIMIT|LIVE|TRUSTED|JWT|LEASE|CURSOR|RATE_LIMIT|TLS|GRAPHIQL|SCHEMA)_/;

/** Kubernetes and Docker add such variables for each service, here one called ledger: `LEDGER_PORT_9000_TCP_ADDR`. */
const serviceLink = /_(SERVICE_(HOST|PORT)(_[A-Z\d_]+)?|PORT(_\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)?)$/;

/** Set variables that look like settings of the gateway, and are none: `TLS_CERT_FILE`. */
export function findUnknownVariables(env: ConfigSource['env'], names: readonly string[]): string[] {
  return Object.keys(env).filter(
    (name) => env[name]?.trim() && ownBeginnings.test(name) && !names.includes(name) && !serviceLink.test(name),
  );
}

function readConfigFile(path: string, readFile: ReadFile, table: ConfigTable): RawSettings {
  if (path === '') return { texts: new Map(), mistakes: [] };
  try {
    return parseConfigFile(readFile(path), table);
  } catch (error) {
    return { texts: new Map(), mistakes: [toUnreadable('CONFIG_FILE', path, error)] };
  }
}

/** Parses a configuration file, YAML or JSON, into texts as in the environment. */
function parseConfigFile(text: string, table: ConfigTable): RawSettings {
  const texts = new Map<string, string>();
  const refuse = (got: string) => ({
    texts,
    mistakes: [{ key: 'CONFIG_FILE', expected: 'a JSON or YAML object of settings', got }],
  });
  const parsed = parseYaml(text);
  if ('problem' in parsed) return refuse(parsed.problem);
  const content = parsed.value ?? {};
  if (typeof content !== 'object' || Array.isArray(content)) return refuse(describeShape(content));
  const mistakes: ConfigMistake[] = [];
  for (const [name, value] of Object.entries(content)) {
    const key = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!key || name === 'CONFIG_FILE') {
      mistakes.push(toUnknownKey(name, Object.keys(table)));
      continue;
    }
    const setting = asWritten(parsed.document, name) ?? toText(key, value);
    if (setting === null) mistakes.push({ key: name, expected: expectedOf(key.type), got: describeShape(value) });
    else texts.set(name, setting);
  }
  return { texts, mistakes };
}

/** A number as it was written: a token may be all digits, too many for a double or with leading zeros. */
function asWritten(document: Document, name: string): string | undefined {
  const node = isMap(document.contents) ? document.contents.get(name, true) : undefined;
  return isScalarNode(node) && typeof node.value === 'number' ? node.source : undefined;
}

/** @returns `null` for a list or an object if the setting does not accept one */
function toText({ type }: ConfigKey, value: unknown): string | null {
  if (value === null || value === undefined) return '';
  if (isScalar(value)) return String(value);
  if (Array.isArray(value)) return isListType(type) && value.every(isScalar) ? value.join(',') : null;
  return isObjectType(type) ? JSON.stringify(value) : null;
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function describeShape(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function toUnknownKey(key: string, known: readonly string[]): ConfigMistake {
  if (key === 'CONFIG_FILE') return { key, expected: 'this key only in the environment', got: 'it in the file' };
  const nearest = nearestName(key, known);
  return {
    key: quoteKey(key),
    expected: nearest ? `a known key; the nearest is ${nearest}` : 'a known key',
    got: 'an unknown one in the configuration file',
  };
}

export type Parsed<Content extends object> = Content | { readonly mistakes: readonly ConfigMistake[] };

/**
 * Reads and parses the file that a setting names.
 * @param path `undefined` = there is none
 * @returns `null` as the content without a file, or when it has mistakes
 */
export function readContent<Content extends object>(
  setting: string,
  path: string | undefined,
  readFile: ReadFile,
  parse: (text: string) => Parsed<Content>,
): { readonly content: Content | null; readonly mistakes: readonly ConfigMistake[] } {
  if (path === undefined) return { content: null, mistakes: [] };
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    return { content: null, mistakes: [toUnreadable(setting, path, error)] };
  }
  const result = parse(text);
  return 'mistakes' in result ? { content: null, mistakes: result.mistakes } : { content: result, mistakes: [] };
}

function toUnreadable(key: string, path: string, error: unknown): ConfigMistake {
  const got = `${quoteText(path)}, which cannot be read (${toErrorCode(error)})`;
  return { key, expected: 'a path to a readable file', got };
}

/** The system's error code, such as `ENOENT`. The message would quote the path. */
export function toErrorCode(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z_\d]{1,40}$/.test(code) ? code : 'unknown error';
}
