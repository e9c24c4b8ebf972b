import type { SubschemaConfig } from '@graphql-tools/delegate';
import { stitchSchemas } from '@graphql-tools/stitch';
import type { ExecutionRequest, Executor, IResolvers } from '@graphql-tools/utils';
import {
  execute,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isObjectType,
} from 'graphql';
import type { NetworkProfile } from '../config/network-profile.ts';
import { fragmentsOf } from '../documents/selections.ts';
import { attributeRefusal } from '../ledger/answers/attribute-errors.ts';
import { type LedgerExecutor, rootKeysOf } from '../ledger/ledger-executor.ts';
import { createPerOperation, type OperationContext } from '../upstream/operation-context.ts';
import { toClientNames } from './client-words.ts';
import { entitiesTypeDefs, findLedgerEntities, serviceField } from './joins/entities.ts';
import type { RequestBounds } from './joins/join-document.ts';
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

/** Keeps the root fields of merged requests, which the library drops. `toClientWords` needs them. */
function noteClientField(merged: MergedExtensions, { info }: ExecutionRequest): MergedExtensions {
  if (!info) throw new Error('a request was merged that no field of an operation made');
  return { fields: [...(merged.fields ?? []), info] };
}

/**
 * Sends delegated documents to the ledger with the client's arguments and variable names, and returns responses in a form that
 * the stitching library can read.
 */
function createLedgerSubschemaExecutor(ask: LedgerExecutor, schema: GraphQLSchema): Executor {
  return (async ({ document: delegated, variables: given = {}, context, extensions, info }: ExecutionRequest) => {
    const { fields = info ? [info] : [] } = (extensions ?? {}) as MergedExtensions;
    const { document, variables } = toClientNames(delegated, given, fields);
    const { cancellation } = (context ?? {}) as Partial<OperationContext>;
    const clientKeys = fields.length > 1 ? fields.map(({ path }) => String(path.key)) : undefined;
    const result = await ask({ document, variables, cancellation, clientKeys });
    const operation = getOperationAST(document);
    const type = operation && schema.getRootType(operation.operation);
    if (type) {
      boxThenables(result.data);
      const scope = { schema, fragments: fragmentsOf(document), variables };
      toPlainBuiltins(result.data, [operation.selectionSet], type, scope);
    }
    return attributeRefusal(result, operation ? rootKeysOf(operation) : []);
  }) as Executor;
}

/** Hides a value with a `then` from the stitching library, which would treat it as a promise. Prints as the value. */
class Boxed {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  toJSON(): unknown {
    return this.#value;
  }
}

/** Boxing root values is enough: only they are returned by an async function, which would await a `then`. */
function boxThenables(data: Record<string, unknown> | null | undefined): void {
  for (const [key, value] of Object.entries(data ?? {})) {
    if (typeof value === 'object' && value !== null && 'then' in value && data) data[key] = new Boxed(value);
  }
}
