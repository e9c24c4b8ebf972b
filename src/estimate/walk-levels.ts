import { Kind, type SelectionNode } from 'graphql';
import type { ExecutableDocument } from '../limits/executable-document.ts';
import type { Occurrence } from './occurrence.ts';

/**
 * Every selection of a document where it occurs, in the order in which the ledger counts them: operation by operation,
 * level by level. A document may expand without end; take no more than needed.
 */
export function* walkLevels(document: Pick<ExecutableDocument, 'operations' | 'fragments'>): Generator<Occurrence> {
  for (const operation of document.operations) {
    let level: readonly Occurrence[] = [{ node: operation, parent: null, level: 0 }];
    while (level.length > 0) {
      const below: Occurrence[] = [];
      for (const parent of level) {
        for (const node of selectionsOf(parent.node, document)) {
          const occurrence = { node, parent, level: parent.level + 1 };
          yield occurrence;
          below.push(occurrence);
        }
      }
      level = below;
    }
  }
}

/** What lies below a selection, or in the fragment it spreads; nothing for a fragment that is not there. */
export function selectionsOf(
  node: Occurrence['node'],
  { fragments }: Pick<ExecutableDocument, 'fragments'>,
): readonly SelectionNode[] {
  const holder = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
  return holder?.selectionSet?.selections ?? [];
}
