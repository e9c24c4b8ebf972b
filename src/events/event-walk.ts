import type { Cancellation } from '../upstream/cancellation.ts';
import type { EventsClient } from './events-client.ts';
import { type Position, toTimestampMs } from './position.ts';
import type { Walk } from './read-page.ts';
import type { EventIdWire, EventWire, FilterWire } from './wire.ts';

/** A walk over the events that match a filter. */
export function createEventWalk(
  client: EventsClient,
  filter: FilterWire,
  cancellation: Cancellation | undefined,
): Walk<EventWire> {
  return {
    positionOf: ({ id, timestampMs }) => ({ ...toPosition(id), timestampMs: toTimestampMs(timestampMs) }),
    step: async (position, limit, descending) => {
      const cursor = position && { txDigest: position.digest, eventSeq: position.eventSeq ?? '0' };
      const page = await client.queryEvents({ filter, cursor, limit, descending, cancellation });
      return { items: page.data, next: page.nextCursor && toPosition(page.nextCursor), hasMore: page.hasNextPage };
    },
  };
}

function toPosition({ txDigest, eventSeq }: EventIdWire): Position {
  return { digest: txDigest, eventSeq, timestampMs: null };
}
