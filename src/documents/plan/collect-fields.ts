import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  type InlineFragmentNode,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** What decides which fields of a selection are executed. */
export interface SelectionScope {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** As executed: coerced, declared defaults filled in. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The fields that are executed on an object of a type, by response key: fragments followed, `@skip` and `@include` heeded. */
export function collectFields(
  type: GraphQLObjectType,
  selectionSets: readonly (SelectionSetNode | undefined)[],
  scope: SelectionScope,
): ReadonlyMap<string, readonly FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  for (const selectionSet of selectionSets) collect(selectionSet);
  return fields;

  function collect(selectionSet: SelectionSetNode | undefined): void {
    for (const selection of selectionSet?.selections ?? []) {
      if (!isIncluded(selection, scope.variables)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        fields.set(key, [...(fields.get(key) ?? []), selection]);
        continue;
      }
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? toFragment(selection.name.value) : selection;
      if (fragment && isFor(fragment, type, scope)) collect(fragment.selectionSet);
    }
  }

  /** Gives a fragment only once: spread again in the same place it adds nothing. */
  function toFragment(name: string): FragmentDefinitionNode | undefined {
    if (spread.has(name)) return undefined;
    spread.add(name);
    return scope.fragments.get(name);
  }
}

/**
 * Do `@skip` and `@include` let a selection be executed?
 * @param variables coerced
 */
export function isIncluded(selection: SelectionNode, variables: SelectionScope['variables']): boolean {
  if (!selection.directives || selection.directives.length === 0) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variables);
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variables);
  return skip?.if !== true && include?.if !== false;
}

function isFor(
  { typeCondition }: FragmentDefinitionNode | InlineFragmentNode,
  type: GraphQLObjectType,
  { schema }: SelectionScope,
): boolean {
  const condition = typeCondition && schema.getType(typeCondition.name.value);
  return !condition || condition === type || (isAbstractType(condition) && schema.isSubType(condition, type));
}
