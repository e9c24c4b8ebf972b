import { type FieldNode, type GraphQLError, getLocation, Kind } from 'graphql';
import type { ExecutableDocument } from '../documents/cost/executable-document.ts';
import type { LimitName, Limits } from '../documents/cost/limits.ts';
import { takesTransaction } from '../documents/cost/transaction-bytes.ts';
import { pathOf, type SelectionPlace } from './selection-place.ts';
import { walkCosts } from './walk-costs.ts';
import { walkLevels } from './walk-levels.ts';

/** Where a document is at fault. */
export interface Offence {
  /** Response keys down to the selection; `null` if the fault is not in a selection. */
  readonly path: readonly string[] | null;
  /** In the text, from 1; `null` if the fault has no single place. */
  readonly line: number | null;
  readonly column: number | null;
}

export interface OffendingDocument {
  readonly executable: ExecutableDocument;
  readonly limits: Limits;
  readonly pageSizeOf: (field: FieldNode) => number;
}

/** Bounds the search for the place of an error; a document within its limits has far fewer selections. */
const maxSearched = 10_000;

/** The selection an error is about; `null` when it is about none, or about the whole document. */
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

/** Path and place of an error; `null` when it has neither. */
export function toOffence(error: GraphQLError, selected: SelectionPlace | null): Offence | null {
  const loc = selected?.node.loc;
  const place = error.locations?.[0] ?? (loc && getLocation(loc.source, loc.start));
  if (!place && !selected) return null;
  return { path: selected && pathOf(selected), line: place?.line ?? null, column: place?.column ?? null };
}

/**
 * The error tells the bound that was applied: a document that only asks for the schema has another one than the rest.
 */
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

/**
 * The field at which the sum passes the limit. If the sum never does, a single page is larger than can be counted: that
 * page.
 */
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

/** The innermost selection around a place in the text: the one that begins there, or whose argument or directive does. */
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
