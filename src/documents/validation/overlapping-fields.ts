import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  print,
} from 'graphql';
import {
  type ExecutableDocument,
  type Fragments,
  responseKey,
  type TypedSelections,
  walkFields,
} from '../selections.ts';

/** A cheap check of fields that share a response key, to decide whether all pairs must be compared. */
export interface Overlaps {
  /** Fields that share a key are always the same field with the same arguments, at every depth: none can conflict. */
  readonly areAlike: boolean;
  /** Pairs of fields and of fragments that the rule of the specification would compare. */
  readonly pairs: number;
  /** A field of the group that exceeds `maxPairs`; `null` if none does. */
  readonly crowded: FieldNode | null;
}

/** Comparing a pair takes up to a few microseconds, and pairs grow with the square of the fields. */
export const maxPairs = 4_000;

interface TypedField {
  readonly node: FieldNode;
  readonly definition: GraphQLField<unknown, unknown> | undefined;
}

type Part = TypedSelections<GraphQLNamedType | undefined>;

/**
 * Visits each selection as often as `inputNodes` counts it, so the limit of nodes bounds its time. It recurses, so no fragment
 * may contain itself.
 */
export function findOverlaps(schema: GraphQLSchema, { operations, fragments }: ExecutableDocument): Overlaps {
  let areAlike = true;
  let pairs = 0;
  let crowded: FieldNode | null = null;
  for (const { operation, selectionSet } of operations) {
    inspectParts([{ selectionSet, on: schema.getRootType(operation) ?? undefined }]);
  }
  return { areAlike, pairs, crowded };

  /** @param parts selection sets whose fields end up in one object of the answer */
  function inspectParts(parts: readonly Part[]): void {
    const { groups, spreads } = gatherFields(parts, schema, fragments);
    pairs += (spreads * (spreads - 1)) / 2;
    for (const group of groups.values()) {
      count(group);
      const below = group.flatMap(({ node: { selectionSet }, definition }) =>
        selectionSet ? [{ selectionSet, on: typeOf(definition) }] : [],
      );
      if (below.length > 0) inspectParts(below);
    }
  }

  function count(group: readonly TypedField[]): void {
    const [first] = group;
    if (!first || group.length === 1) return;
    pairs += (group.length * (group.length - 1)) / 2;
    if (pairs > maxPairs) crowded ??= first.node;
    // Compare with a field that its type really has: the return type of any other is unknown.
    const known = group.find(({ definition }) => definition) ?? first;
    areAlike &&= group.every((each) => each === known || isAlike(known, each));
  }
}

/** The fields of one object of the response by response key, and how many spreads of fragments they were found through. */
function gatherFields(parts: readonly Part[], schema: GraphQLSchema, fragments: Fragments) {
  const groups = new Map<string, TypedField[]>();
  let spreads = 0;
  walkFields(parts, fragments, {
    onField: (node, type) => {
      const field = { node, definition: definitionOf(type, node.name.value) };
      const group = groups.get(responseKey(node));
      if (group) group.push(field);
      else groups.set(responseKey(node), [field]);
    },
    isIncluded: ({ kind }) => {
      if (kind === Kind.FRAGMENT_SPREAD) spreads += 1;
      return true;
    },
    enter: ({ typeCondition }, type) => (typeCondition ? schema.getType(typeCondition.name.value) : type),
  });
  return { groups, spreads };
}

function definitionOf(type: GraphQLNamedType | undefined, name: string): TypedField['definition'] {
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

function typeOf(definition: TypedField['definition']): GraphQLNamedType | undefined {
  return definition && getNamedType(definition.type);
}

function isAlike(one: TypedField, other: TypedField): boolean {
  return (
    one.node.name.value === other.node.name.value &&
    (one.definition === other.definition ||
      !one.definition ||
      !other.definition ||
      isSameShape(one.definition.type, other.definition.type)) &&
    hasSameArguments(one.node.arguments ?? [], other.node.arguments ?? [])
  );
}

function isSameShape(one: GraphQLOutputType, other: GraphQLOutputType): boolean {
  if (isListType(one) || isListType(other)) {
    return isListType(one) && isListType(other) && isSameShape(one.ofType, other.ofType);
  }
  if (isNonNullType(one) || isNonNullType(other)) {
    return isNonNullType(one) && isNonNullType(other) && isSameShape(one.ofType, other.ofType);
  }
  return one === other || !(isLeafType(one) || isLeafType(other));
}

function hasSameArguments(some: readonly ArgumentNode[], others: readonly ArgumentNode[]): boolean {
  if (some.length !== others.length) return false;
  return some.every(({ name, value }) => {
    const other = others.find((each) => each.name.value === name.value);
    return other !== undefined && print(other.value) === print(value);
  });
}
