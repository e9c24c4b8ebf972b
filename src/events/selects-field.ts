import type { FieldNode, GraphQLResolveInfo, SelectionNode } from 'graphql';
import { isIncluded, selectionsBelow } from '../documents/selections.ts';

/** Does the selection below the field being resolved ask for the field at this path? Honours `@skip` and `@include`. */
export function selectsField(
  { fieldNodes, fragments, variableValues }: GraphQLResolveInfo,
  path: readonly string[],
): boolean {
  const scope = { fragments: new Map(Object.entries(fragments)) };
  const selects = (node: SelectionNode | FieldNode, [name, ...rest]: readonly string[]): boolean =>
    selectionsBelow(node, scope).some((selection) => {
      if (!isIncluded(selection, variableValues)) return false;
      if (selection.kind !== 'Field') return selects(selection, [name ?? '', ...rest]);
      return selection.name.value === name && (rest.length === 0 || selects(selection, rest));
    });
  return fieldNodes.some((node) => selects(node, path));
}
