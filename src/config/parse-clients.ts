import { parseDocument } from 'yaml';
import { z } from 'zod';
import { clientIdRule, isClientId, looksLikeApiKey } from './api-key.ts';
import { type Client, clientScopes } from './client.ts';
import type { ConfigMistake } from './config-error.ts';
import { moveCallRule, toMoveCall } from './move-call.ts';
import { quoteText } from './quote-text.ts';
import { origins } from './value-kinds.ts';

export type ClientsResult =
  | { readonly clients: readonly Client[] }
  /** Each mistake's `key` is a path: `CLIENTS_FILE.0.hash`. */
  | { readonly mistakes: readonly ConfigMistake[] };

const maxPerMinute = 1_000_000_000;
const attempts = `an integer from 0 to ${maxPerMinute} (attempts a minute)`;
// Not 0, which stands for no limit where attempts are counted.
const gas = `an integer from 1 to ${Number.MAX_SAFE_INTEGER} (of the smallest unit of the gas coin), or none of this key`;
const fields = 'id, hash, scopes, rate.perMinute, origins, gas.perDay, moveCalls';

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
    .refine((list) => toOrigins(list) !== undefined, 'origins, each like https://app.example.com, without a path')
    .optional(),
  gas: z.strictObject({ perDay: z.int(gas).min(1, gas) }, 'an object').optional(),
  moveCalls: z
    .array(
      z.string(moveCallRule).refine((text) => toMoveCall(text) !== undefined, moveCallRule),
      'a list of what may be called',
    )
    .optional(),
});

const clientsSchema = z.array(clientSchema, 'a list of clients').min(1, 'a list of at least one client');

/** Parses the text of a clients file, YAML or JSON. */
export function parseClients(text: string): ClientsResult {
  const content = parsePlainJson(text) ?? parseYaml(text);
  if ('mistakes' in content) return content;
  const result = clientsSchema.safeParse(content.value);
  if (!result.success) {
    return { mistakes: result.error.issues.flatMap((issue) => toMistakes(issue, content.value)) };
  }
  const clients = result.data.map(
    ({ id, hash, scopes, rate, origins: list, gas, moveCalls }): Client => ({
      id,
      hash,
      scopes: [...new Set(scopes)],
      perMinute: rate?.perMinute ?? null,
      origins: list ? (toOrigins(list) ?? null) : null,
      gasPerDay: gas?.perDay ?? null,
      moveCalls: moveCalls ? [...new Set(moveCalls.flatMap((text) => toMoveCall(text) ?? []))] : null,
    }),
  );
  const mistakes = [...findRepeated(clients, 'id'), ...findRepeated(clients, 'hash')];
  return mistakes.length > 0 ? { mistakes } : { clients };
}

/** Normalises origins to the form in which browsers send them; `undefined` if one is not an origin. */
function toOrigins(list: readonly string[]): readonly string[] | undefined {
  const parsed = list.map((item) => (item.includes(',') || item === '*' ? undefined : origins.parse(item)));
  return parsed.every((each) => each !== undefined) ? parsed.flat() : undefined;
}

/**
 * JSON is YAML too, but parsed as such a list of a thousand clients would stop a serving process for a third of a second.
 * `null` for anything else, and for JSON in which a name is given twice: it is the other parser that finds that.
 */
function parsePlainJson(text: string): { readonly value: unknown } | null {
  let members = 0;
  try {
    const value: unknown = JSON.parse(text, (_, part: unknown) => {
      if (typeof part === 'object' && part !== null && !Array.isArray(part)) members += Object.keys(part).length;
      return part;
    });
    let names = 0;
    // A text with a colon behind it; each is taken whole, so that none begins within another.
    for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (colon !== undefined) names += 1;
    return names === members ? { value } : null;
  } catch {
    return null;
  }
}

/** Reports only the line of a syntax error: the parser's message would quote the file, which may hold a key by mistake. */
function parseYaml(text: string): { readonly value: unknown } | { readonly mistakes: readonly ConfigMistake[] } {
  const mistake = (got: string) => ({
    mistakes: [{ key: 'CLIENTS_FILE', expected: 'a JSON or YAML list of clients', got }],
  });
  try {
    const document = parseDocument(text, { logLevel: 'error' });
    const [error] = document.errors;
    if (error) return mistake(`text that is neither (line ${error.linePos?.[0].line ?? '?'}: ${error.code})`);
    return { value: document.toJS() };
  } catch {
    return mistake('text that cannot be read as either');
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
    return [{ key: toKey([index, field]), expected: 'one that no other client has', got: `that of client ${first}` }];
  });
}

function toMistakes(issue: z.core.$ZodIssue, value: unknown): ConfigMistake[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((name) => ({
      key: toKey([...issue.path, name]),
      expected: `a name that a client has: ${fields}`,
      got: 'an unknown one',
    }));
  }
  const expected =
    issue.code === 'invalid_value'
      ? `one of ${issue.values.join(', ')}`
      : issue.code === 'invalid_type' && issue.expected === 'object'
        ? 'an object'
        : issue.message;
  return [{ key: toKey(issue.path), expected, got: describe(valueAt(value, issue.path)) }];
}

function toKey(path: readonly PropertyKey[]): string {
  return ['CLIENTS_FILE', ...path.map((part) => quoteText(String(part)).slice(1, -1))].join('.');
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null
        ? Object.entries(at).find(([name]) => name === String(key))?.[1]
        : undefined,
    value,
  );
}

/** Never shows a string: it may be a key that was pasted into the wrong place. */
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
