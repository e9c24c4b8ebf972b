import { z } from 'zod';
import { type ConfigMistake, quoteText } from './config-error.ts';
import { toMistakes } from './zod-mistakes.ts';

const rpcMethods = [
  'queryEvents',
  'queryTransactionBlocks',
  'subscribeEvent',
  'unsubscribeEvent',
  'subscribeTransaction',
  'unsubscribeTransaction',
] as const;

export const eventFilterMembers = [
  'all',
  'transaction',
  'moveModule',
  'moveEventModule',
  'moveEvent',
  'eventType',
  'sender',
  'recipient',
  'object',
  'timeRange',
  'package',
  'moveEventType',
] as const;

export type EventFilterMember = (typeof eventFilterMembers)[number];

/** Text that matches a pattern. */
const text = (pattern: RegExp, expected: string) => z.string('a text').regex(pattern, expected);
const headerName = text(/^[a-z\d!#$%&'*+.^_`|~-]+$/, 'a header name in lower case');
const graphqlName = text(/^[_a-zA-Z]\w*$/, 'a GraphQL name');
const wireName = text(/^\S+$/, 'a text without white space');
const nameOrNames = 'a GraphQL name, or a list of them';
/** A list where versions of a ledger differ in the name: the gateway reads the first that the ledger's schema has and that fits. */
const rootFieldName = z.union([graphqlName, z.array(graphqlName).min(1, nameOrNames).readonly()], nameOrNames);

const networkProfileSchema = z.strictObject({
  name: wireName,
  /** Request headers of the ledger's GraphQL, in lower case. */
  headers: z.strictObject({ version: headerName, showUsage: headerName }),
  events: z.strictObject({
    methods: z.record(z.enum(rpcMethods), wireName),
    /** The node's name of each member of `EventQueryFilter`; `null` where it has no such filter. */
    filters: z.record(z.enum(eventFilterMembers), wireName.nullable()),
    timeRange: z.strictObject({
      /** Does the node take the bounds as JSON numbers, or as strings of digits? */
      encoding: z.enum(['number', 'text']),
      /** Does the node exclude the end of the range? The gateway always includes it. */
      endExclusive: z.boolean('true or false'),
    }),
  }),
  /** The subscriptions of the ledger's GraphQL: root fields, and the members of their `filter` that match ours. */
  subscriptions: z.strictObject({
    /** Follows the path of the GraphQL endpoint. */
    path: text(/^(?:\/[\w.~-]+)*$/, 'a path, or an empty text'),
    events: z.strictObject({ field: graphqlName, moveModule: graphqlName }),
    transactions: z.strictObject({ field: graphqlName, fromAddress: graphqlName, moveFunction: graphqlName }),
  }),
  /** The key of an `execute_tx` body that says how long to wait. */
  sponsor: z.strictObject({ requestTypeKey: z.enum(['requestType', 'request_type']) }),
  /** The ledger's root fields that joins query, and the names of their arguments. */
  joins: z.strictObject({
    object: z.strictObject({ field: rootFieldName, id: graphqlName, version: graphqlName }),
    address: z.strictObject({ field: rootFieldName, id: graphqlName }),
    transaction: z.strictObject({ field: rootFieldName, id: graphqlName }),
  }),
  /**
   * Tables of the fields that never change; the gateway uses the first that the schema fits. They differ in how a schema
   * represents transactions. Empty: no field counts as immutable.
   */
  immutableFields: z.array(z.enum(['transactionBlocks', 'transactions']), 'a list').readonly(),
});

/** The names that one network uses on the wire. No other code depends on which network it is. */
export type NetworkProfile = z.output<typeof networkProfileSchema>;

/** All methods with the prefix of the network. */
function methodsOf(prefix: string): NetworkProfile['events']['methods'] {
  const entries = rpcMethods.map((method) => [method, prefix + method]);
  return Object.fromEntries(entries) as NetworkProfile['events']['methods'];
}

const ledger: NetworkProfile = {
  name: 'ledger',
  headers: { version: 'x-ledger-rpc-version', showUsage: 'x-ledger-rpc-show-usage' },
  events: {
    methods: methodsOf('ledgerx_'),
    filters: {
      all: 'All',
      transaction: 'Transaction',
      moveModule: 'MoveModule',
      moveEventModule: 'MoveEventModule',
      moveEvent: 'MoveEvent',
      eventType: 'EventType',
      sender: 'Sender',
      recipient: 'Recipient',
      object: 'Object',
      timeRange: 'TimeRange',
      package: null,
      moveEventType: null,
    },
    timeRange: { encoding: 'number', endExclusive: false },
  },
  subscriptions: {
    path: '',
    events: { field: 'events', moveModule: 'emittingModule' },
    transactions: { field: 'transactions', fromAddress: 'signingAddress', moveFunction: 'function' },
  },
  sponsor: { requestTypeKey: 'requestType' },
  joins: {
    object: { field: 'object', id: 'address', version: 'version' },
    address: { field: 'address', id: 'address' },
    transaction: { field: ['transactionBlock', 'transaction'], id: 'digest' },
  },
  immutableFields: ['transactionBlocks'],
};

/** Real nodes lack some filters of the contract and name others differently. */
const realNodeFilters: NetworkProfile['events']['filters'] = {
  ...ledger.events.filters,
  moveEvent: null,
  eventType: 'MoveEventType',
  recipient: null,
  object: null,
  package: 'Package',
  moveEventType: 'MoveEventType',
};

const iota: NetworkProfile = {
  ...ledger,
  name: 'iota',
  headers: { version: 'x-iota-rpc-version', showUsage: 'x-iota-rpc-show-usage' },
  events: {
    methods: methodsOf('iotax_'),
    filters: realNodeFilters,
    timeRange: { encoding: 'text', endExclusive: true },
  },
  subscriptions: { ...ledger.subscriptions, path: '/subscriptions' },
  sponsor: { requestTypeKey: 'request_type' },
};

const sui: NetworkProfile = {
  ...iota,
  name: 'sui',
  headers: { version: 'x-sui-rpc-version', showUsage: 'x-sui-rpc-show-usage' },
  events: {
    ...iota.events,
    methods: methodsOf('suix_'),
  },
  // Its newer schema calls them transactions.
  immutableFields: ['transactionBlocks', 'transactions'],
};

export const networkProfiles = { ledger, iota, sui } as const satisfies Record<string, NetworkProfile>;
export type NetworkProfileName = keyof typeof networkProfiles;

/** Headers with the requested version, and the version that answered: the contract's name and the network's own. */
export function versionHeadersOf({ headers }: Pick<NetworkProfile, 'headers'>): readonly string[] {
  return [...new Set([ledger.headers.version, headers.version])];
}

/** Headers that ask for usage figures: the contract's name and the network's own. */
export function usageHeadersOf({ headers }: Pick<NetworkProfile, 'headers'>): readonly string[] {
  return [...new Set([ledger.headers.showUsage, headers.showUsage])];
}

export type ProfileResult =
  | { readonly profile: NetworkProfile }
  /** Each mistake's `key` is a path: `PROFILE_OVERRIDES.headers.version`. */
  | { readonly mistakes: readonly ConfigMistake[] };

/** Overrides single names of a profile. Every path must exist in the profile, and every value must have its type. */
export function parseNetworkProfile(base: NetworkProfile, overrides: Readonly<Record<string, unknown>>): ProfileResult {
  const { data, error } = networkProfileSchema.safeParse(mergeDeep(base, overrides));
  if (!error) return { profile: data };
  const checked = {
    setting: 'PROFILE_OVERRIDES',
    content: overrides,
    knownNames: 'a name that a profile has',
    describe,
  };
  return { mistakes: toMistakes(error.issues, checked) };
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

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return isObject(value) ? 'an object' : quoteText(String(value));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
