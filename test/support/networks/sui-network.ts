import { readFileSync } from 'node:fs';
import { buildSchema, extendSchema, GraphQLError, type GraphQLSchema, parse } from 'graphql';
import {
  parseFunctionFilter,
  parseModuleFilter,
  parseTypeFilter,
} from '../../../src/devnet/graphql/moves/type-filter.ts';
import type { Ledger } from '../../../src/devnet/state/ledger-state.ts';
import type { CheckpointRecord, EventRecord, TransactionRecord } from '../../../src/devnet/state/records.ts';
import { transactionDigest } from '../../../src/transactions/digest.ts';
import {
  type IsShown,
  type MockedNetwork,
  type NetworkHistory,
  type NetworkRules,
  type StreamArguments,
  startNetwork,
} from './network-server.ts';
import { compareKeys, type PageArguments, type PagedRecords, pageOfRecords, toPadded } from './page-of-records.ts';
import { checkSuiLimits, type SuiLimits, suiLimits } from './sui-limits.ts';

const file = '../../../node_modules/@mysten/sui-v2/src/graphql/generated/schema.graphql';

/** Current Sui's schema as its SDK has it, and the subscriptions that its service has besides. */
export const suiSchema: GraphQLSchema = extendSchema(
  buildSchema(readFileSync(new URL(file, import.meta.url), 'utf8')),
  parse(`
    extend schema { subscription: Subscription }
    type Subscription {
      checkpoints(after: String, filter: CheckpointFilter): CheckpointEdge!
      transactions(after: String, filter: TransactionFilter): TransactionEdge!
      events(after: String, filter: EventFilter): EventEdge!
    }
  `),
);

export interface SuiNetworkOptions extends NetworkHistory {
  readonly limits?: SuiLimits;
  /** Records that a page of events or transactions examines at most: pages may then be empty while more follows. */
  readonly scanLimit?: number;
  /** Rejects every subscription, as a server with 1,024 subscribers does. */
  readonly isAtCapacity?: boolean;
}

/** Current Sui: no JSON-RPC, subscriptions as server-sent events, its own limits. */
export function startSuiNetwork(options: SuiNetworkOptions = {}): Promise<MockedNetwork> {
  return startNetwork(toRules(options), options);
}

const typeLimits = { maxTypeArgumentDepth: 16, maxTypeArgumentWidth: 32, maxTypeNodes: 256 };
const words = {
  defaultSize: 20,
  firstAndLast: "Cannot provide both 'first' and 'last' parameters for connection",
};

/** MystenLabs/sui#27787 */
const atCapacity = 'The server is at its concurrent-subscription capacity; retry later';

const encode = (key: readonly number[]) => Buffer.from(`sui ${key.join(' ')}`).toString('base64');

function decode(cursor: string): number[] {
  const match = /^sui ([\d ]+)$/.exec(Buffer.from(cursor, 'base64').toString());
  if (!match?.[1]) throw badInput(`Invalid cursor: ${cursor}`);
  return match[1].split(' ').map(Number);
}

function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}

function toRules({ limits = suiLimits, scanLimit, isAtCapacity = false }: SuiNetworkOptions): NetworkRules {
  return {
    schema: suiSchema,
    headerPrefix: 'x-sui',
    subscriptions: { sse: '/graphql/subscriptions' },
    root: (ledger, isShown) => createHistory(ledger, isShown, limits, scanLimit).root,
    stream: (ledger, isShown, field, args) => {
      if (isAtCapacity) throw new GraphQLError(atCapacity, { extensions: { code: 'RESOURCE_EXHAUSTED' } });
      return createHistory(ledger, isShown, limits, scanLimit).stream(field, args);
    },
    checkLimits: (document, request) => {
      const max = limits.maxQueryPayloadSize + limits.maxTransactionPayloadSize;
      if (request.bytes > max) {
        const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' };
        return { error: new GraphQLError(`Request too large ${request.bytes}B > ${max}B`, { extensions }) };
      }
      return checkSuiLimits(suiSchema, document, request, limits);
    },
    toInvalid: ({ message, nodes = [] }) =>
      new GraphQLError(message, { nodes, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }),
    serveRpc: (_body, _ledger, res) => {
      const message =
        'Method not found. JSON-RPC on public fullnodes has been deprecated. Please migrate to gRPC or GraphQL.';
      const answer = { jsonrpc: '2.0', id: null, error: { code: -32601, message } };
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    },
  };
}

const iso = (ms: number) => new Date(ms).toISOString();
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

function createHistory(ledger: Ledger, isShown: IsShown, limits: SuiLimits, scanLimit: number | undefined) {
  const transactionOf = ({ txDigest }: EventRecord) => ledger.transaction(txDigest);
  const checkpointOf = (event: EventRecord) => transactionOf(event)?.checkpoint ?? 0;
  const keyOfEvent = (event: EventRecord) => [checkpointOf(event), transactionOf(event)?.sequence ?? 0, event.eventSeq];
  const keyOfTransaction = ({ checkpoint, sequence }: TransactionRecord) => [checkpoint ?? 0, sequence];

  const toAddress = (address: string) => ({ __typename: 'Address', address });
  const toEpoch = (epochId: number) => ({ epochId, referenceGasPrice: String(ledger.referenceGasPrice) });
  const toCheckpoint = (record: CheckpointRecord | undefined): unknown =>
    record && {
      sequenceNumber: record.sequenceNumber,
      digest: record.digest,
      timestamp: iso(record.timestampMs),
      epoch: toEpoch(record.epoch),
      transactions: (args: PageArguments & { filter?: StreamArguments }) =>
        pageTransactions({ ...args, filter: { ...args.filter, atCheckpoint: record.sequenceNumber } }),
    };
  const toEvent = (record: EventRecord): unknown => ({
    sender: toAddress(record.sender),
    sequenceNumber: record.eventSeq,
    timestamp: iso(record.timestampMs),
    eventBcs: base64(record.bcs),
    contents: { json: record.json, bcs: base64(record.bcs), type: { repr: record.type } },
    transactionModule: { name: record.transactionModule, package: { address: record.packageId } },
    transaction: () => toTransaction(transactionOf(record)),
  });
  const toEffects = (record: TransactionRecord): unknown => ({
    digest: record.digest,
    status: record.status.ok ? 'SUCCESS' : 'FAILURE',
    executionError: record.status.ok ? () => null : { message: record.status.error },
    gasEffects: {
      gasSummary: Object.fromEntries(Object.entries(record.gasUsed).map(([name, amount]) => [name, String(amount)])),
    },
    balanceChangesJson: record.balanceChanges.map(({ owner, coinType, amount }) => ({
      address: owner,
      coinType,
      amount: String(amount),
    })),
    timestamp: iso(record.timestampMs),
    epoch: toEpoch(record.epoch),
    checkpoint: () => (record.checkpoint === null ? null : toCheckpoint(ledger.checkpoint(record.checkpoint))),
    transaction: () => toTransaction(record),
    events: (args: PageArguments) =>
      page(args, {
        items: record.events.filter(isShown),
        matches: () => true,
        keyOf: ({ eventSeq }) => [eventSeq],
        toNode: toEvent,
      }),
  });
  const toTransaction = (record: TransactionRecord | undefined): unknown =>
    record
      ? {
          digest: record.digest,
          sender: record.kind === 'PROGRAMMABLE_TX' ? toAddress(record.sender) : () => null,
          transactionBcs: base64(record.bytes),
          signatures: record.signatures().map((signatureBytes) => ({ signatureBytes })),
          gasInput: {
            gasSponsor: toAddress(record.gas.owner),
            gasPrice: String(record.gas.price),
            gasBudget: String(record.gas.budget),
            gasPayment: {
              pageInfo: { hasNextPage: false, hasPreviousPage: false },
              nodes: record.gas.payment.map(({ objectId, ...coin }) => ({ address: objectId, ...coin })),
            },
          },
          effects: () => toEffects(record),
        }
      : null;

  function page<Item>(
    args: PageArguments,
    records: Omit<PagedRecords<Item>, 'encode' | 'decode'>,
    defaultSize = words.defaultSize,
  ) {
    return pageOfRecords({ ...records, encode, decode }, args, { ...words, defaultSize });
  }

  const isWithin = (filter: StreamArguments, checkpoint: number) =>
    (filter.afterCheckpoint == null || checkpoint > filter.afterCheckpoint) &&
    (filter.atCheckpoint == null || checkpoint === filter.atCheckpoint) &&
    (filter.beforeCheckpoint == null || checkpoint < filter.beforeCheckpoint);

  function toEventTest(filter: StreamArguments): (event: EventRecord) => boolean {
    if (filter.module != null && filter.type != null)
      throw badInput('Filtering by both emitting module and event type is not supported');
    const isOfModule = filter.module == null ? () => true : parseModuleFilter(filter.module);
    const isOfType = filter.type == null ? () => true : parseTypeFilter(filter.type, typeLimits);
    return (event) =>
      isWithin(filter, checkpointOf(event)) &&
      (filter.sender == null || event.sender === toPadded(filter.sender)) &&
      isOfModule(event.packageId, event.transactionModule) &&
      isOfType(event.type);
  }

  function toTransactionTest(filter: StreamArguments): (transaction: TransactionRecord) => boolean {
    const isCall = filter.function == null ? null : parseFunctionFilter(filter.function);
    return (record) => {
      const { kind, sender, moveCalls, changes, inputObjects, gas } = record;
      const addresses = [sender, gas.owner, ...changes.flatMap(({ output }) => ownerOf(output?.owner))];
      const objects = [...changes, ...inputObjects].map(({ objectId }) => objectId);
      return (
        isWithin(filter, record.checkpoint ?? 0) &&
        (filter.kind == null || (filter.kind === 'PROGRAMMABLE_TX') === (kind === 'PROGRAMMABLE_TX')) &&
        (filter.sentAddress == null || sender === toPadded(filter.sentAddress)) &&
        (filter.affectedAddress == null || addresses.includes(toPadded(filter.affectedAddress))) &&
        (filter.affectedObject == null || objects.includes(toPadded(filter.affectedObject))) &&
        (isCall === null || moveCalls.some(isCall))
      );
    };
  }

  const pageEvents = (args: PageArguments & { filter?: StreamArguments | null }) =>
    page(args, {
      items: ledger.events.filter(isShown),
      matches: toEventTest(args.filter ?? {}),
      keyOf: keyOfEvent,
      toNode: toEvent,
      scanLimit,
    });
  const pageTransactions = (args: PageArguments & { filter?: StreamArguments | null }) =>
    page(args, {
      items: ledger.transactions,
      matches: toTransactionTest(args.filter ?? {}),
      keyOf: keyOfTransaction,
      toNode: toTransaction,
      scanLimit,
    });
  const findTransaction = ({ digest }: { digest: string }) => toTransaction(ledger.transaction(digest));
  const findEffects = ({ digest }: { digest: string }) => {
    const record = ledger.transaction(digest);
    return record ? toEffects(record) : null;
  };

  const root = {
    chainIdentifier: ledger.chainIdentifier,
    serviceConfig: {
      ...limits,
      queryTimeoutMs: 40_000,
      mutationTimeoutMs: 74_000,
      defaultPageSize: ({ type, field }: StreamArguments) => limits.pageSize(type, field).usual,
      maxPageSize: ({ type, field }: StreamArguments) => limits.pageSize(type, field).max,
      availableRange: () => ({ first: toCheckpoint(ledger.checkpoint(ledger.firstCheckpoint())) }),
    },
    events: pageEvents,
    transactions: pageTransactions,
    transaction: findTransaction,
    transactionEffects: findEffects,
    multiGetTransactions: ({ keys }: StreamArguments) => keys.map((digest: string) => findTransaction({ digest })),
    multiGetTransactionEffects: ({ keys }: StreamArguments) => keys.map((digest: string) => findEffects({ digest })),
    checkpoint: ({ sequenceNumber }: StreamArguments) =>
      toCheckpoint(sequenceNumber == null ? ledger.latestCheckpoint() : ledger.checkpoint(sequenceNumber)) ?? null,
    checkpoints: (args: PageArguments & { filter?: StreamArguments | null }) =>
      page(args, {
        items: checkpointsOf(ledger),
        matches: ({ sequenceNumber }) => isWithin(args.filter ?? {}, sequenceNumber),
        keyOf: ({ sequenceNumber }) => [sequenceNumber],
        toNode: toCheckpoint,
      }),
    address: ({ address }: StreamArguments) => toAddress(toPadded(address ?? '0x0')),
    object: ({ address, version }: StreamArguments) => {
      const id = toPadded(address);
      const found = version == null ? ledger.currentObject(id) : ledger.object(id, { version });
      return found ? { __typename: 'Object', address: id, version: found.version, digest: found.digest } : null;
    },
    epoch: ({ epochId }: StreamArguments) => toEpoch(epochId ?? ledger.latestEpoch().epochId),
    simulateTransaction: ({ transaction }: StreamArguments) => {
      // Transactions in JSON are not parsed: their simulation is made up.
      if (typeof transaction?.bcs?.value !== 'string') return {};
      const sent = Buffer.from(transaction.bcs.value, 'base64');
      // This network knows the next version of TransactionData, whose content is that of the first.
      const outcome = ledger.dryRun(Buffer.concat([Buffer.of(0), sent.subarray(1)]));
      if (outcome.kind === 'refused') throw badInput(outcome.message);
      return { effects: toEffects({ ...outcome.transaction, digest: transactionDigest(sent) }) };
    },
    executeTransaction: ({ transactionDataBcs, signatures }: StreamArguments) => {
      const outcome = ledger.execute(Buffer.from(transactionDataBcs, 'base64'), signatures);
      if (outcome.kind === 'refused') throw badInput(outcome.message);
      return { errors: () => null, effects: toEffects(outcome.transaction) };
    },
  };

  function stream(field: string, args: StreamArguments) {
    const filter = args.filter ?? {};
    if (filter.atCheckpoint != null || filter.beforeCheckpoint != null)
      throw badInput('`atCheckpoint` and `beforeCheckpoint` are not supported in subscriptions');
    const isResumed = args.after != null || filter.afterCheckpoint != null;
    const after = args.after == null ? null : decode(args.after);
    function yieldsOf<Item>(
      past: readonly Item[],
      keyOf: (item: Item) => readonly number[],
      matches: (item: Item) => boolean,
      toNode: (item: Item) => unknown,
      itemsOf: (checkpoint: CheckpointRecord, transactions: readonly TransactionRecord[]) => readonly Item[],
    ) {
      const toEdges = (items: readonly Item[]) =>
        items
          .filter((item) => matches(item) && (after === null || compareKeys(keyOf(item), after) > 0))
          .map((item) => ({ cursor: encode(keyOf(item)), node: toNode(item) }));
      return {
        past: isResumed ? toEdges(past) : [],
        next: (checkpoint: CheckpointRecord, transactions: readonly TransactionRecord[]) =>
          toEdges(itemsOf(checkpoint, transactions)),
      };
    }
    if (field === 'events')
      return yieldsOf(ledger.events.filter(isShown), keyOfEvent, toEventTest(filter), toEvent, (_, transactions) =>
        transactions.flatMap(({ events }) => events.filter(isShown)),
      );
    if (field === 'transactions')
      return yieldsOf(
        ledger.transactions,
        keyOfTransaction,
        toTransactionTest(filter),
        toTransaction,
        (_, transactions) => transactions,
      );
    return yieldsOf(
      checkpointsOf(ledger),
      ({ sequenceNumber }) => [sequenceNumber],
      ({ sequenceNumber }) => isWithin(filter, sequenceNumber),
      toCheckpoint,
      (checkpoint) => [checkpoint],
    );
  }

  return { root, stream };
}

function checkpointsOf(ledger: Ledger): CheckpointRecord[] {
  const first = ledger.firstCheckpoint();
  const count = ledger.latestCheckpoint().sequenceNumber - first + 1;
  return Array.from({ length: count }, (_, index) => ledger.checkpoint(first + index)).filter(
    (record) => record !== undefined,
  );
}

function ownerOf(owner: { readonly kind: string; readonly address?: string } | undefined): string[] {
  return owner?.kind === 'address' && owner.address !== undefined ? [owner.address] : [];
}
