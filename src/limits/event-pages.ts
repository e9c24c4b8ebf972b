import { type FieldNode, Kind, type SelectionNode, type ValueNode } from 'graphql';
import { itemsPerCall, maxSpareCalls } from '../config/event-calls.ts';
import { type ExecutableDocument, selectionsBelow } from './executable-document.ts';
import { sentValue, type Variables } from './variables.ts';

/** What bounds the pages of events and transactions of an operation. */
export interface EventBounds {
  /** Calls of all its pages together, the spare ones included. */
  readonly maxCalls: number;
  /** Items of a page that names no size. */
  readonly defaultSize: number;
  /** A larger page is refused before anybody is asked. */
  readonly maxSize: number;
}

/** A page of events or transactions, as far as the text tells. */
interface EventPage {
  readonly first: SizeSource;
  readonly last: SizeSource;
}

type SizeSource = number | null | { readonly variable: string; readonly fallback: number | null };

/** Those of each operation of a document that has any. */
export type EventPages = readonly (readonly EventPage[])[];

const pagedFields = new Set(['queryEvents', 'queryTransactionBlocks']);
const none: EventPages = [];

/**
 * Finds the pages at the top of each operation, through fragments; one for each key of the answer. Directives are not looked
 * at: what they leave out is counted, as it is with every limit. Linear in the text.
 */
export function gatherEventPages(document: ExecutableDocument): EventPages {
  const found = document.operations.flatMap((operation) => {
    const fields = new Map<string, FieldNode>();
    const seen = new Set<string>();
    const open: (readonly SelectionNode[])[] = [operation.selectionSet.selections];
    for (let selections = open.pop(); selections; selections = open.pop()) {
      for (const selection of selections) {
        if (selection.kind === Kind.FIELD) {
          if (pagedFields.has(selection.name.value))
            fields.set(selection.alias?.value ?? selection.name.value, selection);
        } else if (selection.kind === Kind.INLINE_FRAGMENT || !seen.has(selection.name.value)) {
          if (selection.kind === Kind.FRAGMENT_SPREAD) seen.add(selection.name.value);
          open.push(selectionsBelow(selection, document));
        }
      }
    }
    if (fields.size === 0) return [];
    const defaults = new Map(
      (operation.variableDefinitions ?? []).map(
        ({ variable, defaultValue }) => [variable.name.value, defaultValue] as const,
      ),
    );
    return [[...fields.values()].map((field) => toEventPage(field, defaults))];
  });
  return found.length > 0 ? found : none;
}

function toEventPage(field: FieldNode, defaults: ReadonlyMap<string, ValueNode | undefined>): EventPage {
  const sourceOf = (name: string): SizeSource => {
    const value = field.arguments?.find((argument) => argument.name.value === name)?.value;
    if (value?.kind !== Kind.VARIABLE) return literalOf(value);
    return { variable: value.name.value, fallback: literalOf(defaults.get(value.name.value)) };
  };
  return { first: sourceOf('first'), last: sourceOf('last') };
}

function literalOf(value: ValueNode | undefined): number | null {
  return value?.kind === Kind.INT ? Number(value.value) : null;
}

/**
 * Calls to the node that the costliest operation of a document takes with these variables when all goes well; a page that is
 * refused for its size asks nobody.
 */
export function countEventCalls(pages: EventPages, variables: Variables, bounds: EventBounds): number {
  return Math.max(0, ...pages.map((each) => each.reduce((sum, page) => sum + callsOf(page, variables, bounds), 0)));
}

/** The most that it can come to, whatever the node answers. */
export function mostEventCalls(pages: EventPages, variables: Variables, bounds: EventBounds): number {
  const calls = countEventCalls(pages, variables, bounds);
  return calls === 0 ? 0 : calls + maxSpareCalls;
}

function callsOf({ first, last }: EventPage, variables: Variables, bounds: EventBounds): number {
  return countPageCalls({ first: resolve(first, variables), last: resolve(last, variables) }, bounds);
}

function resolve(source: SizeSource, variables: Variables): number | null {
  if (source === null || typeof source === 'number') return source;
  const sent = sentValue(variables, source.variable);
  if (sent === undefined) return source.fallback;
  return typeof sent === 'number' ? sent : null;
}

/** Calls that one page takes of a node that gives what it is asked for; 0 where its size is refused, or it is none. */
export function countPageCalls(
  { first, last }: { readonly first?: number | null | undefined; readonly last?: number | null | undefined },
  { defaultSize, maxSize }: Pick<EventBounds, 'defaultSize' | 'maxSize'>,
): number {
  if (first != null && last != null) return 0;
  const size = last ?? first ?? Math.min(defaultSize, maxSize);
  return Number.isSafeInteger(size) && size >= 0 && size <= maxSize ? Math.ceil(size / itemsPerCall) : 0;
}
