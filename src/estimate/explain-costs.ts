import { type FieldNode, Kind } from 'graphql';
import type { ExecutableDocument } from '../documents/cost/executable-document.ts';
import { resolvePageSize, toPageSize } from '../documents/cost/page-size.ts';
import type { Variables } from '../documents/cost/variables.ts';
import { isSamePlace, type SelectionPlace } from './selection-place.ts';
import { type CostedPlace, isRows, walkCosts } from './walk-costs.ts';

/** One line of a query written as a tree. */
export interface ExplainedSelection {
  readonly kind: 'operation' | 'field' | 'fragment';
  /** As the query has it, without arguments: `query Name`, `alias: field`, `...Fragment`, `... on Type`. */
  readonly text: string;
  /** 0 for an operation. */
  readonly level: number;
  /** Output nodes of this field alone; `null` where the document is not counted. */
  readonly cost: number | null;
  /** `argument: null` means that the page has its default size. */
  readonly connection: { readonly pageSize: number; readonly argument: 'first' | 'last' | null } | null;
  /** Multiplies the cost of everything below. */
  readonly times: number | null;
  readonly isOffending: boolean;
}

export interface ExplainedCosts {
  /** In the order of the text; fragments stand where they are used. */
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

/** Lines of a tree at most: a document within its limits has a few hundred. */
const maxExplained = 2_000;

/** Writes a document as a tree with the cost of each field. The costs of a tree that is not cut add up to its output nodes. */
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

/** Returns a function that says how many items a page of a field would have if the field is a connection. */
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
    // -1 is no page size, so that the comparison fails where the argument gives none.
    return resolvePageSize(toPageSize(given), variables, -1) === pageSize;
  };
  return { pageSize, argument: (['first', 'last'] as const).find(isSource) ?? null };
}

/** Page size that multiplies what is below a field `edges` or `nodes`: that of the nearest field above. */
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
