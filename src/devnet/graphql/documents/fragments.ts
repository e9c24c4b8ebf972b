import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export function fragmentsOf(document: DocumentNode): Fragments {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  return fragments;
}

export function operationsOf(document: DocumentNode): readonly OperationDefinitionNode[] {
  return document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
}

/** The selections one level below a selection; `undefined` for a spread of an unknown fragment. */
export function childrenOf(selection: SelectionNode, fragments: Fragments): readonly SelectionNode[] | undefined {
  if (selection.kind === Kind.FRAGMENT_SPREAD) return fragments.get(selection.name.value)?.selectionSet.selections;
  return selection.selectionSet?.selections ?? [];
}

/** A document that only asks for the schema is exempt from all limits and has no usage. */
export function isSchemaOnly(document: DocumentNode): boolean {
  const [operation, ...others] = operationsOf(document);
  if (operation === undefined || others.length > 0) return false;
  const [selection, ...siblings] = operation.selectionSet.selections;
  return siblings.length === 0 && selection?.kind === Kind.FIELD && selection.name.value === '__schema';
}
