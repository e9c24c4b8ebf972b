import { type FieldNode, Kind, type SelectionNode } from 'graphql';
import { isRows } from '../documents/cost/measure-definition.ts';
import { type ExecutableDocument, responseKey, type SelectionPlace, selectionsBelow } from '../documents/selections.ts';

/** Response keys from the operation down; fragments have none. */
export function pathOf(selected: SelectionPlace): string[] {
  const path: string[] = [];
  for (let place: SelectionPlace | null = selected; place; place = place.parent) {
    if (place.node.kind === Kind.FIELD) path.push(responseKey(place.node));
  }
  return path.reverse();
}

export function isSamePlace(left: SelectionPlace, right: SelectionPlace): boolean {
  let [one, other]: [SelectionPlace | null, SelectionPlace | null] = [left, right];
  while (one && other && one !== other && one.node === other.node) [one, other] = [one.parent, other.parent];
  return one === other;
}

/** A selection where it occurs, with its cost there. */
export interface CostedPlace extends SelectionPlace {
  readonly parent: CostedPlace | null;
  /** Output nodes of the field itself; 0 for operations, spreads and inline fragments. */
  readonly cost: number;
  /** `null` if the field is no connection; else it multiplies everything below its `edges` and `nodes`. */
  readonly pageSize: number | null;
  /** A spread of a fragment within itself, which the walk does not enter. */
  readonly isRepeated: boolean;
}

interface Frame {
  readonly place: CostedPlace;
  readonly selections: readonly SelectionNode[];
  next: number;
  /** How often the selection may occur in a response. */
  readonly times: number;
  /** The same for selections below `edges` and `nodes` here. */
  readonly timesInPage: number;
}

/**
 * Every operation and selection of a document where it occurs, in the order of the text, with fragments inlined. The costs add
 * up to the document's output nodes. Fragments within fragments expand without bound: do not take all of them.
 */
export function* walkCosts(
  document: Pick<ExecutableDocument, 'operations' | 'fragments'>,
  pageSizeOf: (field: FieldNode) => number,
): Generator<CostedPlace> {
  const pagedFragments = new Map<string, boolean>();
  for (const node of document.operations) {
    const root: CostedPlace = { node, parent: null, level: 0, cost: 0, pageSize: null, isRepeated: false };
    yield root;
    const open: Frame[] = [toFrame(root, 1, 1)];
    for (let frame = open.at(-1); frame; frame = open.at(-1)) {
      const selection = frame.selections[frame.next];
      frame.next += 1;
      if (selection === undefined) {
        open.pop();
        continue;
      }
      const below = toBelow(selection, frame);
      yield below.place;
      if (!below.place.isRepeated) open.push(below);
    }
  }

  function toBelow(node: SelectionNode, { place: parent, times, timesInPage }: Frame): Frame {
    const level = parent.level + 1;
    if (node.kind !== Kind.FIELD) {
      const isRepeated = node.kind === Kind.FRAGMENT_SPREAD && isWithin(node.name.value, parent);
      return toFrame({ node, parent, level, cost: 0, pageSize: null, isRepeated }, times, timesInPage);
    }
    const pageSize = isPaged(node) ? pageSizeOf(node) : null;
    const timesBelow = isRows(node) ? timesInPage : times;
    const place = { node, parent, level, cost: times, pageSize, isRepeated: false };
    return toFrame(place, timesBelow, Math.min(timesBelow * (pageSize ?? 1), Number.MAX_SAFE_INTEGER));
  }

  function toFrame(place: CostedPlace, times: number, timesInPage: number): Frame {
    return { place, selections: selectionsBelow(place.node, document), next: 0, times, timesInPage };
  }

  /** Does it select `edges` or `nodes`, directly or through fragments? */
  function isPaged(node: SelectionNode): boolean {
    return selectionsBelow(node, document).some((below) => {
      if (below.kind === Kind.FIELD) return isRows(below);
      if (below.kind === Kind.INLINE_FRAGMENT) return isPaged(below);
      const name = below.name.value;
      const known = pagedFragments.get(name);
      if (known !== undefined) return known;
      // If it meets itself while it is examined, that occurrence adds nothing.
      pagedFragments.set(name, false);
      const found = isPaged(below);
      pagedFragments.set(name, found);
      return found;
    });
  }
}

function isWithin(fragment: string, from: SelectionPlace): boolean {
  for (let place: SelectionPlace | null = from; place; place = place.parent) {
    if (place.node.kind === Kind.FRAGMENT_SPREAD && place.node.name.value === fragment) return true;
  }
  return false;
}
