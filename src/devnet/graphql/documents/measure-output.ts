import {
  type DocumentNode,
  type FieldNode,
  type GraphQLError,
  Kind,
  type SelectionNode,
  type ValueNode,
} from 'graphql';
import type { GraphqlLimits } from '../graphql-limits.ts';
import { childrenOf, type Fragments, operationsOf } from './fragments.ts';
import { limitRefusal } from './limit-refusal.ts';

export type Variables = Readonly<Record<string, unknown>>;

export interface OutputMeasure {
  readonly nodes: number;
  readonly refusal?: GraphQLError;
}

type OutputLimits = Pick<GraphqlLimits, 'maxOutputNodes' | 'defaultPageSize'>;

const pageMembers = new Set(['edges', 'nodes']);
/** Larger page sizes and products do not fit the service's counter and count as over the limit. */
const maxCounter = 2 ** 32 - 1;
const maxUnsigned64 = 2n ** 64n - 1n;

class OverLimit extends Error {}

/**
 * Estimates the fields of an answer in the worst case: each field counts as often as the pages around it can repeat it.
 * The document must have passed the input check, which bounds how deep this goes and makes every fragment known.
 */
export function measureOutput(
  document: DocumentNode,
  fragments: Fragments,
  variables: Variables,
  limits: OutputLimits,
): OutputMeasure {
  const counter = { nodes: 0 };
  try {
    for (const { selectionSet } of operationsOf(document)) {
      for (const selection of selectionSet.selections) count(selection, 1, undefined);
    }
    return counter;
  } catch (error) {
    if (!(error instanceof OverLimit)) throw error;
    return { ...counter, refusal: limitRefusal(`Estimated output nodes exceeds ${limits.maxOutputNodes}`) };
  }

  function count(selection: SelectionNode, multiplicity: number, pageSize: number | undefined): void {
    if (selection.kind !== Kind.FIELD) {
      for (const child of childrenOf(selection, fragments) ?? []) count(child, multiplicity, pageSize);
      return;
    }
    counter.nodes += multiplicity;
    if (counter.nodes > limits.maxOutputNodes) throw new OverLimit();
    const repeats = pageSize !== undefined && pageMembers.has(selection.name.value);
    const below = repeats ? multiplicity * pageSize : multiplicity;
    if (below > maxCounter) throw new OverLimit();
    const ownPageSize = isConnection(selection, fragments) ? pageSizeOf(selection, variables, limits) : undefined;
    for (const child of selection.selectionSet?.selections ?? []) count(child, below, ownPageSize);
  }
}

/** Does the field select `edges` or `nodes`, itself or through fragments? The schema is not consulted. */
function isConnection(field: FieldNode, fragments: Fragments): boolean {
  const holdsPage = (selections: readonly SelectionNode[]): boolean =>
    selections.some((selection) =>
      selection.kind === Kind.FIELD
        ? pageMembers.has(selection.name.value)
        : holdsPage(childrenOf(selection, fragments) ?? []),
    );
  return holdsPage(field.selectionSet?.selections ?? []);
}

function pageSizeOf(field: FieldNode, variables: Variables, limits: OutputLimits): number {
  const asked = ['first', 'last'].flatMap((name) => {
    const size = toUnsigned(field.arguments?.find((argument) => argument.name.value === name)?.value, variables);
    return size === undefined ? [] : [size];
  });
  const size = asked.length === 0 ? limits.defaultPageSize : Math.max(...asked);
  if (size > maxCounter) throw new OverLimit();
  return size;
}

/** A whole number that fits 64 bits, given as such or by a variable's value. A variable's default does not count. */
function toUnsigned(value: ValueNode | undefined, variables: Variables): number | undefined {
  if (value?.kind === Kind.INT) {
    // A minus sign makes any number signed, even zero.
    if (value.value.startsWith('-')) return undefined;
    const exact = BigInt(value.value);
    return exact <= maxUnsigned64 ? Number(exact) : undefined;
  }
  if (value?.kind !== Kind.VARIABLE) return undefined;
  const given = variables[value.name.value];
  const fits = typeof given === 'number' && Number.isInteger(given) && given >= 0 && given < 2 ** 64;
  return fits ? given : undefined;
}
