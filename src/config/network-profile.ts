/** How one network spells things on the wire. Nothing else in the code knows a network's name. */
export interface NetworkProfile {
  readonly name: string;
  /** Ledger GraphQL headers, lower case. */
  readonly headers: { readonly version: string; readonly showUsage: string };
  readonly events: {
    readonly methods: { readonly queryEvents: string; readonly queryTransactionBlocks: string };
    /** Wire variant of each member of `EventQueryFilter`; `null` where the network has none. */
    readonly filters: Readonly<Record<EventFilterMember, string | null>>;
    readonly timeRange: {
      /** Are the bounds JSON numbers or decimal text? */
      readonly encoding: 'number' | 'text';
      /** Is the end left out? Clients always give a closed interval. */
      readonly endExclusive: boolean;
    };
  };
  readonly sponsor: {
    /** Key of `execute_tx` that says how long to wait. */
    readonly requestTypeKey: 'requestType' | 'request_type';
  };
  /** Root fields of the ledger that joins read, with the names of their arguments. */
  readonly joins: {
    readonly object: { readonly field: string; readonly id: string; readonly version: string };
    readonly address: { readonly field: string; readonly id: string };
    readonly transaction: { readonly field: string; readonly id: string };
  };
}

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
    methods: { queryEvents: 'ledgerx_queryEvents', queryTransactionBlocks: 'ledgerx_queryTransactionBlocks' },
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
  sponsor: { requestTypeKey: 'requestType' },
  joins: {
    object: { field: 'object', id: 'address', version: 'version' },
    address: { field: 'address', id: 'address' },
    transaction: { field: 'transactionBlock', id: 'digest' },
  },
};

/** Filters of the real nodes: the four the contract alone has do not exist, two others do. */
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
    methods: { queryEvents: 'iotax_queryEvents', queryTransactionBlocks: 'iotax_queryTransactionBlocks' },
    filters: realNodeFilters,
    timeRange: { encoding: 'text', endExclusive: true },
  },
  sponsor: { requestTypeKey: 'request_type' },
};

const sui: NetworkProfile = {
  ...iota,
  name: 'sui',
  headers: { version: 'x-sui-rpc-version', showUsage: 'x-sui-rpc-show-usage' },
  events: {
    ...iota.events,
    methods: { queryEvents: 'suix_queryEvents', queryTransactionBlocks: 'suix_queryTransactionBlocks' },
  },
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
