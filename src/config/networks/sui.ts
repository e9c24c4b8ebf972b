import type { ProfileDifferences } from './profile-schema.ts';

/** Sui's current GraphQL RPC, whose schema has transactions. */
export const sui: ProfileDifferences = {
  name: 'sui',
  headers: { version: 'x-sui-rpc-version', showUsage: 'x-sui-rpc-show-usage' },
  events: {
    methods: {
      queryEvents: 'suix_queryEvents',
      queryTransactionBlocks: 'suix_queryTransactionBlocks',
      subscribeEvent: 'suix_subscribeEvent',
      unsubscribeEvent: 'suix_unsubscribeEvent',
      subscribeTransaction: 'suix_subscribeTransaction',
      unsubscribeTransaction: 'suix_unsubscribeTransaction',
    },
    filters: {
      moveEvent: null,
      eventType: 'MoveEventType',
      recipient: null,
      object: null,
      package: 'Package',
      moveEventType: 'MoveEventType',
    },
    timeRange: { encoding: 'text', endExclusive: true },
  },
  subscriptions: {
    path: '/subscriptions',
    events: { moveModule: 'module' },
    transactions: { fromAddress: 'sentAddress' },
  },
  sponsor: { requestTypeKey: 'request_type' },
  joins: { transaction: { field: 'transaction' } },
  immutableFields: ['transactions'],
};
