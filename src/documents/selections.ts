import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  type InlineFragmentNode,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The fragments of a document by name. Of two with one name the later wins; validation rejects such a document. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The operations and fragments of a document, in the order of its text. Validation rejects other definitions later. */
export interface ExecutableDocument {
  readonly operations: readonly OperationDefinitionNode[];
  /** All fragments of the document, used or not. */
  readonly fragmentDefinitions: readonly FragmentDefinitionNode[];
  readonly fragments: Fragments;
}

export function toExecutableDocument({ definitions }: DocumentNode): ExecutableDocument {
  const operations = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const fragmentDefinitions = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  const fragments = new Map(fragmentDefinitions.map((definition) => [definition.name.value, definition]));
  return { operations, fragmentDefinitions, fragments };
}

export function fragmentsOf(document: DocumentNode): Fragments {
  return toExecutableDocument(document).fragments;
}

/** The key of a field in its object of the response: its alias or its name. */
export function responseKey({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

/** The selections one level below: those of the node itself, or of the fragment that it spreads. Empty for a leaf. */
export function selectionsBelow(
  node: OperationDefinitionNode | SelectionNode,
  { fragments }: { readonly fragments: Fragments },
): readonly SelectionNode[] {
  const holder = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
  return holder?.selectionSet?.selections ?? [];
}

/**
 * Does the document ask for the schema alone? True for one operation with one selection, a field whose name, not its alias, is
 * `__schema`; false when a fragment holds it.
 */
export function isSchemaOnly({ operations }: ExecutableDocument): boolean {
  const selections = operations.length === 1 ? operations[0]?.selectionSet.selections : undefined;
  const only = selections?.length === 1 ? selections[0] : undefined;
  return only?.kind === Kind.FIELD && only.name.value === '__schema';
}

/** A selection set, and what the caller knows about it, such as its type. */
export interface TypedSelections<On> {
  readonly selectionSet: SelectionSetNode | undefined;
  readonly on: On;
}

interface FieldWalk<On> {
  readonly onField: (node: FieldNode, on: On) => void;
  /** Called for every selection; `false` skips it. */
  readonly isIncluded?: (selection: SelectionNode) => boolean;
  /** Returns `on` for the selections of a fragment; `null` skips the fragment. Left out: every fragment is entered. */
  readonly enter?: (fragment: InlineFragmentNode | FragmentDefinitionNode, on: On) => On | null;
}

/**
 * Visits the fields of one object of the response: those of its selection sets and of the fragments spread there. Enters each
 * named fragment once, since a second spread in the same object adds nothing; so the time is linear in the text.
 */
export function walkFields<On>(
  parts: readonly TypedSelections<On>[],
  fragments: Fragments,
  { onField, isIncluded = () => true, enter }: FieldWalk<On>,
): void {
  const spread = new Set<string>();
  for (const { selectionSet, on } of parts) if (selectionSet) walk(selectionSet, on);

  function walk({ selections }: SelectionSetNode, on: On): void {
    for (const selection of selections) {
      if (!isIncluded(selection)) continue;
      if (selection.kind === Kind.FIELD) {
        onField(selection, on);
        continue;
      }
      let fragment: InlineFragmentNode | FragmentDefinitionNode | undefined;
      if (selection.kind === Kind.INLINE_FRAGMENT) fragment = selection;
      else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        fragment = fragments.get(selection.name.value);
      }
      if (!fragment) continue;
      const inside = enter ? enter(fragment, on) : on;
      if (inside !== null || !enter) walk(fragment.selectionSet, inside as On);
    }
  }
}

/** The fields that `walkFields` visits, by response key, in the order of the response. */
export function fieldsByKey<On>(
  selectionSets: readonly (SelectionSetNode | undefined)[],
  root: On,
  fragments: Fragments,
  walk: Omit<FieldWalk<On>, 'onField'> = {},
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const onField = (node: FieldNode) => {
    const known = fields.get(responseKey(node));
    if (known) known.push(node);
    else fields.set(responseKey(node), [node]);
  };
  const parts = selectionSets.map((selectionSet) => ({ selectionSet, on: root }));
  walkFields(parts, fragments, { ...walk, onField });
  return fields;
}

export interface SelectionScope {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  /** Variables as executed: coerced, declared defaults filled in. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The fields that are executed on an object of a type, by response key, after `@skip` and `@include`. */
export function collectFields(
  type: GraphQLObjectType,
  selectionSets: readonly (SelectionSetNode | undefined)[],
  { schema, fragments, variables }: SelectionScope,
): ReadonlyMap<string, readonly FieldNode[]> {
  return fieldsByKey(selectionSets, type, fragments, {
    isIncluded: (selection) => isIncluded(selection, variables),
    enter: (fragment) => (appliesTo(fragment, type, schema) ? type : null),
  });
}

/** Do `@skip` and `@include` let a selection be executed? @param variables coerced */
export function isIncluded(selection: SelectionNode, variables: SelectionScope['variables']): boolean {
  if (!selection.directives?.length) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variables);
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variables);
  return skip?.if !== true && include?.if !== false;
}

function appliesTo(
  { typeCondition }: FragmentDefinitionNode | InlineFragmentNode,
  type: GraphQLObjectType,
  schema: GraphQLSchema,
): boolean {
  const condition = typeCondition && schema.getType(typeCondition.name.value);
  return !typeCondition || condition === type || (isAbstractType(condition) && schema.isSubType(condition, type));
}

/**
 * Visits every selection below, at any depth, and each named fragment once: linear in the text.
 * @param visit `false` skips what is below the selection
 */
export function walkSelections(
  root: SelectionSetNode,
  fragments: Fragments,
  visit: (selection: SelectionNode) => boolean,
): void {
  const spread = new Set<string>();
  const pending = [root];
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const selection of next.selections) {
      if (!visit(selection)) continue;
      let below: SelectionSetNode | undefined;
      if (selection.kind !== Kind.FRAGMENT_SPREAD) below = selection.selectionSet;
      else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        below = fragments.get(selection.name.value)?.selectionSet;
      }
      if (below) pending.push(below);
    }
  }
}

/** The fragments that a selection set spreads, directly or not, each once. */
export function usedFragments(root: SelectionSetNode, fragments: Fragments): FragmentDefinitionNode[] {
  const used = new Set<FragmentDefinitionNode>();
  walkSelections(root, fragments, (selection) => {
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : undefined;
    if (fragment) used.add(fragment);
    return true;
  });
  return [...used];
}

/** One occurrence of a selection in an operation. A selection of a fragment occurs once for each spread of the fragment. */
export interface Occurrence {
  readonly node: OperationDefinitionNode | SelectionNode;
  /** The selection above; `null` for an operation. */
  readonly parent: Occurrence | null;
  /** Depth of the selection: 0 for an operation. */
  readonly level: number;
}

/**
 * Every selection of a document where it occurs, in the order in which the ledger counts: operation by operation, level by
 * level. Fragments within fragments expand without bound, so callers must stop taking selections, or bound `isEntered`.
 * @param isEntered `false` skips what is below the selection
 */
export function* walkLevels(
  document: Pick<ExecutableDocument, 'operations' | 'fragments'>,
  isEntered: (node: SelectionNode) => boolean = () => true,
): Generator<Occurrence & { readonly node: SelectionNode }> {
  for (const operation of document.operations) {
    let level: readonly Occurrence[] = [{ node: operation, parent: null, level: 0 }];
    while (level.length > 0) {
      const below: Occurrence[] = [];
      for (const parent of level) {
        for (const node of selectionsBelow(parent.node, document)) {
          const occurrence = { node, parent, level: parent.level + 1 };
          yield occurrence;
          if (isEntered(node)) below.push(occurrence);
        }
      }
      level = below;
    }
  }
}
