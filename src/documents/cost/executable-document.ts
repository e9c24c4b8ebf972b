import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
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
