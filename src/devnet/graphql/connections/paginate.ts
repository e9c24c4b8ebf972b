import type { Page } from './page.ts';

/** The position of a cursor in an ordered set. */
export interface Bound {
  /** Its own position; if it is not a member, for `after` the next position above, for `before` the next one below. */
  readonly at: number;
  /** Does the cursor mark a member of the set? */
  readonly exact: boolean;
  /** The cursor marks the edge of a scanned window, which need not be a member. */
  readonly scanned?: boolean;
}

export interface Candidates {
  /** The first position, and the one after the last. */
  readonly from: number;
  readonly to: number;
  /** Which positions are members. If left out, all are. */
  readonly includes?: ((position: number) => boolean) | undefined;
}

export interface PagePositions {
  readonly positions: readonly number[];
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
}

export const emptyPage: PagePositions = { positions: [], hasPreviousPage: false, hasNextPage: false };

/**
 * Takes one page from an ordered set, with a row more on either side: these rows show whether there is more, and are
 * removed. A cursor on the side that the page starts from must be a member, or the page is empty.
 */
export function paginate(page: Page<Bound>, candidates: Candidates): PagePositions {
  const { after, before, limit, fromFront } = page;
  if (limit === 0) return emptyPage;
  const rows = collect(page, candidates, limit + 2);
  const front = rows[0];
  const back = rows.at(-1);
  if (front === undefined || back === undefined) return emptyPage;

  const meetsAfter = after?.exact === true && after.at === front;
  const meetsBefore = before?.exact === true && before.at === back;
  if (fromFront && after && !after.scanned && !meetsAfter) return emptyPage;
  if (!fromFront && before && !before.scanned && !meetsBefore) return emptyPage;

  let prefix = meetsAfter ? 1 : 0;
  let suffix = meetsBefore ? 1 : 0;
  const excess = Math.max(0, rows.length - limit - prefix - suffix);
  if (fromFront) suffix += excess;
  else prefix += excess;
  const positions = rows.slice(prefix, Math.max(prefix, rows.length - suffix));
  if (positions.length === 0) return emptyPage;
  return { positions, hasPreviousPage: prefix > 0, hasNextPage: suffix > 0 };
}

/** The positions in ascending order, whichever side they are taken from. Both bounds are included. */
function collect(page: Page<Bound>, candidates: Candidates, count: number): number[] {
  const includes = candidates.includes ?? (() => true);
  const lowest = Math.max(candidates.from, page.after?.at ?? candidates.from);
  const highest = Math.min(candidates.to - 1, page.before?.at ?? candidates.to - 1);
  const rows: number[] = [];
  if (page.fromFront) {
    for (let at = lowest; at <= highest && rows.length < count; at += 1) if (includes(at)) rows.push(at);
    return rows;
  }
  for (let at = highest; at >= lowest && rows.length < count; at -= 1) if (includes(at)) rows.push(at);
  return rows.reverse();
}
