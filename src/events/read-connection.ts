import type { PageInfo } from '../generated/own.ts';
import type { CursorCodec } from './cursor.ts';
import { type PageArguments, type PageSizes, planPage } from './plan-page.ts';
import { readPage, type Walk } from './read-page.ts';
import type { SpareCalls } from './spare-calls.ts';

export interface Connection<Node> {
  readonly pageInfo: PageInfo;
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
  readonly nodes: readonly Node[];
}

export interface ConnectionRequest {
  readonly args: PageArguments;
  readonly pages: PageSizes;
  readonly codec: CursorCodec;
  readonly spare: SpareCalls;
}

/** Reads one page of a connection and makes the nodes and cursors of its items. */
export async function readConnection<Item, Node>(
  { args, pages, codec, spare }: ConnectionRequest,
  toNode: (item: Item) => Node,
  walk: Walk<Item>,
): Promise<Connection<Node>> {
  const { size, backward } = planPage(args, pages);
  const after = args.after == null ? null : codec.parseCursor('after', args.after);
  const before = args.before == null ? null : codec.parseCursor('before', args.before);
  const page = await readPage({ size, backward, after, before }, walk, spare);
  // Sign a cursor when it is first read: most are never selected, and signing a whole page costs more than the rest of
  // it. Keep it then, because one cursor may be read under hundreds of aliases.
  const edges = page.items.map((item) => {
    let made: string | undefined;
    return {
      node: toNode(item),
      get cursor() {
        made ??= codec.toCursor(walk.positionOf(item));
        return made;
      },
    };
  });
  return {
    pageInfo: {
      hasPreviousPage: page.hasPreviousPage,
      hasNextPage: page.hasNextPage,
      get startCursor() {
        return edges.at(0)?.cursor ?? null;
      },
      get endCursor() {
        return edges.at(-1)?.cursor ?? null;
      },
    },
    edges,
    nodes: edges.map(({ node }) => node),
  };
}
