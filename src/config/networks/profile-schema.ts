import { z } from 'zod';
import { historySchema } from './history-schema.ts';

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
/**
 * Alternative names, if versions of a ledger differ: the gateway uses the first that the ledger's schema has and that fits.
 */
const rootFieldName = z.union([graphqlName, z.array(graphqlName).min(1, nameOrNames).readonly()], nameOrNames);

export const networkProfileSchema = z.strictObject({
  name: wireName,
  /** Schema coordinates, `Type` or `Type.field`, whose combination only this network's schema has. */
  recognisedBy: z.array(text(/^\w+(?:\.\w+)?$/, 'a type, or a type and a field')).readonly(),
  /** Request headers of the ledger's GraphQL, in lower case. */
  headers: z.strictObject({
    version: headerName,
    showUsage: headerName,
    /** Does `showUsage` ask for usage whatever its value? Otherwise `false`, `0` and an empty value mean no. */
    showUsageByPresence: z.boolean('true or false'),
  }),
  events: z.strictObject({
    methods: z.record(z.enum(rpcMethods), wireName),
    /** The node's name of each member of `EventQueryFilter`; `null` if it has no such filter. */
    filters: z.record(z.enum(eventFilterMembers), wireName.nullable()),
    timeRange: z.strictObject({
      /** Does the node take the bounds as JSON numbers, or as strings of digits? */
      encoding: z.enum(['number', 'text']),
      /** Does the node exclude the end of the range? The gateway always includes it. */
      endExclusive: z.boolean('true or false'),
    }),
    /**
     * How an indexer that serves JSON-RPC in place of a node rejects an event filter, and the filters that it lacks. `null`: only
     * nodes serve it.
     */
    indexer: z
      .strictObject({
        code: z.int(),
        text: z.string('a part of the message').min(1),
        lacks: z.array(z.enum(eventFilterMembers)).readonly(),
      })
      .nullable(),
    /** Parts of messages about events and transactions that were pruned. */
    prunedTexts: z.array(z.string('a part of a message').min(1)).readonly(),
  }),
  /** How `EVENTS_SOURCE=auto` reads events and transactions if an address for JSON-RPC is set. */
  eventsSource: z.enum(['rpc', 'graphql']),
  history: historySchema,
  /** The subscriptions of the ledger's GraphQL: root fields, and the members of their `filter` that match ours. */
  subscriptions: z.strictObject({
    /** Over a WebSocket (`graphql-transport-ws`), or as server-sent events of a POST request. */
    transport: z.enum(['websocket', 'sse']),
    /** Appended to the path of the GraphQL endpoint. */
    path: text(/^(?:\/[\w.~-]+)*$/, 'a path, or an empty text'),
    events: z.strictObject({ field: graphqlName, moveModule: graphqlName }),
    transactions: z.strictObject({ field: graphqlName, fromAddress: graphqlName, moveFunction: graphqlName }),
  }),
  /** Errors of the ledger's own codes after which a repeated request may succeed. Clients receive `backoff` for them. */
  transientErrors: z.array(z.strictObject({ code: wireName, text: z.string('a part of the message') })).readonly(),
  /** Members of `serviceConfig` whose names differ between networks. */
  serviceConfig: z.strictObject({ queryTimeoutMs: graphqlName }),
  sponsor: z.strictObject({
    /** The key of an `execute_tx` body that sets how long to wait. */
    requestTypeKey: z.enum(['requestType', 'request_type']),
    /** Do transactions have only the forms of all networks, or also withdrawals, allowances and periods of validity? */
    transactionForms: z.enum(['common', 'extended']),
  }),
  /** How the ledger limits documents, besides the numbers that it reports, and the texts with which it rejects them. */
  limits: z.strictObject({
    code: z.enum(['BAD_USER_INPUT', 'GRAPHQL_VALIDATION_FAILED']),
    /** Does the query allowance count the text, or the whole body of a request? */
    payload: z.enum(['text', 'body']),
    /** Does `queryPayload` of the usage figures show the text, or what counts against the query allowance? */
    payloadUsage: z.enum(['text', 'counted']),
    /** Root fields with transaction payload, and their arguments that count as payload; `null`: all arguments. */
    transactionArguments: z.record(graphqlName, z.array(graphqlName).readonly().nullable()),
    /** Do numbers and objects in such arguments count as payload, or only strings and lists? */
    countsEveryValue: z.boolean('true or false'),
    /**
     * Is a connection recognised by a selection of `edges` or `nodes`, or by its type? Counting by type, each item of a page
     * and each key of a field `multiGet…` is a node of its own.
     */
    connections: z.enum(['selection', 'type']),
    /** Page sizes by `Type.field`, checked before execution; `*`: all other connections. Only for counting by type. */
    pageSizes: z.record(wireName, z.strictObject({ usual: z.int().positive(), max: z.int().positive() })),
    /** Maximum of keys of a field `multiGet…`. Only for counting by type. */
    maxMultiGetKeys: z.int().positive(),
    /**
     * The limit of a ledger that adds up weights of fields; `null`: it has none. A field costs one and what it selects. In
     * `fields`, by `Type.field`, are the others: `nothing` costs nothing, with all that it selects; `selections` costs what it
     * selects; `page` multiplies that by its `first` or `last`; `lookup` multiplies one and what it selects by `pageSize`.
     */
    complexity: z
      .strictObject({
        max: z.int().positive(),
        /** The coordinate of a field that the ledger has since it has the limit. */
        since: text(/^\w+\.\w+$/, 'a type and a field'),
        /** Items of a page without an explicit size. */
        pageSize: z.int().positive(),
        fields: z.record(wireName, z.enum(['nothing', 'selections', 'page', 'lookup'])),
        /** The rejection, which has no code. */
        text: z.string(),
      })
      .nullable(),
    /**
     * Texts of rejections. `{actual}` and `{max}` are the numbers of the limit, `{query}` and `{transaction}` both allowances
     * of bytes.
     */
    texts: z.strictObject({
      overall: z.string(),
      transaction: z.string(),
      query: z.string(),
      output: z.string(),
      page: z.string(),
      keys: z.string(),
    }),
  }),
  /** The ledger's root fields that joins query, and the names of their arguments. */
  joins: z.strictObject({
    object: z.strictObject({ field: rootFieldName, id: graphqlName, version: graphqlName }),
    address: z.strictObject({ field: rootFieldName, id: graphqlName }),
    transaction: z.strictObject({ field: rootFieldName, id: graphqlName }),
  }),
  /** How the ledger simulates a transaction: its root field, and what the gateway selects from it. */
  simulation: z.strictObject({
    field: graphqlName,
    argument: graphqlName,
    /** The argument's value: base64 text, or `{"bcs":{"value":"<base64>"}}`. */
    encoding: z.enum(['base64', 'json']),
    /** The selection, with a transaction's `sender` and `gasInput`, and the effects' `status` and `gasEffects`. */
    raw: z.string(),
    /** Paths in the field's value: to the transaction and the effects; below the effects, to the failure and the changes. */
    paths: z.strictObject({
      error: wireName.nullable(),
      transaction: wireName,
      effects: wireName,
      failure: wireName,
      changes: wireName,
    }),
  }),
  /**
   * Tables of the fields that never change; the gateway uses the first that fits the schema. They differ in how a schema
   * represents transactions. Empty: no field counts as immutable.
   */
  immutableFields: z.array(z.enum(['transactionBlocks', 'transactions']), 'a list').readonly(),
});

/** The names that one network uses on the wire. No other code depends on the network. */
export type NetworkProfile = z.output<typeof networkProfileSchema>;

/** How a ledger that adds up weights prices a field. */
export type FieldWeight = NonNullable<NetworkProfile['limits']['complexity']>['fields'][string];

/** The differences of a network from another, in the form of a profile. A list replaces the other's list. */
export type ProfileDifferences = DeepPartial<NetworkProfile> & {
  readonly name: string;
  /** The profile that it extends. Left out: `ledger`. */
  readonly differsFrom?: ProfileDifferences;
};

/** The names of all JSON-RPC methods of a network. */
export function rpcMethodsWith(prefix: string): NetworkProfile['events']['methods'] {
  const methods = rpcMethods.map((name) => [name, `${prefix}_${name}`] as const);
  return Object.fromEntries(methods) as NetworkProfile['events']['methods'];
}

type DeepPartial<Value> = Value extends readonly unknown[] | string | null
  ? Value
  : { readonly [Key in keyof Value]?: DeepPartial<Value[Key]> };
