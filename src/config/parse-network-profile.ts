import { z } from 'zod';
import type { ConfigMistake } from './config-error.ts';
import { eventFilterMembers, immutableFieldsNames, type NetworkProfile, rpcMethods } from './network-profile.ts';
import { quoteText } from './quote-text.ts';

const headerName = z.string().regex(/^[a-z\d!#$%&'*+.^_`|~-]+$/, 'a header name in lower case');
const graphqlName = z.string().regex(/^[_a-zA-Z]\w*$/, 'a GraphQL name');
const nameOrNames = 'a GraphQL name, or a list of them';
const rootFieldName = z.union([graphqlName, z.array(graphqlName).min(1, nameOrNames)], nameOrNames);
const wireName = z.string().regex(/^\S+$/, 'a text without white space');

const networkProfileSchema = z.strictObject({
  name: wireName,
  headers: z.strictObject({ version: headerName, showUsage: headerName }),
  events: z.strictObject({
    methods: z.record(z.enum(rpcMethods), wireName),
    filters: z.record(z.enum(eventFilterMembers), wireName.nullable()),
    timeRange: z.strictObject({ encoding: z.enum(['number', 'text']), endExclusive: z.boolean('true or false') }),
  }),
  subscriptions: z.strictObject({
    path: z.string().regex(/^(?:\/[\w.~-]+)*$/, 'a path, or an empty text'),
    events: z.strictObject({ field: graphqlName, moveModule: graphqlName }),
    transactions: z.strictObject({ field: graphqlName, fromAddress: graphqlName, moveFunction: graphqlName }),
  }),
  sponsor: z.strictObject({ requestTypeKey: z.enum(['requestType', 'request_type']) }),
  joins: z.strictObject({
    object: z.strictObject({ field: rootFieldName, id: graphqlName, version: graphqlName }),
    address: z.strictObject({ field: rootFieldName, id: graphqlName }),
    transaction: z.strictObject({ field: rootFieldName, id: graphqlName }),
  }),
  immutableFields: z.array(z.enum(immutableFieldsNames)),
}) satisfies z.ZodType<NetworkProfile>;

export type ProfileResult =
  | { readonly profile: NetworkProfile }
  /** Each mistake's `key` is a path: `PROFILE_OVERRIDES.headers.version`. */
  | { readonly mistakes: readonly ConfigMistake[] };

/** Overrides single names of a profile. Every path must exist in the profile, and every value must have its type. */
export function parseNetworkProfile(base: NetworkProfile, overrides: Readonly<Record<string, unknown>>): ProfileResult {
  const result = networkProfileSchema.safeParse(mergeDeep(base, overrides));
  if (result.success) return { profile: result.data };
  return { mistakes: result.error.issues.flatMap((issue) => toMistakes(issue, overrides)) };
}

function mergeDeep(base: object, over: object): object {
  const merged = new Map<string, unknown>(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key);
    merged.set(key, isObject(below) && isObject(value) ? mergeDeep(below, value) : value);
  }
  // `fromEntries` defines own properties, so a key `__proto__` stays a plain, unknown key.
  return Object.fromEntries(merged);
}

function toMistakes(issue: z.core.$ZodIssue, overrides: object): ConfigMistake[] {
  if (issue.code === 'unrecognized_keys' || (issue.code === 'invalid_key' && issue.path.length > 0)) {
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    return unknown.map((path) => ({ key: toKey(path), expected: 'a name that a profile has', got: 'an unknown one' }));
  }
  return [{ key: toKey(issue.path), expected: toExpected(issue), got: describe(valueAt(overrides, issue.path)) }];
}

function toExpected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `one of ${issue.values.join(', ')}`;
  if (issue.code !== 'invalid_type') return issue.message;
  if (issue.expected === 'boolean') return 'true or false';
  return issue.expected === 'string' ? 'a text' : 'an object';
}

function toKey(path: readonly PropertyKey[]): string {
  return ['PROFILE_OVERRIDES', ...path.map((part) => quoteText(String(part)).slice(1, -1))].join('.');
}

function valueAt(object: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isObject(value) ? Object.entries(value).find(([name]) => name === key)?.[1] : undefined),
    object,
  );
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return isObject(value) ? 'an object' : quoteText(String(value));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
