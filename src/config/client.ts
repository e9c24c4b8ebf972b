import { hash } from 'node:crypto';
import { z } from 'zod';
import type { ConfigMistake } from './config-error.ts';
import { type ListResult, parseYaml } from './read-settings.ts';
import { Secret } from './secret.ts';
import { toMistakes } from './to-mistakes.ts';
import { type DocumentPolicy, documentPolicies } from './trusted-documents.ts';
import { moveCallRule, toMoveCall, toOrigin } from './value-types.ts';

export const clientScopes = ['read', 'sponsor', 'admin'] as const;

/** One entry of the clients file: a client with an API key. */
export interface Client {
  readonly id: string;
  /** SHA-256 of the key, in hex. */
  readonly hash: string;
  readonly scopes: readonly (typeof clientScopes)[number][];
  /** Attempts a minute; 0 = no limit; `null` = the general limit. */
  readonly perMinute: number | null;
  /** Web origins whose pages may use the key; `null` = all. */
  readonly origins: readonly string[] | null;
  /** The gas that it may reserve per UTC day, in the smallest unit of the gas coin; `null` = no budget. */
  readonly gasPerDay: number | null;
  /**
   * Calls allowed in its sponsored transactions, the package as 0x and 64 digits: `package::module::function`,
   * `package::module` or `package`; `null` = any.
   */
  readonly moveCalls: readonly string[] | null;
  /** `null` = the gateway's policy. */
  readonly documents: DocumentPolicy | null;
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

const maxPerMinute = 1_000_000_000;
const attempts = `an integer from 0 to ${maxPerMinute} (attempts a minute)`;
// Not 0, which stands for no limit.
const gas = `an integer from 1 to ${Number.MAX_SAFE_INTEGER} (of the smallest unit of the gas coin), or none of this key`;
const knownNames =
  'a name that a client has: id, hash, scopes, rate.perMinute, origins, gas.perDay, moveCalls, documents';

const clientSchema = z.strictObject({
  id: z.string(clientIdRule).refine(isClientId, clientIdRule),
  hash: z.string('64 hexadecimal digits in lower case').regex(/^[\da-f]{64}$/, '64 hexadecimal digits in lower case'),
  scopes: z.array(z.enum(clientScopes), `a list of ${clientScopes.join(', ')}`).default(['read']),
  rate: z
    .strictObject({ perMinute: z.int(attempts).min(0, attempts).max(maxPerMinute, attempts) }, 'an object')
    .optional(),
  origins: z
    .array(z.string('an origin'), 'a list of origins')
    .min(1, 'at least one origin, or none of this key')
    .refine((list) => list.every(isOrigin), 'origins, each like https://app.example.com, without a path')
    .transform((list) => list.flatMap((item) => toOrigin(item.trim()) ?? []))
    .optional(),
  gas: z.strictObject({ perDay: z.int(gas).min(1, gas) }, 'an object').optional(),
  moveCalls: z
    .array(
      z
        .string(moveCallRule)
        .refine((text) => toMoveCall(text) !== undefined, moveCallRule)
        .transform((text) => toMoveCall(text) ?? text),
      'a list of what may be called',
    )
    .optional(),
  documents: z.enum(documentPolicies).optional(),
});

function isOrigin(item: string): boolean {
  return toOrigin(item.trim()) !== undefined;
}

const clientsSchema = z.array(clientSchema, 'a list of clients').min(1, 'a list of at least one client');

/** Parses the text of a clients file, YAML or JSON. The keys of mistakes are paths: `CLIENTS_FILE.0.hash`. */
export function parseClients(text: string): ListResult<Client> {
  const parsed = parsePlainJson(text) ?? parseYaml(text);
  if ('problem' in parsed) {
    return { mistakes: [{ key: 'CLIENTS_FILE', expected: 'a JSON or YAML list of clients', got: parsed.problem }] };
  }
  const content = parsed.value;
  const { data, error } = clientsSchema.safeParse(content);
  if (error) {
    return { mistakes: toMistakes(error.issues, { setting: 'CLIENTS_FILE', content, knownNames, describe }) };
  }
  const clients = data.map(
    ({ id, hash, scopes, rate, origins, gas, moveCalls, documents }): Client => ({
      id,
      hash,
      scopes: [...new Set(scopes)],
      perMinute: rate?.perMinute ?? null,
      origins: origins ? [...new Set(origins)] : null,
      gasPerDay: gas?.perDay ?? null,
      moveCalls: moveCalls ? [...new Set(moveCalls)] : null,
      documents: documents ?? null,
    }),
  );
  const mistakes = [...findRepeated(clients, 'id'), ...findRepeated(clients, 'hash')];
  return mistakes.length > 0 ? { mistakes } : clients;
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

function findRepeated(clients: readonly Client[], field: 'id' | 'hash'): ConfigMistake[] {
  const seen = new Map<string, number>();
  return clients.flatMap((client, index) => {
    const first = seen.get(client[field]);
    if (first === undefined) {
      seen.set(client[field], index);
      return [];
    }
    return [
      {
        key: `CLIENTS_FILE.${index}.${field}`,
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
