import { expect, it } from 'vitest';
import { toEventNode } from '../../../../src/events/events-resolvers.ts';
import { createEventSource, type NodeEvent } from '../../../../src/events/feed/event-source.ts';
import { createCancellation } from '../../../../src/upstream/cancellation.ts';

it('weighs an event by what it takes in memory, not by its text', async () => {
  const event: NodeEvent = {
    id: { txDigest: 'a', eventSeq: '0' },
    packageId: '0x2',
    transactionModule: 'coin',
    sender: '0x5',
    type: '0x2::coin::Sent',
    parsedJson: Array.from({ length: 1_000 }, () => ({})),
    bcs: null,
    timestampMs: '1',
  };
  const ask = async () => ({ data: [event], nextCursor: event.id, hasNextPage: false });
  const source = createEventSource(ask, (each) => toEventNode(each as never));
  const { entries } = await source.after(null, createCancellation());
  // An empty object is 64 bytes, and its text is two.
  expect(entries[0]?.bytes).toBeGreaterThan(64_000);
});
