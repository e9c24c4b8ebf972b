import type { ProfileDifferences } from './profile-schema.ts';

export const iota: ProfileDifferences = {
  name: 'iota',
  recognisedBy: ['IotaAddress', 'Query.transactionBlock'],
  headers: { version: 'x-iota-rpc-version', showUsage: 'x-iota-rpc-show-usage' },
  events: {
    methods: {
      queryEvents: 'iotax_queryEvents',
      queryTransactionBlocks: 'iotax_queryTransactionBlocks',
      subscribeEvent: 'iotax_subscribeEvent',
      unsubscribeEvent: 'iotax_unsubscribeEvent',
      subscribeTransaction: 'iotax_subscribeTransaction',
      unsubscribeTransaction: 'iotax_unsubscribeTransaction',
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
  subscriptions: { path: '/subscriptions' },
  sponsor: { requestTypeKey: 'request_type' },
  limits: {
    payload: 'body',
    countsEveryValue: true,
    texts: {
      overall:
        'Overall request too large: {actual} bytes. Requests are limited to {transaction} bytes or fewer on transaction payloads (all inputs to executeTransactionBlock or dryRunTransactionBlock) and the rest of the request (the query part) must be {query} bytes or fewer.',
      transaction:
        'Transaction payload too large. Requests are limited to {transaction} bytes or fewer on transaction payloads (all inputs to executeTransactionBlock or dryRunTransactionBlock) and the rest of the request (the query part) must be {query} bytes or fewer.',
      query:
        'Query part too large: {actual} bytes. Requests are limited to {transaction} bytes or fewer on transaction payloads (all inputs to executeTransactionBlock or dryRunTransactionBlock) and the rest of the request (the query part) must be {query} bytes or fewer.',
    },
  },
};
