import { describe, expect, it } from 'vitest';
import { createLiveSource, toLiveEvent } from '../../../../src/events/live-items.ts';
import { createEventSource, type EventsClient } from '../../../../src/events/rpc-sources.ts';
import type { EventWire } from '../../../../src/events/wire.ts';
import { createCancellation } from '../../../../src/upstream/cancellation.ts';

const event = (txDigest: string, eventSeq: string): EventWire => ({
  id: { txDigest, eventSeq },
  packageId: '0x2',
  transactionModule: 'coin',
  sender: '0x5',
  type: '0x2::coin::Sent',
  parsedJson: null,
  bcs: null,
  timestampMs: '1',
});

function sourceOf(data: readonly EventWire[], hasNextPage: boolean | null = false) {
  const client: Pick<EventsClient, 'queryEvents'> = {
    queryEvents: async () => ({ data: [...data], nextCursor: data[0]?.id ?? null, hasNextPage }),
  };
  return createLiveSource(createEventSource(client as EventsClient, {}), toLiveEvent, undefined);
}

describe('a page of events', () => {
  it('is weighed by what it takes in memory, not by its text', async () => {
    const parsedJson = Array.from({ length: 1_000 }, () => ({}));
    const { entries } = await sourceOf([{ ...event('a', '0'), parsedJson }]).after(null, createCancellation());
    // An empty object is 64 bytes, and its text is two.
    expect(entries[0]?.bytes).toBeGreaterThan(64_000);
  });

  it('names events of one transaction that are swapped, and a last item that others follow', async () => {
    const { misplaced } = await sourceOf([event('a', '10'), event('b', '0'), event('a', '9')]).after(
      null,
      createCancellation(),
    );
    expect(misplaced).toEqual(['a:9', 'a:10']);
  });

  it('has more where the node does not say, if it is full', async () => {
    const full = Array.from({ length: 50 }, (_, index) => event('a', String(index)));
    const hasMore = async (data: readonly EventWire[]) =>
      (await sourceOf(data, null).after(null, createCancellation())).hasMore;
    expect([await hasMore(full), await hasMore(full.slice(1))]).toEqual([true, false]);
  });
});
