import { type ProfileDifferences, rpcMethodsWith } from './profile-schema.ts';
import { suiLegacy } from './sui-legacy.ts';

export const iota: ProfileDifferences = {
  name: 'iota',
  differsFrom: suiLegacy,
  recognisedBy: ['IotaAddress', 'Query.transactionBlock'],
  headers: { version: 'x-iota-rpc-version', showUsage: 'x-iota-rpc-show-usage' },
  events: { methods: rpcMethodsWith('iotax') },
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
