import type { SubschemaConfig } from '@graphql-tools/delegate';
import { stitchSchemas } from '@graphql-tools/stitch';
import type { ExecutionRequest, Executor, IResolvers } from '@graphql-tools/utils';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  stripIgnoredCharacters,
} from 'graphql';
import type { Limits } from '../../src/documents/cost/limits.ts';
import { takePart, variablesOf } from '../../src/documents/plan-operation.ts';
import { fragmentsOf } from '../../src/documents/selections.ts';
import { createCoerceVariables } from '../../src/engine/coerce-variables.ts';
import { lightError } from '../../src/errors/light-error.ts';
import { OpenRoots } from '../../src/graph/joins/join-loader.ts';
import { joinSelectionSet } from '../../src/graph/joins/joins.ts';
import { keepDigits } from '../../src/graph/scalars.ts';
import { planStitching, type StitchOptions } from '../../src/graph/stitch.ts';
import type { ForwardToLedger } from '../../src/ledger/ledger-executor.ts';
import { settleErrors } from '../../src/operation/settle-errors.ts';
import { createPerOperation, type OperationContext } from '../../src/upstream/operation-context.ts';
import { addTypenames } from './add-typenames.ts';
import { attributeErrors, attributeRefusal, restoreCauses } from './attribute-errors.ts';
import { createExecuteStitched } from './execute-stitched.ts';
import { createStitchedJoins, selectsJoinKeys, toPlainBuiltins } from './stitched-joins.ts';
import { unwrapErrors } from './unwrap-errors.ts';

export interface ReferenceGraphOptions extends StitchOptions {
  readonly ledger: { readonly schema: GraphQLSchema; readonly limits: Limits };
  /** Numbers that `serviceConfig` shows instead of the ledger's. */
  readonly inForce: Readonly<Record<string, number>>;
  readonly forward: ForwardToLedger;
}

/**
 * The graph that clients see, executable by the stitching library alone: real subschemas, delegation and its own resolvers of
 * joins. The gateway executes parts of operations instead, and must give the answers of this graph.
 */
export function createReferenceGraph(options: ReferenceGraphOptions): GraphQLSchema {
  const { ledger, execute: ask, forward, inForce, federation } = options;
  const stitching = planStitching(options, ledger.schema, () => null);
  const { ownSchema, entities, joins } = stitching;
  const rootsOf = createPerOperation(() => new OpenRoots());
  const subschema = toLedgerSubschema(forward, ledger.schema);
  const own = toOwnSubschema(ownSchema, rootsOf);
  const { limits } = ledger;
  const stitchedJoins = createStitchedJoins({ execute: ask, limits, ledger: subschema, own, entities, rootsOf });
  const schema = stitchSchemas({
    subschemas: [own, subschema],
    typeDefs: [...stitching.typeDefs],
    resolvers: [
      stitching.scalars,
      serviceConfigResolvers(ledger.schema, inForce),
      streamResolvers(ownSchema),
      ...(federation ? [stitchedJoins.entityResolvers] : []),
      ...joins.map((join) => ({
        [join.type]: {
          [join.field]: { selectionSet: joinSelectionSet(join), resolve: stitchedJoins.resolverOf(join) },
        },
      })),
    ],
  });
  keepDigits(schema);
  return schema;
}

export interface ReferenceRequest {
  readonly document: DocumentNode;
  readonly operationName: string | null;
  /** As they were sent. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: OperationContext;
  /** An item of a stream. */
  readonly rootValue?: unknown;
}

/** The reference's answer, its errors in the order and the places of the client's document. */
export async function executeReference(
  schema: GraphQLSchema,
  { document, operationName, variables, context, rootValue }: ReferenceRequest,
): Promise<ExecutionResult> {
  const operation = getOperationAST(document, operationName);
  if (!operation) throw new Error('no such operation');
  const { errors, values } = createCoerceVariables(schema, operation, () => operation)(variables);
  if (errors) return { errors };
  const result = await createExecuteStitched(schema, document, operationName)(values, context, rootValue);
  const restored = result.errors
    ? { ...result, errors: restoreCauses(unwrapErrors(result.errors), result.data === null) }
    : result;
  return settleErrors(restored, { schema, operation, fragments: fragmentsOf(document), variables: values }, true);
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
  forward: ForwardToLedger,
  schema: GraphQLSchema,
): SubschemaConfig & { readonly schema: GraphQLSchema } {
  return {
    schema,
    executor: createLedgerSubschemaExecutor(forward, schema),
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
function createLedgerSubschemaExecutor(forward: ForwardToLedger, schema: GraphQLSchema): Executor {
  return (async ({ document: delegated, context, extensions, info }: ExecutionRequest) => {
    const { fields = info ? [info] : [] } = (extensions ?? {}) as MergedExtensions;
    const { document, variables } = toClientDocument(fields, schema);
    const { cancellation } = (context ?? {}) as Partial<OperationContext>;
    const operation = getOperationAST(document);
    const reply = await forward({
      text: stripIgnoredCharacters(print(document)),
      isClientsText: false,
      operationName: null,
      variables,
      isMutation: operation?.operation === OperationTypeNode.MUTATION,
      cancellation,
    });
    const result = attributeErrors(await reply.read(), operation ? rootKeysOf(operation) : []);
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

/** Response keys of the fields directly below a delegated operation. */
function rootKeysOf({ selectionSet }: OperationDefinitionNode): string[] {
  return selectionSet.selections.flatMap((selection) =>
    selection.kind === Kind.FIELD ? [selection.alias?.value ?? selection.name.value] : [],
  );
}
