import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type NamedTypeNode,
  type SelectionSetNode,
} from 'graphql';

export interface PlainScope {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/**
 * The fields that are executed on an object of a type, by response key, whatever the variables are. `null` if there
 * is a directive, since variables could then decide.
 */
export function collectPlainFields(
  type: GraphQLObjectType,
  selectionSets: readonly (SelectionSetNode | undefined)[],
  { schema, fragments }: PlainScope,
): ReadonlyMap<string, readonly FieldNode[]> | null {
  const fields = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  return selectionSets.every(collect) ? fields : null;

  function collect(selectionSet: SelectionSetNode | undefined): boolean {
    return (selectionSet?.selections ?? []).every((selection) => {
      if (selection.directives && selection.directives.length > 0) return false;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const known = fields.get(key);
        if (known) known.push(selection);
        else fields.set(key, [selection]);
        return true;
      }
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        return !isFor(selection.typeCondition) || collect(selection.selectionSet);
      }
      const name = selection.name.value;
      const fragment = spread.has(name) ? undefined : fragments.get(name);
      // Further spreads in the same place add nothing.
      spread.add(name);
      return !fragment || !isFor(fragment.typeCondition) || collect(fragment.selectionSet);
    });
  }

  function isFor(typeCondition: NamedTypeNode | undefined): boolean {
    const condition = typeCondition && schema.getType(typeCondition.name.value);
    return !typeCondition || condition === type || (isAbstractType(condition) && schema.isSubType(condition, type));
  }
}
