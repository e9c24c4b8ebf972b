import { Kind, type SelectionNode } from 'graphql';
import type { ExecutableDocument } from '../documents/cost/executable-document.ts';
import type { SelectionPlace } from './selection-place.ts';

/**
 * Every selection of a document where it occurs, in the order in which the ledger counts: operation by operation, level
 * by level. Fragments within fragments expand without bound: do not take all of them.
 */
export function* walkLevels(document: Pick<ExecutableDocument, 'operations' | 'fragments'>): Generator<SelectionPlace> {
  for (const operation of document.operations) {
    let level: readonly SelectionPlace[] = [{ node: operation, parent: null, level: 0 }];
    while (level.length > 0) {
      const below: SelectionPlace[] = [];
      for (const parent of level) {
        for (const node of selectionsOf(parent.node, document)) {
          const place = { node, parent, level: parent.level + 1 };
          yield place;
          below.push(place);
        }
      }
      level = below;
    }
  }
}

/** What lies below a selection, or in the fragment it spreads; nothing for a fragment that is not there. */
export function selectionsOf(
  node: SelectionPlace['node'],
  { fragments }: Pick<ExecutableDocument, 'fragments'>,
): readonly SelectionNode[] {
  const holder = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
  return holder?.selectionSet?.selections ?? [];
}
