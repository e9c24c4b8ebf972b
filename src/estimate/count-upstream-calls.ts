import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isAbstractType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import type { Config } from '../config/config.ts';
import type { Plan } from '../documents/plan-operation.ts';
import { collectFields, type SelectionScope } from '../documents/selections.ts';
import { entitiesField } from '../graph/joins/entities.ts';
import { type FieldCalls, isConfigured, type OwnFieldsUpstream, type RootField } from '../upstream/upstream.ts';

/** Decides which fields cost a call, and to which upstream. */
export interface CallCounting {
  /** The whole graph, joins included. */
  readonly schema: GraphQLSchema;
  /** The gateway's own part. Other root fields are the ledger's. */
  readonly ownSchema: GraphQLSchema;
  /** Is this field of the gateway a join into the ledger? */
  readonly isJoin: (type: string, field: string) => boolean;
  /** The calls of our root fields, without joins. */
  readonly ownFieldCalls: OwnFieldCalls;
}

/** A valid operation with coerced variables. */
export interface BoundOperation {
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Requests to the ledger for federated entities. */
  readonly entityRequests: number;
}

/**
 * Upstream requests of an operation without failures. The ledger's fields of a query are one request; its mutations are one
 * each, unless they are forwarded together. The upstreams of our fields give their own numbers. Joins are one request for a
 * query, and one for each field of a mutation. Federated entities take as many as the ledger's limits require.
 * @returns `null` for a subscription, whose length is unknown
 */
export function countUpstreamCalls(bound: BoundOperation, plan: Plan, facts: CallCounting): number | null {
  const { operation, fragments, variables, entityRequests } = bound;
  const { schema, ownSchema } = facts;
  const type = schema.getRootType(operation.operation);
  if (operation.operation === 'subscription' || !type) return null;
  const ownFields = ownSchema.getRootType(operation.operation)?.getFields() ?? {};

  let ledgerFields = 0;
  let calls = 0;
  let joined = 0;
  const shared = new Set<string>();
  for (const nodes of collectFields(type, [operation.selectionSet], { schema, fragments, variables }).values()) {
    const name = nodes[0]?.name.value ?? '';
    const field = type.getFields()[name];
    if (!field) continue; // introspection
    if (name === entitiesField) continue;
    if (!Object.hasOwn(ownFields, name)) {
      ledgerFields += 1;
      continue;
    }
    const own = callsOfOwnField(field, nodes, bound, facts);
    calls += own?.calls ?? 0;
    if (own?.hasJoins) joined += 1;
    for (const call of own?.shared ?? []) shared.add(call);
  }
  // Stitching sends the ledger's mutations one by one, so that each sees the result of the one before it.
  const isMutation = operation.operation === 'mutation';
  const isOneByOne = isMutation && plan === 'STITCHED';
  // Entities and joins are looked up together.
  const joins = isMutation ? joined : Math.max(entityRequests, Math.min(joined, 1));
  return (isOneByOne ? ledgerFields : Math.min(ledgerFields, 1)) + calls + joins + shared.size;
}

/** The calls of one field, and whether joins below it take more; `null` if only execution can tell. */
function callsOfOwnField(
  field: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
  { operation, fragments, variables }: BoundOperation,
  { schema, isJoin, ownFieldCalls }: CallCounting,
): (FieldCalls & { readonly hasJoins: boolean }) | null {
  const [node] = nodes;
  if (!node) return null;
  const scope = { schema, fragments, variables };
  const returns = getNamedType(field.type);
  const selects = (isWanted: IsWanted) => isObjectType(returns) && selectsBelow(returns, nodes, scope, isWanted);
  try {
    const own = ownFieldCalls({
      operation: operation.operation === 'mutation' ? 'mutation' : 'query',
      name: field.name,
      readArguments: () => getArgumentValues(field, node, variables),
      selects: (name) => selects((_, each) => each === name),
    });
    return own && { ...own, hasJoins: selects(isJoin) };
  } catch (error) {
    // Only execution can tell what is wrong with these arguments.
    if (error instanceof GraphQLError) return null;
    throw error;
  }
}

type IsWanted = (type: string, field: string) => boolean;

/** Is a wanted field selected anywhere below an object? */
function selectsBelow(
  parent: GraphQLObjectType,
  nodes: readonly FieldNode[],
  scope: SelectionScope,
  isWanted: IsWanted,
): boolean {
  const below = nodes.map(({ selectionSet }) => selectionSet);
  return [...collectFields(parent, below, scope).values()].some((each) => {
    const name = each[0]?.name.value ?? '';
    if (isWanted(parent.name, name)) return true;
    const returns = getNamedType(parent.getFields()[name]?.type);
    const possible = isAbstractType(returns) ? scope.schema.getPossibleTypes(returns) : [returns];
    return possible.some((type) => isObjectType(type) && selectsBelow(type, each, scope, isWanted));
  });
}

/** The calls of one of our root fields; `null` if it returns no object, so that no joins follow. */
export type OwnFieldCalls = (field: RootField) => FieldCalls | null;

const rootTypes: ReadonlyMap<string, RootField['operation']> = new Map([
  ['Query', 'query'],
  ['Mutation', 'mutation'],
]);
const nothing: FieldCalls = { calls: 0 };

/** Asks the upstream that owns the field. Fields about the gateway itself take no call. */
export function createOwnFieldCalls(
  upstreams: readonly OwnFieldsUpstream[],
  config: Pick<Config, 'upstreams' | 'pages'>,
): OwnFieldCalls {
  const owners = new Map(
    upstreams.flatMap((upstream) =>
      rootFieldsOf(upstream.typeDefs()).map((field) => [field, { upstream, has: isConfigured(upstream, config) }]),
    ),
  );
  return (field) => {
    const owner = owners.get(`${field.operation}.${field.name}`);
    if (!owner) return nothing;
    // Fields of an upstream that is not configured return an error immediately.
    const cost = owner.has ? owner.upstream.callsOf(field, config) : null;
    const shared = cost?.shared?.map((name) => `${owner.upstream.name}.${name}`);
    return cost && { ...cost, ...(shared && { shared }) };
  };
}

/** Each as `query.name` or `mutation.name`. */
function rootFieldsOf(typeDefs: string): string[] {
  return parse(typeDefs, { noLocation: true }).definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.OBJECT_TYPE_EXTENSION) return [];
    const operation = rootTypes.get(definition.name.value);
    return operation ? (definition.fields ?? []).map(({ name }) => `${operation}.${name.value}`) : [];
  });
}
