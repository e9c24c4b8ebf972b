import type { SubschemaConfig } from '@graphql-tools/delegate';
import { type MergeTypeCandidate, stitchSchemas } from '@graphql-tools/stitch';
import type { ExecutionRequest, Executor, IResolvers } from '@graphql-tools/utils';
import {
  type ExecutionResult,
  execute,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isObjectType,
  Kind,
} from 'graphql';
import type { NetworkProfile } from '../config/network-profile.ts';
import { takePart, variablesOf } from '../documents/plan-operation.ts';
import { fragmentsOf } from '../documents/selections.ts';
import { lightError } from '../errors/light-error.ts';
import { attributeRefusal } from '../ledger/answers/attribute-errors.ts';
import { type LedgerExecutor, rootKeysOf } from '../ledger/ledger-executor.ts';
import { createPerOperation, type OperationContext } from '../upstream/operation-context.ts';
import { entitiesTypeDefs, findLedgerEntities, serviceField } from './joins/entities.ts';
import { addTypenames, type RequestBounds } from './joins/join-document.ts';
import { OpenRoots } from './joins/join-loader.ts';
import { findJoinOffer, joinName, joinSelectionSet, joins, type ServedJoin, selectsJoinKeys } from './joins/joins.ts';
import { type CreateOperationJoins, createOperationJoins } from './joins/operation-joins.ts';
import { createStitchedJoins, toPlainBuiltins } from './joins/stitched-joins.ts';
import { describedScalars, keepDigits } from './scalars.ts';
import { printSubgraph, serviceTypeDefs } from './subgraph-sdl.ts';

export interface StitchOptions {
  readonly ownSchema: GraphQLSchema;
  readonly ledger: {
    readonly schema: GraphQLSchema;
    /** The ledger's own limits on one request. */
    readonly limits: RequestBounds;
    /** Numbers that `serviceConfig` shows instead of the ledger's. */
    readonly inForce: Readonly<Record<string, number>>;
  } | null;
  readonly execute: LedgerExecutor;
  readonly names: NetworkProfile['joins'];
  /** Makes the graph a Federation 2 subgraph. `hasService`: its SDL can be queried. */
  readonly federation: { readonly hasService: boolean } | null;
}

export interface StitchedGraph {
  readonly schema: GraphQLSchema;
  /** Reasons for the joins that are not part of the graph, by name. */
  readonly missingJoins: ReadonlyMap<string, string>;
  /** Makes the joins of an operation that is compiled; `null` while there is no ledger. */
  readonly operationJoins: CreateOperationJoins | null;
  /** The graph as a Federation 2 subgraph; `null` without federation, or before the ledger answered. */
  readonly subgraphSdl: string | null;
}

/**
 * Builds the schema that clients see: the ledger's, the gateway's own, and the joins that the ledger can serve. Executing an
 * operation on it is the STITCHED plan: root fields are delegated to their owners, those of the ledger in one request.
 */
export function stitch({ ownSchema, ledger, execute: ask, names, federation }: StitchOptions): StitchedGraph {
  if (!ledger) return withoutLedger(ownSchema);
  const offers = joins.map((join) => ({ join, offer: findJoinOffer(join, ledger.schema, names) }));
  const served = offers.flatMap(({ join, offer }) => ('field' in offer ? [{ ...join, root: offer }] : []));
  const rootsOf = createPerOperation(() => new OpenRoots());
  const subschema = toLedgerSubschema(ask, ledger.schema);
  const own = toOwnSubschema(ownSchema, rootsOf);
  const entities = federation ? findLedgerEntities(ledger.schema, names) : [];
  const { limits } = ledger;
  const stitchedJoins = createStitchedJoins({ execute: ask, limits, ledger: subschema, own, entities, rootsOf });
  const schema = stitchSchemas({
    // Descriptions come from the last subschema, and those of the ledger are better.
    subschemas: [own, subschema],
    typeMergingOptions: { typeDescriptionsMerger: describeType },
    typeDefs: [
      ...served.map(joinTypeDefs),
      ...(federation ? [entitiesTypeDefs(entities)] : []),
      ...(federation?.hasService ? [serviceTypeDefs] : []),
    ],
    resolvers: [
      describedScalars(ledger.schema, ownSchema),
      serviceConfigResolvers(ledger.schema, ledger.inForce),
      streamResolvers(ownSchema),
      ...(federation ? [stitchedJoins.entityResolvers] : []),
      ...(federation?.hasService ? [{ Query: { [serviceField]: () => ({ sdl: subgraphSdl }) } }] : []),
      ...served.map((join) => ({
        [join.type]: {
          [join.field]: { selectionSet: joinSelectionSet(join), resolve: stitchedJoins.resolverOf(join) },
        },
      })),
    ],
  });
  keepDigits(schema);
  const subgraphSdl = federation ? printSubgraph(schema, entities) : null;
  const missing = offers.flatMap(({ join, offer }) =>
    'reason' in offer ? [[joinName(join), offer.reason] as const] : [],
  );
  return {
    schema,
    missingJoins: new Map(missing),
    operationJoins: createOperationJoins({ execute: ask, limits, schema, ownSchema, joins: served, entities }),
    subgraphSdl,
  };
}

/** Roots have our descriptions: they speak of the fields of all upstreams. */
function describeType(candidates: readonly MergeTypeCandidate[]): string | null | undefined {
  const [first, last] = [candidates[0]?.type, candidates.at(-1)?.type];
  return (/^(?:Query|Mutation|Subscription)$/.test(first?.name ?? '') && first?.description) || last?.description;
}

function withoutLedger(ownSchema: GraphQLSchema): StitchedGraph {
  const schema = stitchSchemas({
    subschemas: [{ schema: ownSchema }],
    resolvers: [describedScalars(ownSchema), streamResolvers(ownSchema)],
  });
  const reason = "The ledger's schema is not loaded yet.";
  const missingJoins = new Map(joins.map((join) => [joinName(join), reason]));
  return { schema, missingJoins, operationJoins: null, subgraphSdl: null };
}

function joinTypeDefs({ type, field, description, waits, root }: ServedJoin): string {
  const waitMs = `(
    "Maximum time to wait until the ledger has indexed the transaction: 0 to 10000 milliseconds."
    waitMs: Int = 0
  )`;
  return `extend type ${type} { "${description}" ${field}${waits ? waitMs : ''}: ${root.returns} }`;
}

/** `serviceConfig` keeps the ledger's shape, but shows the numbers in force where the gateway may be stricter. */
function serviceConfigResolvers(schema: GraphQLSchema, inForce: Readonly<Record<string, number>>): IResolvers {
  const type = schema.getType('ServiceConfig');
  if (!isObjectType(type)) return {};
  const fields = Object.entries(inForce).filter(([name]) => type.getFields()[name]?.args.length === 0);
  const wrap = (value: number, field: GraphQLField<unknown, unknown> | undefined) =>
    getNamedType(field?.type)?.name === 'BigInt' ? String(value) : value;
  return {
    ServiceConfig: Object.fromEntries(fields.map(([name, value]) => [name, () => wrap(value, type.getFields()[name])])),
  };
}

/** Subscribes to the gateway's own streams directly: delegating them would execute each of their items twice. */
function streamResolvers(ownSchema: GraphQLSchema): IResolvers {
  const type = ownSchema.getSubscriptionType();
  if (!type) return {};
  const fields = Object.values(type.getFields()).map(({ name, subscribe }) => {
    const resolve = (item: Readonly<Record<string, unknown>>) => item[name];
    return [name, { subscribe, resolve }] as const;
  });
  return { Subscription: Object.fromEntries(fields) } as IResolvers;
}

/** Executed by graphql-js, because the stitching library's executor treats any value with a `then` as a promise. */
function toOwnSubschema(schema: GraphQLSchema, rootsOf: (context: OperationContext) => OpenRoots): SubschemaConfig {
  const executor = ({ document, variables, context, rootValue, operationName }: ExecutionRequest) => {
    const leave = selectsJoinKeys(document) ? rootsOf(context as OperationContext).open() : null;
    const result = execute({
      schema,
      document,
      variableValues: variables,
      contextValue: context,
      rootValue,
      operationName: operationName ?? null,
    });
    if (result instanceof Promise) return leave ? result.finally(leave) : result;
    leave?.();
    return result;
  };
  return { schema, executor: executor as Executor };
}

function toLedgerSubschema(
  ask: LedgerExecutor,
  schema: GraphQLSchema,
): SubschemaConfig & { readonly schema: GraphQLSchema } {
  return {
    schema,
    executor: createLedgerSubschemaExecutor(ask, schema),
    // One request for all root fields of the ledger in an operation, so that they all show the same checkpoint.
    batch: true,
    batchingOptions: { extensionsReducer: noteClientField },
  };
}

/** One root field for each of the requests that were merged. */
interface MergedExtensions {
  readonly fields?: readonly GraphQLResolveInfo[];
}

/** Keeps the root fields of merged requests, which the library drops. */
function noteClientField(merged: MergedExtensions, { info }: ExecutionRequest): MergedExtensions {
  if (!info) throw new Error('a request was merged that no field of an operation made');
  return { fields: [...(merged.fields ?? []), info] };
}

/** Sends delegated root fields to the ledger as the client wrote them, and returns responses as the stitching library reads them. */
function createLedgerSubschemaExecutor(ask: LedgerExecutor, schema: GraphQLSchema): Executor {
  return (async ({ document: delegated, context, extensions, info }: ExecutionRequest) => {
    const { fields = info ? [info] : [] } = (extensions ?? {}) as MergedExtensions;
    const { document, variables } = toClientDocument(fields, schema);
    const { cancellation } = (context ?? {}) as Partial<OperationContext>;
    const result = await ask({ document, variables, cancellation });
    const operation = getOperationAST(document);
    const type = operation && schema.getRootType(operation.operation);
    if (type) {
      const scope = { schema, fragments: fragmentsOf(document), variables };
      toPlainBuiltins(result.data, [operation.selectionSet], type, scope);
    }
    const asked = getOperationAST(delegated);
    const keys = asked ? rootKeysOf(asked) : [];
    const renamed = renameRootKeys(result, new Map(fields.map(({ path }, index) => [path.key, keys[index] ?? ''])));
    boxThenables(renamed.data);
    return attributeRefusal(renamed, keys);
  }) as Executor;
}

/**
 * Root fields of one operation as a document with the client's arguments, fragments and variables. The library's own document
 * turns every argument into a variable with a new name, which the ledger's error messages would show to clients, and repeats
 * the fragments of merged requests, for which the ledger's limits have no room.
 */
function toClientDocument(fields: readonly GraphQLResolveInfo[], schema: GraphQLSchema) {
  const [first] = fields;
  if (!first) throw new Error('a request was delegated that no field of an operation made');
  const { operation, fragments, variableValues } = first;
  const selections = fields.flatMap(({ fieldNodes }) => fieldNodes);
  const asked = { ...operation, selectionSet: { kind: Kind.SELECTION_SET, selections } } as const;
  const part = takePart(asked, new Map(Object.entries(fragments)), () => true);
  return { document: addTypenames(part.document, schema), variables: variablesOf(part, variableValues) };
}

/** @param names by the key in the client's response */
function renameRootKeys(result: ExecutionResult, names: ReadonlyMap<string | number, string>): ExecutionResult {
  const { data, errors } = result;
  const members = Object.entries(data ?? {}).flatMap(([key, value]) => {
    const name = names.get(key);
    return name === undefined ? [] : [[name, value] as const];
  });
  const renamed = errors?.map(({ message, path, extensions }) => {
    const [root = '', ...below] = path ?? [];
    return lightError(message, { path: path && [names.get(root) ?? root, ...below], extensions });
  });
  return { ...result, ...(data && { data: Object.fromEntries(members) }), ...(renamed && { errors: renamed }) };
}

/**
 * Hides values with a `then` from the stitching library, which would treat them as promises. Root values are enough: only they
 * are returned by an async function, which would await a `then`.
 */
function boxThenables(data: Record<string, unknown> | null | undefined): void {
  for (const [key, value] of Object.entries(data ?? {})) {
    if (typeof value === 'object' && value !== null && 'then' in value && data) data[key] = { toJSON: () => value };
  }
}
