import {
  buildSchema,
  type DocumentNode,
  type FieldNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { maxTokens } from '../../src/documents/document-tree.ts';
import type { Ownership } from '../../src/documents/plan-operation.ts';

/** Levels of the deepest document: each takes a name and two braces. */
export const maxLevels = Math.ceil(maxTokens / 3);
/** Fragments of the longest chain: each takes eight tokens. */
export const maxFragments = Math.ceil(maxTokens / 8);

/** A field as a syntax tree. */
export const field = (name: string, ...selections: SelectionNode[]): FieldNode => ({
  kind: Kind.FIELD,
  name: { kind: Kind.NAME, value: name },
  ...(selections.length > 0 ? { selectionSet: selectionSet(selections) } : {}),
});

const selectionSet = (selections: readonly SelectionNode[]): SelectionSetNode => ({
  kind: Kind.SELECTION_SET,
  selections,
});

export const queryOf = (...selections: SelectionNode[]): DocumentNode => ({
  kind: Kind.DOCUMENT,
  definitions: [
    { kind: Kind.OPERATION_DEFINITION, operation: 'query' as never, selectionSet: selectionSet(selections) },
  ],
});

/** `levels` nested fields. */
export function nestedField(levels: number, name = 'a'): FieldNode {
  let innermost = field(name);
  for (let level = 1; level < levels; level += 1) innermost = field(name, innermost);
  return innermost;
}

/** The printed document of `nest`, with this innermost selection. */
export const nested = (levels: number, innermost = 'a'): string =>
  `${'{a'.repeat(levels - 1)}{${innermost}}${'}'.repeat(levels - 1)}`;

/** Fragments F0 to F(n-1): each spreads the next one `times` times, and the last selects `innermost`. */
export function fragmentChain(count: number, times = 1, innermost = 'a'): string {
  return Array.from({ length: count }, (_, index) => {
    const body = index === count - 1 ? innermost : `...F${index + 1} `.repeat(times);
    return `fragment F${index} on T { ${body} }`;
  }).join('\n');
}

/** The same document, and how often its nodes were read. */
export function countReads(document: DocumentNode): { document: DocumentNode; reads: () => number } {
  let reads = 0;
  const wrapped = new WeakMap<object, object>();
  const wrap = <Value>(value: Value): Value => {
    if (typeof value !== 'object' || value === null) return value;
    const known = wrapped.get(value);
    if (known) return known as Value;
    const proxy = new Proxy(value, {
      get(target, key) {
        reads += 1;
        return wrap(Reflect.get(target, key));
      },
    });
    wrapped.set(value, proxy);
    return proxy;
  };
  return { document: wrap(document), reads: () => reads };
}

/** The gateway changes the ledger's answer to all root fields, so it validates every document. */
export const amendedOnly: Ownership = {
  ownSchema: buildSchema('type Query { own: Int }'),
  hasUsualRootNames: true,
  ownerOf: () => 'amended',
};

/** All root fields belong to the ledger. */
export const ledgersOnly: Ownership = {
  ownSchema: buildSchema('type Query { own: Int }'),
  hasUsualRootNames: true,
  ownerOf: () => 'upstream',
};
