import { type FieldNode, type GraphQLError, getLocation, Kind } from 'graphql';
import type { LimitName, Limits } from '../documents/cost/limits.ts';
import { isRows, takesTransaction } from '../documents/cost/measure-definition.ts';
import { resolvePageSize, toPageSize, type Variables } from '../documents/cost/usage.ts';
import type { ExecutableDocument } from '../documents/selections.ts';
import { type SelectionPlace, walkLevels } from '../documents/selections.ts';
import { type CostedPlace, isSamePlace, pathOf, walkCosts } from './walk-selections.ts';

/** One line of a query that is written as a tree. */
export interface ExplainedSelection {
  readonly kind: 'operation' | 'field' | 'fragment';
  /** Without arguments: `query Name`, `alias: field`, `...Fragment`, `... on Type`. */
  readonly text: string;
  /** 0 for an operation. */
  readonly level: number;
  /** Output nodes of this field alone; `null` if the document is not counted. */
  readonly cost: number | null;
  /** `argument: null` means that the page has its default size. */
  readonly connection: { readonly pageSize: number; readonly argument: 'first' | 'last' | null } | null;
  /** Multiplies the cost of everything below. */
  readonly times: number | null;
  readonly isOffending: boolean;
}

export interface ExplainedCosts {
  /** In the order of the text; fragments are shown where they are used. */
  readonly selections: readonly ExplainedSelection[];
  /** True if `maxExplained` was reached before the end of the document. */
  readonly isCut: boolean;
}

export interface CostQuestion {
  readonly executable: ExecutableDocument;
  readonly variables: Variables;
  readonly defaultPageSize: number;
  readonly isCounted: boolean;
  readonly offending: SelectionPlace | null;
}

/** Lines of a tree: a document within its limits has a few hundred. */
const maxExplained = 2_000;

/**
 * Writes a document as a tree with the cost of each field. The costs of a complete tree add up to the document's output nodes.
 */
export function explainCosts(question: CostQuestion): ExplainedCosts {
  const { executable, isCounted, offending } = question;
  const selections: ExplainedSelection[] = [];
  for (const place of walkCosts(executable, pageSizeOf(question))) {
    if (selections.length === maxExplained) return { selections, isCut: true };
    selections.push({
      ...describe(place.node),
      level: place.level,
      cost: isCounted ? place.cost : null,
      connection: toConnection(place, question),
      times: timesBelow(place),
      isOffending: offending !== null && isSamePlace(place, offending),
    });
  }
  return { selections, isCut: false };
}

/** Returns a function that gives the page size of a field if the field is a connection. */
export function pageSizeOf({
  variables,
  defaultPageSize,
}: Pick<CostQuestion, 'variables' | 'defaultPageSize'>): (field: FieldNode) => number {
  return (field) => resolvePageSize(toPageSize(field.arguments), variables, defaultPageSize);
}

function toConnection({ node, pageSize }: CostedPlace, { variables }: CostQuestion) {
  if (pageSize === null || node.kind !== Kind.FIELD) return null;
  const isSource = (name: string) => {
    const given = (node.arguments ?? []).filter((argument) => argument.name.value === name);
    // -1 is no page size, so the comparison fails if the argument gives none.
    return resolvePageSize(toPageSize(given), variables, -1) === pageSize;
  };
  return { pageSize, argument: (['first', 'last'] as const).find(isSource) ?? null };
}

/** The page size that multiplies everything below `edges` or `nodes`: that of the nearest field above. */
function timesBelow({ node, parent }: CostedPlace): number | null {
  if (node.kind !== Kind.FIELD || !isRows(node)) return null;
  let place = parent;
  while (place && (place.node.kind === Kind.INLINE_FRAGMENT || place.node.kind === Kind.FRAGMENT_SPREAD)) {
    place = place.parent;
  }
  return place?.pageSize ?? null;
}

function describe(node: SelectionPlace['node']): Pick<ExplainedSelection, 'kind' | 'text'> {
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

/** The position of a mistake in a document. */
export interface Offence {
  /** Response keys down to the selection; `null` if the mistake is not in a selection. */
  readonly path: readonly string[] | null;
  /** In the text, from 1; `null` if the mistake has no single position. */
  readonly line: number | null;
  readonly column: number | null;
}

export interface OffendingDocument {
  readonly executable: ExecutableDocument;
  readonly limits: Limits;
  readonly pageSizeOf: (field: FieldNode) => number;
}

/** Selections searched for the position of an error; a document within its limits has far fewer. */
const maxSearched = 10_000;

/** The selection that an error is about; `null` if it is about none, or about the whole document. */
export function findOffendingPlace(error: GraphQLError, document: OffendingDocument): SelectionPlace | null {
  const { limit } = error.extensions as { readonly limit?: { readonly name: LimitName } };
  const { maxQueryDepth, maxQueryNodes } = document.limits;
  const place = error.positions?.[0];
  switch (limit?.name) {
    case 'maxQueryDepth':
      return findByLevel(document, (selected) => selected.level > maxQueryDepth, maxQueryNodes + 1);
    case 'maxQueryNodes': {
      let left = limitOf(error) ?? maxQueryNodes;
      return findByLevel(document, () => left-- === 0, left + 1);
    }
    case 'maxOutputNodes':
      return findOutputExcess(document);
    case 'maxTransactionPayloadSize':
      return findByLevel(
        document,
        ({ node: field }) => field.kind === Kind.FIELD && takesTransaction(field),
        maxSearched,
      );
    default:
      return place === undefined ? null : findAround(document, place);
  }
}

/** Path and position of an error; `null` if it has neither. */
export function toOffence(error: GraphQLError, selected: SelectionPlace | null): Offence | null {
  const loc = selected?.node.loc;
  const place = error.locations?.[0] ?? (loc && getLocation(loc.source, loc.start));
  if (!place && !selected) return null;
  return { path: selected && pathOf(selected), line: place?.line ?? null, column: place?.column ?? null };
}

/** The bound that was applied: a document that only asks for the schema has its own. */
function limitOf(error: GraphQLError): number | null {
  const { limit } = error.extensions as { readonly limit?: { readonly max?: unknown } };
  return typeof limit?.max === 'number' ? limit.max : null;
}

function findByLevel(
  { executable }: OffendingDocument,
  isWanted: (selected: SelectionPlace) => boolean,
  maxLooked: number,
): SelectionPlace | null {
  let left = maxLooked;
  for (const selected of walkLevels(executable)) {
    if (isWanted(selected)) return selected;
    left -= 1;
    if (left <= 0) break;
  }
  return null;
}

/** The field at which the sum exceeds the limit. If it never does, a single page is too large to count: that page. */
function findOutputExcess({ executable, pageSizeOf, limits }: OffendingDocument): SelectionPlace | null {
  let sum = 0;
  let largest: { readonly selected: SelectionPlace; readonly pageSize: number } | null = null;
  for (const selected of walkCosts(executable, pageSizeOf)) {
    sum += selected.cost;
    if (sum > limits.maxOutputNodes) return selected;
    const { pageSize } = selected;
    if (pageSize !== null && pageSize > (largest?.pageSize ?? 0)) largest = { selected, pageSize };
  }
  return largest?.selected ?? null;
}

/** The innermost selection around a position in the text. */
function findAround({ executable }: OffendingDocument, place: number): SelectionPlace | null {
  let found: SelectionPlace | null = null;
  let foundLength = Number.POSITIVE_INFINITY;
  let left = maxSearched;
  for (const selected of walkLevels(executable)) {
    const { loc } = selected.node;
    if (loc && loc.start <= place && loc.end > place && loc.end - loc.start < foundLength) {
      found = selected;
      foundLength = loc.end - loc.start;
    }
    left -= 1;
    if (left === 0) break;
  }
  return found;
}
