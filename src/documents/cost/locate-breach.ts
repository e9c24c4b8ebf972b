import type { ASTNode, FieldNode, GraphQLNamedType, SelectionSetNode } from 'graphql';
import { parseDocument } from '../document-tree.ts';
import { toExecutableDocument } from '../selections.ts';
import type { Limits } from './limits.ts';
import {
  contractRules,
  isConnection,
  isEntities,
  isRows,
  literalBytes,
  pageBounds,
  toItems,
  toKeys,
  transactionArguments,
  typeOf,
  valueBytes,
} from './measure-definition.ts';
import { type PageSize, readVariable, resolvePageSize, toPageSize, type Variables } from './usage.ts';

/** The first limit that a document exceeds on a ledger that counts by type, and where. */
export interface Breach {
  readonly kind: 'transaction' | 'page' | 'keys' | 'output';
  readonly max: number;
  /** `null`: the walk ends before the whole is counted. */
  readonly actual: number | null;
  /** The field, or the argument with transaction payload, and the names of the fields that lead to it. */
  readonly at: { readonly node: ASTNode; readonly path: readonly string[] };
}

interface Scope {
  readonly type: GraphQLNamedType | null;
  readonly path: readonly string[];
  /** How often the selections occur. */
  readonly items: number;
  /** The page size of the connection that they are on. */
  readonly page: number | null;
}

/**
 * Finds the first limit that a document exceeds with these variables: transaction payload first, then the sizes of pages and
 * of the output, which are one walk. `null` for a ledger that does not count by type. Visits each occurrence of a selection,
 * so only for documents within the limit of nodes.
 * @param text of a document that can be parsed. Prepared documents have no tree, so it is parsed again
 */
export function locateBreach(
  text: string,
  variables: Variables,
  { rules = contractRules, schema, maxTransactionPayloadSize, maxOutputNodes, defaultPageSize, calledPages }: Limits,
): Breach | null {
  if (rules.connections !== 'type' || !schema) return null;
  const graph = schema;
  const { operations, fragments } = toExecutableDocument(parseDocument(text, true));
  const found: { transaction?: Breach; output?: Breach } = {};
  const counted = new Set<string>();
  let transactionBytes = 0;
  let outputNodes = 0;
  for (const { operation, selectionSet } of operations)
    walk(selectionSet, { type: schema.getRootType(operation) ?? null, path: [], items: 1, page: null });
  return found.transaction ?? found.output ?? null;

  function walk({ selections }: SelectionSetNode, scope: Scope): void {
    for (const selection of selections) {
      if (selection.kind === 'Field') {
        const path = [...scope.path, selection.name.value];
        if (scope.path.length === 0) countTransaction(selection, path);
        const below = countOutput(selection, scope, path);
        if (selection.selectionSet) walk(selection.selectionSet, below);
        continue;
      }
      const fragment = selection.kind === 'InlineFragment' ? selection : fragments.get(selection.name.value);
      const on = fragment?.typeCondition?.name.value;
      if (fragment) walk(fragment.selectionSet, { ...scope, type: on ? (graph.getType(on) ?? null) : scope.type });
    }
  }

  function countTransaction(field: FieldNode, path: readonly string[]): void {
    for (const node of transactionArguments(field, rules)) {
      const used = new Set<string>();
      transactionBytes += literalBytes(node, used, rules);
      for (const name of used) {
        if (!counted.has(name)) transactionBytes += valueBytes(readVariable(variables, name), rules);
        counted.add(name);
      }
      if (transactionBytes > maxTransactionPayloadSize)
        found.transaction ??= { kind: 'transaction', max: maxTransactionPayloadSize, actual: null, at: { node, path } };
    }
  }

  function countOutput(field: FieldNode, { type: parent, items, page }: Scope, path: readonly string[]): Scope {
    const type = typeOf(parent, field);
    const at = { node: field, path };
    const charge = (nodes: number): void => {
      outputNodes += nodes;
      if (outputNodes > maxOutputNodes) found.output ??= { kind: 'output', max: maxOutputNodes, actual: null, at };
    };
    const measure = (kind: 'page' | 'keys', size: PageSize): number => {
      const actual = resolvePageSize(size, variables, defaultPageSize);
      if (size.max !== null && actual > size.max) found.output ??= { kind, max: size.max, actual, at };
      return actual;
    };
    const inner = (each: number, nextPage: number | null = null): Scope => ({
      type,
      path,
      items: each,
      page: nextPage,
    });
    charge(items);
    if (isRows(field) && page !== null) {
      charge(items * page);
      return inner(items * page);
    }
    if (isEntities(field)) return inner(items * measure('keys', toItems(field)));
    const keys = toKeys(field, rules);
    if (keys) {
      const each = items * measure('keys', keys);
      charge(each);
      return inner(each);
    }
    if (!isConnection(type)) return inner(items);
    const isCalled = parent === graph.getQueryType() && calledPages?.fields.has(field.name.value) === true;
    const bounds = isCalled ? null : pageBounds(parent, field, rules);
    return inner(items, measure('page', toPageSize(field.arguments, bounds)));
  }
}
