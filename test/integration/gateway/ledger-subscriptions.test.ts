import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LiveClient, overEventStream, overWebSocket, type Subscribe } from '../../support/live-clients.ts';
import { startSuiNetwork } from '../../support/networks/sui-network.ts';
import { type PushedEvent, type PushingLedger, startPushingLedger } from '../../support/pushing-ledger.ts';
import { startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

let ledger: PushingLedger;
let gateway: TestGateway;

beforeAll(async () => {
  ledger = await startPushingLedger();
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, LIVE_MAX_STREAMS_PER_CALLER: '30' });
});
afterAll(async () => {
  await gateway?.close();
  await ledger?.[Symbol.asyncDispose]();
});

const thing = (emittingModule: string, json: unknown = null): PushedEvent => ({ emittingModule, json });
const query = 'subscription Things { events { __typename ... on MoveThing { module json } ... on Lagged { count } } }';
const byModule =
  'subscription ($of: SubscriptionEventFilter) { told: events(filter: $of) { ...Thing } } fragment Thing on MoveThing { module }';

/** Subscribes, and waits until the ledger has received it. */
async function open(subscribe: Subscribe, text: string, variables?: Record<string, unknown>): Promise<LiveClient> {
  const before = ledger.subscribed.length;
  const client = subscribe(`${gateway.url}/graphql`, text, variables);
  await until(() => ledger.subscribed.length > before && ledger.following > 0, 'a follower');
  return client;
}
const unused = () => until(() => ledger.sockets.size === 0, 'an unused connection to be closed', 1_000);

describe.each([
  ['over WebSocket', overWebSocket],
  ['as event streams', overEventStream],
])('the ledger’s own subscriptions %s', (_, subscribe) => {
  it('are forwarded unchanged: arguments, variables, fragments, unions', async () => {
    const client = await open(subscribe, query);
    const other = await open(subscribe, byModule, { of: { emittingModule: 'b' } });
    ledger.tell(thing('a', { n: 1 }), { count: 3 }, thing('b'));
    await until(() => client.results.length === 3 && other.results.length === 2, 'everything');
    expect(client.results).toEqual([
      { data: { events: { __typename: 'MoveThing', module: 'a', json: { n: 1 } } } },
      { data: { events: { __typename: 'Lagged', count: 3 } } },
      { data: { events: { __typename: 'MoveThing', module: 'b', json: null } } },
    ]);
    expect(other.results).toEqual([{ data: { told: {} } }, { data: { told: { module: 'b' } } }]);
    expect(ledger.subscribed.at(-1)).toMatchObject({ query: byModule, variables: { of: { emittingModule: 'b' } } });
    await Promise.all([client.leave(), other.leave()]);
  });

  it('share one connection, which closes within a second of the last subscription', async () => {
    await until(() => ledger.following === 0, 'others to have left');
    const before = ledger.opened;
    const clients = Array.from({ length: 20 }, () => subscribe(`${gateway.url}/graphql`, query));
    await until(() => ledger.following === 20, 'twenty followers');
    expect(ledger.sockets.size).toBe(1);
    ledger.tell(thing('a'));
    await until(() => clients.every(({ results }) => results.length === 1), 'all to be told');
    await Promise.all(clients.map((client) => client.leave()));
    await unused();
    expect(ledger.opened - before).toBeLessThanOrEqual(1);
    expect(ledger.following).toBe(0);
  });

  it('end when the ledger ends them', async () => {
    const client = await open(subscribe, query);
    ledger.tell(thing('a'));
    ledger.end();
    await until(() => client.end !== null, 'the end');
    expect(client.end).toBe('complete');
    expect(client.results).toHaveLength(1);
    await client.leave();
  });

  it('receive the ledger’s errors', async () => {
    const client = await open(subscribe, 'subscription { events { ... on Lagged { count } } }');
    ledger.tell({ count: 1.5 });
    await until(() => client.results.length === 1, 'an error');
    expect(client.results[0]).toMatchObject({
      data: null,
      errors: [{ message: 'Int cannot represent non-integer value: 1.5', path: ['events', 'count'] }],
    });
    await client.leave();
  });

  it('receive an error and complete when the ledger connection is lost; the next one reconnects', async () => {
    const [client, nullable] = [await open(subscribe, query), await open(subscribe, 'subscription { m: maybe }')];
    ledger.tell(thing('a'));
    await until(() => client.results.length === 1, 'one');
    ledger.cut();
    await until(() => client.end !== null && nullable.end !== null, 'the end');
    expect([client.end, nullable.end]).toEqual(['complete', 'complete']);
    const error = {
      message: 'The ledger upstream closed the connection before its answer was complete.',
      extensions: { code: 'UPSTREAM_UNAVAILABLE', upstream: 'ledger' },
    };
    expect(client.results.at(-1)).toMatchObject({ data: null, errors: [{ ...error, path: ['events'] }] });
    expect(nullable.results.at(-1)).toMatchObject({ data: { m: null }, errors: [{ ...error, path: ['m'] }] });
    const again = await open(subscribe, query);
    ledger.tell(thing('b'));
    await until(() => again.results.length === 1, 'another');
    await Promise.all([client, nullable, again].map((each) => each.leave()));
  });

  it('receive an error when the ledger accepts no connection', async () => {
    await unused();
    ledger.isRefusing = true;
    const client = subscribe(`${gateway.url}/graphql`, query);
    await until(() => client.end !== null, 'the end');
    ledger.isRefusing = false;
    expect(client.end).toBe('complete');
    expect(client.results).toMatchObject([{ data: null, errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }] }]);
    await client.leave();
  });

  it('are rejected without calling the ledger if their variables are invalid', async () => {
    const before = ledger.opened;
    const client = subscribe(`${gateway.url}/graphql`, byModule, { of: { emittingModule: 5 } });
    await until(() => client.end !== null, 'the end');
    expect(client.results[0]?.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(ledger.opened).toBe(before);
    await client.leave();
  });

  it('count as live streams of their caller', async () => {
    await until(() => ledger.following === 0, 'others to have left');
    const clients = Array.from({ length: 31 }, () => subscribe(`${gateway.url}/graphql`, query));
    await until(() => ledger.following === 30 && clients.some(({ end }) => end), 'thirty followers');
    const refused = clients.filter(({ end }) => end);
    expect(refused.map(({ results }) => results)).toMatchObject([
      [{ errors: [{ extensions: { code: 'RATE_LIMITED' } }] }],
    ]);
    await Promise.all(clients.map((client) => client.leave()));
  });
});

it('keep all digits of numbers, sent and received', async () => {
  await until(() => ledger.following === 0, 'others to have left');
  const client = await open(
    overEventStream,
    'subscription ($of: SubscriptionEventFilter) { events(filter: $of) { ... on MoveThing { weight json } } }',
    { of: { emittingModule: 'a' } },
  );
  const [socket] = ledger.sockets;
  socket?.send('{"id":"404","type":"next","payload":{"data":{}}}');
  socket?.send(
    `{"id":${JSON.stringify(ledger.subscribed.at(-1)?.id)},"type":"next","payload":{"data":{"events":{"weight":18446744073709551615,"json":{"a":1.10}}}}}`,
  );
  await until(() => client.results.length === 1, 'the event');
  expect(client.text).toContain('{"data":{"events":{"weight":18446744073709551615,"json":{"a":1.10}}}}');
  await client.leave();
});

it('report a document’s usage like any operation', async () => {
  const headers = {
    'x-ledger-rpc-show-usage': 'true',
    accept: 'text/event-stream',
    'content-type': 'application/json',
  };
  await until(() => ledger.following === 0, 'others to have left');
  const init = { method: 'POST', headers, body: JSON.stringify({ query }) };
  const response = await fetch(`${gateway.url}/graphql`, init);
  await until(() => ledger.following > 0, 'a follower');
  ledger.tell({ count: 1 });
  const reader = response.body?.getReader();
  let text = '';
  while (!text.includes('event: next')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
  expect(text).toContain('"usage":{"inputNodes":7');
  await reader?.cancel();
});

it('send nothing about the caller to the ledger', async () => {
  const client = await open(overWebSocket, query);
  expect(Object.keys(ledger.headers).filter((name) => !/^(connection|upgrade|host|sec-websocket)/.test(name))).toEqual(
    [],
  );
  await client.leave();
});

it('end with a reason when the gateway stops', async () => {
  const stopping = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
  await until(() => ledger.following === 0, 'others to have left');
  const client = overWebSocket(`${stopping.url}/graphql`, query);
  await until(() => ledger.following > 0, 'a follower');
  await stopping.close();
  expect(client.results).toMatchObject([{ data: null, errors: [{ extensions: { code: 'UNAVAILABLE' } }] }]);
  expect(client.end).toBe('complete');
  await client.leave();
  await unused();
});

it('use the network’s WebSocket URL', async () => {
  await using real = await startPushingLedger('/graphql/subscriptions');
  await using iota = await createTestGateway({ LEDGER_GRAPHQL_URL: real.url, NETWORK_PROFILE: 'iota' });
  const client = overWebSocket(`${iota.url}/graphql`, query);
  await until(() => real.following === 1, 'a follower');
  await client.leave();
  await using told = await createTestGateway({
    LEDGER_GRAPHQL_URL: real.url,
    LEDGER_GRAPHQL_WS_URL: `${real.url.replace('http', 'ws')}/subscriptions`,
  });
  const other = overWebSocket(`${told.url}/graphql`, query);
  await until(() => real.opened === 2 && real.following === 1, 'another follower');
  await other.leave();
  expect(real.opened).toBe(2);
});

it('advise a retry if the ledger has too many subscribers', async () => {
  await using sui = await startSuiNetwork({ isAtCapacity: true });
  await using full = await createTestGateway({ LEDGER_GRAPHQL_URL: sui.graphqlUrl, NETWORK_PROFILE: 'sui' });
  for (const subscribe of [overWebSocket, overEventStream]) {
    const client = subscribe(`${full.url}/graphql`, 'subscription { checkpoints { cursor } }');
    await until(() => client.results.length === 1, 'a rejection');
    const [error] = client.results[0]?.errors ?? [];
    expect(error?.extensions).toMatchObject({ code: 'RESOURCE_EXHAUSTED', retry: 'backoff' });
    await client.leave();
  }
});

it('exist only if the ledger has subscriptions', async () => {
  await using plain = await startScriptedLedger('type Query { a: Int }');
  await using without = await createTestGateway({ LEDGER_GRAPHQL_URL: plain.url });
  const fields = '{ __schema { subscriptionType { fields { name } } } }';
  const namesOf = async (asked: TestGateway) =>
    (await asked.query(fields)).data.__schema.subscriptionType.fields.map(({ name }: { name: string }) => name).sort();
  expect(await namesOf(without)).toEqual(['liveEvents', 'liveTransactions']);
  expect(await namesOf(gateway)).toEqual(['events', 'liveEvents', 'liveTransactions', 'maybe', 'transactions']);
});
