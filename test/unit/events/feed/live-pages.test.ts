import { describe, expect, it } from 'vitest';
import { networkProfiles } from '../../../../src/config/network-profile.ts';
import { createLiveSource, toLiveEvent } from '../../../../src/events/live-items.ts';
import { createEventSource, createEventsClient, type EventsClient } from '../../../../src/events/rpc-sources.ts';
import type { EventWire } from '../../../../src/events/wire.ts';
import { createCancellation } from '../../../../src/upstream/cancellation.ts';
import { toGatewayError, UpstreamCallError } from '../../../../src/upstream/upstream-call-error.ts';

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

describe('a page with events of an unknown form', () => {
  const sourceOf = (data: readonly unknown[], more: object = {}) => {
    const client = createEventsClient({
      path: '/',
      names: networkProfiles.ledger.events,
      timeoutMs: 1_000,
      isLenient: true,
      call: async ({ body }) => {
        const { id } = JSON.parse(String(body));
        const answer = { jsonrpc: '2.0', id, result: { data, nextCursor: null, ...more } };
        return { status: 200, headers: new Map(), body: Buffer.from(JSON.stringify(answer)) };
      },
    });
    return createLiveSource(createEventSource(client, {}), toLiveEvent, undefined);
  };
  const pageOf = async (data: readonly unknown[], more: object = {}) => {
    const page = await sourceOf(data, more).after({ key: 'start:50', timestampMs: null }, createCancellation());
    return { ...page, entries: page.entries.map(({ key }) => key) };
  };
  const bad = { ...event('bad', '0'), sender: null, type: 1 };

  it('has the others, and says behind which of them each one was', async () => {
    const data = [bad, event('a', '0'), bad, bad, event('b', '0'), bad];
    expect(await pageOf(data, { nextCursor: { txDigest: 7 } })).toEqual({
      entries: ['a:0', 'b:0'],
      hasMore: false,
      misplaced: [],
      unreadableAfter: ['start:50', 'a:0', 'a:0', 'b:0'],
    });
  });

  it('says so also of a page of the newest positions', async () => {
    const page = await sourceOf([event('b', '0'), bad, event('a', '0')]).newest(25, createCancellation());
    expect([page.entries.map(({ key }) => key), page.unreadableAfter]).toEqual([['b:0', 'a:0'], ['b:0']]);
  });

  it('counts as full with those that are left out', async () => {
    const data = Array.from({ length: 49 }, (_, index) => event('a', String(index)));
    expect((await pageOf([...data, bad])).hasMore).toBe(true);
  });

  it.each<[string, readonly unknown[], object]>([
    ['nothing else', [bad, bad], {}],
    ['another fault', [event('a', '0'), bad], { hasNextPage: 'yes' }],
  ])('is rejected if it has %s', async (_, data, more) => {
    await expect(pageOf(data, more)).rejects.toMatchObject({
      message: 'The events upstream sent a page of an unknown shape.',
    });
  });
});

it('pages that are too large are followed by smaller ones, and those by larger ones again', async () => {
  const limits: number[] = [];
  const client: Pick<EventsClient, 'queryEvents'> = {
    queryEvents: async ({ limit }) => {
      limits.push(limit);
      if (limit > 10) throw toGatewayError(new UpstreamCallError('too-large', 'answer over 64 MiB'), 'events');
      return { data: [event('a', '0')], nextCursor: null, hasNextPage: false };
    },
  };
  const source = createLiveSource(createEventSource(client as EventsClient, {}), toLiveEvent, undefined);
  for (let reads = 0; reads < 6; reads += 1) await source.after(null, createCancellation()).catch(() => {});
  expect(limits).toEqual([50, 13, 4, 8, 16, 4]);
});
