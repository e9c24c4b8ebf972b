import type { DocumentNode, GraphQLError, SelectionNode } from 'graphql';
import type { GraphqlLimits } from '../graphql-limits.ts';
import { childrenOf, type Fragments, operationsOf } from './fragments.ts';
import { limitRefusal } from './limit-refusal.ts';

export interface InputMeasure {
  readonly nodes: number;
  readonly depth: number;
  readonly refusal?: GraphQLError;
}

/**
 * Counts the nodes of a document, level by level: every field, inline fragment and spread is one, and each spread
 * counts its fragment's selections again. Nodes of all operations add up; depth is the greatest.
 */
export function measureInput(
  document: DocumentNode,
  fragments: Fragments,
  limits: Pick<GraphqlLimits, 'maxQueryDepth' | 'maxQueryNodes'>,
): InputMeasure {
  let nodes = 0;
  let deepest = 0;
  for (const operation of operationsOf(document)) {
    let depth = 0;
    let level: readonly SelectionNode[] = operation.selectionSet.selections;
    for (let [first] = level; first !== undefined; [first] = level) {
      if (depth === limits.maxQueryDepth) {
        return { nodes, depth, refusal: limitRefusal(`Query nesting is over ${limits.maxQueryDepth}`, first) };
      }
      depth += 1;
      const below: SelectionNode[] = [];
      for (const selection of level) {
        if (nodes === limits.maxQueryNodes) {
          return { nodes, depth, refusal: limitRefusal(`Query has over ${limits.maxQueryNodes} nodes`, selection) };
        }
        nodes += 1;
        const children = childrenOf(selection, fragments);
        if (children === undefined) return { nodes, depth, refusal: missingFragment(selection) };
        for (const child of children) below.push(child);
      }
      level = below;
    }
    deepest = Math.max(deepest, depth);
  }
  return { nodes, depth: deepest };
}

function missingFragment(spread: SelectionNode): GraphQLError {
  const name = 'name' in spread ? spread.name?.value : undefined;
  return limitRefusal(`Fragment ${name ?? ''} referred to but not found in document`, spread);
}
