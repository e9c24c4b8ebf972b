/** The names that one network uses on the wire. No other code depends on which network it is. */
export interface NetworkProfile {
  readonly name: string;
  /** Request headers of the ledger's GraphQL, in lower case. */
  readonly headers: { readonly version: string; readonly showUsage: string };
  readonly events: {
    readonly methods: Readonly<Record<RpcMethod, string>>;
    /** The node's name of each member of `EventQueryFilter`; `null` where it has no such filter. */
    readonly filters: Readonly<Record<EventFilterMember, string | null>>;
    readonly timeRange: {
      /** Does the node take the bounds as JSON numbers, or as strings of digits? */
      readonly encoding: 'number' | 'text';
      /** Does the node exclude the end of the range? Clients of the gateway always include it. */
      readonly endExclusive: boolean;
    };
  };
  /** The subscriptions of the ledger's GraphQL. */
  readonly subscriptions: {
    /** What follows the path of its endpoint in the address at which they are taken. */
    readonly path: string;
    /** Its root fields that tell of events and of transactions, and the members of their `filter` that say what ours say. */
    readonly events: { readonly field: string; readonly moveModule: string };
    readonly transactions: { readonly field: string; readonly fromAddress: string; readonly moveFunction: string };
  };
  readonly sponsor: {
    /** The key of an `execute_tx` body that says how long to wait. */
    readonly requestTypeKey: 'requestType' | 'request_type';
  };
  /** The ledger's root fields that joins query, and the names of their arguments. */
  readonly joins: {
    readonly object: { readonly field: RootFieldName; readonly id: string; readonly version: string };
    readonly address: { readonly field: RootFieldName; readonly id: string };
    readonly transaction: { readonly field: RootFieldName; readonly id: string };
  };
  /**
   * By which tables it is told which of the ledger's fields never change: by the first one that the schema fits. The tables
   * differ in how a schema speaks of transactions. Empty: nothing is taken to be immutable.
   */
  readonly immutableFields: readonly ImmutableFieldsName[];
}

export const rpcMethods = [
  'queryEvents',
  'queryTransactionBlocks',
  'subscribeEvent',
  'unsubscribeEvent',
  'subscribeTransaction',
  'unsubscribeTransaction',
] as const;
type RpcMethod = (typeof rpcMethods)[number];

/** All with the prefix of the network. */
function methodsOf(prefix: string): Readonly<Record<RpcMethod, string>> {
  return Object.fromEntries(rpcMethods.map((method) => [method, prefix + method])) as Record<RpcMethod, string>;
}

export const immutableFieldsNames = ['transactionBlocks', 'transactions'] as const;
type ImmutableFieldsName = (typeof immutableFieldsNames)[number];

/** Where versions of a ledger differ in the name: each of them. The first that the ledger's schema has, and that fits, is read. */
export type RootFieldName = string | readonly string[];

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

/** Real nodes lack four filters of the contract and name some others differently. */
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

/** Headers that ask for a version, and say which one answered: the contract's name, and the network's own besides. */
export function versionHeadersOf({ headers }: Pick<NetworkProfile, 'headers'>): readonly string[] {
  return [...new Set([ledger.headers.version, headers.version])];
}

/** Headers by which a caller asks to be told its usage: the contract's name, and the network's own besides. */
export function usageHeadersOf({ headers }: Pick<NetworkProfile, 'headers'>): readonly string[] {
  return [...new Set([ledger.headers.showUsage, headers.showUsage])];
}
