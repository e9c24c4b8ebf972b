import {
  type ASTNode,
  type FieldNode,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type SelectionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** Adds `__typename` to each selection on an abstract type that lacks it: the stitching library needs it there. */
export function addTypenames<Node extends ASTNode>(node: Node, schema: GraphQLSchema): Node {
  const typeInfo = new TypeInfo(schema);
  const typename: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };
  const isTypename = (each: SelectionNode) =>
    each.kind === Kind.FIELD && each.name.value === '__typename' && !each.alias && !each.directives?.length;
  return visit(
    node,
    visitWithTypeInfo(typeInfo, {
      SelectionSet: {
        leave(set) {
          const isNeeded = isAbstractType(typeInfo.getParentType()) && !set.selections.some(isTypename);
          return isNeeded ? { ...set, selections: [typename, ...set.selections] } : undefined;
        },
      },
    }),
  );
}
