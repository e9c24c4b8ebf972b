import { type NetworkProfile, rpcMethodsWith } from './profile-schema.ts';

/** The default profile. The other profiles list only their differences from it. */
export const ledger: NetworkProfile = {
  name: 'ledger',
  recognisedBy: [],
  headers: { version: 'x-ledger-rpc-version', showUsage: 'x-ledger-rpc-show-usage', showUsageByPresence: false },
  events: {
    methods: rpcMethodsWith('ledgerx'),
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
    indexer: null,
    prunedTexts: ['has been pruned (min available', 'requested events not available'],
  },
  eventsSource: 'rpc',
  history: {
    events: {
      field: 'events',
      filters: {
        transaction: 'transactionDigest',
        moveModule: 'emittingModule',
        moveEventModule: 'eventType',
        eventType: 'eventType',
        sender: 'sender',
        package: 'emittingModule',
      },
      hasCheckpoints: false,
      paths: {
        txDigest: 'transactionBlock.digest',
        eventSeq: null,
        packageId: 'sendingModule.package.address',
        transactionModule: 'sendingModule.name',
        sender: 'sender.address',
        type: 'type.repr',
        parsedJson: 'json',
        bcs: 'bcs',
        timestamp: 'timestamp',
      },
      checkpoint: null,
      cursor: { order: ['tx', 'e'], checkpoint: 'c', rest: {} },
    },
    transactions: {
      field: 'transactionBlocks',
      filters: {
        checkpoint: 'atCheckpoint',
        moveFunction: 'function',
        inputObject: 'inputObject',
        changedObject: 'changedObject',
        fromAddress: 'sentAddress',
        toAddress: 'recvAddress',
        transactionKind: 'kind',
      },
      kinds: {
        ProgrammableTransaction: 'PROGRAMMABLE_TX',
        SystemTransaction: 'SYSTEM_TX',
        Genesis: 'GENESIS',
        ConsensusCommitPrologueV1: 'CONSENSUS_COMMIT_PROLOGUE_V1',
        RandomnessStateUpdate: 'RANDOMNESS_STATE_UPDATE',
        EndOfEpochTransaction: 'END_OF_EPOCH_TX',
      },
      paths: { digest: 'digest', timestamp: 'effects.timestamp', checkpoint: 'effects.checkpoint.sequenceNumber' },
      raw: '{digest bcs signatures sender{address}gasInput{gasSponsor{address}gasPrice gasBudget}effects{status errors bcs timestamp checkpoint{sequenceNumber}epoch{epochId}}}',
      cursor: { order: ['t'], checkpoint: 'c', rest: { i: false } },
    },
    checkpoints: { after: 'afterCheckpoint', at: 'atCheckpoint', before: 'beforeCheckpoint' },
    checkpoint: { field: 'checkpoint', argument: 'id:{sequenceNumber:$}' },
    transaction: { field: 'transactionBlock' },
    oldest: { field: '$(first:1){edges{cursor}}', path: 'edges' },
    // iotaledger/iota#12184, #12272, #12553
    pruned: {
      codes: ['DATA_PRUNED'],
      texts: [
        'outside the available range',
        'due to pruning',
        'been pruned',
        'no longer available',
        'requested events not available',
      ],
    },
  },
  subscriptions: {
    transport: 'websocket',
    path: '',
    events: { field: 'events', moveModule: 'emittingModule' },
    transactions: { field: 'transactions', fromAddress: 'signingAddress', moveFunction: 'function' },
  },
  // The same code rejects documents that are too expensive.
  transientErrors: [{ code: 'RESOURCE_EXHAUSTED', text: 'retry later' }],
  serviceConfig: { queryTimeoutMs: 'requestTimeoutMs' },
  sponsor: { requestTypeKey: 'requestType', transactionForms: 'common' },
  limits: {
    code: 'BAD_USER_INPUT',
    payload: 'text',
    payloadUsage: 'text',
    // The first two are the gateway's own. No ledger has all the others; its schema rejects those that it lacks.
    transactionArguments: {
      executeTx: null,
      sponsorTransaction: ['transactionKind'],
      executeTransactionBlock: null,
      dryRunTransactionBlock: null,
      executeTransaction: null,
      simulateTransaction: null,
    },
    countsEveryValue: false,
    connections: 'selection',
    pageSizes: {},
    maxMultiGetKeys: 200,
    complexity: null,
    texts: {
      overall:
        'Overall request too large: {actual} bytes. Requests are limited to {transaction} bytes or fewer on transaction payloads (all inputs to executeTx, executeTransactionBlock or dryRunTransactionBlock) and the rest of the request (the query part) must be {query} bytes or fewer.',
      transaction:
        'Transaction payload too large. Requests are limited to {transaction} bytes or fewer on transaction payloads (all inputs to executeTx, executeTransactionBlock or dryRunTransactionBlock) and the rest of the request (the query part) must be {query} bytes or fewer.',
      query:
        'Query part too large: {actual} bytes. Requests are limited to {transaction} bytes or fewer on transaction payloads (all inputs to executeTx, executeTransactionBlock or dryRunTransactionBlock) and the rest of the request (the query part) must be {query} bytes or fewer.',
      output: 'Estimated output nodes exceeds {max}',
      page: 'Page size is too large: {actual} > {max}',
      keys: 'Too many keys supplied to multi-get: {actual} > {max}',
    },
  },
  joins: {
    object: { field: 'object', id: 'address', version: 'version' },
    address: { field: 'address', id: 'address' },
    transaction: { field: ['transactionBlock', 'transaction'], id: 'digest' },
  },
  simulation: {
    field: 'dryRunTransactionBlock',
    argument: 'txBytes',
    encoding: 'base64',
    // Without balance changes, which IOTA and the first Sui leave empty, a simulation proves nothing but its status.
    raw: '{error transaction{sender{address}gasInput{gasSponsor{address}gasPrice gasBudget gasPayment(first:50){pageInfo{hasNextPage}nodes{address version digest}}}effects{status errors gasEffects{gasSummary{computationCost storageCost storageRebate}}balanceChanges(first:50){pageInfo{hasNextPage}nodes{owner{address}coinType{repr}amount}}}}}',
    paths: {
      error: 'error',
      transaction: 'transaction',
      effects: 'transaction.effects',
      failure: 'errors',
      changes: 'balanceChanges',
    },
  },
  immutableFields: ['transactionBlocks'],
};
