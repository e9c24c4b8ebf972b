import { hash } from 'node:crypto';
import { z } from 'zod';
import { type ConfigMistake, quoteText } from './config-error.ts';
import type { ReadFile } from './config-source.ts';
import { type DocumentPolicy, documentPolicies } from './document-manifest.ts';
import {
  filesOf,
  type NamedPolicy,
  type Policy,
  parseAddresses,
  policyNames,
  policyShape,
  type Shares,
  toPolicy,
  type WrittenPolicy,
} from './policy.ts';
import { parseYaml, toErrorCode } from './read-settings.ts';
import { Secret } from './secret.ts';
import { toMistakes } from './to-mistakes.ts';
import { toOrigin } from './value-types.ts';

export const clientScopes = ['read', 'sponsor', 'admin'] as const;

/** How visitors of one key are told apart. `one`: not at all, for a server that calls with its key alone. */
export const visitorForms = ['by-address', 'one'] as const;

/** One entry of the clients file: a client with an API key. */
export interface Client extends Shares {
  readonly id: string;
  /** SHA-256 of the key, in hex. */
  readonly hash: string;
  readonly scopes: readonly (typeof clientScopes)[number][];
  /** Web origins whose pages may use the key; `null` = all. */
  readonly origins: readonly string[] | null;
  /** `null` = the gateway's policy. */
  readonly documents: DocumentPolicy | null;
  readonly visitors: (typeof visitorForms)[number];
  readonly policy: Policy;
}

export interface ClientsFile {
  readonly clients: readonly Client[];
  readonly policies: readonly NamedPolicy[];
  /** Paths of the files of addresses that it names. */
  readonly files: readonly string[];
}

/** The form of a client id. It appears in its key, in logs and in `viewer { id }`. */
const clientId = /^[a-z\d](?:[a-z\d-]{0,62}[a-z\d])?$/;

export const clientIdRule = '1 to 64 lower-case letters, digits and hyphens, with a letter or digit at both ends';

export function isClientId(text: string): boolean {
  return clientId.test(text);
}

/**
 * The text of a client's key: `lgk_`, the client's id, and 256 random bits as base64url. The prefix lets repository
 * scanners find leaked keys; the id names the client.
 * @param random 32 bytes
 */
export function toApiKey(id: string, random: Uint8Array): Secret {
  if (random.length !== 32) throw new Error('An API key takes 32 random bytes.');
  return new Secret(`lgk_${id}_${Buffer.from(random).toString('base64url')}`);
}

export function looksLikeApiKey(text: string): boolean {
  return /^lgk_[a-z\d-]{1,64}_[\w-]{43}$/.test(text);
}

/**
 * The stored form of a key: SHA-256 of its whole text, in hex. A slow password hash would cost time on every request, and
 * keys of 256 random bits do not need one.
 */
export function hashApiKey(key: string): string {
  return hash('sha256', key);
}

const clientSchema = z.strictObject({
  id: z.string(clientIdRule).refine(isClientId, clientIdRule),
  hash: z.string('64 hexadecimal digits in lower case').regex(/^[\da-f]{64}$/, '64 hexadecimal digits in lower case'),
  scopes: z.array(z.enum(clientScopes), `a list of ${clientScopes.join(', ')}`).default(['read']),
  ...policyShape,
  origins: z
    .array(z.string('an origin'), 'a list of origins')
    .min(1, 'at least one origin, or none of this key')
    .refine((list) => list.every(isOrigin), 'origins, each like https://app.example.com, without a path')
    .transform((list) => list.flatMap((item) => toOrigin(item.trim()) ?? []))
    .optional(),
  documents: z.enum(documentPolicies).optional(),
  policy: z.string('the name of a policy').optional(),
  visitors: z.enum(visitorForms).default('by-address'),
});

function isOrigin(item: string): boolean {
  return toOrigin(item.trim()) !== undefined;
}

const clientsSchema = z.array(clientSchema, 'a list of clients').min(1, 'a list of at least one client');
const fileSchema = z.strictObject({
  policies: z
    .record(
      z.string(clientIdRule).refine(isClientId, clientIdRule),
      z.strictObject(policyShape, 'an object'),
      'an object',
    )
    .default({}),
  clients: z.array(clientSchema, 'a list of clients').default([]),
});

const knownNames = `a name that a client has: id, hash, scopes, origins, documents, policy, visitors, ${policyNames.join(', ')}`;

/**
 * Parses the text of a clients file, YAML or JSON: a list of clients, or an object of `policies` and `clients`. The keys of
 * mistakes are paths: `CLIENTS_FILE.0.hash`.
 * @param readFile reads the files of addresses that the text names; throws an error with its system code
 */
export function parseClients(
  text: string,
  readFile: ReadFile,
): ClientsFile | { readonly mistakes: readonly ConfigMistake[] } {
  const parsed = parsePlainJson(text) ?? parseYaml(text);
  if ('problem' in parsed) {
    return { mistakes: [{ key: 'CLIENTS_FILE', expected: 'a JSON or YAML list of clients', got: parsed.problem }] };
  }
  const content = parsed.value;
  const isObject = typeof content === 'object' && content !== null && ('policies' in content || 'clients' in content);
  const { data, error } = (isObject ? fileSchema : clientsSchema).safeParse(content);
  if (error) {
    return { mistakes: toMistakes(error.issues, { setting: 'CLIENTS_FILE', content, knownNames, describe }) };
  }
  const written = Array.isArray(data) ? { policies: {}, clients: data } : data;
  const at = isObject ? 'CLIENTS_FILE.clients' : 'CLIENTS_FILE';
  const addresses = readAddressFiles([...Object.values(written.policies), ...written.clients], readFile);
  const addressesIn = (path: string) => addresses.lists.get(path) ?? [];
  const policies = Object.entries(written.policies).map(
    ([id, policy]): NamedPolicy => ({ id, ...toPolicy(policy, addressesIn) }),
  );
  const clients = written.clients.map((client): Client => {
    const { id, hash, scopes, origins, documents, policy, visitors, ...own } = client;
    return {
      id,
      hash,
      scopes: [...new Set(scopes)],
      origins: origins ? [...new Set(origins)] : null,
      documents: documents ?? null,
      visitors,
      ...toPolicy(
        own,
        addressesIn,
        policies.find((named) => named.id === policy),
      ),
    };
  });
  const unknown = written.clients.flatMap(({ policy }, index): ConfigMistake[] =>
    policy === undefined || policies.some(({ id }) => id === policy)
      ? []
      : [
          {
            key: `${at}.${index}.policy`,
            expected: 'the name of one of the policies in this file',
            got: describe(policy),
          },
        ],
  );
  const mistakes = [...findRepeated(clients, 'id', at), ...findRepeated(clients, 'hash', at), ...unknown];
  if (written.clients.length + policies.length === 0)
    mistakes.push({ key: 'CLIENTS_FILE', expected: 'clients or policies', got: 'neither' });
  mistakes.push(...addresses.mistakes);
  return mistakes.length > 0 ? { mistakes } : { clients, policies, files: [...addresses.lists.keys()] };
}

/** Reads the files of addresses. */
function readAddressFiles(policies: readonly WrittenPolicy[], readFile: ReadFile) {
  const lists = new Map<string, readonly string[]>();
  const mistakes: ConfigMistake[] = [];
  for (const path of new Set(policies.flatMap(filesOf))) {
    const refuse = (got: string) =>
      mistakes.push({ key: `CLIENTS_FILE ${quoteText(path)}`, expected: 'a file with one address a line', got });
    try {
      const list = parseAddresses(readFile(path));
      if (list) lists.set(path, list);
      else refuse('a line that is no address');
    } catch (error) {
      refuse(`one that cannot be read (${toErrorCode(error)})`);
    }
  }
  return { lists, mistakes };
}

/**
 * Parses JSON directly: as YAML, a list of a thousand clients would block the event loop for a third of a second.
 * @returns `null` for anything else, and for JSON with a repeated name, which the YAML parser reports
 */
function parsePlainJson(text: string): { readonly value: unknown } | null {
  let members = 0;
  try {
    const value: unknown = JSON.parse(text, (_, part: unknown) => {
      if (typeof part === 'object' && part !== null && !Array.isArray(part)) members += Object.keys(part).length;
      return part;
    });
    let names = 0;
    // Count the strings that precede a colon. Each string is matched whole, so that no match begins inside another string.
    for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (colon !== undefined) names += 1;
    return names === members ? { value } : null;
  } catch {
    return null;
  }
}

function findRepeated(clients: readonly Client[], field: 'id' | 'hash', at: string): ConfigMistake[] {
  const seen = new Map<string, number>();
  return clients.flatMap((client, index) => {
    const first = seen.get(client[field]);
    if (first === undefined) {
      seen.set(client[field], index);
      return [];
    }
    return [
      {
        key: `${at}.${index}.${field}`,
        expected: 'one that no other client has',
        got: `that of client ${first}`,
      },
    ];
  });
}

/** Never shows a string: it may be an API key in the wrong place. */
function describe(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    if (looksLikeApiKey(value)) return 'a key itself';
    return value === '' ? 'an empty text' : `another text of ${value.length} characters`;
  }
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return 'an object';
}
