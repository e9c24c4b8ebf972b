import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isSpecifiedScalarType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql';

/**
 * What the value of a key can be. `plain`: a built-in scalar or an enum; `custom`: a scalar of the schema, which may
 * be any JSON; `composite`: an object. A list counts as its items.
 */
export type ValueKind = 'plain' | 'custom' | 'composite';

/** The keys that may come last in an object at one level of an answer's data. */
export interface LastKeys {
  /** Keys that may come last in an object here while every object around it comes last too. */
  readonly kinds: ReadonlyMap<string, ValueKind>;
  /** Does one of these keys hold a custom scalar, which may itself be an object? */
  readonly hasCustom: boolean;
}

/** How whole answers to an operation may end: one entry for each level, the root first. Empty if nothing is known. */
export type AnswerEnding = readonly LastKeys[];

/** Larger documents are not worth the time: a fragment is walked again at each place that spreads it. */
const maxSteps = 5_000;

/** A selection set and the type it selects on. */
interface Selected {
  readonly set: SelectionSetNode;
  readonly type: GraphQLCompositeType;
  /** Does it apply to every object at its place? */
  readonly isCertain: boolean;
}

/** One place in a document where a key is asked for. */
interface Occurrence {
  readonly key: string;
  /** Does every object at this place have it? */
  readonly isCertain: boolean;
  readonly kind: ValueKind;
  /** What is selected below; `null` for a scalar. */
  readonly below: Selected | null;
}

/** A key somewhere in the answer. */
interface Place {
  readonly key: string;
  /** 1 at the root. */
  readonly level: number;
  /** How many levels may end with it, counted from this one outwards; 0 if it never comes last here. */
  readonly endsWithIt: number;
  readonly kind: ValueKind;
}

/**
 * Works out from an operation's text how whole answers to it end, so that an answer that was cut off can be
 * recognised. A key that may also come last in a deeper object proves nothing, since an answer cut off there would
 * end the same way; such keys are left out.
 * @param operation valid against the schema, as are the fragments
 */
export function toAnswerEnding(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): AnswerEnding {
  const root = schema.getRootType(operation.operation);
  const places = root
    ? findPlaces(schema, { set: operation.selectionSet, type: root, isCertain: true }, fragments)
    : null;
  if (!places) return [];
  const levels: Map<string, ValueKind>[] = [];
  for (const { key, level, endsWithIt, kind } of places) {
    if (endsWithIt < level || isAmbiguous(key, level, places)) continue;
    while (levels.length < level) levels.push(new Map());
    const kinds = levels[level - 1];
    const known = kinds?.get(key);
    kinds?.set(key, known === undefined || known === kind ? kind : 'custom');
  }
  return levels.map((kinds) => ({ kinds, hasCustom: [...kinds.values()].includes('custom') }));
}

/** Could an answer cut off within a deeper object end with this key as a whole answer does at this level? */
function isAmbiguous(key: string, level: number, places: readonly Place[]): boolean {
  return places.some((other) => other.key === key && other.level > level && other.endsWithIt > level);
}

/** Every key of an answer with its level; `null` if the document is too large. */
function findPlaces(
  schema: GraphQLSchema,
  root: Selected,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): readonly Place[] | null {
  const places: Place[] = [];
  let steps = 0;

  const visit = (selected: readonly Selected[], level: number, endsWithParent: number): void => {
    const occurrences: Occurrence[] = [];
    for (const { set, type, isCertain } of selected) flatten(set.selections, type, isCertain, occurrences);
    if (areDistinct(occurrences)) {
      visitDistinct(occurrences, level, endsWithParent);
      return;
    }
    const last = findLast(occurrences);
    for (const [key, same] of groupByKey(occurrences)) {
      const endsWithIt = last.has(key) ? endsWithParent + 1 : 0;
      const below: Selected[] = [];
      for (const [index, each] of same.entries()) {
        // If the key is selected only once, every object under it comes from that selection.
        const isCertain = same.length === 1 || each.isCertain;
        if (each.below) below.push({ set: each.below.set, type: each.below.type, isCertain });
        const isTold = same.findIndex(({ kind }) => kind === each.kind) < index;
        if (!isTold) places.push({ key, level, endsWithIt, kind: each.kind });
      }
      if (below.length > 0 && steps <= maxSteps) visit(below, level + 1, endsWithIt);
    }
  };

  /** The same, far cheaper, where no key is selected twice: most places of most documents. */
  const visitDistinct = (occurrences: readonly Occurrence[], level: number, endsWithParent: number): void => {
    const lastCertain = occurrences.findLastIndex(({ isCertain }) => isCertain);
    for (const [index, { key, kind, below }] of occurrences.entries()) {
      const endsWithIt = index >= lastCertain ? endsWithParent + 1 : 0;
      places.push({ key, level, endsWithIt, kind });
      // Every object under the key comes from this selection.
      if (below && steps <= maxSteps)
        visit([{ set: below.set, type: below.type, isCertain: true }], level + 1, endsWithIt);
    }
  };

  const flatten = (
    selections: readonly SelectionNode[],
    type: GraphQLCompositeType,
    isCertain: boolean,
    occurrences: Occurrence[],
  ): void => {
    for (const selection of selections) {
      steps += 1;
      if (steps > maxSteps) return;
      const isAlways = isCertain && !selection.directives?.length;
      if (selection.kind === Kind.FIELD) {
        occurrences.push(toOccurrence(selection, type, isAlways));
        continue;
      }
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      if (!fragment) continue;
      const { typeCondition, selectionSet } = fragment;
      const narrowed = typeCondition ? schema.getType(typeCondition.name.value) : type;
      if (!isCompositeType(narrowed)) continue;
      flatten(selectionSet.selections, narrowed, isAlways && includes(schema, narrowed, type), occurrences);
    }
  };

  visit([root], 1, 0);
  return steps > maxSteps ? null : places;
}

/** What a type's values are, as far as it was asked: to ask again is to go through all built-in scalars. */
const kindsOfTypes = new WeakMap<GraphQLNamedType, ValueKind>();

function kindOf(type: GraphQLNamedType): ValueKind {
  const known = kindsOfTypes.get(type);
  if (known) return known;
  const isPlain = isEnumType(type) || isSpecifiedScalarType(type);
  const kind = isCompositeType(type) ? 'composite' : isPlain ? 'plain' : 'custom';
  kindsOfTypes.set(type, kind);
  return kind;
}

function toOccurrence(
  { name, alias, selectionSet }: FieldNode,
  type: GraphQLCompositeType,
  isCertain: boolean,
): Occurrence {
  const key = alias?.value ?? name.value;
  const field = 'getFields' in type ? type.getFields()[name.value] : undefined;
  const returned = getNamedType((field ?? TypeNameMetaFieldDef).type);
  const kind = kindOf(returned);
  const isComposite = kind === 'composite' && selectionSet !== undefined;
  const below = isComposite ? { set: selectionSet, type: returned as GraphQLCompositeType, isCertain } : null;
  return { key, isCertain, kind, below };
}

/** Is every object of type `narrow` also one of type `wide`? */
function includes(schema: GraphQLSchema, wide: GraphQLCompositeType, narrow: GraphQLCompositeType): boolean {
  if (wide.name === narrow.name) return true;
  return isAbstractType(wide) && !isUnionType(narrow) && schema.isSubType(wide, narrow);
}

/**
 * The keys that may come last in an object. Keys stand in the order in which they are first selected, so these are
 * the last key that is always there and the optional ones first selected after it.
 */
function findLast(occurrences: readonly Occurrence[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const placed = new Set<string>();
  let last = new Set<string>();
  for (const { key, isCertain } of occurrences) {
    // It certainly stands further up already: selecting it again does not move it.
    if (placed.has(key)) continue;
    // Always there and first selected here: no earlier key can come after it.
    if (isCertain && !seen.has(key)) last = new Set();
    last.add(key);
    seen.add(key);
    if (isCertain) placed.add(key);
  }
  return last;
}

function areDistinct(occurrences: readonly Occurrence[]): boolean {
  const keys = new Set<string>();
  for (const { key } of occurrences) keys.add(key);
  return keys.size === occurrences.length;
}

function groupByKey(occurrences: readonly Occurrence[]): Map<string, Occurrence[]> {
  const groups = new Map<string, Occurrence[]>();
  for (const each of occurrences) {
    const group = groups.get(each.key);
    if (group) group.push(each);
    else groups.set(each.key, [each]);
  }
  return groups;
}
