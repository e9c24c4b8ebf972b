import {
  type FieldNode,
  type FragmentDefinitionNode,
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

/** Who answers which field of the graph, as far as it decides about calls. */
export interface CallCounting {
  /** The whole graph, joins included. */
  readonly schema: GraphQLSchema;
  /** The gateway's own part. Root fields that are not in it are the ledger's. */
  readonly local: GraphQLSchema;
  /** Is this field of ours looked up in the ledger? */
  readonly isJoin: (type: string, field: string) => boolean;
  /** Fields of an upstream without an address answer with an error at once. */
  readonly configured: { readonly sponsor: boolean; readonly events: boolean };
  /** Calls that one page of events or transactions takes; 0 where its arguments are refused, or it is empty anyway. */
  readonly pageCalls: (page: PageArguments) => number;
}

export interface PageArguments {
  readonly first?: number | null | undefined;
  readonly last?: number | null | undefined;
}

/** A valid operation with its variables as they are executed, declared defaults filled in. */
export interface BoundOperation {
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Of `sponsor`; each of them is one call in an operation, however often it is selected. */
const sponsorReads = ['health', 'version'];
const pagedFields = ['queryEvents', 'queryTransactionBlocks'];

/**
 * Requests to upstreams that an operation takes when all goes well: the ledger's fields of a query travel as one, each
 * mutation is one unless they pass through together, each page of events or transactions is what it takes, and the joins
 * below one root field travel as one. `null` for a subscription, whose calls have no number.
 */
export function countUpstreamCalls(bound: BoundOperation, plan: Plan, facts: CallCounting): number | null {
  const { operation, variables } = bound;
  const { schema, local, configured } = facts;
  const scope: SelectionScope = { schema, fragments: bound.fragments, variables };
  const type = schema.getRootType(operation.operation);
  if (operation.operation === 'subscription' || !type) return null;
  const isMutation = operation.operation === 'mutation';
  const ownFields = local.getRootType(operation.operation)?.getFields() ?? {};

  let ledgerFields = 0;
  let calls = 0;
  const reads = new Set<string>();
  for (const nodes of collectFields(type, [operation.selectionSet], scope).values()) {
    const name = nodes[0]?.name.value ?? '';
    const field = type.getFields()[name];
    if (!field) continue; // introspection
    const returns = getNamedType(field.type);
    if (!Object.hasOwn(ownFields, name)) {
      ledgerFields += 1;
    } else if (name === 'sponsor' && isObjectType(returns)) {
      for (const read of sponsorReads) if (selects(returns, nodes, (_, each) => each === read)) reads.add(read);
    } else {
      const ownCalls = callsOf(name, nodes);
      if (ownCalls === null) continue;
      calls += ownCalls + (isObjectType(returns) && selects(returns, nodes, facts.isJoin) ? 1 : 0);
    }
  }
  return ledgerCalls() + calls + (configured.sponsor ? reads.size : 0);

  function ledgerCalls(): number {
    // Only stitching sends the ledger's mutations one by one.
    return isMutation && plan === 'STITCHED' ? ledgerFields : Math.min(ledgerFields, 1);
  }

  /** `null` where the field has nothing to show, and so nothing to join. */
  function callsOf(name: string, [node]: readonly FieldNode[]): number | null {
    if (isMutation) return configured.sponsor ? 1 : null;
    if (!pagedFields.includes(name)) return 0;
    const field = type?.getFields()[name];
    if (!configured.events || !field || !node) return null;
    try {
      return facts.pageCalls(getArgumentValues(field, node, variables)) || null;
    } catch {
      // Arguments that only execution can refuse, such as a variable in a `@oneOf` input.
      return null;
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
