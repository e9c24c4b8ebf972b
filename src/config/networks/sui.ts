import type { ProfileDifferences } from './profile-schema.ts';
import { suiLegacy } from './sui-legacy.ts';

/** Sui's current GraphQL RPC, whose schema has transactions. */
export const sui: ProfileDifferences = {
  name: 'sui',
  differsFrom: suiLegacy,
  recognisedBy: ['SuiAddress', 'Query.transaction'],
  eventsSource: 'graphql',
  history: {
    events: {
      filters: {
        transaction: null,
        moveModule: 'module',
        moveEventModule: 'type',
        eventType: 'type',
        sender: 'sender',
        package: 'module',
      },
      paths: {
        txDigest: 'transaction.digest',
        eventSeq: 'sequenceNumber',
        packageId: 'transactionModule.package.address',
        transactionModule: 'transactionModule.name',
        sender: 'sender.address',
        type: 'contents.type.repr',
        parsedJson: 'contents.json',
        bcs: 'contents.bcs',
        timestamp: 'timestamp',
      },
      checkpoint: 'transaction.effects.checkpoint.sequenceNumber',
      cursor: null,
    },
    transactions: {
      field: 'transactions',
      filters: {
        checkpoint: 'atCheckpoint',
        moveFunction: 'function',
        inputObject: null,
        changedObject: null,
        fromAddress: 'sentAddress',
        toAddress: null,
        transactionKind: 'kind',
      },
      kinds: {
        Genesis: null,
        ConsensusCommitPrologueV1: null,
        RandomnessStateUpdate: null,
        EndOfEpochTransaction: null,
      },
      raw: '{digest transactionBcs signatures{signatureBytes}sender{address}gasInput{gasSponsor{address}gasPrice gasBudget}effects{status effectsBcs executionError{message}timestamp checkpoint{sequenceNumber}epoch{epochId}}}',
      content: { transaction: 'transactionBcs', effects: null },
      cursor: null,
    },
    checkpoint: { argument: 'sequenceNumber:$' },
    transaction: { field: 'transaction' },
    oldest: {
      field: 'serviceConfig{availableRange(type:"Query",field:"$"){first{sequenceNumber}}}',
      path: 'availableRange.first.sequenceNumber',
    },
  },
  subscriptions: {
    transport: 'sse',
    events: { moveModule: 'module' },
    transactions: { fromAddress: 'sentAddress' },
  },
  serviceConfig: { queryTimeoutMs: 'queryTimeoutMs' },
  limits: {
    code: 'GRAPHQL_VALIDATION_FAILED',
    payload: 'body',
    payloadUsage: 'counted',
    transactionArguments: {
      executeTransaction: ['transactionDataBcs', 'signatures'],
      simulateTransaction: ['transaction'],
      verifySignature: ['message', 'signature'],
      verifyZkLoginSignature: ['bytes', 'signature'],
    },
    countsEveryValue: true,
    connections: 'type',
    pageSizes: {
      '*': { usual: 20, max: 50 },
      'Query.packages': { usual: 200, max: 200 },
      'TransactionEffects.objectChanges': { usual: 1024, max: 1024 },
    },
    texts: {
      overall: 'Request too large {actual}B > {max}B',
      transaction: 'Transaction payload exceeded limit of {max}B',
      query: 'Query payload too large: {actual}B > {max}B',
      output:
        'Query is estimated to produce over {max} output nodes. Try fetching fewer fields or fetching fewer items per page in paginated or multi-get fields.',
    },
  },
  joins: { transaction: { field: 'transaction' } },
  simulation: {
    field: 'simulateTransaction',
    argument: 'transaction',
    encoding: 'json',
    raw: '{effects{status executionError{message}gasEffects{gasSummary{computationCost storageCost storageRebate}}balanceChangesJson transaction{digest sender{address}gasInput{gasSponsor{address}gasPrice gasBudget gasPayment(first:50){pageInfo{hasNextPage}nodes{address version digest}}}}}}',
    paths: {
      error: null,
      transaction: 'effects.transaction',
      effects: 'effects',
      failure: 'executionError.message',
      changes: 'balanceChangesJson',
    },
  },
  immutableFields: ['transactions'],
};
