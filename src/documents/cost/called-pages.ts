import { type FieldNode, Kind, type OperationDefinitionNode, type ValueNode } from 'graphql';
import { itemsPerCall, maxSpareCalls } from '../../config/event-calls.ts';
import { readVariable, type Variables } from './usage.ts';

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

/** The page of a field. @param variableDefinitions those of its operation */
export function toCalledPage(
  field: FieldNode,
  { variableDefinitions = [] }: Pick<OperationDefinitionNode, 'variableDefinitions'>,
): CalledPage {
  const sourceOf = (argument: string): SizeSource => {
    const value = field.arguments?.find(({ name }) => name.value === argument)?.value;
    if (value?.kind !== Kind.VARIABLE) return literalOf(value);
    const variable = value.name.value;
    const definition = variableDefinitions.find((each) => each.variable.name.value === variable);
    return { variable, fallback: literalOf(definition?.defaultValue) };
  };
  return { first: sourceOf('first'), last: sourceOf('last') };
}

function literalOf(value: ValueNode | undefined): number | null {
  return value?.kind === Kind.INT ? Number(value.value) : null;
}

/**
 * The most calls that the costliest operation of a document can take with these variables, whatever the upstream answers. A page
 * of a rejected size takes none.
 */
export function mostCalls(pages: CalledPages, variables: Variables, bounds: CalledPageBounds): number {
  const callsOf = ({ first, last }: CalledPage) =>
    countPageCalls({ first: resolve(first, variables), last: resolve(last, variables) }, bounds);
  const calls = Math.max(0, ...pages.map((each) => each.reduce((sum, page) => sum + callsOf(page), 0)));
  return calls === 0 ? 0 : calls + maxSpareCalls;
}

function resolve(source: SizeSource, variables: Variables): number | null {
  if (source === null || typeof source === 'number') return source;
  const sent = readVariable(variables, source.variable);
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
