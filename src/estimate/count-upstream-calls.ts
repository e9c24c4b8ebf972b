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
  type OperationDefinitionNode,
} from 'graphql';
import { collectFields, type SelectionScope } from '../planning/collect-fields.ts';
import type { Plan } from '../planning/plan-operation.ts';
import type { FieldCalls } from '../subschemas/upstream.ts';
import type { OwnFieldCalls } from './own-field-calls.ts';

/** Who answers which field of the graph, as far as it decides about calls. */
export interface CallCounting {
  /** The whole graph, joins included. */
  readonly schema: GraphQLSchema;
  /** The gateway's own part. Root fields that are not in it are the ledger's. */
  readonly ownSchema: GraphQLSchema;
  /** Is this field of ours looked up in the ledger? */
  readonly isJoin: (type: string, field: string) => boolean;
  /** What a root field of ours takes of upstreams, joins aside. */
  readonly ownFieldCalls: OwnFieldCalls;
}

/** A valid operation with its variables as they are executed, declared defaults filled in. */
export interface BoundOperation {
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Requests to upstreams that an operation takes when all goes well: the ledger's fields of a query travel as one, each of
 * its mutations is one unless they pass through together, a field of ours is what its upstream says, and the joins below
 * it travel as one. `null` for a subscription, whose calls have no number.
 */
export function countUpstreamCalls(bound: BoundOperation, plan: Plan, facts: CallCounting): number | null {
  const { operation, variables } = bound;
  const { schema, ownSchema, isJoin, ownFieldCalls } = facts;
  const scope: SelectionScope = { schema, fragments: bound.fragments, variables };
  const type = schema.getRootType(operation.operation);
  if (operation.operation === 'subscription' || !type) return null;
  const isMutation = operation.operation === 'mutation';
  const ownFields = ownSchema.getRootType(operation.operation)?.getFields() ?? {};

  let ledgerFields = 0;
  let calls = 0;
  const shared = new Set<string>();
  for (const nodes of collectFields(type, [operation.selectionSet], scope).values()) {
    const name = nodes[0]?.name.value ?? '';
    const field = type.getFields()[name];
    if (!field) continue; // introspection
    const returns = getNamedType(field.type);
    if (!Object.hasOwn(ownFields, name)) {
      ledgerFields += 1;
    } else {
      const own = callsOf(field, nodes);
      if (own === null) continue;
      calls += own.calls + (isObjectType(returns) && selects(returns, nodes, isJoin) ? 1 : 0);
      for (const call of own.shared ?? []) shared.add(call);
    }
  }
  return ledgerCalls() + calls + shared.size;

  function ledgerCalls(): number {
    // Only stitching sends the ledger's mutations one by one.
    return isMutation && plan === 'STITCHED' ? ledgerFields : Math.min(ledgerFields, 1);
  }

  function callsOf(field: GraphQLField<unknown, unknown>, nodes: readonly FieldNode[]): FieldCalls | null {
    const [node] = nodes;
    if (!node) return null;
    const returns = getNamedType(field.type);
    try {
      return ownFieldCalls({
        operation: isMutation ? 'mutation' : 'query',
        name: field.name,
        readArguments: () => getArgumentValues(field, node, variables),
        selects: (name) => isObjectType(returns) && selects(returns, nodes, (_, each) => each === name),
      });
    } catch (error) {
      // Its arguments are of a kind that only execution can refuse.
      if (error instanceof GraphQLError) return null;
      throw error;
    }
  }

  function selects(
    parent: GraphQLObjectType,
    nodes: readonly FieldNode[],
    isWanted: (type: string, field: string) => boolean,
  ): boolean {
    const below = nodes.map(({ selectionSet }) => selectionSet);
    return [...collectFields(parent, below, scope).values()].some((each) => {
      const name = each[0]?.name.value ?? '';
      if (isWanted(parent.name, name)) return true;
      const returns = getNamedType(parent.getFields()[name]?.type);
      const types = isAbstractType(returns) ? schema.getPossibleTypes(returns) : isObjectType(returns) ? [returns] : [];
      return types.some((type) => selects(type, each, isWanted));
    });
  }
}
