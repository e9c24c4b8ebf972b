import type { ConnectionModel, EdgeModel } from '../models.ts';
import type { PagePositions } from './paginate.ts';

/** A page of nodes, each at its position, with the cursors of its ends. */
export function toConnection<Node>(
  page: PagePositions,
  toNode: (position: number) => Node,
  toCursor: (position: number) => string,
): ConnectionModel<Node> {
  const edges: EdgeModel<Node>[] = page.positions.map((at) => ({ cursor: toCursor(at), node: toNode(at) }));
  return {
    pageInfo: {
      hasPreviousPage: page.hasPreviousPage,
      hasNextPage: page.hasNextPage,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    edges,
    nodes: edges.map((edge) => edge.node),
  };
}

export function emptyConnection<Node>(): ConnectionModel<Node> {
  return {
    pageInfo: { hasPreviousPage: false, hasNextPage: false, startCursor: null, endCursor: null },
    edges: [],
    nodes: [],
  };
}
