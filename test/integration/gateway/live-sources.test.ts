import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Devnet } from '../../../src/devnet/start-devnet.ts';
import { overWebSocket } from '../../support/live-clients.ts';
import { quickPolls, startTickedDevnet } from '../../support/live-network.ts';
import { type PushingLedger, startPushingLedger } from '../../support/pushing-ledger.ts';
import { type RecordingUpstream, recordUpstream } from '../../support/recording-upstream.ts';
import { openTcpGate, type TcpGate } from '../../support/tcp-gate.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

let devnet: Devnet;
let rpc: RecordingUpstream;
/** Pushes the network's activity to subscriptions. */
let ledger: PushingLedger;
/** A proxy in front of the node's WebSocket. */
let gate: TcpGate;

beforeAll(async () => {
  devnet = await startTickedDevnet();
  rpc = await recordUpstream(devnet.rpcUrl);
  ledger = await startPushingLedger();
  gate = await openTcpGate(Number(new URL(devnet.rpcWsUrl).port));
});
afterAll(async () => {
  await gate?.[Symbol.asyncDispose]();
  await ledger?.[Symbol.asyncDispose]();
  await rpc?.[Symbol.asyncDispose]();
  await devnet?.close();
});

const moduleOf = (event: Devnet['ledger']['events'][number]) => `${event.packageId}::${event.transactionModule}`;
/** Creates events: at least one. */
function happen(): void {
  const before = devnet.ledger.events.length;
  while (devnet.ledger.events.length === before) devnet.tick();
  for (const event of devnet.ledger.events.slice(before)) {
    ledger.tell({ emittingModule: moduleOf(event), json: null });
  }
}

const items =
  'subscription ($filter: EventStreamFilter, $after: String) { liveEvents(filter: $filter, after: $after) { ... on LiveEventItem { cursor event { id } } ... on LiveMissed { resumeAfter } } }';
const idOf = ({ txDigest, eventSeq }: Devnet['ledger']['events'][number]) => `${txDigest}:${eventSeq}`;
/** Events since a stream's first event. */
const since = (id: string | undefined) => {
  const all = devnet.ledger.events.map(idOf);
  return all.slice(all.indexOf(id ?? ''));
};

describe.each(['poll', 'auto', 'graphql', 'websocket'])('live streams by LIVE_SOURCE=%s', (source) => {
  let gateway: TestGateway;
  const follow = (variables: object = {}) => overWebSocket(`${gateway.url}/graphql`, items, { ...variables });
  const sockets = () => (source === 'websocket' ? gate.connections : ledger.sockets.size);
  const isPushed = source !== 'poll';
  /** Every poll makes one call, or a few. */
  async function looksWithin(ms: number): Promise<number> {
    const before = rpc.requests.length;
    await new Promise((resolve) => setTimeout(resolve, ms));
    return rpc.requests.length - before;
  }

  beforeAll(async () => {
    gateway = await createTestGateway({
      LEDGER_GRAPHQL_URL: ledger.url,
      LEDGER_RPC_URL: rpc.url,
      LEDGER_RPC_WS_URL: `ws://127.0.0.1:${gate.port}`,
      LIVE_SOURCE: source,
      ...quickPolls,
    });
  });
  afterAll(async () => {
    await gateway?.close();
    await until(() => sockets() === 0, 'no connection after the gateway is closed');
  });

  it('share one connection, hardly poll while nothing happens, and close it with the last subscriber', async () => {
    const sender = devnet.ledger.events.at(-1)?.sender ?? '';
    const clients = [{}, { filter: { not: { sender } } }, {}].map(follow);
    await until(
      () => {
        if (!clients.every(({ ids }) => ids.length > 0)) happen();
        return clients.every(({ ids }) => ids.length > 0);
      },
      'an event for each',
      20_000,
      25,
    );
    if (isPushed) await until(() => sockets() === 1, 'a connection');
    // A reader without a trigger polls 25 times a second.
    if (isPushed) await until(async () => (await looksWithin(1_000)) <= 2, 'quiet');
    const before = rpc.requests.length;
    if (!isPushed) await until(() => rpc.requests.length > before + 4, 'more looks');
    happen();
    const ids = clients[0]?.ids ?? [];
    await until(() => ids.at(-1) === devnet.ledger.events.map(idOf).at(-1), 'what happened then');
    await Promise.all(clients.map((client) => client.leave()));
    await until(() => sockets() === 0, 'nobody to be connected');
    const begunReaders = () => rpc.requests.filter(({ body }) => JSON.parse(body).params.at(-1) === true).length;
    const begun = begunReaders();
    // This stream starts its own reader; a reader still running would serve it.
    await until(async () => {
      if ((await looksWithin(120)) > 0) return false;
      const next = follow();
      await until(
        () => {
          if (next.ids.length === 0) happen();
          return next.ids.length > 0;
        },
        'an event',
        20_000,
        25,
      );
      await next.leave();
      return begunReaders() > begun;
    }, 'a new reader');
    await until(() => sockets() === 0, 'nobody to be connected again');
    expect(begunReaders()).toBe(begun + 1);
  });

  it('deliver everything once, in order, through broken and silent triggers', async () => {
    const [emitted] = devnet.ledger.events.slice(-1);
    const filter = { moveModule: { package: emitted?.packageId, module: emitted?.transactionModule } };
    const [client, filtered] = [follow(), follow({ filter })];
    await until(
      () => {
        if (client.ids.length === 0 || filtered.ids.length === 0) happen();
        return client.ids.length > 0 && filtered.ids.length > 0;
      },
      'an event for each',
      20_000,
      25,
    );
    const isOfModule = (each: typeof emitted) => each && emitted && moduleOf(each) === moduleOf(emitted);
    const faults = [
      () => ledger.cut(),
      () => gate.cut(),
      () => gate.heal(),
      () => ledger.tell({ count: 7 }),
      () => ledger.end(),
      () => ledger.end(new Error('the ledger’s subscription failed')),
      () => ledger.freeze(),
    ];
    for (const fault of faults) {
      happen();
      fault();
      happen();
      await until(() => client.ids.length === since(client.ids[0]).length, 'all events');
    }
    const matches = (id: string) => devnet.ledger.events.some((each) => idOf(each) === id && isOfModule(each));
    const expected = since(filtered.ids[0]).filter(matches);
    await until(() => filtered.ids.length === expected.length, 'all of the module');
    expect(filtered.ids).toEqual(expected);
    expect(client.ids).toEqual(since(client.ids[0]));
    await Promise.all([client.leave(), filtered.leave()]);
    // Frozen connections do not notice that they are closed.
    ledger.cut();
  });
});

it('subscribe only with the filter, unless the source allows everything, which triggers all the time', async () => {
  const queries = async (source: string) => {
    const before = ledger.subscribed.length;
    await using gateway = await createTestGateway({
      LEDGER_GRAPHQL_URL: ledger.url,
      LEDGER_RPC_URL: rpc.url,
      LIVE_SOURCE: source,
    });
    const filters = [{ sender: '0x2' }, { moveModule: { package: '0x2', module: 'coin' } }, {}];
    const clients = filters.map((filter) =>
      overWebSocket(`${gateway.url}/graphql`, items, Object.keys(filter).length > 0 ? { filter } : {}),
    );
    const transactions = overWebSocket(
      `${gateway.url}/graphql`,
      'subscription { liveTransactions(filter: { moveFunction: { package: "0x2", module: "coin", function: "mint" } }) { __typename } }',
    );
    const expected = source === 'graphql' ? 4 : 3;
    await until(() => ledger.subscribed.length - before === expected, 'subscriptions');
    await Promise.all([...clients, transactions].map((client) => client.leave()));
    return ledger.subscribed.slice(before).map(({ query }) => query);
  };
  const everything = 'subscription{events{__typename}}';
  const coin = `0x${'2'.padStart(64, '0')}::coin`;
  const exact = [
    `subscription{events(filter:{emittingModule:"${coin}"}){__typename}}`,
    everything,
    `subscription{transactions(filter:{function:"${coin}::mint"}){__typename}}`,
  ];
  expect((await queries('auto')).sort()).toEqual([...exact].sort());
  expect((await queries('graphql')).sort()).toEqual([...exact, everything].sort());
});
