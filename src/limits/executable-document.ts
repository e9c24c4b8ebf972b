import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';

/** The operations and fragments of a document, in the order of its text. Other definitions are left to validation. */
export interface ExecutableDocument {
  readonly operations: readonly OperationDefinitionNode[];
  /** Used or not. */
  readonly fragmentDefinitions: readonly FragmentDefinitionNode[];
  /** By name. Of two with one name, which validation refuses, the later. */
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

export function toExecutableDocument({ definitions }: DocumentNode): ExecutableDocument {
  const operations = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const fragmentDefinitions = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  const fragments = new Map(fragmentDefinitions.map((definition) => [definition.name.value, definition]));
  return { operations, fragmentDefinitions, fragments };
}

/** The level below a selection: what it selects, or what the fragment it spreads does. */
export function selectionsBelow(
  selection: SelectionNode,
  { fragments }: Pick<ExecutableDocument, 'fragments'>,
): readonly SelectionNode[] {
  const holder = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
  return holder?.selectionSet?.selections ?? [];
}

/**
 * Does the document ask for the schema and for nothing else? One operation, of one selection, a field really named
 * `__schema`; a fragment or an alias of that name is none.
 */
export function isSchemaOnly({ operations }: ExecutableDocument): boolean {
  const selections = operations.length === 1 ? operations[0]?.selectionSet.selections : undefined;
  const only = selections?.length === 1 ? selections[0] : undefined;
  return only?.kind === Kind.FIELD && only.name.value === '__schema';
}
