import type { SelectionNode } from 'graphql';
import { type ExecutableDocument, selectionsBelow } from './executable-document.ts';

export interface Excess {
  readonly limit: 'depth' | 'nodes';
  readonly selection: SelectionNode;
}

/**
 * The first selection that is over a bound, in the ledger's order: operation by operation with one count of nodes, level by
 * level, depth before nodes. Visits at most `maxNodes` selections and copies none, so its cost depends on the bounds and not
 * on what the document expands to.
 */
export function findExcess(document: ExecutableDocument, maxDepth: number, maxNodes: number): Excess | null {
  let nodes = 0;
  for (const operation of document.operations) {
    let level: readonly (readonly SelectionNode[])[] = [operation.selectionSet.selections];
    for (let depth = 1; level.length > 0; depth += 1) {
      const below: (readonly SelectionNode[])[] = [];
      for (const selections of level) {
        for (const selection of selections) {
          if (depth > maxDepth) return { limit: 'depth', selection };
          if (nodes === maxNodes) return { limit: 'nodes', selection };
          nodes += 1;
          const children = selectionsBelow(selection, document);
          if (children.length > 0) below.push(children);
        }
      }
      level = below;
    }
  }
  return null;
}
