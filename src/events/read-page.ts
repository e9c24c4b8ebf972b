import { itemsPerCall, maxSpareCalls } from '../config/event-calls.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import { type Position, type Source, type SourcePage, toPositionKey } from './source.ts';

export interface PageRange {
  readonly size: number;
  readonly backward: boolean;
  /** Exclusive bounds; `after` is the older one. */
  readonly after: Position | null;
  readonly before: Position | null;
}

/** The rest of one operation's `maxSpareCalls`. */
export interface SpareCalls {
  left: number;
}

export const createSpareCalls = (): SpareCalls => ({ left: maxSpareCalls });

/** Oldest first, whatever the direction of reading. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
}

/**
 * Reads one page by walking from one bound towards the other. The flags mean the same as in the ledger's own connections: at
 * the start of the walk, whether a bound was given; at its end, whether anything was left out.
 * @param spare calls allowed beyond one for every `itemsPerCall` items
 */
export async function readPage<Item>(
  range: PageRange,
  source: Source<Item>,
  spare: SpareCalls,
  cancellation?: Cancellation,
): Promise<Page<Item>> {
  const { size, backward } = range;
  const from = backward ? range.before : range.after;
  const until = backward ? range.after : range.before;
  const empty: Page<Item> = { items: [], hasPreviousPage: false, hasNextPage: false };
  if (size === 0) return empty;

  const ahead = from && until ? relationToBound(until, from, backward) : 'beyond';
  if (ahead === 'at' || ahead === 'before') return empty;

  const gathered: WalkedItems<Item> = {
    items: [],
    seen: new Set(from ? [toPositionKey(from)] : []),
    boundProved: ahead === 'beyond',
    leftOut: false,
    ended: false,
  };
  await walk({ gathered, from, until, range, spare, cancellation }, source);

  const { items, boundProved } = gathered;
  // No call was left to find out. Report more: if there is none, the next page is empty.
  const leftOut = gathered.leftOut ?? true;
  if (!boundProved || items.length === 0) return empty;
  return backward
    ? { items: items.toReversed(), hasPreviousPage: leftOut, hasNextPage: from !== null }
    : { items, hasPreviousPage: from !== null, hasNextPage: leftOut };
}

/** The items of a walk so far, in its own order. */
interface WalkedItems<Item> {
  readonly items: Item[];
  readonly seen: Set<string>;
  /**
   * Is it certain that the far bound lies ahead? The upstream takes only one cursor, so the walk must recognise the other
   * bound. If times do not give the order of the two bounds, only reaching it is proof.
   */
  boundProved: boolean;
  /** Are there items between here and the end of the ledger that are not in `items`? `null` if unknown. */
  leftOut: boolean | null;
  ended: boolean;
}

interface WalkOptions<Item> {
  readonly gathered: WalkedItems<Item>;
  readonly from: Position | null;
  readonly until: Position | null;
  readonly range: PageRange;
  readonly spare: SpareCalls;
  readonly cancellation: Cancellation | undefined;
}

async function walk<Item>(options: WalkOptions<Item>, source: Source<Item>): Promise<void> {
  const { gathered, from, range, until, spare, cancellation } = options;
  const visited = new Set(from ? [toPositionKey(from)] : []);
  let after = from;
  for (let planned = Math.ceil(range.size / itemsPerCall); planned > 0 || spare.left > 0; planned -= 1) {
    if (planned <= 0) spare.left -= 1;
    const missing = range.size - gathered.items.length;
    // Once the page is full, one more item shows whether anything follows. Search for an unproved far bound with full pages.
    const wanted = missing > 0 ? missing : gathered.boundProved ? 1 : itemsPerCall;
    const limit = Math.min(wanted, itemsPerCall);
    const page = await source.readPage({ after, limit, descending: range.backward, cancellation });
    gather(page, gathered, until, range, source);
    if (gathered.ended || (gathered.items.length === range.size && gathered.boundProved && gathered.leftOut !== null)) {
      return;
    }
    const last = page.items.at(-1);
    const next = page.next ?? (last === undefined ? null : source.positionOf(last));
    if (!next || visited.has(toPositionKey(next))) throw badWalk('gives a cursor that does not advance');
    visited.add(toPositionKey(next));
    after = next;
  }
  // A short page is valid if the client can continue from its last cursor; otherwise the upstream is at fault.
  if (!gathered.boundProved) throw badWalk('does not tell the order of the two cursors');
  if (gathered.items.length === 0) throw badWalk('answers empty pages and says that there is more');
}

function gather<Item>(
  page: SourcePage<Item>,
  gathered: WalkedItems<Item>,
  until: Position | null,
  { size, backward }: PageRange,
  source: Source<Item>,
): void {
  for (const item of page.items) {
    const position = source.positionOf(item);
    const key = toPositionKey(position);
    if (gathered.seen.has(key)) throw badWalk('repeats what it has already answered');
    gathered.seen.add(key);
    const sideOfBound = until ? relationToBound(position, until, backward) : 'before';
    if (sideOfBound === 'at' || sideOfBound === 'beyond') {
      gathered.boundProved ||= sideOfBound === 'at';
      gathered.leftOut = true;
      gathered.ended = true;
      return;
    }
    if (gathered.items.length < size) gathered.items.push(item);
    else gathered.leftOut = true;
  }
  // If the upstream does not say whether there is more, an empty answer means the end.
  const hasMore = page.hasMore ?? (page.items.length === 0 ? false : null);
  if (gathered.leftOut !== true) gathered.leftOut = hasMore;
  gathered.ended = hasMore === false;
}

function badWalk(what: string) {
  return gatewayError('UPSTREAM_BAD_RESPONSE', `The events upstream ${what}.`, { upstream: 'events' });
}

/**
 * Where a position lies relative to a bound, in the direction of a walk. Positions of one transaction, or of different times,
 * have an order; others of the same millisecond, or without a time, are `unordered`.
 */
function relationToBound(
  position: Position,
  bound: Position,
  descending: boolean,
): 'before' | 'at' | 'beyond' | 'unordered' {
  const order = compare(position, bound);
  if (order === null) return 'unordered';
  if (order === 0) return 'at';
  return order < 0 === descending ? 'beyond' : 'before';
}

function compare(a: Position, b: Position): number | null {
  if (a.digest === b.digest) return Math.sign(Number(BigInt(a.eventSeq ?? 0) - BigInt(b.eventSeq ?? 0)));
  if (a.timestampMs === null || b.timestampMs === null || a.timestampMs === b.timestampMs) return null;
  return Math.sign(a.timestampMs - b.timestampMs);
}
