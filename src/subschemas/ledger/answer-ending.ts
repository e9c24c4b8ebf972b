import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
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

/** What stands under a key: a scalar of the language or an enum, one of the schema's own, an object, or lists of such. */
export type ValueKind = 'plain' | 'custom' | 'composite';

/** Of one level of an answer's data. */
export interface LastKeys {
  /** Those with which an object there may end, and all that are around it. */
  readonly kinds: ReadonlyMap<string, ValueKind>;
  /** Is there one under which anything may stand, objects included? */
  readonly hasCustom: boolean;
}

/** How answers to an operation end: level by level, the root's first. Empty: nothing is known of it. */
export type AnswerEnding = readonly LastKeys[];

/** Fields and fragments are looked at once for each place they are spread at; a document of more is not worth it. */
const maxSteps = 5_000;

/** A selection set, and the type it is a selection of. */
interface Selected {
  readonly set: SelectionSetNode;
  readonly type: GraphQLCompositeType;
  /** Is it made of every object there is? */
  readonly isCertain: boolean;
}

/** One place in a document where a key is asked for. */
interface Occurrence {
  readonly key: string;
  /** Is it in every object there? */
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
  /** So many levels, this one and those around it, may all end with it. */
  readonly endsWithIt: number;
  readonly kind: ValueKind;
}

/**
 * Works out how answers to an operation end, from its text. An answer that breaks off ends like that too where the same
 * key is deeper in the document and its objects end together: such keys are left out, since they prove nothing.
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

/** Could a text that is cut off within a deeper object end as a whole one does with this key at this level? */
function isAmbiguous(key: string, level: number, places: readonly Place[]): boolean {
  return places.some((other) => other.key === key && other.level > level && other.endsWithIt > level);
}

/** Every key of an answer, level by level; `null` where that is too much. */
function findPlaces(
  schema: GraphQLSchema,
  root: Selected,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): readonly Place[] | null {
  const places: Place[] = [];
  let steps = 0;

  const visit = (selected: readonly Selected[], level: number, endsWithParent: number): void => {
    const occurrences = selected.flatMap(({ set, type, isCertain }) => flatten(set.selections, type, isCertain));
    const last = findLast(occurrences);
    for (const [key, same] of groupByKey(occurrences)) {
      // Where there is one selection alone, there is no object without it.
      const isOnly = same.length === 1;
      const below = same.flatMap((each) => (each.below ? { ...each.below, isCertain: isOnly || each.isCertain } : []));
      const endsWithIt = last.has(key) ? endsWithParent + 1 : 0;
      for (const kind of new Set(same.map((each) => each.kind))) places.push({ key, level, endsWithIt, kind });
      if (below.length > 0 && steps <= maxSteps) visit(below, level + 1, endsWithIt);
    }
  };

  const flatten = (
    selections: readonly SelectionNode[],
    type: GraphQLCompositeType,
    isCertain: boolean,
  ): Occurrence[] =>
    selections.flatMap((selection) => {
      steps += 1;
      if (steps > maxSteps) return [];
      const isAlways = isCertain && !selection.directives?.length;
      if (selection.kind === Kind.FIELD) return [toOccurrence(selection, type, isAlways)];
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      if (!fragment) return [];
      const { typeCondition, selectionSet } = fragment;
      const narrowed = typeCondition ? schema.getType(typeCondition.name.value) : type;
      if (!isCompositeType(narrowed)) return [];
      return flatten(selectionSet.selections, narrowed, isAlways && includes(schema, narrowed, type));
    });

  visit([root], 1, 0);
  return steps > maxSteps ? null : places;
}

function toOccurrence(
  { name, alias, selectionSet }: FieldNode,
  type: GraphQLCompositeType,
  isCertain: boolean,
): Occurrence {
  const key = alias?.value ?? name.value;
  const field = 'getFields' in type ? type.getFields()[name.value] : undefined;
  const returned = getNamedType((field ?? TypeNameMetaFieldDef).type);
  if (isCompositeType(returned)) {
    return {
      key,
      isCertain,
      kind: 'composite',
      below: selectionSet ? { set: selectionSet, type: returned, isCertain } : null,
    };
  }
  const isPlain = isEnumType(returned) || isSpecifiedScalarType(returned);
  return { key, isCertain, kind: isPlain ? 'plain' : 'custom', below: null };
}

/** Is every object of the one type one of the other? */
function includes(schema: GraphQLSchema, wide: GraphQLCompositeType, narrow: GraphQLCompositeType): boolean {
  if (wide.name === narrow.name) return true;
  return isAbstractType(wide) && !isUnionType(narrow) && schema.isSubType(wide, narrow);
}

/**
 * Keys that may stand last: in the order in which they first occur, the last one that is always there, and whatever may
 * come after it.
 */
function findLast(occurrences: readonly Occurrence[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const placed = new Set<string>();
  let last = new Set<string>();
  for (const { key, isCertain } of occurrences) {
    // What surely stood before stands there, however often it is asked for again.
    if (placed.has(key)) continue;
    // Nothing that came before can stand behind what is always there, and for the first time here.
    if (isCertain && !seen.has(key)) last = new Set();
    last.add(key);
    seen.add(key);
    if (isCertain) placed.add(key);
  }
  return last;
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
