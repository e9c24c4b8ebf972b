import { GraphQLError } from 'graphql';
import { itemsPerCall } from '../config/event-calls.ts';
import type { ItemPosition } from '../live/live-source.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import {
  type AnsweredPage,
  badLedger,
  type CursorForm,
  compareOrder,
  type FilterMembers,
  isBehind,
  type LedgerEdge,
  type LedgerHead,
  type LedgerPage,
  type LedgerPageRequest,
  type LedgerPlace,
  notYet,
  type Order,
  parseMark,
  type ReadLedgerPage,
  readCursor,
  staleCursor,
  toMark,
  valueAt,
  writeCursor,
  youngMs,
} from './ledger-pages.ts';
import { readItemKey, type Source, type SourcePage, type SourcePageRequest } from './source.ts';

export interface LedgerSourceOptions<Item> {
  readonly read: ReadLedgerPage<Item>;
  readonly filter: FilterMembers;
  readonly positionOf: (item: Item) => ItemPosition;
  /** A filter that contains the item at a position. Throws `STALE_CURSOR` if the ledger does not know it. */
  readonly narrow: (position: ItemPosition, cancellation: Cancellation | undefined) => Promise<FilterMembers>;
  /** The form of its cursors; `null`: opaque. */
  readonly form: CursorForm | null;
  /** What its pages showed last. */
  readonly head: LedgerHead;
  /** The checkpoint of a transaction. Throws `STALE_CURSOR` if the ledger does not know it. */
  readonly checkpointOf: (digest: string, cancellation: Cancellation | undefined) => Promise<number>;
  /** How to read the oldest checkpoint whose items the ledger keeps: a root field, and a path in it. */
  readonly oldest: { readonly field: string; readonly path: string };
  /** Do reads mostly continue near the newest item? */
  readonly isLive: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Maximum of pages that are read in search of one position. */
const maxSearchedPages = 100;
/** Newest items that a page of history reads, too: those that came since the checkpoint as of which it reads. */
const tailItems = 10;

/**
 * Items of a connection of the ledger's GraphQL. A position carries the ledger's cursor, so that a page is one call; a search
 * finds the cursor only of a position that another source or an older version made.
 */
export function createLedgerSource<Item>(options: LedgerSourceOptions<Item>): Source<Item> {
  const { form, positionOf, filter, read } = options;
  const readFrom = form ? createPinnedReads(options, form) : createFreeReads(options);
  return {
    positionOf,
    async readPage(request) {
      const { after, limit, descending, cancellation, upTo } = request;
      if (after) {
        const page = await readFrom(after, request);
        if (isOlder(page, parseMark(upTo?.mark)?.checkpoint ?? null)) throw notYet();
        return finish(page, request);
      }
      const isFirst = { filter, backward: descending, size: limit, cancellation };
      const page = await read(isFirst).catch((error: unknown) => {
        // What a filter names was dropped, or never was.
        if (isStale(error)) return nothing;
        throw error;
      });
      const isHidden = options.isLive && descending && page.edges.length === 0 && page.hasPrevious;
      return finish(isHidden ? await readNewestOfAll(isFirst) : page, request);
    },
  };

  /**
   * The newest item of every kind, for a ledger that would have to search for one that matches. Read before the page that shows
   * that none follows it.
   */
  async function readNewestOfAll(request: LedgerPageRequest): Promise<AnsweredPage<Item>> {
    const newest = await read({ ...request, filter: {}, size: 1 });
    const page = await read(request);
    return page.edges.length === 0 && page.hasPrevious ? newest : page;
  }

  function finish(page: AnsweredPage<Item>, { after, limit, descending }: SourcePageRequest): SourcePage<Item> {
    const edges = descending ? page.edges.toReversed() : page.edges;
    const taken = edges.slice(0, limit);
    const isCut = taken.length < edges.length;
    // A ledger that searches a part of its history for one page ends it behind its last item.
    const reached = descending ? page.start : page.end;
    // The item that the page names as its last is another one if they are out of order.
    const last = (isCut ? undefined : edges.find(({ cursor }) => cursor === reached)) ?? taken.at(-1);
    const place = last ? positionOf(last.item) : (after ?? beginning);
    const isBeyond = !isCut && !form && reached !== null && reached !== last?.cursor;
    const checkpoint = parseMark(place.mark)?.checkpoint ?? null;
    const mark = isBeyond ? toMark({ chain: page.chain, checkpoint, cursor: reached }) : null;
    return {
      items: taken.map(({ item }) => item),
      next: mark !== null ? { ...place, mark } : last ? place : null,
      hasMore: isCut || (descending ? page.hasPrevious : page.hasNext),
      unreadableAt: descending
        ? page.unreadableAt.map((before) => edges.length - before)
        : page.unreadableAt.filter((before) => before <= taken.length),
    };
  }
}

const beginning: ItemPosition = { key: '', timestampMs: null, mark: null };
const nothing: AnsweredPage<never> = {
  edges: [],
  unreadableAt: [],
  hasPrevious: false,
  hasNext: false,
  start: null,
  end: null,
  chain: null,
  newest: null,
  newestMs: null,
  extra: null,
  tail: null,
};

type ReadFrom<Item> = (after: ItemPosition, request: SourcePageRequest) => Promise<AnsweredPage<Item>>;

/** Reads by cursors that are valid for every filter and at any time. */
function createFreeReads<Item>(options: LedgerSourceOptions<Item>): ReadFrom<Item> {
  const { read, filter, oldest } = options;
  return async (after, { limit, descending, cancellation, upTo }) => {
    const place = await placeOf(after, options, cancellation);
    const floor = parseMark(upTo?.mark)?.checkpoint ?? place.checkpoint;
    const page = await read({
      filter,
      [descending ? 'before' : 'after']: place.cursor,
      backward: descending,
      size: limit,
      cancellation,
      chain: place.chain,
      seen: place.checkpoint,
      least: floor,
      extra: oldest.field,
    });
    const kept = valueAt({ extra: page.extra }, `extra.${oldest.path}`);
    if (typeof kept === 'number' && place.checkpoint !== null && place.checkpoint < kept) throw staleCursor();
    if (page.edges.length === 0 && isOlder(page, place.checkpoint)) throw notThere(after, options.now(), page);
    return page;
  };
}

/**
 * Reads by cursors that name the checkpoint as of which they read, and that are accepted only where their item matches the
 * filter. The gateway writes them anew with a newer checkpoint.
 */
function createPinnedReads<Item>(options: LedgerSourceOptions<Item>, form: CursorForm): ReadFrom<Item> {
  const { read, filter, isLive, now, checkpointOf, oldest, head } = options;
  /** The first of the newest items when they were last read. */
  let nearEnd: Order | null = null;

  return async (after, { limit, descending, cancellation }) => {
    const { chain, cursor } = await placeOf(after, options, cancellation);
    const { order, checkpoint } = readCursor(cursor, form);
    const shared = { filter, chain, seen: checkpoint, cancellation };
    const readAt = (from: Order, asOf: number, size: number, tail = 0) =>
      read({
        ...shared,
        [descending ? 'before' : 'after']: writeCursor(from, asOf, form),
        backward: descending,
        size,
        least: asOf,
        tail,
      });
    const readNewest = async (extra = '') => {
      const page = await read({ ...shared, backward: true, size: isLive ? limit : itemsPerCall, extra });
      nearEnd = page.edges[0]?.order ?? null;
      return page;
    };

    /** Reads behind an item that the filter does not match: from the last one before its checkpoint that it matches. */
    async function readBehindOther(newest: number): Promise<AnsweredPage<Item>> {
      const asOf = (await checkpointOf(readItemKey(after.key).txDigest, cancellation)) - 1;
      const before = await readAsOf(read, asOf, form, { ...shared, size: 1 }).catch(() => nothing);
      let from = before.edges[0]?.order ?? null;
      for (let pages = 0; pages < maxSearchedPages; pages += 1) {
        const page: AnsweredPage<Item> =
          from === null ? await read({ ...shared, backward: false }) : await readAt(from, newest, itemsPerCall);
        const behind = fromOrder(page, order);
        if (behind.edges.length > 0 || !page.hasNext) return behind;
        from = page.edges.at(-1)?.order ?? null;
      }
      throw badLedger('gives no order of its items');
    }

    if (isLive && (!nearEnd || compareOrder(order, nearEnd) >= 0)) {
      const newest = await readNewest();
      if (covers(newest, order)) return fromOrder(newest, order);
    }
    const asOf = descending || head.chain !== chain ? checkpoint : Math.max(checkpoint, head.checkpoint ?? 0);
    // As of a checkpoint that may be old, the ledger may have many items since. Streams poll again anyway.
    const tail = descending || isLive ? 0 : head.chain === chain ? Math.min(limit, tailItems) : limit;
    const page = await readAt(order, asOf, limit, tail).catch((error: unknown) => {
      if (isRefusal(error)) return null;
      throw error;
    });
    const last = page?.edges.at(-1);
    if (page && !descending && !page.hasNext && !isOlder(page, asOf)) {
      // It ends where the ledger ended as of its checkpoint. The newest items follow it.
      const end = last?.order ?? order;
      const isJoined = page.tail && (covers(page.tail, end) || (last !== undefined && !page.tail.hasPrevious));
      if (page.tail && isJoined) return join(page, fromOrder(page.tail, end));
      if (last && page.newest !== null && page.newest > asOf)
        return join(page, await readAt(end, page.newest, Math.max(1, limit - page.edges.length)));
    }
    if (page && last) return descending ? page : fromOrder(page, order);
    // Nothing more, or the ledger does not accept the cursor.
    const newest = await readNewest(oldest.field);
    const end = newest.edges.at(-1);
    const isBehindAll = !end || compareOrder(order, end.order) > 0;
    if (isOlder(newest, checkpoint) && isBehindAll) throw notThere(after, now(), newest);
    if (!descending && covers(newest, order)) return fromOrder(newest, order);
    checkKept(order, valueAt({ extra: newest.extra }, `extra.${oldest.path}`), form);
    if (!descending && !newest.hasPrevious) return fromOrder(newest, order);
    if (descending && page && !isOlder(page, asOf)) return nothing;
    const latest = newest.newest ?? checkpoint;
    const again = await readAt(order, latest, limit);
    if (again.edges.length === 0 && isOlder(again, latest)) throw notYet();
    return again.edges.length > 0 || descending ? again : readBehindOther(latest);
  };
}

/** A page, and the one that follows it. */
function join<Item>(page: AnsweredPage<Item>, next: LedgerPage<Item>): AnsweredPage<Item> {
  const count = page.edges.length;
  const unreadableAt = [...page.unreadableAt, ...next.unreadableAt.map((at) => at + count)];
  return { ...page, edges: [...page.edges, ...next.edges], unreadableAt, hasNext: next.hasNext, end: next.end };
}

/** An item is kept only while all that follow it are. @param oldest the edges that begin with the oldest item */
function checkKept(order: Order, oldest: unknown, form: CursorForm): void {
  if (!Array.isArray(oldest)) return;
  const [first] = oldest as readonly { readonly cursor?: unknown }[];
  if (!first || compareOrder(order, readCursor(String(first.cursor), form).order) < 0) throw staleCursor();
}

/** Reads the newest items that the ledger had at a checkpoint, which a cursor at the far end of the page names. */
export async function readAsOf<Item>(
  read: ReadLedgerPage<Item>,
  checkpoint: number,
  form: CursorForm,
  request: Pick<LedgerPageRequest, 'filter' | 'size' | 'chain' | 'seen' | 'cancellation'>,
): Promise<AnsweredPage<Item>> {
  const readAbove = (order: Order) =>
    read({ ...request, after: writeCursor(order, checkpoint, form), backward: true, least: checkpoint });
  try {
    return await readAbove([]);
  } catch (error) {
    if (!isStale(error)) throw error;
    // Some ledgers refuse a cursor below what they keep.
    const oldest = await read({ ...request, filter: {}, backward: false, size: 1 });
    return readAbove(oldest.edges[0]?.order ?? []);
  }
}

/** Does an item of the page show that everything behind a place is in it? */
function covers<Item>({ edges: [first] }: LedgerPage<Item>, order: Order): boolean {
  return first !== undefined && compareOrder(first.order, order) <= 0;
}

/** The items behind a place. */
function fromOrder<Item, Page extends LedgerPage<Item>>(page: Page, order: Order): Page {
  const at = page.edges.findIndex((edge: LedgerEdge<Item>) => compareOrder(edge.order, order) > 0);
  const skipped = at < 0 ? page.edges.length : at;
  const unreadableAt = page.unreadableAt.map((before) => before - skipped).filter((before) => before >= 0);
  return { ...page, edges: page.edges.slice(skipped), unreadableAt };
}

/** The place in a position's mark, or that of the item that it names. */
async function placeOf<Item>(
  position: ItemPosition,
  options: LedgerSourceOptions<Item>,
  cancellation: Cancellation | undefined,
): Promise<LedgerPlace> {
  const known = parseMark(position.mark);
  if (known) return known;
  const { read, positionOf, narrow, isLive, now } = options;
  const { key } = position;
  try {
    const filter = await narrow(position, cancellation);
    let after: string | null = null;
    for (let pages = 0; pages < maxSearchedPages; pages += 1) {
      const page: AnsweredPage<Item> = await read({ filter, after, backward: false, cancellation });
      const found = page.edges.find(({ item }) => positionOf(item).key === key);
      if (found) return { chain: page.chain, checkpoint: null, cursor: found.cursor };
      if (!page.hasNext || page.end === null) break;
      after = page.end;
    }
    throw staleCursor();
  } catch (error) {
    throw isStale(error) && !isLive ? notThere(position, now(), nothing) : error;
  }
}

/** Does the ledger that answered lack a checkpoint? */
function isOlder({ newest }: AnsweredPage<unknown>, checkpoint: number | null): boolean {
  return newest !== null && checkpoint !== null && newest < checkpoint;
}

/** For a position that the ledger does not know: a node that lags will know a young one soon, and others know an old one. */
function notThere({ timestampMs }: ItemPosition, nowMs: number, { newestMs }: Pick<AnsweredPage<unknown>, 'newestMs'>) {
  const isYoung = timestampMs !== null && Math.abs(nowMs - timestampMs) <= youngMs;
  return isYoung || isBehind(newestMs, nowMs) ? notYet() : staleCursor();
}

const codeOf = (error: unknown) => (error instanceof GraphQLError ? error.extensions.code : null);
const isStale = (error: unknown) => codeOf(error) === 'STALE_CURSOR';
/** Did the ledger answer with an error, as it does for a checkpoint that it does not have? */
const isRefusal = (error: unknown) =>
  error instanceof GraphQLError &&
  ['STALE_CURSOR', 'UPSTREAM_BAD_RESPONSE', 'BAD_USER_INPUT'].includes(String(codeOf(error)));

/** A source for a list that is complete. */
export function createListSource<Item>(
  readAll: (cancellation: Cancellation | undefined) => Promise<readonly Item[]>,
  positionOf: (item: Item) => ItemPosition,
): Source<Item> {
  return {
    positionOf,
    async readPage({ after, limit, descending, cancellation }) {
      const all = await readAll(cancellation);
      const ordered = descending ? all.toReversed() : all;
      const { key = null } = after ?? {};
      const at = key === null ? -1 : ordered.findIndex((item) => positionOf(item).key === key);
      if (key !== null && at < 0) throw staleCursor();
      const items = ordered.slice(at + 1, at + 1 + limit);
      const last = items.at(-1);
      return { items, next: last ? positionOf(last) : null, hasMore: at + 1 + limit < ordered.length };
    },
  };
}
