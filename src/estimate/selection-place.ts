import { Kind, type OperationDefinitionNode, type SelectionNode } from 'graphql';

/**
 * One place of a selection in an operation. A selection of a fragment has as many places as the fragment has spreads.
 */
export interface SelectionPlace {
  readonly node: OperationDefinitionNode | SelectionNode;
  /** `null` for an operation. */
  readonly parent: SelectionPlace | null;
  /** 0 for an operation; each level below it counts as depth. */
  readonly level: number;
}

/** Response keys from the operation down; fragments have none. */
export function pathOf(selected: SelectionPlace): string[] {
  const path: string[] = [];
  for (let place: SelectionPlace | null = selected; place; place = place.parent) {
    if (place.node.kind === Kind.FIELD) path.push(place.node.alias?.value ?? place.node.name.value);
  }
  return path.reverse();
}

export function isSamePlace(left: SelectionPlace, right: SelectionPlace): boolean {
  let [one, other]: [SelectionPlace | null, SelectionPlace | null] = [left, right];
  while (one && other && one !== other && one.node === other.node) [one, other] = [one.parent, other.parent];
  return one === other;
}
