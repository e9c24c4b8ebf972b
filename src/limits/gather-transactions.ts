import type { Outline } from './outline-definition.ts';

/** Transaction payload that is written into the text, and the variables that carry the rest. */
export interface InlinedTransactions {
  /** Bytes, each literal once: a fragment that is spread twice is in the text but once. */
  readonly bytes: number;
  readonly variables: readonly string[];
}

/** Gathers the arguments of transaction fields at the top of the operations, through fragments. */
export function gatherTransactions(
  operations: readonly Outline[],
  fragments: ReadonlyMap<string, Outline>,
): InlinedTransactions {
  let bytes = 0;
  const variables = new Set<string>();
  // A set is walked in the order of insertion, and what is added while walking is walked too.
  const reached = new Set(operations);
  for (const outline of reached) {
    bytes += outline.transaction.bytes;
    for (const name of outline.transaction.variables) variables.add(name);
    for (const spread of outline.spreads) {
      const fragment = spread.isTop ? fragments.get(spread.node.name.value) : undefined;
      if (fragment) reached.add(fragment);
    }
  }
  return { bytes, variables: [...variables] };
}
