import type { MeasuredDefinition } from './measure-definition.ts';

/** Transaction payload that is written into the text, and the variables that carry the rest. */
export interface InlinedTransactions {
  /** Bytes, each literal once: a fragment that is spread twice is in the text but once. */
  readonly bytes: number;
  readonly variables: readonly string[];
}

/** Gathers the arguments of transaction fields at the top of the operations, through fragments. */
export function gatherTransactions(
  operations: readonly MeasuredDefinition[],
  fragments: ReadonlyMap<string, MeasuredDefinition>,
): InlinedTransactions {
  let bytes = 0;
  const variables = new Set<string>();
  // A set is walked in the order of insertion, and what is added while walking is walked too.
  const reached = new Set(operations);
  for (const measured of reached) {
    bytes += measured.transaction.bytes;
    for (const name of measured.transaction.variables) variables.add(name);
    for (const spread of measured.spreads) {
      const fragment = spread.isTop ? fragments.get(spread.node.name.value) : undefined;
      if (fragment) reached.add(fragment);
    }
  }
  return { bytes, variables: [...variables] };
}
