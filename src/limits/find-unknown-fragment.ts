import { type FragmentSpreadNode, Kind, type SelectionNode } from 'graphql';
import { type ExecutableDocument, selectionsBelow } from './executable-document.ts';

/**
 * The first spread of a fragment that is not there, in the order in which the ledger meets it: operation by operation,
 * level by level. A fragment is searched where it is met first; its later uses hold the same spreads, only later.
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
