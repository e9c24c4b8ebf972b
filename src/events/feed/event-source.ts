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
      if (!isInOrder(data, nextCursor)) throw new Error('the events of a page are out of order');
      return { entries: data.map(toEntry), hasMore: hasNextPage ?? data.length >= itemsPerCall };
    },
    async newest(count, cancellation) {
      const { data } = await ask({ cursor: null, limit: count, descending: true, cancellation });
      return data.slice(0, count).map(toPlace);
    },
    watch,
  };
}

function toPlace({ id: { txDigest, eventSeq }, timestampMs }: NodeEvent): Place {
  const time = timestampMs === null ? Number.NaN : Number(timestampMs);
  return { key: `${txDigest}:${eventSeq}`, timestampMs: Number.isSafeInteger(time) ? time : null };
}

function toName({ key }: Place): EventName {
  const [txDigest = '', eventSeq = ''] = key.split(':');
  return { txDigest, eventSeq };
}

/** Throws an error of a node again: one that says that it does not know the cursor as what it means to a stream. */
export function asPlaceLost(error: unknown): never {
  throw error instanceof GraphQLError && error.extensions.code === 'STALE_CURSOR' ? new PlaceLostError() : error;
}

/** As far as a page can tell: events of one transaction by their numbers, and the cursor of the last one at the end. */
function isInOrder(events: readonly NodeEvent[], next: EventName | null): boolean {
  const numbers = new Map<string, bigint>();
  for (const { id } of events) {
    const number = BigInt(id.eventSeq);
    const before = numbers.get(id.txDigest);
    if (before !== undefined && number <= before) return false;
    numbers.set(id.txDigest, number);
  }
  const isNext = ({ id }: NodeEvent) => id.txDigest === next?.txDigest && id.eventSeq === next.eventSeq;
  return !events.slice(0, -1).some(isNext);
}

/** What an event takes in memory, in bytes. Its addresses and its type are kept twice: as the node writes them, and for filters. */
function weigh({ id, packageId, sender, type, bcs, parsedJson }: NodeEvent): number {
  const texts = [packageId, sender, type].reduce((sum, text) => sum + measureText(text), 0);
  return 2 * texts + measureText(id.txDigest) + measureText(bcs ?? '') + measureHeap(parsedJson);
}
