import { lowerBound } from '../../state/lower-bound.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import type { ConnectionModel } from '../models.ts';
import { toConnection } from './connection.ts';
import { nameCursor } from './cursor.ts';
import { type PageArguments, parsePage, pinnedCheckpoint } from './page.ts';
import { type Bound, paginate } from './paginate.ts';

/** Items to page through that have unique names and are ordered by them. */
export interface KeyedSource<Item, Node> {
  /** All items at a checkpoint, ordered by name. May refuse the checkpoint. */
  readonly itemsAt: (checkpoint: number) => readonly Item[];
  readonly nameOf: (item: Item) => string;
  readonly toNode: (item: Item, viewedAt: number) => Node;
}

/** Pages through named things: objects by id, balances by type, modules by name. */
export function toKeyedConnection<Item, Node>(
  args: PageArguments,
  context: Pick<GraphqlContext, 'limits'>,
  viewedAt: number,
  source: KeyedSource<Item, Node>,
): ConnectionModel<Node> {
  const page = parsePage(args, context.limits, nameCursor);
  const c = pinnedCheckpoint(page, viewedAt);
  const items = source.itemsAt(c);
  const nameAt = (index: number) => source.nameOf(items[index] as Item);
  const boundOf = (name: string, above: boolean): Bound => {
    const at = lowerBound(items.length, (index) => nameAt(index) >= name);
    const exact = at < items.length && nameAt(at) === name;
    return { at: exact || above ? at : at - 1, exact };
  };
  const positions = paginate(
    {
      ...page,
      after: page.after && boundOf(page.after.n, true),
      before: page.before && boundOf(page.before.n, false),
    },
    { from: 0, to: items.length },
  );
  return toConnection(
    positions,
    (at) => source.toNode(items[at] as Item, c),
    (at) => nameCursor.encode({ n: nameAt(at), c }),
  );
}
