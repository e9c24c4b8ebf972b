import { type DocumentNode, GraphQLError, Kind, type SelectionSetNode } from 'graphql';
import { type Fragments, operationsOf } from './fragments.ts';

const maxRecursion = 32;

/**
 * Refuses selection sets nested more than 32 deep below the operation's own, spreads included. A fragment that
 * contains itself counts as endless.
 */
export function checkRecursion(document: DocumentNode, fragments: Fragments): GraphQLError | undefined {
  const heights = new Map<string, number>();
  const tooHigh = operationsOf(document).some(
    ({ selectionSet }) => heightOf(selectionSet, fragments, heights) > maxRecursion,
  );
  return tooHigh ? recursionRefusal() : undefined;
}

/** Also given to documents that are too deep for the parser. */
export function recursionRefusal(): GraphQLError {
  return new GraphQLError(`The recursion depth of the query cannot be greater than \`${maxRecursion}\``);
}

/** Each fragment is measured once, however often it is spread. */
function heightOf(set: SelectionSetNode, fragments: Fragments, heights: Map<string, number>): number {
  let height = 0;
  for (const selection of set.selections) {
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      height = Math.max(height, 1 + fragmentHeight(selection.name.value, fragments, heights));
    } else if (selection.selectionSet) {
      height = Math.max(height, 1 + heightOf(selection.selectionSet, fragments, heights));
    }
  }
  return height;
}

function fragmentHeight(name: string, fragments: Fragments, heights: Map<string, number>): number {
  const known = heights.get(name);
  if (known !== undefined) return known;
  const fragment = fragments.get(name);
  if (!fragment) return 0;
  // If the fragment is met again before it is measured, it contains itself.
  heights.set(name, Number.POSITIVE_INFINITY);
  const height = heightOf(fragment.selectionSet, fragments, heights);
  heights.set(name, height);
  return height;
}
