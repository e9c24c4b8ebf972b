import {
  type DirectiveNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  type SelectionNode,
} from 'graphql';

/**
 * Does the selection below the field being resolved ask for the field at this path? Looks through fragments and honours
 * `@skip` and `@include`.
 */
export function selectsField(info: GraphQLResolveInfo, path: readonly string[]): boolean {
  return info.fieldNodes.some((node) => selects(node.selectionSet?.selections ?? [], path, info));
}

function selects(selections: readonly SelectionNode[], path: readonly string[], info: GraphQLResolveInfo): boolean {
  const [name, ...rest] = path;
  return selections.some((selection) => {
    if (!isIncluded(selection, info)) return false;
    if (selection.kind === 'Field') {
      if (selection.name.value !== name) return false;
      return rest.length === 0 || selects(selection.selectionSet?.selections ?? [], rest, info);
    }
    const fragment = selection.kind === 'InlineFragment' ? selection : info.fragments[selection.name.value];
    return selects(fragment?.selectionSet.selections ?? [], path, info);
  });
}

function isIncluded(node: { readonly directives?: readonly DirectiveNode[] }, info: GraphQLResolveInfo): boolean {
  if (!node.directives?.length) return true;
  return (
    getDirectiveValues(GraphQLSkipDirective, node, info.variableValues)?.if !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, info.variableValues)?.if !== false
  );
}
