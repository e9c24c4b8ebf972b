import { type ASTNode, Kind } from 'graphql';
import { parseDocument } from '../document-tree.ts';
import { toExecutableDocument } from '../selections.ts';
import { type Limits, toPath } from './limits.ts';
import { literalBytes, transactionArguments, valueBytes } from './payload.ts';
import { contractRules, readVariable, resolvePageSize, timesOf, type Variables } from './usage.ts';
import { type CountedOccurrence, costOf, walkDocument } from './walk-document.ts';

/** The first limit that a document exceeds on a ledger that counts by type, and where. */
export interface Breach {
  readonly kind: 'transaction' | 'output' | 'page' | 'keys';
  readonly max: number;
  /** `null`: the walk ends before the whole is counted. */
  readonly actual: number | null;
  /** The field, or the argument with transaction payload, and the names of the fields that lead to it. */
  readonly at: { readonly node: ASTNode; readonly path: readonly string[] };
}

/**
 * Finds the first limit that a document exceeds with these variables: transaction payload first, then the sizes of pages and
 * of the output together. `null` for a ledger that does not count by type. Visits each occurrence of a selection, so only for
 * documents within the limit of nodes.
 * @param text of a document that can be parsed. Prepared documents have no tree, so it is parsed again
 */
export function locateBreach(text: string, variables: Variables, limits: Limits): Breach | null {
  if (limits.rules?.connections !== 'type' || !limits.schema) return null;
  const { rules, schema, calledPages } = limits;
  const counting = { rules, schema, calledFields: calledPages?.fields };
  const document = toExecutableDocument(parseDocument(text, true));
  const { occurrences } = walkDocument(document, counting, Number.POSITIVE_INFINITY);
  return locateTransaction(occurrences, variables, limits) ?? locateOutput(occurrences, variables, limits);
}

function locateTransaction(
  occurrences: readonly CountedOccurrence[],
  variables: Variables,
  { rules = contractRules, maxTransactionPayloadSize: max }: Limits,
): Breach | null {
  const counted = new Set<string>();
  let bytes = 0;
  for (const each of occurrences) {
    // Only root fields have transaction payload.
    if (each.node.kind !== Kind.FIELD || !each.within.isRoot) continue;
    for (const node of transactionArguments(each.node, rules)) {
      const used = new Set<string>();
      bytes += literalBytes(node, used, rules);
      for (const name of used) {
        if (!counted.has(name)) bytes += valueBytes(readVariable(variables, name), rules);
        counted.add(name);
      }
      if (bytes > max) return { kind: 'transaction', max, actual: null, at: { node, path: toPath(each) } };
    }
  }
  return null;
}

function locateOutput(
  occurrences: readonly CountedOccurrence[],
  variables: Variables,
  { maxOutputNodes: max, defaultPageSize }: Limits,
): Breach | null {
  let nodes = 0;
  for (const each of occurrences) {
    const { node, size, within } = each;
    const at = () => ({ node, path: toPath(each) });
    const actual = size && resolvePageSize(size, variables, defaultPageSize);
    const isOver = node.kind === Kind.FIELD && nodes + timesOf(within.times, variables, defaultPageSize) > max;
    if (!isOver && size && size.max !== null && actual !== null && actual > size.max)
      return { kind: size.isList ? 'keys' : 'page', max: size.max, actual, at: at() };
    nodes += costOf(each, variables, defaultPageSize);
    if (nodes > max) return { kind: 'output', max, actual: null, at: at() };
  }
  return null;
}
