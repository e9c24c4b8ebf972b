import { inputRefusal } from '../arguments/parse-failure.ts';
import type { GraphqlLimits } from '../graphql-limits.ts';

/** The four arguments every paginated field has. */
export interface PageArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** The page arguments after parsing and checking. */
export interface Page<Cursor> {
  /** Exclusive bounds. */
  readonly after: Cursor | undefined;
  readonly before: Cursor | undefined;
  readonly limit: number;
  /** Is the page taken from the front of the range between the bounds, or from its back? */
  readonly fromFront: boolean;
}

/** Refuses `first` with `last`, a page over the maximum, and text that is not a cursor. */
export function parsePage<Cursor>(
  args: PageArguments,
  limits: Pick<GraphqlLimits, 'defaultPageSize' | 'maxPageSize'>,
  format: { parse(text: string): Cursor },
): Page<Cursor> {
  const after = args.after == null ? undefined : format.parse(args.after);
  const before = args.before == null ? undefined : format.parse(args.before);
  if (args.first != null && args.last != null) throw inputRefusal("'first' and 'last' must not be used together");
  const limit = args.first ?? args.last ?? limits.defaultPageSize;
  if (limit > limits.maxPageSize) {
    throw inputRefusal(`Connection's page size of ${limit} exceeds max of ${limits.maxPageSize}`);
  }
  return { after, before, limit, fromFront: args.last == null };
}

/** The checkpoint of a page's cursors; without cursors, the one given. Refuses cursors of different checkpoints. */
export function pinnedCheckpoint(page: Page<{ readonly c: number }>, otherwise: number): number {
  const { after, before } = page;
  if (after && before && after.c !== before.c) {
    throw inputRefusal(
      'The provided cursors are taken from different checkpoints and cannot be used together in the same query.',
    );
  }
  return after?.c ?? before?.c ?? otherwise;
}
