import { GraphQLError } from 'graphql';
import { itemsPerCall } from '../config/event-calls.ts';
import type { RpcEvent } from '../generated/own.ts';
import { parseJson, printJson } from '../json/exact-json.ts';
import { measureHeap, measureText } from '../json/json-size.ts';
import type { Presenter } from '../live/channel.ts';
import type { ItemText } from '../live/fleet/entry-text.ts';
import {
  type ItemPosition,
  type LiveEntry,
  type LiveSource,
  PositionFailedError,
  PositionLostError,
  QueryRejectedError,
  type ResumePoint,
} from '../live/live-source.ts';
import { type ResumableItem, resumeCursorKey } from '../upstream/operation-context.ts';
import { UpstreamCallError } from '../upstream/upstream-call-error.ts';
import { type EventFacts, toEventFacts } from './event-filter.ts';
import { toEventNode } from './events-resolvers.ts';
import { compareNumberTexts, readItemKey, type Source, type SourcePageRequest } from './source.ts';
import type { ReadTransactionKeys, TransactionKeys } from './transaction-keys.ts';
import type { EventWire, TransactionWire } from './wire.ts';

/** An event of a stream, and the parts that filters test. */
export interface LiveEvent {
  readonly node: RpcEvent;
  readonly facts: EventFacts;
}

/** An item of a stream and its size in memory. */
type Weighed<Live> = Pick<LiveEntry<Live>, 'item' | 'bytes'>;

export function toLiveEvent(event: EventWire): Weighed<LiveEvent> {
  const node = toEventNode(event);
  const { id, packageId, sender, type, bcs, parsedJson } = event;
  // Addresses and types are kept twice: as the node writes them, and for filters.
  const texts = [packageId, packageId, sender, sender, type, type, id.txDigest, bcs ?? ''];
  const bytes = texts.reduce((sum, text) => sum + measureText(text), measureHeap(parsedJson));
  return { item: { node, facts: toEventFacts(node) }, bytes };
}

/** A transaction of a stream. */
export interface LiveTransaction {
  readonly node: TransactionWire;
  /** What filters select it by; `null`: the filter of its query has selected it. */
  readonly keys: (() => TransactionKeys) | null;
}

/** @param keysOf `null` if the query has a filter */
export function toLiveTransaction(node: TransactionWire, keysOf: ReadTransactionKeys | null): LiveTransaction {
  let made: TransactionKeys | undefined;
  const keys = () => {
    made ??= keysOf?.(node) ?? new Set();
    return made;
  };
  return { node, keys: keysOf && keys };
}

/** Reads live streams from a query of the ledger. */
export function createLiveSource<Item, Live>(
  source: Source<Item>,
  toLive: (item: Item) => Weighed<Live>,
  listen: LiveSource<Live>['listen'],
): LiveSource<Live> {
  const readPage = async (request: SourcePageRequest) => {
    const page = await source.readPage(request).catch((error: unknown) => {
      throw isRejection(error) ? new QueryRejectedError(error) : error;
    });
    const { items, unreadableAt = [] } = page;
    return { ...page, unreadableAt, hasMore: page.hasMore ?? items.length + unreadableAt.length >= request.limit };
  };
  /** Items of the next page: fewer while pages are too large for one answer. */
  let limit = itemsPerCall;
  return {
    async after(after, cancellation, upTo = null) {
      const request = { after, limit, descending: false, cancellation, upTo };
      const { items, next, hasMore, unreadableAt } = await readPage(request).catch((error: unknown) => {
        // A smaller page may be read.
        const isOfPage = isTooLarge(error) && request.limit > 1;
        if (isTooLarge(error)) limit = Math.ceil(request.limit / 4);
        throw isOfPage ? error : toPositionError(error, after !== null);
      });
      limit = Math.min(itemsPerCall, 2 * request.limit);
      const entries = items.map((item) => ({ ...source.positionOf(item), ...toLive(item) }));
      const misplaced = [...findSwapped(entries), ...findNextWithin(entries, next)];
      const mark = next?.mark !== entries.at(-1)?.mark ? next?.mark : undefined;
      const unreadableAfter = keysBefore(unreadableAt, entries, after);
      return { entries, hasMore, mark, misplaced, unreadableAfter };
    },
    async newest(count, cancellation) {
      const page = await readPage({ after: null, limit: count, descending: true, cancellation });
      const entries = page.items.map(source.positionOf).slice(0, count);
      const misplaced = findNextWithin(entries, page.next);
      return {
        entries,
        hasMore: page.hasMore,
        misplaced,
        unreadableAfter: keysBefore(page.unreadableAt, entries, null),
      };
    },
    listen,
  };
}

/** For each item of an unknown form: the key before it. */
function keysBefore(
  unreadableAt: readonly number[],
  entries: readonly ItemPosition[],
  from: ItemPosition | null,
): readonly string[] {
  return unreadableAt.map((at) => (at === 0 ? from : entries[at - 1])?.key ?? '');
}

/** The filter itself is rejected. The gateway writes the filters of readers, and checks them before. */
function isRejection(error: unknown): error is GraphQLError {
  if (!(error instanceof GraphQLError)) return false;
  const { code, argument } = error.extensions;
  return code === 'BAD_USER_INPUT' && typeof argument === 'string' && argument.startsWith('filter');
}

/** Is it about the position, or would another position have failed too? */
function toPositionError(error: unknown, hasPosition: boolean): unknown {
  if (!(error instanceof GraphQLError) || error.extensions.code === 'UPSTREAM_UNAVAILABLE') return error;
  if (hasPosition && isPositionLost(error)) return new PositionLostError();
  const { originalError } = error;
  const isUnanswered = originalError instanceof UpstreamCallError && originalError.failure !== 'too-large';
  return isUnanswered ? error : new PositionFailedError(error.message);
}

/** A node may also reject a position that it sent itself as malformed. */
function isPositionLost(error: unknown): boolean {
  const code = error instanceof GraphQLError ? error.extensions.code : null;
  return code === 'STALE_CURSOR' || code === 'BAD_USER_INPUT';
}

function isTooLarge(error: unknown): boolean {
  const cause = error instanceof GraphQLError ? error.originalError : null;
  return cause instanceof UpstreamCallError && cause.failure === 'too-large';
}

/** Events that follow one of their own transaction with a greater number. */
function findSwapped(positions: readonly ItemPosition[]): string[] {
  const numbers = new Map<string, string>();
  const isSwapped = (key: string) => {
    const { txDigest, eventSeq } = readItemKey(key);
    const number = eventSeq ?? '';
    const before = numbers.get(txDigest);
    numbers.set(txDigest, number);
    return before !== undefined && compareNumberTexts(number, before) < 0;
  };
  return positions.map(({ key }) => key).filter(isSwapped);
}

/** The item that the page names as its last, if others follow it. */
function findNextWithin(positions: readonly ItemPosition[], next: ItemPosition | null): string[] {
  return next && positions.slice(0, -1).some(({ key }) => key === next.key) ? [next.key] : [];
}

/** Writes and reads the events that processes of a fleet share, with every digit that the node sent. */
export const eventText: ItemText<LiveEvent> = {
  write: ({ node }) => printJson(node),
  read(text) {
    const node = asObject(parseJson(text)) as unknown as RpcEvent;
    return { node, facts: toEventFacts(node) };
  },
};

export function createTransactionText(keysOf: ReadTransactionKeys): ItemText<LiveTransaction> {
  return {
    write: ({ node, keys }) => printJson({ ...node, isOfAll: keys !== null }),
    read(text) {
      const { isOfAll, ...node } = asObject(parseJson(text));
      asObject(node.raw);
      if (typeof node.digest !== 'string') throw new Error('a transaction without a digest');
      return toLiveTransaction(node as unknown as TransactionWire, isOfAll === true ? keysOf : null);
    },
  };
}

/** Rejects a damaged item here: a stream could not resume behind an item that it cannot deliver. */
function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error('an item that is no object');
}

/** The root value of one result of a stream: the payload under the name of the field. */
export type LiveRoot = Readonly<Record<string, object>> & ResumableItem;

export interface PresenterOptions<Item> {
  /** The field of `Subscription`. */
  readonly field: string;
  /** The type of an item in the field's union. */
  readonly itemType: string;
  readonly toItem: (entry: LiveEntry<Item>) => object;
  readonly matches: (item: Item) => boolean;
  /** Called with the number of items that a subscriber missed. */
  readonly onMissed: (count: number) => void;
}

/** Makes payloads of the types of the graph. */
export function createPresenter<Item>(
  { field, itemType, toItem, matches, onMissed }: PresenterOptions<Item>,
  toCursor: (point: ResumePoint) => string,
): Presenter<Item, LiveRoot> {
  return {
    toCursor,
    matches,
    item(entry, at) {
      let made: string | undefined;
      const item = {
        __typename: itemType,
        // Signed when first read, once for all followers.
        get cursor() {
          made ??= toCursor(at);
          return made;
        },
        ...toItem(entry),
      };
      return { [field]: item, [resumeCursorKey]: () => item.cursor };
    },
    gap(after, before, reason) {
      const cursor = after && toCursor(after);
      const gap = {
        __typename: 'LiveGap',
        after: cursor,
        before: before && toCursor({ last: before, from: before }),
        reason,
      };
      // A client that resumes here gets the gap again; behind `before` it would miss the first item.
      return { [field]: gap, ...(cursor !== null && { [resumeCursorKey]: () => cursor }) };
    },
    missed(count, at) {
      onMissed(count);
      const resumeAfter = toCursor(at);
      return { [field]: { __typename: 'LiveMissed', count, resumeAfter }, [resumeCursorKey]: () => resumeAfter };
    },
  };
}
