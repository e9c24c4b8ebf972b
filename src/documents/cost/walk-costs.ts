import { type ASTNode, type FieldNode, type GraphQLNamedType, Kind, type ValueNode } from 'graphql';
import { parseDocument } from '../document-tree.ts';
import { type ExecutableDocument, type Occurrence, selectionsBelow, toExecutableDocument } from '../selections.ts';
import { type Limits, toPath } from './limits.ts';
import {
  contractRules,
  isConnection,
  isEntities,
  isRows,
  literalBytes,
  pageBounds,
  representationsOf,
  toKeys,
  toRepresentations,
  transactionArguments,
  typeOf,
  valueBytes,
} from './measure-definition.ts';
import { readVariable, resolvePageSize, toListSize, toPageSize, type Variables } from './usage.ts';

/** A selection where it occurs, with its cost there. */
export interface Cost extends Occurrence {
  readonly parent: Cost | null;
  /** How often the field may occur in a response; 0 for operations, spreads and inline fragments. */
  readonly times: number;
  /** Output nodes of the field itself. For ledgers that count by type, also those of a page's items, or of the keys. */
  readonly cost: number;
  /** Size of the page or list that multiplies what is below; `null` for any other field. */
  readonly size: CostSize | null;
}

interface CostSize {
  /** `keys`: the length of a list argument. */
  readonly kind: 'page' | 'keys';
  readonly actual: number;
  /** A larger size is rejected before execution; `null`: by the ledger during execution. */
  readonly max: number | null;
}

interface Scope {
  /** `null` if the type is unknown, or not needed. */
  readonly type: GraphQLNamedType | null;
  /** How often the selections may occur in a response. */
  readonly times: number;
  /** The same for selections below `edges` and `nodes`. */
  readonly timesInPage: number;
  /** The selections are on objects of a federation gateway: their representations, and how often the field itself occurs. */
  readonly entities: { readonly representations: ValueNode | undefined; readonly times: number } | null;
}

/**
 * Every operation and selection of a document where it occurs, in the order of the text, with fragments inlined. The costs add
 * up to the document's output nodes. Fragments within fragments expand without bound: do not take all of them.
 */
export function* walkCosts(
  document: Pick<ExecutableDocument, 'operations' | 'fragments'>,
  variables: Variables,
  limits: Pick<Limits, 'defaultPageSize' | 'rules' | 'schema' | 'calledPages'>,
): Generator<Cost> {
  const { rules = contractRules, defaultPageSize, calledPages } = limits;
  const schema = rules.connections === 'type' ? (limits.schema ?? null) : null;
  const pagedFragments = new Map<string, boolean>();
  for (const node of document.operations) {
    const type = schema?.getRootType(node.operation) ?? null;
    yield* walk(
      { node, parent: null, level: 0, times: 0, cost: 0, size: null },
      {
        type,
        times: 1,
        timesInPage: 1,
        entities: null,
      },
    );
  }

  function* walk(parent: Cost, scope: Scope): Generator<Cost> {
    yield parent;
    if (isWithinItself(parent)) return;
    const level = parent.level + 1;
    for (const node of selectionsBelow(parent.node, document)) {
      if (node.kind === Kind.FIELD) {
        const { below, ...own } = measureField(node, scope);
        yield* walk({ node, parent, level, ...own }, below);
      } else {
        const fragment = node.kind === Kind.FRAGMENT_SPREAD ? document.fragments.get(node.name.value) : node;
        const condition = fragment?.typeCondition?.name.value;
        const type = condition === undefined ? scope.type : (schema?.getType(condition) ?? null);
        const size = scope.entities && toRepresentations(scope.entities.representations, condition);
        const times = size && multiply(scope.entities?.times ?? 1, resolvePageSize(size, variables, defaultPageSize));
        // A fragment is measured once for all spreads, so what it selects by type counts for every representation.
        const entities = node.kind === Kind.INLINE_FRAGMENT ? scope.entities : null;
        const below = times === null ? { ...scope, entities } : { times, timesInPage: times, entities: null };
        yield* walk({ node, parent, level, times: 0, cost: 0, size: null }, { ...below, type });
      }
    }
  }

  function measureField(field: FieldNode, { type: parent, times, timesInPage }: Scope) {
    const type = schema && typeOf(parent, field);
    const representations = representationsOf(field);
    const keys = schema && toKeys(field, rules);
    const list = isEntities(field) ? toListSize(representations) : keys?.items;
    if (list) {
      const size = { kind: 'keys', actual: resolvePageSize(list, variables, defaultPageSize), max: list.max } as const;
      const each = multiply(times, size.actual);
      const entities = isEntities(field) ? { representations, times } : null;
      const below = { type, times: each, timesInPage: each, entities };
      const nodes = keys ? multiply(times, resolvePageSize(keys.nodes, variables, defaultPageSize)) : 0;
      return { times, cost: times + nodes, size, below };
    }
    const isRow = isRows(field) && (schema === null || isConnection(parent));
    const size = (schema ? isConnection(type) : isPaged(field)) ? sizeOfPage(field, parent) : null;
    const inner = isRow ? timesInPage : times;
    const below = { type, times: inner, timesInPage: multiply(inner, size?.actual ?? 1), entities: null };
    return { times, cost: isRow && schema ? times + timesInPage : times, size, below };
  }

  function sizeOfPage(field: FieldNode, parent: GraphQLNamedType | null): CostSize {
    const isCalled = parent === schema?.getQueryType() && calledPages?.fields.has(field.name.value) === true;
    const page = toPageSize(field.arguments, schema === null || isCalled ? null : pageBounds(parent, field, rules));
    return { kind: 'page', actual: resolvePageSize(page, variables, defaultPageSize), max: page.max };
  }

  /** Does the node select `edges` or `nodes`, directly or through fragments? */
  function isPaged(node: Parameters<typeof selectionsBelow>[0]): boolean {
    return selectionsBelow(node, document).some((below) => {
      if (below.kind === Kind.FIELD) return isRows(below);
      if (below.kind === Kind.INLINE_FRAGMENT) return isPaged(below);
      const name = below.name.value;
      const known = pagedFragments.get(name);
      if (known !== undefined) return known;
      // A cycle adds nothing: skip the occurrence of a fragment within itself.
      pagedFragments.set(name, false);
      const found = isPaged(below);
      pagedFragments.set(name, found);
      return found;
    });
  }
}

function multiply(times: number, size: number): number {
  return Math.min(times * size, Number.MAX_SAFE_INTEGER);
}

/** Is it a spread of a fragment within that fragment? */
function isWithinItself({ node, parent }: Occurrence): boolean {
  if (node.kind !== Kind.FRAGMENT_SPREAD) return false;
  for (let above = parent; above; above = above.parent)
    if (above.node.kind === Kind.FRAGMENT_SPREAD && above.node.name.value === node.name.value) return true;
  return false;
}

/** The first limit that a document exceeds on a ledger that counts by type, and where. */
export interface Breach {
  readonly kind: 'transaction' | 'output' | CostSize['kind'];
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
  const costs = [...walkCosts(toExecutableDocument(parseDocument(text, true)), variables, limits)];
  return locateTransaction(costs, variables, limits) ?? locateOutput(costs, limits);
}

function locateTransaction(
  costs: readonly Cost[],
  variables: Variables,
  { rules = contractRules, maxTransactionPayloadSize: max }: Limits,
): Breach | null {
  const counted = new Set<string>();
  let bytes = 0;
  for (const each of costs) {
    // Only root fields have transaction payload.
    if (each.node.kind !== Kind.FIELD || toPath(each.parent).length > 0) continue;
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

function locateOutput(costs: readonly Cost[], { maxOutputNodes: max }: Limits): Breach | null {
  let nodes = 0;
  for (const each of costs) {
    const { node, times, cost, size } = each;
    const isOver = nodes + times > max;
    if (!isOver && size && size.max !== null && size.actual > size.max)
      return { kind: size.kind, max: size.max, actual: size.actual, at: { node, path: toPath(each) } };
    nodes += cost;
    if (nodes > max) return { kind: 'output', max, actual: null, at: { node, path: toPath(each) } };
  }
  return null;
}
