import { GraphQLError } from 'graphql';
import { itemsPerCall } from '../../config/event-calls.ts';
import type { RpcEvent } from '../../generated/own.ts';
import { measureHeap, measureText } from '../../json/json-size.ts';
import { type ItemPosition, type LiveEntry, type LiveSource, PositionLostError } from '../../live/live-source.ts';
import type { Cancellation } from '../../upstream/cancellation.ts';
import { toEventNode } from '../events-resolvers.ts';
import { type Position, type Source, type SourcePage, toPositionKey } from '../source.ts';
import type { EventWire, TransactionWire } from '../wire.ts';
import { type EventFacts, toEventFacts } from './event-leaf.ts';

/** An event of a stream, and the parts that filters test. */
export interface LiveEvent {
  readonly node: RpcEvent;
  readonly facts: EventFacts;
}

/** An item of a stream, and what it takes in memory. */
export type Weighed<Live> = Pick<LiveEntry<Live>, 'item' | 'bytes'>;

export function toLiveEvent(event: EventWire): Weighed<LiveEvent> {
  const node = toEventNode(event);
  const { id, packageId, sender, type, bcs, parsedJson } = event;
  // Addresses and types are kept twice: as the node writes them, and for filters.
  const texts = [packageId, packageId, sender, sender, type, type, id.txDigest, bcs ?? ''];
  const bytes = texts.reduce((sum, text) => sum + measureText(text), measureHeap(parsedJson));
  return { item: { node, facts: toEventFacts(node) }, bytes };
}

export function toLiveTransaction(item: TransactionWire): Weighed<TransactionWire> {
  return { item, bytes: measureHeap(item.raw) };
}

/** Reads live streams from a query of the ledger. */
export function createLiveSource<Item, Live>(
  source: Source<Item>,
  toLive: (item: Item) => Weighed<Live>,
  watch: LiveSource<Live>['watch'],
): LiveSource<Live> {
  const toItemPosition = (item: Item): ItemPosition => {
    const position = source.positionOf(item);
    return { key: toPositionKey(position), timestampMs: position.timestampMs };
  };
  const readPage = async (
    position: ItemPosition | null,
    limit: number,
    descending: boolean,
    cancellation: Cancellation,
  ): Promise<Omit<SourcePage<Item>, 'hasMore'> & { readonly hasMore: boolean }> => {
    const page = await source.readPage({ after: position && toPosition(position), limit, descending, cancellation });
    return { ...page, hasMore: page.hasMore ?? page.items.length >= limit };
  };
  return {
    async after(position, cancellation) {
      const page = await readPage(position, itemsPerCall, false, cancellation).catch(toPositionLost);
      const { items, hasMore } = page;
      const entries = items.map((item) => ({ ...toItemPosition(item), ...toLive(item) }));
      const misplaced = [...findSwapped(items.map(source.positionOf)), ...findNextWithin(entries, page.next)];
      return { entries, hasMore, misplaced };
    },
    async newest(count, cancellation) {
      const { items, next, hasMore } = await readPage(null, count, true, cancellation);
      const positions = items.map(toItemPosition);
      return { entries: positions.slice(0, count), hasMore, misplaced: findNextWithin(positions, next) };
    },
    watch,
  };
}

function toPosition({ key, timestampMs }: ItemPosition): Position {
  const [digest = '', eventSeq = null] = key.split(':');
  return { digest, eventSeq, timestampMs };
}

function toPositionLost(error: unknown): never {
  throw error instanceof GraphQLError && error.extensions.code === 'STALE_CURSOR' ? new PositionLostError() : error;
}

/** Events that follow one of their own transaction with a greater number. */
function findSwapped(positions: readonly Position[]): string[] {
  const numbers = new Map<string, bigint>();
  const isSwapped = ({ digest, eventSeq }: Position) => {
    const number = BigInt(eventSeq ?? 0);
    const before = numbers.get(digest);
    numbers.set(digest, number);
    return before !== undefined && number < before;
  };
  return positions.filter(isSwapped).map(toPositionKey);
}

/** The item that the page names as its last, if others follow it. */
function findNextWithin(positions: readonly ItemPosition[], next: Position | null): string[] {
  const key = next && toPositionKey(next);
  return key !== null && positions.slice(0, -1).some((position) => position.key === key) ? [key] : [];
}
