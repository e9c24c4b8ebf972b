import { itemsPerCall, maxSpareCalls } from '../config/event-calls.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { argumentError, refuseArgument } from '../ledger/values/check-argument.ts';
import type { ItemPosition } from '../live/live-source.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import type { CursorCodec } from './signed-cursor.ts';
import { compareNumberTexts, readItemKey, type Source, type SourcePage } from './source.ts';

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
interface PagePlan {
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
  if (!Number.isSafeInteger(size) || size < 0) refuseArgument(argument, size, `must be from 0 to ${maxSize}`);
  if (size > maxSize) throw argumentError(argument, `Connection's page size of ${size} exceeds max of ${maxSize}`);
  return { size, backward: last != null };
}

interface ConnectionRequest {
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
) {
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
        return backward && page.reached ? codec.toCursor(page.reached) : (edges.at(0)?.cursor ?? null);
      },
      get endCursor() {
        return !backward && page.reached ? codec.toCursor(page.reached) : (edges.at(-1)?.cursor ?? null);
      },
    },
    edges,
    nodes: edges.map(({ node }) => node),
  };
}

export interface PageRange {
  readonly size: number;
  readonly backward: boolean;
  /** Exclusive bounds; `after` is the older one. */
  readonly after: ItemPosition | null;
  readonly before: ItemPosition | null;
}

/** The rest of one operation's `maxSpareCalls`. */
interface SpareCalls {
  left: number;
}

export const createSpareCalls = (): SpareCalls => ({ left: maxSpareCalls });

/** Oldest first, whatever the direction of reading. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
  /** Where a search for further items has come to, beyond those of the page. Left out: it is not needed. */
  readonly reached?: ItemPosition | undefined;
}

/**
 * Reads one page by walking from one bound towards the other. The flags mean the same as in the ledger's own connections: at
 * the start of the walk, whether a bound was given; at its end, whether anything was left out.
 * @param spare calls allowed beyond one for every `itemsPerCall` items
 */
export async function readPage<Item>(
  { size, backward, ...bounds }: PageRange,
  source: Source<Item>,
  spare: SpareCalls,
  cancellation?: Cancellation,
): Promise<Page<Item>> {
  const from = backward ? bounds.before : bounds.after;
  const until = backward ? bounds.after : bounds.before;
  const empty: Page<Item> = { items: [], hasPreviousPage: false, hasNextPage: false };
  if (size === 0) return empty;
  const ahead = from && until ? relationToBound(until, from, backward) : 'beyond';
  if (ahead === 'at' || ahead === 'before') return empty;

  const items: Item[] = [];
  const seen = new Set(from ? [from.key] : []);
  const visited = new Set(from ? [toPlace(from)] : []);
  /**
   * Is it certain that the far bound lies ahead? The upstream takes only one cursor, so the walk must recognise the other
   * bound. If times do not give the order of the two bounds, only reaching it is proof.
   */
  let boundProved = ahead === 'beyond';
  /** Are there items between here and the end of the ledger that are not in `items`? `null` if unknown. */
  let leftOut: boolean | null = false;

  /** @returns whether the walk has ended */
  const gather = (page: SourcePage<Item>): boolean => {
    for (const item of page.items) {
      const position = source.positionOf(item);
      if (seen.has(position.key)) throw badWalk('repeats what it has already answered');
      seen.add(position.key);
      const sideOfBound = until ? relationToBound(position, until, backward) : 'before';
      if (sideOfBound === 'at' || sideOfBound === 'beyond') {
        boundProved ||= sideOfBound === 'at';
        leftOut = true;
        return true;
      }
      if (items.length < size) items.push(item);
      else leftOut = true;
    }
    // If the upstream does not say whether there is more, an empty answer means the end.
    const hasMore = page.hasMore ?? (page.items.length === 0 ? false : null);
    if (leftOut !== true) leftOut = hasMore;
    return hasMore === false || (items.length === size && boundProved && leftOut !== null);
  };

  let after = from;
  /** Set if the source has searched beyond the items. */
  let reached: ItemPosition | undefined;
  let isOver = false;
  for (let planned = Math.ceil(size / itemsPerCall); planned > 0 || spare.left > 0; planned -= 1) {
    if (planned <= 0) spare.left -= 1;
    const missing = size - items.length;
    // Once the page is full, one more item shows whether anything follows. Search for an unproved far bound with full pages.
    const wanted = missing > 0 ? missing : boundProved ? 1 : itemsPerCall;
    const limit = Math.min(wanted, itemsPerCall);
    const page = await source.readPage({ after, limit, descending: backward, cancellation });
    isOver = gather(page);
    if (isOver) break;
    const last = page.items.at(-1);
    const next = page.next ?? (last === undefined ? null : source.positionOf(last));
    const place = next && toPlace(next);
    if (!next || place === null || visited.has(place)) throw badWalk('gives a cursor that does not advance');
    visited.add(place);
    reached = last === undefined || next.mark !== source.positionOf(last).mark ? next : undefined;
    after = next;
  }
  // A short page is valid if the client can continue from its last cursor; otherwise the upstream is at fault.
  if (!isOver && !boundProved) throw badWalk('does not tell the order of the two cursors');
  const isUnfinished = !isOver && reached?.mark != null;
  if (!isOver && items.length === 0 && !isUnfinished) {
    throw badWalk('answers empty pages and says that there is more');
  }
  if (!boundProved || (items.length === 0 && !isUnfinished)) return empty;
  // No call was left to find out. Report more: if there is none, the next page is empty.
  const hasMore = leftOut ?? true;
  const end = isUnfinished && items.length < size ? reached : undefined;
  return backward
    ? { items: items.toReversed(), hasPreviousPage: hasMore, hasNextPage: from !== null, reached: end }
    : { items, hasPreviousPage: from !== null, hasNextPage: hasMore, reached: end };
}

function toPlace({ key, mark }: ItemPosition): string {
  return `${key} ${mark ?? ''}`;
}

function badWalk(what: string) {
  return gatewayError('UPSTREAM_BAD_RESPONSE', `The events upstream ${what}.`, { upstream: 'events' });
}

/**
 * Where a position lies relative to a bound, in the direction of a walk. Positions of one transaction, or of different times,
 * have an order; others of the same millisecond, or without a time, are `unordered`.
 */
function relationToBound(
  position: ItemPosition,
  bound: ItemPosition,
  descending: boolean,
): 'before' | 'at' | 'beyond' | 'unordered' {
  const order = compare(position, bound);
  if (order === null) return 'unordered';
  if (order === 0) return 'at';
  return order < 0 === descending ? 'beyond' : 'before';
}

function compare(a: ItemPosition, b: ItemPosition): number | null {
  const [one, other] = [readItemKey(a.key), readItemKey(b.key)];
  if (one.txDigest === other.txDigest) return Math.sign(compareNumberTexts(one.eventSeq ?? '', other.eventSeq ?? ''));
  if (a.timestampMs === null || b.timestampMs === null || a.timestampMs === b.timestampMs) return null;
  return Math.sign(a.timestampMs - b.timestampMs);
}
