import type { CheckpointRecord } from '../../state/records.ts';
import { toConnection } from '../connections/connection.ts';
import { checkpointCursor } from '../connections/cursor.ts';
import { type PageArguments, parsePage, pinnedCheckpoint } from '../connections/page.ts';
import { paginate } from '../connections/paginate.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import type { CheckpointModel, ConnectionModel } from '../models.ts';
import { requireKept } from './visible-history.ts';

/**
 * Pages through checkpoints, no further than the one the page is pinned to.
 * @param range the first, and the first one behind the last, where the parent bounds them
 */
export function toCheckpointConnection(
  args: PageArguments,
  context: GraphqlContext,
  viewedAt: number,
  range: { readonly from: number; readonly to: number } = { from: 0, to: Number.POSITIVE_INFINITY },
): ConnectionModel<CheckpointModel> {
  const page = parsePage(args, context.limits, checkpointCursor);
  const c = pinnedCheckpoint(page, viewedAt);
  const oldest = context.ledger.firstCheckpoint();
  requireKept(context.ledger, c, [page.after?.s, page.before?.s], oldest);
  const newest = Math.min(c, context.ledger.latestCheckpoint().sequenceNumber);
  const found = paginate(
    {
      ...page,
      after: page.after && { at: page.after.s, exact: true },
      before: page.before && { at: page.before.s, exact: true },
    },
    { from: Math.max(range.from, oldest), to: Math.min(range.to, newest + 1) },
  );
  return toConnection(
    found,
    (at): CheckpointModel => ({ record: recordAt(context, at), viewedAt: c }),
    (at) => checkpointCursor.encode({ c, s: at }),
  );
}

function recordAt(context: GraphqlContext, sequenceNumber: number): CheckpointRecord {
  const record = context.ledger.checkpoint(sequenceNumber);
  if (record === undefined) throw new RangeError(`No checkpoint ${sequenceNumber}`);
  return record;
}
