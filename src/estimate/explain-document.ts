import { type GraphQLError, getLocation, Kind } from 'graphql';
import type { LimitName, Limits } from '../documents/cost/limits.ts';
import { transactionArguments } from '../documents/cost/payload.ts';
import { contractRules, resolvePageSize, toPageSize, type Variables } from '../documents/cost/usage.ts';
import { type CountedOccurrence, costOf, isRows, walkDocument } from '../documents/cost/walk-document.ts';
import { type ExecutableDocument, type Occurrence, responseKey, walkLevels } from '../documents/selections.ts';

/** One line of a query that is written as a tree. */
export interface ExplainedSelection {
  readonly kind: 'operation' | 'field' | 'fragment';
  /** Without arguments: `query Name`, `alias: field`, `...Fragment`, `... on Type`. */
  readonly text: string;
  /** Level of indentation; 0 for an operation. */
  readonly level: number;
  /** Output nodes of this field alone; `null` if the document is not counted. */
  readonly cost: number | null;
  /** `argument: null` means that the page has its default size. */
  readonly connection: { readonly pageSize: number; readonly argument: 'first' | 'last' | null } | null;
  /** Multiplies the cost of everything below. */
  readonly times: number | null;
  readonly isOffending: boolean;
}

export interface CostQuestion {
  readonly executable: ExecutableDocument;
  readonly variables: Variables;
  readonly limits: Limits;
  readonly isCounted: boolean;
  readonly offending: Occurrence | null;
}

/** Maximum of lines in a tree: a document within its limits has a few hundred. */
const maxExplained = 2_000;

/**
 * Writes a document as a tree with the cost of each field, in the order of the text; fragments are shown where they are used.
 * The costs of a complete tree add up to the document's output nodes. `isCut`: the document has more selections.
 */
export function explainCosts(question: CostQuestion): {
  readonly selections: readonly ExplainedSelection[];
  readonly isCut: boolean;
} {
  const { executable, variables, limits, isCounted, offending } = question;
  const occurrences = walk(executable, limits, maxExplained + 1);
  const selections = occurrences.slice(0, maxExplained).map((each) => ({
    ...describe(each.node),
    level: each.level,
    cost: isCounted ? costOf(each, variables, limits.defaultPageSize) : null,
    connection: toConnection(each, question),
    times: timesBelow(each, question),
    isOffending: offending !== null && isSame(each, offending),
  }));
  return { selections, isCut: occurrences.length > maxExplained };
}

function walk(executable: ExecutableDocument, limits: Limits, max: number): readonly CountedOccurrence[] {
  const { rules = contractRules, schema = null, calledPages } = limits;
  const counting = { rules, schema: rules.connections === 'type' ? schema : null, calledFields: calledPages?.fields };
  return walkDocument(executable, counting, max).occurrences;
}

/** The size of the page or list below a field; `null` if there is none. */
function sizeBelow({ size, below }: CountedOccurrence, { variables, limits }: CostQuestion): number | null {
  return size && (size.isList || below?.rows) ? resolvePageSize(size, variables, limits.defaultPageSize) : null;
}

function toConnection(occurrence: CountedOccurrence, question: CostQuestion) {
  const { node, size } = occurrence;
  const { variables } = question;
  const pageSize = sizeBelow(occurrence, question);
  if (pageSize === null || size?.isList || node.kind !== Kind.FIELD) return null;
  const isSource = (name: string) => {
    const argumentNodes = (node.arguments ?? []).filter((argument) => argument.name.value === name);
    // -1 is no page size, so the comparison fails if the argument gives none.
    return resolvePageSize(toPageSize(argumentNodes), variables, -1) === pageSize;
  };
  return { pageSize, argument: (['first', 'last'] as const).find(isSource) ?? null };
}

/** The page size that multiplies everything below `edges` or `nodes`: that of the nearest connection above. */
function timesBelow({ node, parent }: CountedOccurrence, question: CostQuestion): number | null {
  if (node.kind !== Kind.FIELD || !isRows(node)) return null;
  let above = parent;
  while (above && (above.node.kind === Kind.INLINE_FRAGMENT || above.node.kind === Kind.FRAGMENT_SPREAD))
    above = above.parent;
  return above && sizeBelow(above, question);
}

function describe(node: Occurrence['node']): Pick<ExplainedSelection, 'kind' | 'text'> {
  switch (node.kind) {
    case Kind.OPERATION_DEFINITION:
      return { kind: 'operation', text: [node.operation, node.name?.value].filter(Boolean).join(' ') };
    case Kind.FIELD:
      return { kind: 'field', text: [node.alias?.value, node.name.value].filter(Boolean).join(': ') };
    case Kind.FRAGMENT_SPREAD:
      return { kind: 'fragment', text: `...${node.name.value}` };
    case Kind.INLINE_FRAGMENT:
      return { kind: 'fragment', text: node.typeCondition ? `... on ${node.typeCondition.name.value}` : '...' };
  }
}

function isSame(left: Occurrence, right: Occurrence): boolean {
  let [one, other]: [Occurrence | null, Occurrence | null] = [left, right];
  while (one && other && one !== other && one.node === other.node) [one, other] = [one.parent, other.parent];
  return one === other;
}

function* take<Item>(items: Iterable<Item>, count: number): Generator<Item> {
  let left = count;
  for (const item of items) {
    yield item;
    left -= 1;
    if (left <= 0) return;
  }
}

/** The position of a mistake in a document. */
export interface MistakePosition {
  /** Response keys down to the selection; `null` if the mistake is not in a selection. */
  readonly path: readonly string[] | null;
  /** In the text, counted from 1; `null` if the mistake has no single position. */
  readonly line: number | null;
  readonly column: number | null;
}

/** Path and position of an error; `null` if it has neither. */
export function toMistakePosition(error: GraphQLError, selected: Occurrence | null): MistakePosition | null {
  const loc = selected?.node.loc;
  const location = error.locations?.[0] ?? (loc && getLocation(loc.source, loc.start));
  if (!location && !selected) return null;
  return { path: selected && responsePathOf(selected), line: location?.line ?? null, column: location?.column ?? null };
}

/** Response keys from the operation down; fragments add none. */
export function responsePathOf(selected: Occurrence): string[] {
  const { node, parent } = selected;
  const path = parent ? responsePathOf(parent) : [];
  return node.kind === Kind.FIELD ? [...path, responseKey(node)] : path;
}

/** Maximum of selections searched for the position of an error; a document within its limits has far fewer. */
const maxSearched = 10_000;

/** The selection that an error is about; `null` for none, or for the whole document. */
export function findOffending(
  error: GraphQLError,
  executable: ExecutableDocument,
  variables: Variables,
  limits: Limits,
): Occurrence | null {
  const { limit } = error.extensions as { readonly limit?: { readonly name: LimitName; readonly max?: unknown } };
  const firstOf = (count: number): readonly Occurrence[] => [...take(walkLevels(executable), count)];
  switch (limit?.name) {
    case 'maxQueryDepth':
      return firstOf(limits.maxQueryNodes + 1).find(({ level }) => level > limits.maxQueryDepth) ?? null;
    case 'maxQueryNodes': {
      // A document that only asks for the schema has a limit of its own.
      const max = typeof limit.max === 'number' ? limit.max : limits.maxQueryNodes;
      return firstOf(max + 1)[max] ?? null;
    }
    case 'maxOutputNodes':
      return findOutputExcess(executable, variables, limits);
    case 'maxTransactionPayloadSize':
      return (
        firstOf(maxSearched).find(
          ({ node }) =>
            node.kind === Kind.FIELD && transactionArguments(node, limits.rules ?? contractRules).length > 0,
        ) ?? null
      );
    default: {
      const position = error.positions?.[0];
      return position === undefined ? null : findInnermost(firstOf(maxSearched), position);
    }
  }
}

/** The field at which the sum exceeds the limit. If the sum never does, a single page is too large to count: that page. */
function findOutputExcess(executable: ExecutableDocument, variables: Variables, limits: Limits): Occurrence | null {
  const { maxOutputNodes, defaultPageSize } = limits;
  const sizeOf = ({ size }: CountedOccurrence) => (size ? resolvePageSize(size, variables, defaultPageSize) : 0);
  let sum = 0;
  let largest: CountedOccurrence | null = null;
  for (const each of walk(executable, limits, maxSearched)) {
    sum += costOf(each, variables, defaultPageSize);
    if (sum > maxOutputNodes) return each;
    if (each.below?.rows && (!largest || sizeOf(each) > sizeOf(largest))) largest = each;
  }
  return largest;
}

/** The innermost selection around a position in the text. */
function findInnermost(selections: readonly Occurrence[], position: number): Occurrence | null {
  let found: Occurrence | null = null;
  let foundLength = Number.POSITIVE_INFINITY;
  for (const each of selections) {
    const { start = 0, end = 0 } = each.node.loc ?? {};
    if (start > position || end <= position || end - start >= foundLength) continue;
    found = each;
    foundLength = end - start;
  }
  return found;
}
