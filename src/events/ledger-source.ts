import { LRUCache } from 'lru-cache';
import { itemsPerCall } from '../config/event-calls.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { LedgerExecutor } from '../ledger/ledger-executor.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import { type Position, type Source, type SourcePage, type SourcePageRequest, toPositionKey } from './source.ts';

/** Members of a filter and their values as GraphQL literals. */
export type FilterMembers = Readonly<Record<string, string>>;

/** A node of a connection in the ledger's response. */
export type LedgerNode = Readonly<Record<string, unknown>>;

interface LedgerEdge<Item> {
  readonly item: Item;
  readonly cursor: string;
  /** Numbers that put items in order; `null` if the cursor is opaque. */
  readonly order: readonly number[] | null;
}

/** A page of a connection, oldest item first. */
export interface LedgerPage<Item> {
  readonly edges: readonly LedgerEdge<Item>[];
  /** How many of the edges precede each one of an unknown form, which a lenient reader leaves out. */
  readonly unreadableAt?: readonly number[];
  readonly hasPrevious: boolean;
  readonly hasNext: boolean;
  readonly start: string | null;
  readonly end: string | null;
}

export interface LedgerPageRequest {
  readonly filter: FilterMembers;
  /** Exclusive; `null`: from the end of the ledger if `backward`, else from its beginning. */
  readonly cursor: string | null;
  readonly backward: boolean;
  readonly size?: number;
  readonly cancellation: Cancellation | undefined;
}

/** Reads one page of a connection of the ledger. Rejects with errors of the catalogue. */
export type ReadLedgerPage<Item> = (request: LedgerPageRequest) => Promise<LedgerPage<Item>>;

export interface LedgerNodes<Item> {
  readonly selection: string;
  /** @param order `null` if the cursor is opaque */
  readonly toItem: (node: LedgerNode, order: readonly number[] | null) => Item;
  /** Members of the JSON in a cursor that order items; `null`: opaque. */
  readonly cursor: readonly string[] | null;
  /** Does a page leave out nodes of an unknown form, unless all are? Otherwise it is rejected. */
  readonly isLenient?: boolean;
}

export function createReadLedgerPage<Item>(
  field: string,
  nodes: LedgerNodes<Item>,
  execute: LedgerExecutor,
): ReadLedgerPage<Item> {
  return async ({ cancellation, ...request }) => {
    const text = `{page:${field}${toPageSelection(request, nodes.selection)}}`;
    const { page } = await askLedger(execute, text, cancellation, request.cursor !== null);
    return toLedgerPage(page, nodes);
  };
}

/** Reads pages from one end of a connection on, up to this number. */
export async function* readPages<Item>(
  read: ReadLedgerPage<Item>,
  request: Omit<LedgerPageRequest, 'cursor'>,
  most: number,
): AsyncGenerator<LedgerPage<Item>, void> {
  let cursor: string | null = null;
  for (let pages = 0; pages < most; pages += 1) {
    const page: LedgerPage<Item> = await read({ ...request, cursor });
    yield page;
    const hasMore = request.backward ? page.hasPrevious : page.hasNext;
    cursor = request.backward ? page.start : page.end;
    if (!hasMore || cursor === null) return;
  }
}

/** Arguments of a connection, and the selection of one page. */
export function toPageSelection(
  { filter, cursor, backward, size = itemsPerCall }: Omit<LedgerPageRequest, 'cancellation'>,
  selection: string,
): string {
  const members = Object.entries(filter).map(([member, value]) => `${member}:${value}`);
  const filterArgument = members.length > 0 ? `filter:{${members.join(',')}}` : '';
  const at = cursor === null ? '' : `${backward ? 'before' : 'after'}:${JSON.stringify(cursor)} `;
  const info = 'pageInfo{hasPreviousPage hasNextPage startCursor endCursor}';
  return `(${backward ? 'last' : 'first'}:${size} ${at}${filterArgument}){${info}edges{cursor node${selection}}}`;
}

export function toLedgerPage<Item>(value: unknown, nodes: LedgerNodes<Item>): LedgerPage<Item> {
  const page = toNode(value);
  const info = toNode(page.pageInfo);
  if (!Array.isArray(page.edges)) throw badLedger('sent a page without edges');
  const edges: LedgerEdge<Item>[] = [];
  const unreadableAt: number[] = [];
  let fault: unknown = null;
  for (const each of page.edges as readonly unknown[]) {
    try {
      edges.push(toEdge(each, nodes));
    } catch (error) {
      fault ??= error;
      unreadableAt.push(edges.length);
    }
  }
  if (fault !== null && (!nodes.isLenient || edges.length === 0)) throw fault;
  return {
    edges,
    unreadableAt,
    hasPrevious: info.hasPreviousPage === true,
    hasNext: info.hasNextPage === true,
    start: toTextOrNull(info.startCursor),
    end: toTextOrNull(info.endCursor),
  };
}

function toEdge<Item>(value: unknown, { toItem, cursor }: LedgerNodes<Item>): LedgerEdge<Item> {
  const edge = toNode(value);
  const text = toText(edge.cursor);
  const order = cursor && readOrder(text, cursor);
  return { item: toItem(toNode(edge.node), order), cursor: text, order };
}

function readOrder(cursor: string, members: readonly string[]): readonly number[] {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw badLedger('sent a cursor of an unknown form');
  }
  return members.map((member) => {
    const number = toNode(content)[member];
    if (!Number.isSafeInteger(number)) throw badLedger('sent a cursor of an unknown form');
    return number as number;
  });
}

/** Negative if `a` comes first. */
function compareOrder(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, index) => number !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

const outsideRange = /outside the available range|pruned|no longer available/i;

/**
 * Sends a query that the gateway wrote.
 * @param cursorSent whether it contains a cursor: only then can the cursor be stale
 */
export async function askLedger(
  execute: LedgerExecutor,
  text: string,
  cancellation: Cancellation | undefined,
  cursorSent = false,
): Promise<LedgerNode> {
  const { data, errors } = await execute({ document: { text, rootKeys: [] }, cancellation });
  const [error] = errors ?? [];
  if (!error && data) return data as LedgerNode;
  const errorMessage = error?.message ?? '';
  if (cursorSent && outsideRange.test(errorMessage)) throw staleCursor();
  const isCallersFault = error?.extensions.code === 'BAD_USER_INPUT' && /^[\x20-\x7e]{1,300}$/.test(errorMessage);
  if (isCallersFault) throw gatewayError('BAD_USER_INPUT', errorMessage, { upstream: 'ledger' });
  throw /timed out/i.test(errorMessage)
    ? gatewayError('UPSTREAM_TIMEOUT', 'The ledger did not answer in time.', { upstream: 'ledger' })
    : badLedger('failed to answer');
}

export function staleCursor() {
  const says = 'The ledger no longer knows the position this cursor points to.';
  return gatewayError('STALE_CURSOR', says, { upstream: 'ledger' });
}

export function badLedger(what: string) {
  return gatewayError('UPSTREAM_BAD_RESPONSE', `The ledger ${what}.`, { upstream: 'ledger' });
}

/** Writes the selection set of some paths: `a.b` and `a.c` become `{a{b c}}`. */
export function toSelection(paths: readonly string[]): string {
  const below = new Map<string, string[]>();
  for (const path of paths) {
    const [first = '', ...rest] = path.split('.');
    below.set(first, [...(below.get(first) ?? []), ...(rest.length > 0 ? [rest.join('.')] : [])]);
  }
  const fields = [...below].map(([name, rest]) => (rest.length > 0 ? `${name}${toSelection(rest)}` : name));
  return `{${fields.join(' ')}}`;
}

/** The value at a path; `null` where a step is missing. */
export function valueAt(node: LedgerNode, path: string): unknown {
  let value: unknown = node;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return null;
    value = (value as LedgerNode)[name];
  }
  return value ?? null;
}

function toNode(value: unknown): LedgerNode {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as LedgerNode;
  throw badLedger('sent a page of an unknown shape');
}

export function toText(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw badLedger('left out a part of an item');
}

export function toTextOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Maximum of pages that are read in search of one position. */
const maxSearchedPages = 100;
/** Maximum of consecutive empty pages in one read. The next read continues there. */
const maxEmptyPages = 50;
const maxKnownCursors = 5_000;
/** Milliseconds for which a search for the newest items may be continued. */
const searchMs = 60_000;

/** Cached cursors of recent items, from which reads continue without a search. */
export const createKnownCursors = () => new LRUCache<string, string>({ max: maxKnownCursors });

interface LedgerSourceOptions<Item> {
  readonly read: ReadLedgerPage<Item>;
  readonly filter: FilterMembers;
  readonly positionOf: (item: Item) => Position;
  /** The narrowest filter that contains the item at a position. Throws `STALE_CURSOR` if the ledger does not know it. */
  readonly narrow: (position: Position, cancellation: Cancellation | undefined) => Promise<FilterMembers>;
  /** Does a cursor read the ledger as of its own checkpoint, and only where its item matches the filter? */
  readonly isPinned: boolean;
  /** Do reads mostly continue near the newest item? */
  readonly isLive: boolean;
  readonly known: LRUCache<string, string>;
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

  async function findEdge(members: FilterMembers, key: string, cancellation: Cancellation | undefined) {
    for await (const { edges } of readPages(
      read,
      { filter: members, backward: false, cancellation },
      maxSearchedPages,
    )) {
      const found = edges.find((edge) => keyOf(edge) === key);
      if (found) return found;
    }
    return null;
  }

  /** The cursor of the filter's last item up to this position; `null` if there is none. */
  async function findBefore(order: readonly number[], cancellation: Cancellation | undefined): Promise<string | null> {
    let first: LedgerPage<Item> | null = null;
    for await (first of readPages(read, { filter, backward: true, cancellation }, maxSearchedPages)) {
      const before = first.edges.findLast((edge) => edge.order && compareOrder(edge.order, order) <= 0);
      if (before) return before.cursor;
    }
    if (first?.hasPrevious && first.start !== null) throw staleCursor();
    return null;
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
    if (at < 0) return null;
    const unreadableAt = page.unreadableAt?.map((before) => before - at - 1).filter((before) => before >= 0) ?? [];
    return { ...page, edges: page.edges.slice(at + 1), unreadableAt, hasNext: false };
  }

  /** Continues in the ledger's state as of a cursor. @returns `null` at its end: by now there may be more */
  async function readPinned(cursor: string, { limit, descending, cancellation }: SourcePageRequest) {
    const page = await read({ filter, cursor, backward: descending, size: limit, cancellation }).catch(() => null);
    return page && (descending ? page.hasPrevious : page.hasNext) && page.edges.length > 0 ? page : null;
  }

  return {
    positionOf,
    async readPage(request) {
      const { after, limit, descending, cancellation } = request;
      const startKey = knownKey(after ? toPositionKey(after) : '', descending);
      // There may be newer items next time: only a search that was cut short continues where it was.
      const isFromNewest = descending && after === null;
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
        if (page.edges.length > 0 || isLast) {
          if (isFromNewest) known.delete(startKey);
          return finish(page, request);
        }
        known.set(startKey, next, { ttl: isFromNewest ? searchMs : 0 });
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
      unreadableAt: descending ? [] : page.unreadableAt?.filter((before) => before <= taken.length),
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
