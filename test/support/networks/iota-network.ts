import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type DocumentNode,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isAbstractType,
  isObjectType,
  validate,
} from 'graphql';
import { defaultGraphqlLimits } from '../../../src/devnet/graphql/graphql-limits.ts';
import type { ConnectionModel, EventModel } from '../../../src/devnet/graphql/models.ts';
import { parseFunctionFilter, parseModuleFilter } from '../../../src/devnet/graphql/moves/type-filter.ts';
import { resolvers } from '../../../src/devnet/graphql/resolvers/resolvers.ts';
import { createQueries } from '../../../src/devnet/rpc/queries.ts';
import { RpcError } from '../../../src/devnet/rpc/rpc-error.ts';
import type { Ledger } from '../../../src/devnet/state/ledger-state.ts';
import type { EventRecord, TransactionRecord } from '../../../src/devnet/state/records.ts';
import { referenceComplexity, referenceCount } from '../reference-counter.ts';
import {
  type IsShown,
  isMadeUp,
  type LimitCheck,
  type MockedNetwork,
  type NetworkHistory,
  type NetworkRequest,
  type NetworkRules,
  resolveField,
  type StreamArguments,
  startNetwork,
} from './network-server.ts';
import { toPadded } from './page-of-records.ts';
import { transactionPayload } from './sui-limits.ts';

const file = '../../../node_modules/@iota/iota-sdk/src/graphql/generated/2025.2/schema.graphql';

/** IOTA's schema as its SDK has it. Fields that the simulated ledger has too are resolved by it. */
export const iotaSchema: GraphQLSchema = withLedgerResolvers(
  buildSchema(readFileSync(new URL(file, import.meta.url), 'utf8')),
);

export interface IotaNetworkOptions extends NetworkHistory {
  readonly limits?: typeof defaultGraphqlLimits;
}

/** Current IOTA: the indexer's JSON-RPC with fewer filters, subscriptions over WebSocket, limits on whole bodies. */
export function startIotaNetwork({
  limits = defaultGraphqlLimits,
  ...history
}: IotaNetworkOptions = {}): Promise<MockedNetwork> {
  return startNetwork(toRules(limits), history);
}

function withLedgerResolvers(schema: GraphQLSchema): GraphQLSchema {
  for (const [typeName, fields] of Object.entries(resolvers as Readonly<Record<string, Record<string, unknown>>>)) {
    const type = schema.getType(typeName);
    if (isAbstractType(type)) type.resolveType = (fields.__resolveType ?? null) as typeof type.resolveType;
    if (!isObjectType(type)) continue;
    for (const [name, resolve] of Object.entries(fields)) {
      const field = type.getFields()[name];
      if (!field || typeof resolve !== 'function') continue;
      const resolveRecord = resolve as GraphQLFieldResolver<unknown, unknown>;
      field.resolve = (source, args, context, info) => {
        if (isMadeUp(source)) return resolveField(source as never, args, context, info);
        const { ledger } = context as IotaContext;
        const found = orPruned(ledger, args, () => resolveRecord(source, args, context, info));
        if (name === 'balanceChanges' && (source as { dryRun?: boolean }).dryRun) return noBalanceChanges;
        return name === 'events' ? withoutHeld(found as ConnectionModel<EventModel>, context as IotaContext) : found;
      };
    }
  }
  return schema;
}

/** iotaledger/iota `transaction_block_effects.rs`: a dry run has none, and says nothing of it. */
const noBalanceChanges = { pageInfo: { hasNextPage: false, hasPreviousPage: false }, edges: [], nodes: [] };

/** Today's errors for what was dropped, and for a transaction that never was: iotaledger/iota#12184, #12272, #12553. */
function orPruned(ledger: Ledger, { filter }: { filter?: StreamArguments | null }, resolve: () => unknown): unknown {
  const pruned = (what: string) =>
    new GraphQLError(`Missing data due to pruning: \`${what}\``, { extensions: { code: 'DATA_PRUNED' } });
  const { transactionDigest, atCheckpoint } = filter ?? {};
  if (transactionDigest != null && !ledger.transaction(transactionDigest)) throw pruned('transaction not found');
  if (atCheckpoint != null && atCheckpoint < ledger.firstCheckpoint()) throw pruned(`checkpoint ${atCheckpoint}`);
  try {
    return resolve();
  } catch (error) {
    throw /outside the available range/.test(String(error)) ? pruned('the position of a cursor') : error;
  }
}

interface IotaContext {
  readonly ledger: Ledger;
  readonly isShown: IsShown;
}

function withoutHeld(page: ConnectionModel<EventModel>, { isShown }: IotaContext): ConnectionModel<EventModel> {
  const edges = page.edges.filter(({ node }) => isShown(node.record));
  const [startCursor = null, endCursor = null] = [edges[0], edges.at(-1)].map((edge) => edge?.cursor);
  return { pageInfo: { ...page.pageInfo, startCursor, endCursor }, edges, nodes: edges.map(({ node }) => node) };
}

/** The indexer rejects these filters, as `iotaledger/iota` (`crates/iota-indexer`) does; a node accepts them. */
const refusal = 'Indexer does not support the feature with error: `This type of EventFilter is not supported.`';
const refusedByIndexer = ['All', 'Any', 'And', 'Or', 'TimeRange', 'MoveEventField'];

function toRules(limits: typeof defaultGraphqlLimits): NetworkRules {
  return {
    schema: iotaSchema,
    headerPrefix: 'x-iota',
    subscriptions: { webSocket: ['/subscriptions', '/graphql/subscriptions'] },
    root: () => ({}),
    context: (ledger, isShown) => ({
      ledger,
      isShown,
      limits,
      features: new Set(['ANALYTICS', 'COINS', 'DYNAMIC_FIELDS', 'SUBSCRIPTIONS', 'SYSTEM_STATE']),
      payloadRule: 'body',
      findStruct: () => undefined,
      now: () => 0,
      viewedAt: ledger.latestCheckpoint().sequenceNumber,
    }),
    stream: toStream,
    checkLimits: (document, request) => checkLimits(document, request, limits),
    toInvalid: ({ message, nodes = [] }) => new GraphQLError(message, { nodes }),
    serveRpc: ({ id, method, params = [] }, ledger, res) => {
      const answer = (content: object) =>
        res
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, ...content }));
      const name = method.replace(/^iotax_/, '');
      const [filter] = params;
      const tag = Object.keys((filter ?? {}) as object)[0] ?? '';
      if (name === 'queryEvents' && refusedByIndexer.includes(tag)) {
        answer({ error: { code: -32603, message: refusal } });
        return;
      }
      const queries: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = createQueries(ledger, {
        endExclusive: true,
      });
      const query = queries[name];
      if (!query) {
        answer({ error: { code: -32601, message: 'Method not found' } });
        return;
      }
      try {
        answer({ result: query(params) });
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        answer({ error: { code: error.code, message: error.message } });
      }
    },
  };
}

/** The words and the order are the network's: depth and nodes, payload of the whole body, output. */
function checkLimits(
  document: DocumentNode,
  { query, variables, bytes }: NetworkRequest,
  limits: typeof defaultGraphqlLimits,
): LimitCheck {
  const { maxTransactionPayloadSize: maxTransaction, maxQueryPayloadSize: maxQuery } = limits;
  const anySize = { maxTransactionPayloadSize: Number.MAX_VALUE, maxQueryPayloadSize: Number.MAX_VALUE };
  const { usage, refusal } = referenceCount(document, query, variables, { ...limits, ...anySize });
  const breach = (message: string): LimitCheck => ({
    error: new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } }),
  });
  const tooLarge = (message: string) =>
    breach(
      `${message}. Requests are limited to ${maxTransaction} bytes or fewer on transaction payloads (all inputs to executeTransactionBlock or dryRunTransactionBlock) and the rest of the request (the query part) must be ${maxQuery} bytes or fewer.`,
    );
  if (bytes > maxTransaction + maxQuery) return tooLarge(`Overall request too large: ${bytes} bytes`);
  if (refusal && refusal.limit?.name !== 'maxOutputNodes') return breach(refusal.message);
  const isPayload = (coordinate: string) => /\.(executeTransactionBlock|dryRunTransactionBlock)\./.test(coordinate);
  const transaction = transactionPayload(iotaSchema, document, variables, isPayload);
  if (transaction > maxTransaction) return tooLarge('Transaction payload too large');
  if (bytes - transaction > maxQuery) return tooLarge(`Query part too large: ${bytes - transaction} bytes`);
  if (refusal) return breach(refusal.message);
  // The ledger validates before it checks this limit.
  const isValid = validate(iotaSchema, document).length === 0;
  const isComplex = isValid && referenceComplexity(iotaSchema, document, variables) > 6_000;
  return isComplex ? { error: new GraphQLError('Query is too complex.') } : { usage };
}

/** Subscriptions yield records themselves, as the schema's resolvers expect them. Resuming yields what follows a transaction. */
function toStream(ledger: Ledger, isShown: IsShown, field: string, { startAfter, filter }: StreamArguments) {
  const start = startAfter == null ? null : ledger.transaction(startAfter);
  const viewedAt = () => ledger.latestCheckpoint().sequenceNumber;
  const toItems = (transactions: readonly TransactionRecord[]) =>
    field === 'events'
      ? transactions.flatMap(({ events }) =>
          events
            .filter(isShown)
            .filter(toEventTest(filter ?? {}))
            .map(toEvent),
        )
      : transactions.filter(toTransactionTest(filter ?? {})).map(toBlock);
  const toEvent = (record: EventRecord) => ({ __typename: 'Event', record, viewedAt: viewedAt() });
  const toBlock = (record: TransactionRecord) => ({ __typename: 'TransactionBlock', record, viewedAt: viewedAt() });
  return {
    past: start ? toItems(ledger.transactions.filter(({ sequence }) => sequence > start.sequence)) : [],
    next: (_: unknown, transactions: readonly TransactionRecord[]) => toItems(transactions),
  };
}

function toEventTest({ emittingModule }: StreamArguments): (event: EventRecord) => boolean {
  if (emittingModule == null) return () => true;
  const isOfModule = parseModuleFilter(emittingModule);
  return ({ packageId, transactionModule }) => isOfModule(packageId, transactionModule);
}

function toTransactionTest({ kind, signingAddress, function: call }: StreamArguments) {
  const isCall = call == null ? null : parseFunctionFilter(call);
  return (record: TransactionRecord): boolean =>
    (kind == null || record.kind === kind || (kind === 'SYSTEM_TX' && record.kind !== 'PROGRAMMABLE_TX')) &&
    (signingAddress == null || record.sender === toPadded(signingAddress)) &&
    (isCall === null || record.moveCalls.some(isCall));
}
