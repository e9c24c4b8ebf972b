import type { NetworkProfile } from './profile-schema.ts';

/** The contract. The other profiles list only their differences from it. */
export const ledger: NetworkProfile = {
  name: 'ledger',
  headers: { version: 'x-ledger-rpc-version', showUsage: 'x-ledger-rpc-show-usage' },
  events: {
    methods: {
      queryEvents: 'ledgerx_queryEvents',
      queryTransactionBlocks: 'ledgerx_queryTransactionBlocks',
      subscribeEvent: 'ledgerx_subscribeEvent',
      unsubscribeEvent: 'ledgerx_unsubscribeEvent',
      subscribeTransaction: 'ledgerx_subscribeTransaction',
      unsubscribeTransaction: 'ledgerx_unsubscribeTransaction',
    },
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
