import { hash } from 'node:crypto';
import { type ConfigMistake, quoteText } from './config-error.ts';
import type { Parsed } from './read-settings.ts';
import { isJsonObject } from './value-types.ts';

/** What a caller may run: everything; everything, with a log line for other documents; trusted documents only. */
export const documentPolicies = ['allow', 'log', 'only'] as const;

export type DocumentPolicy = (typeof documentPolicies)[number];

/** A document of the manifest, which clients may request by its id. */
export interface TrustedDocument {
  readonly id: string;
  /** The operation's name, if the manifest has it. */
  readonly name: string | null;
  readonly text: string;
}

/** A large app has a few thousand. The preparation of 10,000 takes seconds of CPU time after each schema change. */
const maxDocuments = 10_000;
const maxCharacters = 16 * 1024 * 1024;
const maxIdCharacters = 256;
/** If the build of a manifest is broken, every entry has the same mistake. */
const maxMistakes = 20;

const shape = 'a JSON object of ids and texts, or an Apollo persisted query manifest of version 1';
const apolloFormat = 'apollo-persisted-query-manifest';

/**
 * Parses a manifest: Apollo's, or the flat map of Relay, client-preset and gql.tada.
 * @param setting that names the file: the keys of mistakes are paths, such as `TRUSTED_DOCUMENTS_FILE.operations.0.id`
 */
export function parseManifest(text: string, setting = 'TRUSTED_DOCUMENTS_FILE'): Parsed<readonly TrustedDocument[]> {
  if (text.length > maxCharacters)
    return refuse(setting, `at most ${maxCharacters} characters`, `${text.length} characters`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(setting, shape, 'text that is not JSON');
  }
  if (!isJsonObject(value)) return refuse(setting, shape, 'something else');
  const entries = Array.isArray(value.operations)
    ? readApollo(value, value.operations, setting)
    : readFlat(value, setting);
  if ('mistakes' in entries) return entries;
  if (entries.length === 0) return refuse(setting, 'at least one document', 'none');
  if (entries.length > maxDocuments) return refuse(setting, `at most ${maxDocuments} documents`, `${entries.length}`);
  const mistakes = checkEntries(entries);
  return mistakes.length > 0
    ? { mistakes: mistakes.slice(0, maxMistakes) }
    : entries.map(({ id, name, text: body }) => ({ id, name, text: body }) as TrustedDocument);
}

/** An entry as it was found. `key` is its path in the file. */
interface Entry {
  readonly key: string;
  readonly id: unknown;
  readonly name: string | null;
  readonly text: unknown;
}

function readApollo(
  { format, version }: Readonly<Record<string, unknown>>,
  operations: readonly unknown[],
  setting: string,
) {
  if (format !== apolloFormat) return refuse(`${setting}.format`, apolloFormat, 'another one');
  if (version !== 1) return refuse(`${setting}.version`, '1', 'another one');
  return operations.map((operation, index): Entry => {
    const { id, body, name } = isJsonObject(operation) ? operation : {};
    return { key: `${setting}.operations.${index}`, id, text: body, name: typeof name === 'string' ? name : null };
  });
}

function readFlat(map: Readonly<Record<string, unknown>>, setting: string): readonly Entry[] {
  return Object.entries(map).map(([id, text]) => ({ key: `${setting}.${quoteText(id)}`, id, text, name: null }));
}

function checkEntries(entries: readonly Entry[]): ConfigMistake[] {
  const texts = new Map<string, string>();
  return entries.flatMap(({ key, id, text }): ConfigMistake[] => {
    if (typeof id !== 'string' || id === '' || id.length > maxIdCharacters)
      return [{ key, expected: `an id of 1 to ${maxIdCharacters} characters`, got: 'another one' }];
    if (typeof text !== 'string' || text.trim() === '')
      return [{ key, expected: 'the text of a document', got: typeof text === 'string' ? 'an empty one' : 'none' }];
    if (id.startsWith(hashPrefix) && id !== hashPrefix + hash('sha256', text))
      return [{ key, expected: 'the SHA-256 of its text, in lower-case hexadecimal digits', got: 'another id' }];
    const bare = toBareId(id);
    const other = texts.get(bare);
    if (other !== undefined && other !== text)
      return [{ key, expected: 'one document for each id', got: 'an id that another document has' }];
    texts.set(bare, text);
    return [];
  });
}

const hashPrefix = 'sha256:';

/** An id as Apollo's clients send it: without the prefix that the GraphQL over HTTP draft gives hashes. */
export function toBareId(id: string): string {
  return id.startsWith(hashPrefix) ? id.slice(hashPrefix.length) : id;
}

function refuse(key: string, expected: string, got: string): { readonly mistakes: readonly ConfigMistake[] } {
  return { mistakes: [{ key, expected, got }] };
}
