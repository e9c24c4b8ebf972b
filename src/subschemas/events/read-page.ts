import { gatewayError } from '../../errors/gateway-error.ts';
import { type Position, relationToBound, toPositionKey } from './position.ts';
import { maxItemsPerCall } from './wire.ts';

/** What one upstream call of a walk answers. `next` may be missing although there is more. */
export interface WalkStep<Item> {
  readonly items: readonly Item[];
  readonly next: Position | null;
  readonly hasMore: boolean;
}

export interface Walk<Item> {
  /** One upstream call: at most `limit` items strictly beyond `cursor`. */
  step(cursor: Position | null, limit: number, descending: boolean): Promise<WalkStep<Item>>;
  positionOf(item: Item): Position;
}

export interface PageRange {
  readonly size: number;
  readonly backward: boolean;
  /** Exclusive bounds; `after` is the older one. */
  readonly after: Position | null;
  readonly before: Position | null;
}

/** Oldest first, whichever way it was read. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
}

/** Calls beyond those a page needs anyway, spent on finding out which of two bounds is the older one. */
const extraCalls = 20;

/**
 * Reads one page by walking from one bound towards the other. The flags say what the ledger's own connections say: on
 * the side the walk came from, whether a bound was given; on the other, whether anything was left out.
 */
export async function readPage<Item>(range: PageRange, walk: Walk<Item>): Promise<Page<Item>> {
  const { size, backward } = range;
  const from = backward ? range.before : range.after;
  const until = backward ? range.after : range.before;
  const empty: Page<Item> = { items: [], hasPreviousPage: false, hasNextPage: false };
  if (size === 0) return empty;

  // The upstream takes one cursor. The other bound is recognised on the way; the walk meets it before anything beyond
  // it if it lies ahead. Where times do not tell whether it does, only meeting it proves it.
  const ahead = from && until ? relationToBound(until, from, backward) : 'beyond';
  if (ahead === 'at' || ahead === 'before') return empty;
  let boundProved = ahead === 'beyond';

  const taken: Item[] = [];
  const seen = new Set(from ? [toPositionKey(from)] : []);
  const maxCalls = Math.ceil(size / maxItemsPerCall) + extraCalls;
  let cursor = from;
  let leftOut = false;
  for (let calls = 0; ; calls += 1) {
    if (calls === maxCalls) throw badWalk('gives no order to the two cursors, or too little at a time');
    const missing = size - taken.length;
    const step = await walk.step(cursor, missing > 0 ? Math.min(missing, maxItemsPerCall) : maxItemsPerCall, backward);

    let ended = !step.hasMore;
    for (const item of step.items) {
      const position = walk.positionOf(item);
      const key = toPositionKey(position);
      if (seen.has(key)) throw badWalk('repeats what it has already answered');
      seen.add(key);
      const relation = until ? relationToBound(position, until, backward) : 'before';
      if (relation === 'at' || relation === 'beyond') {
        boundProved ||= relation === 'at';
        leftOut = true;
        ended = true;
        break;
      }
      if (taken.length < size) taken.push(item);
      else leftOut = true;
    }
    leftOut ||= step.hasMore;
    if (ended || (taken.length === size && boundProved)) break;

    const next = step.next ?? lastPosition(step.items, walk);
    if (!next || (cursor && toPositionKey(next) === toPositionKey(cursor)))
      throw badWalk('gives a cursor that does not advance');
    cursor = next;
  }
  if (!boundProved || taken.length === 0) return empty;
  return backward
    ? { items: taken.reverse(), hasPreviousPage: leftOut, hasNextPage: from !== null }
    : { items: taken, hasPreviousPage: from !== null, hasNextPage: leftOut };
}

function lastPosition<Item>(items: readonly Item[], walk: Walk<Item>): Position | null {
  const last = items.at(-1);
  return last === undefined ? null : walk.positionOf(last);
}

function badWalk(what: string) {
  return gatewayError('UPSTREAM_BAD_RESPONSE', `The events upstream ${what}.`, { upstream: 'events' });
}
