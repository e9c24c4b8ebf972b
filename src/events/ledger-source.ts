import { gatewayError } from '../errors/gateway-error.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import {
  compareOrder,
  type FilterMembers,
  type LedgerEdge,
  type LedgerPage,
  type ReadLedgerPage,
  staleCursor,
} from './ledger-connection.ts';
import { type Position, type Source, type SourcePage, type SourcePageRequest, toPositionKey } from './source.ts';

/** Maximum of pages that are read in search of one position. */
const maxSearchedPages = 100;
/** Maximum of consecutive empty pages in one read. The next read continues there. */
const maxEmptyPages = 50;
const maxKnownCursors = 5_000;

/** Number of cached cursors of recent items, from which reads continue without a search. */
export class KnownCursors {
  readonly #cursors = new Map<string, string>();

  get(key: string): string | undefined {
    return this.#cursors.get(key);
  }

  set(key: string, cursor: string): void {
    this.#cursors.delete(key);
    this.#cursors.set(key, cursor);
    const [oldest] = this.#cursors.size > maxKnownCursors ? this.#cursors.keys() : [];
    if (oldest !== undefined) this.#cursors.delete(oldest);
  }

  delete(key: string): void {
    this.#cursors.delete(key);
  }
}

export interface LedgerSourceOptions<Item> {
  readonly read: ReadLedgerPage<Item>;
  readonly filter: FilterMembers;
  readonly positionOf: (item: Item) => Position;
  /** The narrowest filter that contains the item at a position. Throws `STALE_CURSOR` if the ledger does not know it. */
  readonly narrow: (position: Position, cancellation: Cancellation | undefined) => Promise<FilterMembers>;
  /** Does a cursor read the ledger as of its own checkpoint, and only where its item matches the filter? */
  readonly isPinned: boolean;
  /** Do reads mostly continue near the newest item? */
  readonly isLive: boolean;
  readonly known: KnownCursors;
}

/**
 * Items of a connection of the ledger's GraphQL. The gateway resumes by digest and number, the connection by its own cursors;
 * a search finds the cursor of a position.
 */
export function createLedgerSource<Item>(options: LedgerSourceOptions<Item>): Source<Item> {
  const { read, filter, positionOf, narrow, isPinned, isLive, known } = options;
  const filterText = JSON.stringify(filter);
  const keyOf = ({ item }: LedgerEdge<Item>) => toPositionKey(positionOf(item));
  const knownKey = (position: string, descending: boolean) => `${filterText}${descending ? '<' : '>'}${position}`;

  /** Reads pages until one of them has the position. */
  async function findEdge(members: FilterMembers, key: string, cancellation: Cancellation | undefined) {
    let cursor: string | null = null;
    for (let pages = 0; pages < maxSearchedPages; pages += 1) {
      const page: LedgerPage<Item> = await read({ filter: members, cursor, backward: false, cancellation });
      const found = page.edges.find((edge) => keyOf(edge) === key);
      if (found) return found;
      if (!page.hasNext || page.end === null) return null;
      cursor = page.end;
    }
    return null;
  }

  /** The cursor of the filter's last item up to this position; `null` if there is none. */
  async function findBefore(order: readonly number[], cancellation: Cancellation | undefined): Promise<string | null> {
    let cursor: string | null = null;
    for (let pages = 0; pages < maxSearchedPages; pages += 1) {
      const page: LedgerPage<Item> = await read({ filter, cursor, backward: true, cancellation });
      const before = page.edges.findLast((edge) => edge.order && compareOrder(edge.order, order) <= 0);
      if (before) return before.cursor;
      if (!page.hasPrevious || page.start === null) return null;
      cursor = page.start;
    }
    throw staleCursor();
  }

  async function locate(
    position: Position,
    descending: boolean,
    cancellation: Cancellation | undefined,
  ): Promise<string | null> {
    const key = toPositionKey(position);
    const narrowed = await narrow(position, cancellation);
    const member = await findEdge({ ...filter, ...narrowed }, key, cancellation);
    if (member) return member.cursor;
    // A stream served by another filter's reader may resume after an item that its own filter does not match.
    const other = Object.keys(filter).length > 0 ? await findEdge(narrowed, key, cancellation) : null;
    if (!other || (isPinned && descending)) throw staleCursor();
    return other.order ? findBefore(other.order, cancellation) : other.cursor;
  }

  /** The items after a position, if it is among the newest ones. */
  async function readTail(after: Position, cancellation: Cancellation | undefined) {
    const page = await read({ filter, cursor: null, backward: true, cancellation });
    const key = toPositionKey(after);
    const at = page.edges.findIndex((edge) => keyOf(edge) === key);
    return at < 0 ? null : { ...page, edges: page.edges.slice(at + 1), hasNext: false };
  }

  /**
   * Continues in the ledger's state as of a cursor.
   * @returns `null` at its end: by now there may be more
   */
  async function readPinned(cursor: string, { limit, descending, cancellation }: SourcePageRequest) {
    const page = await read({ filter, cursor, backward: descending, size: limit, cancellation }).catch(() => null);
    return page && (descending ? page.hasPrevious : page.hasNext) && page.edges.length > 0 ? page : null;
  }

  return {
    positionOf,
    async readPage(request) {
      const { after, limit, descending, cancellation } = request;
      const startKey = knownKey(after ? toPositionKey(after) : '', descending);
      const kept = known.get(startKey);
      if (kept !== undefined && isPinned) {
        known.delete(startKey);
        const page = await readPinned(kept, request);
        if (page) return finish(page, request);
      }
      if (after && isPinned && isLive && !descending) {
        const tail = await readTail(after, cancellation);
        if (tail) return finish(tail, request);
      }
      let cursor = isPinned || kept === undefined ? after && (await locate(after, descending, cancellation)) : kept;
      for (let empty = 0; ; empty += 1) {
        const page = await read({ filter, cursor, backward: descending, size: limit, cancellation }).catch((error) => {
          known.delete(startKey);
          throw error;
        });
        const hasMore = descending ? page.hasPrevious : page.hasNext;
        const next = descending ? page.start : page.end;
        // Only ledgers that search a part of their history for one page have empty pages before the end.
        const isLast = isPinned || !hasMore || next === null || next === cursor;
        if (page.edges.length > 0 || isLast) return finish(page, request);
        known.set(startKey, next);
        cursor = next;
        if (empty < maxEmptyPages) continue;
        if (isLive) return finish(page, request);
        const says = 'The ledger is still searching its history for the next item. Repeat the query to continue.';
        throw gatewayError('UPSTREAM_UNAVAILABLE', says, { upstream: 'ledger' });
      }
    },
  };

  function finish(page: LedgerPage<Item>, { limit, descending }: SourcePageRequest): SourcePage<Item> {
    const hasMore = descending ? page.hasPrevious : page.hasNext;
    const edges = descending ? page.edges.toReversed() : page.edges;
    const taken = edges.slice(0, limit);
    const isCut = taken.length < edges.length;
    if (!isCut && (hasMore || !isPinned)) {
      // Only the last item of a pinned page is a starting point for the next read.
      for (const edge of isPinned ? taken.slice(-1) : taken) known.set(knownKey(keyOf(edge), descending), edge.cursor);
    }
    const last = taken.at(-1);
    return {
      items: taken.map(({ item }) => item),
      next: last ? positionOf(last.item) : null,
      hasMore: hasMore || isCut,
    };
  }
}

/** A source for a list that is complete. */
export function createListSource<Item>(
  readAll: (cancellation: Cancellation | undefined) => Promise<readonly Item[]>,
  positionOf: (item: Item) => Position,
): Source<Item> {
  return {
    positionOf,
    async readPage({ after, limit, descending, cancellation }) {
      const all = await readAll(cancellation);
      const ordered = descending ? all.toReversed() : all;
      const key = after && toPositionKey(after);
      const at = key === null ? -1 : ordered.findIndex((item) => toPositionKey(positionOf(item)) === key);
      if (key !== null && at < 0) throw staleCursor();
      const items = ordered.slice(at + 1, at + 1 + limit);
      const last = items.at(-1);
      return { items, next: last ? positionOf(last) : null, hasMore: at + 1 + limit < ordered.length };
    },
  };
}
