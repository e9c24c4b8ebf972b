import {
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/**
 * How an operation is executed, cheapest first. All of them give the answer that stitching gives.
 * - `PASS_THROUGH`: the client's text goes to the ledger as it came
 * - `LOCAL`: everything is the gateway's own part, executed without delegation
 * - `SPLIT`: one document for each owner, side by side, merged by root key
 * - `STITCHED`: the general way
 */
export type Plan = 'PASS_THROUGH' | 'LOCAL' | 'SPLIT' | 'STITCHED';

/** Whose the parts of the graph are. Depends on the generation alone. */
export interface Ownership {
  /** The owner of a root field; `null` for one that neither side has alone, so that only stitching can answer it. */
  readonly ownerOf: (operation: OperationDefinitionNode['operation'], field: string) => 'ledger' | 'own' | null;
  /** Our own part alone: what clients can select beneath our root fields that is not in it is a join. */
  readonly local: GraphQLSchema;
  /** Does the ledger call its root types as clients see them? Else `__typename` would tell. */
  readonly hasUsualRootNames: boolean;
}

/**
 * Chooses the plan by the text alone: what `@skip` and `@include` may leave out counts as if it were there, since every
 * plan can serve it. Anything unusual is left to stitching.
 */
export function planOperation(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  ownership: Ownership,
): Plan {
  if (operation.operation === 'subscription') return 'STITCHED';
  const used = usedFragments(operation.selectionSet, fragments);
  const bodies = [operation.selectionSet, ...used.map(({ selectionSet }) => selectionSet)];
  if (bodies.some(asksForSchema)) return 'STITCHED';

  const names = rootFields(operation.selectionSet, fragments);
  const owners = new Set(
    [...names].filter((name) => name !== '__typename').map((name) => ownership.ownerOf(operation.operation, name)),
  );
  if (owners.has(null)) return 'STITCHED';
  if (!owners.has('own')) {
    if (owners.size === 0) return 'LOCAL';
    return names.has('__typename') && !ownership.hasUsualRootNames ? 'STITCHED' : 'PASS_THROUGH';
  }
  if (selectsJoin(operation, fragments, ownership)) return 'STITCHED';
  if (!owners.has('ledger')) return 'LOCAL';
  // Mutations run one after the other, whoever they belong to.
  return operation.operation === 'query' ? 'SPLIT' : 'STITCHED';
}

/** Can variables decide which root fields are asked for? */
export function hasDirectivesAtRoot(
  { selectionSet }: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): boolean {
  return rootSelections(selectionSet, fragments).some(
    ({ directives }) => directives !== undefined && directives.length > 0,
  );
}

/** Real names of the fields at the root, through fragments. */
function rootFields(
  selectionSet: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): Set<string> {
  return new Set(
    rootSelections(selectionSet, fragments).flatMap((each) => (each.kind === Kind.FIELD ? [each.name.value] : [])),
  );
}

/** Fields, fragments and spreads at the root, each fragment's own once. */
function rootSelections(
  selectionSet: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): SelectionNode[] {
  const selections: SelectionNode[] = [];
  const seen = new Set<string>();
  const pending = [selectionSet];
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const selection of next.selections) {
      selections.push(selection);
      if (selection.kind === Kind.INLINE_FRAGMENT) pending.push(selection.selectionSet);
      if (selection.kind !== Kind.FRAGMENT_SPREAD || seen.has(selection.name.value)) continue;
      seen.add(selection.name.value);
      const fragment = fragments.get(selection.name.value);
      if (fragment) pending.push(fragment.selectionSet);
    }
  }
  return selections;
}

/** Is anything selected beneath our root fields that our own schema does not have? */
function selectsJoin(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  { local, ownerOf }: Ownership,
): boolean {
  const root = local.getRootType(operation.operation);
  const reached = new Set<string>();
  const pending: [SelectionSetNode, GraphQLNamedType | null | undefined][] = [[operation.selectionSet, root]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [selectionSet, type] = next;
    for (const selection of selectionSet.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = reached.has(selection.name.value) ? undefined : fragments.get(selection.name.value);
        reached.add(selection.name.value);
        // On a type of the ledger's it can only stand beneath the ledger's fields, which are passed over below.
        if (fragment) pending.push([fragment.selectionSet, local.getType(fragment.typeCondition.name.value)]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const on = selection.typeCondition ? local.getType(selection.typeCondition.name.value) : type;
        pending.push([selection.selectionSet, on]);
      } else if (selection.name.value !== '__typename') {
        if (type === root && ownerOf(operation.operation, selection.name.value) === 'ledger') continue;
        const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined;
        if (!field) return true;
        if (selection.selectionSet) pending.push([selection.selectionSet, getNamedType(field.type)]);
      }
    }
  }
  return false;
}

/** The fragments a selection spreads, directly or not, each once. */
export function usedFragments(
  selectionSet: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): FragmentDefinitionNode[] {
  const used = new Map<string, FragmentDefinitionNode>();
  const pending = [selectionSet];
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const selection of next.selections) {
      if (selection.kind !== Kind.FRAGMENT_SPREAD) {
        if (selection.selectionSet) pending.push(selection.selectionSet);
        continue;
      }
      const fragment = used.has(selection.name.value) ? undefined : fragments.get(selection.name.value);
      if (!fragment) continue;
      used.set(selection.name.value, fragment);
      pending.push(fragment.selectionSet);
    }
  }
  return [...used.values()];
}

/** `__schema` and `__type` would show the ledger's schema, not ours, wherever they stand. */
function asksForSchema(selectionSet: SelectionSetNode): boolean {
  return hasField(selectionSet, introspectionFields);
}

const introspectionFields: ReadonlySet<string> = new Set(['__schema', '__type']);

/** Is a field of such a name selected, at any depth, fragments spread in it not followed? */
function hasField(selectionSet: SelectionSetNode, names: ReadonlySet<string>): boolean {
  return selectionSet.selections.some((selection) => {
    if (selection.kind === Kind.FIELD && names.has(selection.name.value)) return true;
    return (
      selection.kind !== Kind.FRAGMENT_SPREAD &&
      selection.selectionSet !== undefined &&
      hasField(selection.selectionSet, names)
    );
  });
}
