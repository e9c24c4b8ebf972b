import type { PageInfo } from '../generated/own.ts';
import { argumentError, refuse } from '../ledger/values/check-argument.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import { readPage, type SpareCalls } from './read-page.ts';
import type { CursorCodec } from './signed-cursor.ts';
import type { Source } from './source.ts';

export interface PageArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

export interface PageSizes {
  readonly defaultSize: number;
  readonly maxSize: number;
}

/** The maximum number of items in a page, and from which end of its range they are taken. */
export interface PagePlan {
  readonly size: number;
  readonly backward: boolean;
}

/**
 * @throws `BAD_USER_INPUT` for `first` together with `last`, a negative size, or one above the maximum: a page is never
 * silently truncated
 */
export function planPage({ first, last }: PageArguments, { defaultSize, maxSize }: PageSizes): PagePlan {
  if (first != null && last != null) throw argumentError('last', "'first' and 'last' must not be used together");
  const argument = last != null ? 'last' : 'first';
  const size = last ?? first ?? Math.min(defaultSize, maxSize);
  if (!Number.isSafeInteger(size) || size < 0) refuse(argument, size, `must be from 0 to ${maxSize}`);
  if (size > maxSize) throw argumentError(argument, `Connection's page size of ${size} exceeds max of ${maxSize}`);
  return { size, backward: last != null };
}

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
  readonly cancellation: Cancellation;
}

/** Reads one page of a connection and makes the nodes and cursors of its items. */
export async function readConnection<Item, Node>(
  { args, pages, codec, spare, cancellation }: ConnectionRequest,
  toNode: (item: Item) => Node,
  source: Source<Item>,
): Promise<Connection<Node>> {
  const { size, backward } = planPage(args, pages);
  const after = args.after == null ? null : codec.parseCursor('after', args.after);
  const before = args.before == null ? null : codec.parseCursor('before', args.before);
  const page = await readPage({ size, backward, after, before }, source, spare, cancellation);
  // Sign a cursor when it is first read: most are never selected, and signing a whole page costs more than the rest of it.
  // Keep it then, because one cursor may be read under hundreds of aliases.
  const edges = page.items.map((item) => {
    let made: string | undefined;
    return {
      node: toNode(item),
      get cursor() {
        made ??= codec.toCursor(source.positionOf(item));
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
