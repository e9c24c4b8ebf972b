import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventRecord } from '../../../src/devnet/state/records.ts';
import { overEventStream, overWebSocket } from '../../support/live-clients.ts';
import { quickPolls } from '../../support/live-network.ts';
import { startIotaNetwork } from '../../support/networks/iota-network.ts';
import type { MockedNetwork } from '../../support/networks/network-server.ts';
import { type RecordingUpstream, recordUpstream } from '../../support/recording-upstream.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

const idOf = ({ txDigest, eventSeq }: EventRecord) => `${txDigest}:${eventSeq}`;
const pages = `query ($filter: EventQueryFilter, $after: String) {
  page: queryEvents(filter: $filter, after: $after, first: 7) { pageInfo { hasNextPage endCursor } nodes { id } }
}`;
const items = `subscription ($filter: EventStreamFilter, $after: String) {
  liveEvents(filter: $filter, after: $after) { __typename ... on LiveEventItem { cursor event { id } } }
}`;
const waitMs = 60_000;

let network: MockedNetwork;
let rpc: RecordingUpstream;
let nowMs = Date.now();

beforeAll(async () => {
  network = await startIotaNetwork();
  rpc = await recordUpstream(network.rpcUrl);
});
afterAll(async () => {
  await rpc?.[Symbol.asyncDispose]();
  await network?.[Symbol.asyncDispose]();
});

const open = (source: 'auto' | 'rpc') =>
  createTestGateway(
    {
      LEDGER_GRAPHQL_URL: network.graphqlUrl,
      LEDGER_RPC_URL: rpc.url,
      NETWORK_PROFILE: 'iota',
      EVENTS_SOURCE: source,
      LIVE_SOURCE: 'poll',
      CURSOR_KEYS: 'k'.repeat(32),
      ...quickPolls,
    },
    undefined,
    undefined,
    () => nowMs,
  );

/** Calls whose filter the indexer rejects. */
const rejected = () => rpc.requests.filter(({ body }) => /"params":\[\{"(All|TimeRange)"/.test(body)).length;

async function walk(gateway: TestGateway, filter?: object): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | null = null, hasMore = true; hasMore; ) {
    const { data, errors } = await gateway.query(pages, { filter, after });
    expect(errors).toBeUndefined();
    ids.push(...data.page.nodes.map(({ id }: { id: string }) => id));
    hasMore = data.page.pageInfo.hasNextPage;
    after = data.page.pageInfo.endCursor;
  }
  return ids;
}

async function filtersOf(gateway: TestGateway) {
  const { data } = await gateway.query('{ gateway { capabilities { name available reason } } }');
  const all = data.gateway.capabilities as { name: string; available: boolean; reason: string | null }[];
  return all.filter(({ name }) => /^eventFilter:(all|timeRange|sender)$/.test(name));
}

describe('an indexer as JSON-RPC', { timeout: 3 * waitMs }, () => {
  it('has its missing filters read from GraphQL with `auto`, and is asked for them once in ten minutes', async () => {
    await using gateway = await open('auto');
    const { events } = network.ledger;
    const of = events[Math.floor(events.length / 2)] as EventRecord;
    const before = rejected();
    expect(await walk(gateway)).toEqual(events.map(idOf));
    expect(rejected() - before).toBe(1);
    const { timestampMs: startTime } = of;
    const within = events.filter(({ timestampMs }) => startTime <= timestampMs && timestampMs <= startTime + 9_000);
    expect(await walk(gateway, { timeRange: { startTime, endTime: startTime + 9_000 } })).toEqual(within.map(idOf));
    expect(rejected() - before).toBe(1);
    const [calls, sent] = [rpc.requests.length, events.filter(({ sender }) => sender === of.sender)];
    expect(await walk(gateway, { sender: of.sender })).toEqual(sent.map(idOf));
    expect(rpc.requests.length - calls).toBe(Math.ceil(sent.length / 7));
    expect((await filtersOf(gateway)).every(({ available }) => available)).toBe(true);
    nowMs += 600_000;
    await gateway.query(pages, { filter: { all: true } });
    await gateway.query(pages, { filter: { all: true } });
    expect(rejected() - before).toBe(2);
  });

  it('serves streams without a filter with `auto`, and cursors of both sources', async () => {
    await using gateway = await open('auto');
    const address = `${gateway.url}/graphql`;
    const first = overWebSocket(address, items);
    await until(() => rejected() > 0, 'a reader', waitMs);
    const { sender } = network.ledger.events.at(-1) as EventRecord;
    const start = network.ledger.events.length;
    await until(
      () => {
        network.step(2);
        return first.ids.length > 3;
      },
      'events',
      waitMs,
      50,
    );
    const told = () => network.ledger.events.map(idOf);
    expect(first.ids.length).toBeGreaterThan(3);
    await until(() => first.ids.at(-1) === told().at(-1), 'the last event', waitMs);
    expect(first.ids).toEqual(told().slice(told().indexOf(first.ids[0] as string)));
    await first.leave();
    // Of GraphQL alone, and of JSON-RPC alone.
    await using other = await createTestGateway({
      LEDGER_GRAPHQL_URL: network.graphqlUrl,
      NETWORK_PROFILE: 'iota',
      CURSOR_KEYS: 'k'.repeat(32),
      ...quickPolls,
    });
    for (const [from, to, filter] of [
      [gateway, other, { sender }],
      [other, gateway, { sender }],
      [gateway, other, undefined],
    ] as const) {
      const { data } = await from.query(pages, { filter });
      const { endCursor } = data.page.pageInfo;
      const next = await to.query(pages, { filter, after: endCursor });
      expect(next.errors).toBeUndefined();
      const all = network.ledger.events.filter((event) => !filter || event.sender === sender).map(idOf);
      expect(next.data.page.nodes.map(({ id }: { id: string }) => id)).toEqual(all.slice(7, 14));
    }
    expect(start).toBeLessThan(network.ledger.events.length);
  });

  it('has its missing filters rejected with `rpc`, by name, in queries, streams and capabilities', async () => {
    await using gateway = await open('rpc');
    const rejection = (message: string) => [
      { message: expect.stringContaining(message), extensions: { code: 'BAD_USER_INPUT', retry: 'never' } },
    ];
    const works = 'transaction, moveModule, moveEventModule, eventType, sender, package, moveEventType';
    const before = rejected();
    expect((await filtersOf(gateway)).every(({ available }) => available)).toBe(true);
    // A stream is the first to meet the rejection.
    for (let count = 0; count < 2; count += 1) {
      const stream = overEventStream(`${gateway.url}/graphql`, items);
      await until(() => stream.results.length > 0, 'a rejection', waitMs);
      expect(stream.results[0]?.errors).toMatchObject(
        rejection(`This network has no query of all events; its event filters are: ${works}.`),
      );
      await stream.leave();
    }
    for (const filter of [undefined, { all: true }]) {
      const { errors } = await gateway.query(pages, { filter });
      expect(errors).toMatchObject(
        rejection(`This network has no query of all events; its event filters are: ${works}.`),
      );
    }
    const { errors } = await gateway.query(pages, { filter: { timeRange: { startTime: 1, endTime: 2 } } });
    expect(errors).toMatchObject(rejection(`This network has no event filter 'timeRange'; it has: ${works}.`));
    expect(rejected() - before).toBe(1);
    expect(await filtersOf(gateway)).toMatchObject([
      { available: false, reason: 'The events upstream rejects this filter, as an indexer does.' },
      { available: true },
      { available: false },
    ]);
    const { sender } = network.ledger.events.at(-1) as EventRecord;
    const stream = overWebSocket(`${gateway.url}/graphql`, items, { filter: { sender } });
    await until(
      () => {
        network.step(2);
        return stream.ids.length > 0;
      },
      'an event of the sender',
      waitMs,
      50,
    );
    await stream.leave();
  });
});
