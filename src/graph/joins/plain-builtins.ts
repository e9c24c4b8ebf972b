import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { ExactNumber, hasExactNumber } from '../../json/exact-number.ts';

export interface AnswerScope {
  /** The ledger's schema. */
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/**
 * Turns exact numbers into doubles wherever the type is a built-in scalar of GraphQL: stitching serialises those
 * values again by their type, and would turn an exact `1.0` into null. Changes the value in place.
 * @param type the type the selections are made on
 */
export function toPlainBuiltins(
  value: unknown,
  selectionSets: readonly SelectionSetNode[],
  type: GraphQLNamedType | null | undefined,
  scope: AnswerScope,
): void {
  if (hasExactNumber(value)) convertObject(value, selectionSets, type, scope);
}

function convertObject(
  value: unknown,
  selectionSets: readonly SelectionSetNode[],
  type: GraphQLNamedType | null | undefined,
  scope: AnswerScope,
): void {
  if (Array.isArray(value)) for (const each of value) convertObject(each, selectionSets, type, scope);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const answer = value as Record<string, unknown>;
  for (const [key, fields] of fieldsByKey(selectionSets, type, scope)) {
    if (!Object.hasOwn(answer, key)) continue;
    const below = fields.flatMap(({ node }) => node.selectionSet ?? []);
    const [field] = fields;
    if (below.length > 0) convertObject(answer[key], below, field?.type, scope);
    else if (field && isSpecifiedScalarType(field.type)) answer[key] = toPlain(answer[key]);
  }
}

interface TypedField {
  readonly node: FieldNode;
  readonly type: GraphQLNamedType;
}

/** Fields by response key, those of fragments on any type among them. */
function fieldsByKey(
  selectionSets: readonly SelectionSetNode[],
  type: GraphQLNamedType | null | undefined,
  { schema, fragments }: AnswerScope,
): Map<string, TypedField[]> {
  const fields = new Map<string, TypedField[]>();
  const spread = new Set<string>();
  const collect = ({ selections }: SelectionSetNode, on: GraphQLNamedType | null | undefined): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const field = isObjectType(on) || isInterfaceType(on) ? on.getFields()[selection.name.value] : undefined;
        if (!field) continue;
        const key = selection.alias?.value ?? selection.name.value;
        fields.set(key, [...(fields.get(key) ?? []), { node: selection, type: getNamedType(field.type) }]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(
          selection.selectionSet,
          selection.typeCondition ? schema.getType(selection.typeCondition.name.value) : on,
        );
      } else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) collect(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value));
      }
    }
  };
  if (isCompositeType(type)) for (const selectionSet of selectionSets) collect(selectionSet, type);
  return fields;
}

function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  return value instanceof ExactNumber ? value.valueOf() : value;
}
