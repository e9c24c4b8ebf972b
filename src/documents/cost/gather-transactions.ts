import type { MeasuredDefinition } from './measure-definition.ts';

/** The transaction payload in the text, and the variables that carry the rest. */
export interface InlinedTransactions {
  /** Bytes of literals, each counted once however often its fragment is spread, because the text holds it once. */
  readonly bytes: number;
  readonly variables: readonly string[];
}

/** Adds up the arguments of transaction fields among the root fields of all operations, through fragments. */
export function gatherTransactions(
  operations: readonly MeasuredDefinition[],
  fragments: ReadonlyMap<string, MeasuredDefinition>,
): InlinedTransactions {
  let bytes = 0;
  const variables = new Set<string>();
  // Iterating a set also visits what is added meanwhile, so this loop reaches every fragment once.
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
