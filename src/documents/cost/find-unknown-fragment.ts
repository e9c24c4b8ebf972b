import { type FragmentSpreadNode, Kind, type SelectionNode } from 'graphql';
import { type ExecutableDocument, selectionsBelow } from './executable-document.ts';

/**
 * The first spread of a fragment that is not defined, in the ledger's order: operation by operation, level by level. Each
 * fragment is searched once, at its first spread: a later spread cannot come first.
 */
export function findUnknownFragment(document: ExecutableDocument): FragmentSpreadNode | null {
  const searched = new Set<string>();
  for (const operation of document.operations) {
    let level: readonly SelectionNode[] = operation.selectionSet.selections;
    while (level.length > 0) {
      const below: SelectionNode[] = [];
      for (const selection of level) {
        if (selection.kind === Kind.FRAGMENT_SPREAD) {
          const name = selection.name.value;
          if (!document.fragments.has(name)) return selection;
          if (searched.has(name)) continue;
          searched.add(name);
        }
        for (const child of selectionsBelow(selection, document)) below.push(child);
      }
      level = below;
    }
  }
  return null;
}
