import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';

/**
 * Names of the variables that decide what a result looks like once its item is known: all but those that the arguments of the
 * field at the root take, which decide which items there are.
 */
export function findResultVariables(
  { definitions }: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
): readonly string[] {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of definitions) if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  const names = new Set<string>();
  const seen = new Set<string>();

  const readAll = (node: Parameters<typeof visit>[0]) => {
    visit(node, {
      Variable: ({ name }) => void names.add(name.value),
      FragmentSpread: ({ name }) => {
        const fragment = fragments.get(name.value);
        if (!fragment || seen.has(name.value)) return;
        seen.add(name.value);
        readAll(fragment);
      },
    });
  };

  const readRoot = ({ selections }: SelectionSetNode) => {
    for (const selection of selections) {
      for (const directive of selection.directives ?? []) readAll(directive);
      if (selection.kind === Kind.FIELD) {
        if (selection.selectionSet) readAll(selection.selectionSet);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) readRoot(selection.selectionSet);
      else {
        const fragment = fragments.get(selection.name.value);
        // Fragments do not spread themselves in a document that is valid.
        if (fragment) readRoot(fragment.selectionSet);
      }
    }
  };

  readRoot(selectionSet);
  return [...names].sort();
}
