import { type Document, isMap, isScalar as isScalarNode, parseDocument } from 'yaml';
import type { AddressSetting } from './address-setting.ts';
import type { ConfigMistake } from './config-error.ts';
import type { ConfigKey } from './config-key.ts';
import { configKeys } from './keys.ts';
import { nearestName } from './nearest-name.ts';
import { quoteText } from './quote-text.ts';

export interface ConfigFileContent {
  /** Each setting as the text that the environment would hold. */
  readonly settings: ReadonlyMap<string, string>;
  readonly mistakes: readonly ConfigMistake[];
}

/**
 * Parses a configuration file, YAML or JSON (which is YAML), into the texts that the environment would hold. Accepts
 * strings, numbers and booleans, lists of them, and for `PROFILE_OVERRIDES` nested objects.
 * @param further settings beside those of the table
 */
export function parseConfigFile(text: string, further: readonly AddressSetting[] = []): ConfigFileContent {
  const known = new Map<string, ConfigKey<unknown>>([
    ...Object.entries(configKeys),
    ...further.map(({ name, key }) => [name, key] as const),
  ]);
  const settings = new Map<string, string>();
  const content = parseYaml(text);
  if ('mistake' in content) return { settings, mistakes: [content.mistake] };
  const mistakes: ConfigMistake[] = [];
  for (const [key, value] of content.entries) {
    const kind = known.get(key)?.kind;
    if (!kind || key === 'CONFIG_FILE') {
      mistakes.push(toUnknownKey(key, [...known.keys()]));
      continue;
    }
    const setting = toText(key, kind, value);
    if (setting === undefined) mistakes.push({ key, expected: kind.expected, got: describeShape(value) });
    else settings.set(key, setting);
  }
  return { settings, mistakes };
}

type Parsed = { readonly entries: readonly (readonly [string, unknown])[] } | { readonly mistake: ConfigMistake };

/** Reports only the line of a syntax error: the parser's message would quote the file, which may hold a token. */
function parseYaml(text: string): Parsed {
  const mistake = (got: string): Parsed => ({
    mistake: { key: 'CONFIG_FILE', expected: 'a JSON or YAML object of settings', got },
  });
  try {
    const document = parseDocument(text, { logLevel: 'error' });
    const [error] = document.errors;
    if (error) return mistake(`text that is neither (line ${error.linePos?.[0].line ?? '?'}: ${error.code})`);
    const value: unknown = document.toJS();
    if (value === null || value === undefined) return { entries: [] };
    if (typeof value !== 'object' || Array.isArray(value)) return mistake(describeShape(value));
    return { entries: Object.entries(value).map(([key, item]) => [key, asWritten(document, key) ?? item]) };
  } catch {
    return mistake('text that cannot be read as either');
  }
}

/** A number as it was written: a token may be all digits, too many for a double or with leading zeros. */
function asWritten(document: Document, key: string): string | undefined {
  const node = isMap(document.contents) ? document.contents.get(key, true) : undefined;
  return isScalarNode(node) && typeof node.value === 'number' ? node.source : undefined;
}

function toText(key: string, kind: ConfigKey<unknown>['kind'], value: unknown): string | undefined {
  if (value === null || value === undefined) return '';
  if (isScalar(value)) return String(value);
  if (Array.isArray(value)) return kind.isList && value.every(isScalar) ? value.join(',') : undefined;
  return key === 'PROFILE_OVERRIDES' ? JSON.stringify(value) : undefined;
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function describeShape(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function toUnknownKey(key: string, known: readonly string[]): ConfigMistake {
  if (key === 'CONFIG_FILE') return { key, expected: 'it only in the environment', got: 'it in the file it names' };
  const nearest = nearestName(key, known);
  return {
    key: quoteText(key).slice(1, -1),
    expected: nearest ? `a known key; the nearest is ${nearest}` : 'a known key',
    got: 'an unknown one in the configuration file',
  };
}
