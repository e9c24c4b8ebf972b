import { GraphQLError } from 'graphql';
import { itemsPerCall } from '../../config/event-calls.ts';
import type { RpcEvent } from '../../generated/own.ts';
import { measureHeap, measureText } from '../../json/measure-heap.ts';
import { type LiveEntry, type LiveSource, type Place, PlaceLostError } from '../../live/live-source.ts';
import type { Cancellation } from '../../upstream/cancellation.ts';
import { type EventFacts, toEventFacts } from './event-leaf.ts';

interface EventName {
  readonly txDigest: string;
  readonly eventSeq: string;
}

/** An event as a node tells it. */
export interface NodeEvent {
  readonly id: EventName;
  readonly packageId: string;
  readonly transactionModule: string;
  readonly sender: string;
  readonly type: string;
  readonly parsedJson?: unknown;
  readonly bcs: string | null;
  readonly timestampMs: string | null;
}

/** Asks a node for one page of the events of one query. Rejects with errors of the catalogue. */
export type AskForEvents = (request: {
  /** Exclusive; `null` = from the oldest, or from the newest if `descending`. */
  readonly cursor: EventName | null;
  readonly limit: number;
  readonly descending: boolean;
  readonly cancellation: Cancellation;
}) => Promise<{
  readonly data: readonly NodeEvent[];
  readonly nextCursor: EventName | null;
  /** `null` if the node does not say. */
  readonly hasNextPage: boolean | null;
}>;

/** An event of a stream, and what filters look at. */
export interface LiveEventEntry {
  readonly node: RpcEvent;
  readonly facts: EventFacts;
}

/** The events of one query, as its pages tell them. */
export function createEventSource(
  ask: AskForEvents,
  toNode: (event: NodeEvent) => RpcEvent,
  watch?: LiveSource<LiveEventEntry>['watch'],
): LiveSource<LiveEventEntry> {
  const toEntry = (event: NodeEvent): LiveEntry<LiveEventEntry> => {
    const node = toNode(event);
    const facts = toEventFacts(node);
    return { ...toPlace(event), item: { node, facts }, bytes: weigh(event) };
  };
  return {
    async after(place, cancellation) {
      const request = { cursor: place && toName(place), limit: itemsPerCall, descending: false, cancellation };
      const { data, nextCursor, hasNextPage } = await ask(request).catch(asPlaceLost);
      const misplaced = [...findSwapped(data), ...findCursorWithin(data.map(toPlace), nextCursor && toKey(nextCursor))];
      return { entries: data.map(toEntry), hasMore: hasNextPage ?? data.length >= itemsPerCall, misplaced };
    },
    async newest(count, cancellation) {
      const request = { cursor: null, limit: count, descending: true, cancellation };
      const { data, nextCursor, hasNextPage } = await ask(request);
      const entries = data.slice(0, count).map(toPlace);
      const misplaced = findCursorWithin(data.map(toPlace), nextCursor && toKey(nextCursor));
      return { entries, hasMore: hasNextPage ?? entries.length >= count, misplaced };
    },
    watch,
  };
}

function toPlace({ id: { txDigest, eventSeq }, timestampMs }: NodeEvent): Place {
  const time = timestampMs === null ? Number.NaN : Number(timestampMs);
  return { key: toKey({ txDigest, eventSeq }), timestampMs: Number.isSafeInteger(time) ? time : null };
}

function toKey({ txDigest, eventSeq }: EventName): string {
  return `${txDigest}:${eventSeq}`;
}

function toName({ key }: Place): EventName {
  const [txDigest = '', eventSeq = ''] = key.split(':');
  return { txDigest, eventSeq };
}

/** Throws an error of a node again: one that says that it does not know the cursor as what it means to a stream. */
export function asPlaceLost(error: unknown): never {
  throw error instanceof GraphQLError && error.extensions.code === 'STALE_CURSOR' ? new PlaceLostError() : error;
}

/** Events that follow one of their own transaction with a greater number. */
function findSwapped(events: readonly NodeEvent[]): string[] {
  const numbers = new Map<string, bigint>();
  const isSwapped = ({ id }: NodeEvent) => {
    const number = BigInt(id.eventSeq);
    const before = numbers.get(id.txDigest);
    numbers.set(id.txDigest, number);
    return before !== undefined && number < before;
  };
  return events.filter(isSwapped).map(({ id }) => toKey(id));
}

/** The item that the cursor of a page names, if others follow it: a cursor is that of the last one. */
export function findCursorWithin(places: readonly Place[], cursor: string | null): string[] {
  return places.slice(0, -1).some(({ key }) => key === cursor) && cursor !== null ? [cursor] : [];
}

/** What an event takes in memory, in bytes. Its addresses and its type are kept twice: as the node writes them, and for filters. */
function weigh({ id, packageId, sender, type, bcs, parsedJson }: NodeEvent): number {
  const texts = [packageId, sender, type].reduce((sum, text) => sum + measureText(text), 0);
  return 2 * texts + measureText(id.txDigest) + measureText(bcs ?? '') + measureHeap(parsedJson);
}
