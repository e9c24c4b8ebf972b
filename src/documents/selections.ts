import {
  type DocumentNode,
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
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The operations and fragments of a document, in the order of its text. Validation refuses other definitions later. */
export interface ExecutableDocument {
  readonly operations: readonly OperationDefinitionNode[];
  /** All fragments, used or not. */
  readonly fragmentDefinitions: readonly FragmentDefinitionNode[];
  /** By name. Of two with one name the later wins; validation refuses such a document. */
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

export function toExecutableDocument({ definitions }: DocumentNode): ExecutableDocument {
  const operations = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const fragmentDefinitions = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  const fragments = new Map(fragmentDefinitions.map((definition) => [definition.name.value, definition]));
  return { operations, fragmentDefinitions, fragments };
}

/** The selections one level below: of the field or inline fragment itself, or of the fragment that is spread. */
export function selectionsBelow(
  selection: SelectionNode,
  { fragments }: Pick<ExecutableDocument, 'fragments'>,
): readonly SelectionNode[] {
  const holder = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
  return holder?.selectionSet?.selections ?? [];
}

/**
 * Does the document ask for the schema alone? True for one operation with one selection, a field whose name, not its alias,
 * is `__schema`; false when a fragment holds it.
 */
export function isSchemaOnly({ operations }: ExecutableDocument): boolean {
  const selections = operations.length === 1 ? operations[0]?.selectionSet.selections : undefined;
  const only = selections?.length === 1 ? selections[0] : undefined;
  return only?.kind === Kind.FIELD && only.name.value === '__schema';
}

/** The fragments a document defines, by name. */
export function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of definitions) if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  return fragments;
}

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
