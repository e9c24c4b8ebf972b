import { ledger } from './ledger.ts';
import { type FieldWeight, type ProfileDifferences, rpcMethodsWith } from './profile-schema.ts';
import { suiLegacy } from './sui-legacy.ts';

export const iota: ProfileDifferences = {
  name: 'iota',
  differsFrom: suiLegacy,
  recognisedBy: ['IotaAddress', 'Query.transactionBlock'],
  headers: { version: 'x-iota-rpc-version', showUsage: 'x-iota-rpc-show-usage' },
  events: {
    methods: rpcMethodsWith('iotax'),
    // iotaledger/iota#5818
    indexer: { code: -32603, text: 'This type of EventFilter is not supported', lacks: ['all', 'timeRange'] },
  },
  history: { transactions: { content: { kinds: ledger.history.transactions.content.kinds } } },
  sponsor: { transactionForms: 'common' },
  limits: {
    payload: 'body',
    countsEveryValue: true,
    // iotaledger/iota#9616: crates/iota-graphql-rpc/src/types/{query,checkpoint,epoch,event/mod,transaction_block/mod,transaction_block_effects}.rs
    complexity: {
      max: 6_000,
      since: 'Event.transactionBlock',
      pageSize: 20,
      fields: {
        ...weights('page', 'Query', ['events', 'transactionBlocks']),
        ...weights('page', 'Checkpoint', ['transactionBlocks']),
        ...weights('nothing', 'Checkpoint', [
          'digest',
          'sequenceNumber',
          'timestamp',
          'validatorSignatures',
          'previousCheckpointDigest',
          'networkTotalTransactions',
          'rollingGasSummary',
        ]),
        ...weights('page', 'Epoch', ['transactionBlocks']),
        ...weights('lookup', 'Event', ['transactionBlock']),
        ...weights('selections', 'Event', ['sendingModule', 'sender']),
        ...weights('nothing', 'Event', ['timestamp']),
        ...weights('selections', 'TransactionBlock', ['sender', 'gasInput', 'kind', 'effects', 'expiration']),
        ...weights('nothing', 'TransactionBlock', ['digest', 'signatures', 'bcs', 'indexedOnNode']),
        ...weights('page', 'TransactionBlockEffects', ['events']),
        ...weights('selections', 'TransactionBlockEffects', ['transactionBlock', 'dependencies', 'checkpoint']),
        ...weights('nothing', 'TransactionBlockEffects', [
          'status',
          'lamportVersion',
          'errors',
          'gasEffects',
          'unchangedSharedObjects',
          'objectChanges',
          'balanceChanges',
          'timestamp',
          'epoch',
          'bcs',
        ]),
      },
      text: 'Query is too complex.',
    },
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

function weights(weight: FieldWeight, type: string, fields: readonly string[]): Record<string, FieldWeight> {
  return Object.fromEntries(fields.map((field) => [`${type}.${field}`, weight]));
}
