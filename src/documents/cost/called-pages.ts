import { type FieldNode, Kind, type ValueNode } from 'graphql';
import { itemsPerCall, maxSpareCalls } from '../../config/event-calls.ts';
import { type ExecutableDocument, responseKey, walkFields } from '../selections.ts';
import { sentValue, type Variables } from './output-cost.ts';

/** Bounds of the pages in one operation that the gateway reads call by call. */
export interface CalledPageBounds {
  /** Names of the root fields that have such pages. */
  readonly fields: ReadonlySet<string>;
  /** Calls that all pages of an operation may take together, spare calls included. */
  readonly maxCalls: number;
  /** Items of a page without an explicit size. */
  readonly defaultSize: number;
  /** A larger page is rejected without a call. */
  readonly maxSize: number;
}

/** The page size of one field, as the text gives it: numbers, or variables to look up per request. */
interface CalledPage {
  readonly first: SizeSource;
  readonly last: SizeSource;
}

type SizeSource = number | null | { readonly variable: string; readonly fallback: number | null };

/** The pages of each operation that has any. */
export type CalledPages = readonly (readonly CalledPage[])[];

const none: CalledPages = [];

/**
 * Finds the pages among the root fields of each operation; fields with one response key count once. Skipped fields count, as
 * with every limit. Linear in the text.
 */
export function gatherCalledPages(document: ExecutableDocument, names: ReadonlySet<string>): CalledPages {
  if (names.size === 0) return none;
  const found = document.operations.flatMap((operation) => {
    const fields = new Map<string, FieldNode>();
    walkFields([{ selectionSet: operation.selectionSet, on: null }], document.fragments, {
      onField: (field) => {
        if (names.has(field.name.value)) fields.set(responseKey(field), field);
      },
    });
    if (fields.size === 0) return [];
    const defaults = new Map(
      (operation.variableDefinitions ?? []).map(
        ({ variable, defaultValue }) => [variable.name.value, defaultValue] as const,
      ),
    );
    return [[...fields.values()].map((field) => toCalledPage(field, defaults))];
  });
  return found.length > 0 ? found : none;
}

function toCalledPage(field: FieldNode, defaults: ReadonlyMap<string, ValueNode | undefined>): CalledPage {
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
 * Calls that the costliest operation of a document takes with these variables, if the upstream answers full pages. A page of a
 * rejected size takes none.
 */
export function countCalls(pages: CalledPages, variables: Variables, bounds: CalledPageBounds): number {
  return Math.max(0, ...pages.map((each) => each.reduce((sum, page) => sum + callsOf(page, variables, bounds), 0)));
}

/** The most calls that it can take, whatever the upstream answers. */
export function mostCalls(pages: CalledPages, variables: Variables, bounds: CalledPageBounds): number {
  const calls = countCalls(pages, variables, bounds);
  return calls === 0 ? 0 : calls + maxSpareCalls;
}

function callsOf({ first, last }: CalledPage, variables: Variables, bounds: CalledPageBounds): number {
  return countPageCalls({ first: resolve(first, variables), last: resolve(last, variables) }, bounds);
}

function resolve(source: SizeSource, variables: Variables): number | null {
  if (source === null || typeof source === 'number') return source;
  const sent = sentValue(variables, source.variable);
  if (sent === undefined) return source.fallback;
  return typeof sent === 'number' ? sent : null;
}

/** Calls that one full page takes; 0 when its size is rejected or not a number. */
export function countPageCalls(
  { first, last }: { readonly first?: number | null | undefined; readonly last?: number | null | undefined },
  { defaultSize, maxSize }: Pick<CalledPageBounds, 'defaultSize' | 'maxSize'>,
): number {
  if (first != null && last != null) return 0;
  const size = last ?? first ?? Math.min(defaultSize, maxSize);
  return Number.isSafeInteger(size) && size >= 0 && size <= maxSize ? Math.ceil(size / itemsPerCall) : 0;
}
