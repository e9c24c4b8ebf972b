import type { GraphqlContext } from '../graphql-context.ts';
import type { ConnectionModel } from '../models.ts';
import { emptyConnection, toConnection } from './connection.ts';
import { indexCursor } from './cursor.ts';
import { type PageArguments, parsePage, pinnedCheckpoint } from './page.ts';

/**
 * Pages through a list held in memory whole: cursors are indices, and both flags are known whatever side the page is
 * taken from.
 */
export function toListConnection<Item, Node>(
  items: readonly Item[],
  args: PageArguments,
  context: Pick<GraphqlContext, 'limits'>,
  viewedAt: number,
  toNode: (item: Item, viewedAt: number) => Node,
): ConnectionModel<Node> {
  const page = parsePage(args, context.limits, indexCursor);
  const c = pinnedCheckpoint(page, viewedAt);
  let low = page.after ? page.after.i + 1 : 0;
  let high = Math.min(page.before?.i ?? items.length, items.length);
  if (high - low > page.limit) {
    if (page.fromFront) high = low + page.limit;
    else low = high - page.limit;
  }
  if (high <= low) return emptyConnection();
  const chosen = items.slice(low, high);
  const nodes = chosen.map((item) => toNode(item, c));
  const positions = nodes.map((_, offset) => low + offset);
  return toConnection(
    { positions, hasPreviousPage: low > 0, hasNextPage: high < items.length },
    (at) => nodes[at - low] as Node,
    (at) => indexCursor.encode({ i: at, c }),
  );
}
