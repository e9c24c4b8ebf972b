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
import type { Plan } from '../documents/plan/plan-operation.ts';
import { collectFields, type SelectionScope } from '../documents/selections.ts';
import { type FieldCalls, isConfigured, type OwnFieldsUpstream, type RootField } from '../upstream/upstream.ts';

/** Decides for each field whether it costs a call, and to whom. */
export interface CallCounting {
  /** The whole graph, joins included. */
  readonly schema: GraphQLSchema;
  /** The gateway's own part. Root fields that are not in it are the ledger's. */
  readonly ownSchema: GraphQLSchema;
  /** Does this field of ours lead into the ledger? */
  readonly isJoin: (type: string, field: string) => boolean;
  /** The calls that a root field of ours takes, joins aside. */
  readonly ownFieldCalls: OwnFieldCalls;
}

/** A valid operation with its variables as they are executed, declared defaults filled in. */
export interface BoundOperation {
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * The requests to upstreams that an operation takes when all goes well. The fields of the ledger in a query travel as
 * one request; its mutations travel one by one, unless they pass through together; a field of ours takes what its
 * upstream says; the joins of a query travel as one request, those of a mutation as one for each field.
 * @returns `null` for a subscription: nobody knows how long it goes on
 */
export function countUpstreamCalls(bound: BoundOperation, plan: Plan, facts: CallCounting): number | null {
  const { operation, fragments, variables } = bound;
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
  const joins = isMutation ? joined : Math.min(joined, 1);
  return (isOneByOne ? ledgerFields : Math.min(ledgerFields, 1)) + calls + joins + shared.size;
}

/** Those of the field itself, and whether joins below it take more; `null` if only execution can tell. */
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

/** Is a field wanted of those selected anywhere below an object? */
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

/** The calls that a root field of ours takes; `null` if it answers nothing, so that no joins follow. */
export type OwnFieldCalls = (field: RootField) => FieldCalls | null;

const rootTypes: ReadonlyMap<string, RootField['operation']> = new Map([
  ['Query', 'query'],
  ['Mutation', 'mutation'],
]);
const nothing: FieldCalls = { calls: 0 };

/** Asks the upstream whose field it is. A field of none is about the gateway itself and takes no call. */
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
    // Without an address of the upstream its fields answer an error at once.
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
