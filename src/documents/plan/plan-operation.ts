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
 * How an operation is executed, cheapest first. Each gives the answer that stitching would give.
 * - `PASS_THROUGH`: the client's text goes upstream unchanged
 * - `LOCAL`: every field is the gateway's own, executed without delegation
 * - `JOINED`: all root fields are the gateway's own, with joins into the upstream's graph beneath them: compiled, then one
 *   request upstream fills the joins in. What cannot be compiled is stitched
 * - `SPLIT`: one document for each owner, side by side, merged by root key
 * - `STITCHED`: anything unusual, delegated by the stitching library
 */
export type Plan = 'PASS_THROUGH' | 'LOCAL' | 'JOINED' | 'SPLIT' | 'STITCHED';

/** What clients are told of a plan: joining is stitching, only faster. */
export function toShownPlan(plan: Plan): Exclude<Plan, 'JOINED'> {
  return plan === 'JOINED' ? 'STITCHED' : plan;
}

/** Which part of the graph is the gateway's own, and which is the upstream's whose graph is merged with it. */
export interface Ownership {
  /** The owner of a root field; `null` for one that no owner can answer alone, so that only stitching can. */
  readonly ownerOf: (operation: OperationDefinitionNode['operation'], field: string) => 'own' | 'upstream' | null;
  /** The gateway's own schema. A field beneath an own root field that this schema lacks is a join. */
  readonly ownSchema: GraphQLSchema;
  /** Does the upstream call its root types what clients see? If not, `__typename` must not be passed through. */
  readonly hasUsualRootNames: boolean;
}

/**
 * Chooses the plan by the text alone: fields that `@skip` or `@include` may leave out count as selected, since every
 * plan can serve them. Anything unusual is stitched.
 */
export function planOperation(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  ownership: Ownership,
): Plan {
  const used = usedFragments(operation.selectionSet, fragments);
  const bodies = [operation.selectionSet, ...used.map(({ selectionSet }) => selectionSet)];
  if (bodies.some(asksForSchema)) return 'STITCHED';

  const names = rootFieldNames(operation, fragments);
  const owners = new Set(
    [...names].filter((name) => name !== '__typename').map((name) => ownership.ownerOf(operation.operation, name)),
  );
  if (owners.has(null)) return 'STITCHED';
  // A stream has one root field. What a stream of ours tells runs here.
  if (operation.operation === 'subscription') {
    if (owners.has('upstream')) return 'PASS_THROUGH';
    return selectsJoin(operation, fragments, ownership) ? 'STITCHED' : 'LOCAL';
  }
  if (!owners.has('own')) {
    if (owners.size === 0) return 'LOCAL';
    return names.has('__typename') && !ownership.hasUsualRootNames ? 'STITCHED' : 'PASS_THROUGH';
  }
  const hasJoins = selectsJoin(operation, fragments, ownership);
  if (!owners.has('upstream')) return hasJoins ? 'JOINED' : 'LOCAL';
  if (hasJoins) return 'STITCHED';
  // Mutations must run one after the other, even if they have different owners.
  return operation.operation === 'query' ? 'SPLIT' : 'STITCHED';
}

/** Can variables decide which root fields are executed? */
export function hasDirectivesAtRoot(
  { selectionSet }: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): boolean {
  return rootSelections(selectionSet, fragments).some(
    ({ directives }) => directives !== undefined && directives.length > 0,
  );
}

/** Names, not aliases, of the fields at the root, through fragments. */
export function rootFieldNames(
  { selectionSet }: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): Set<string> {
  return new Set(
    rootSelections(selectionSet, fragments).flatMap((each) => (each.kind === Kind.FIELD ? [each.name.value] : [])),
  );
}

/** How many fields of ours are at the root, each response key once. Those that `@skip` or `@include` may leave out count too. */
export function countOwnRootFields(
  { operation, selectionSet }: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  { ownerOf }: Pick<Ownership, 'ownerOf'>,
): number {
  const keys = new Set<string>();
  for (const each of rootSelections(selectionSet, fragments)) {
    if (each.kind === Kind.FIELD && ownerOf(operation, each.name.value) === 'own')
      keys.add(each.alias?.value ?? each.name.value);
  }
  return keys.size;
}

/** All selections at the root, those of each fragment once. */
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

/** Is a field selected beneath own root fields that the gateway's own schema lacks? */
function selectsJoin(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  { ownSchema, ownerOf }: Ownership,
): boolean {
  const root = ownSchema.getRootType(operation.operation);
  const reached = new Set<string>();
  const pending: [SelectionSetNode, GraphQLNamedType | null | undefined][] = [[operation.selectionSet, root]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [selectionSet, type] = next;
    for (const selection of selectionSet.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = reached.has(selection.name.value) ? undefined : fragments.get(selection.name.value);
        reached.add(selection.name.value);
        // A fragment on a type of the upstream can only stand beneath the upstream's fields, which are skipped below.
        if (fragment) pending.push([fragment.selectionSet, ownSchema.getType(fragment.typeCondition.name.value)]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const on = selection.typeCondition ? ownSchema.getType(selection.typeCondition.name.value) : type;
        pending.push([selection.selectionSet, on]);
      } else if (selection.name.value !== '__typename') {
        if (type === root && ownerOf(operation.operation, selection.name.value) === 'upstream') continue;
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

/** An owner that is asked for `__schema` or `__type` would show its own schema, not the whole graph. */
function asksForSchema(selectionSet: SelectionSetNode): boolean {
  return hasField(selectionSet, introspectionFields);
}

const introspectionFields: ReadonlySet<string> = new Set(['__schema', '__type']);

/** Is a field of such a name selected at any depth? Fragments that are spread are not followed. */
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
