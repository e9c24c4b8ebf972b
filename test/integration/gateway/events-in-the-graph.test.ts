import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Devnet, startDevnet } from '../../../src/devnet/start-devnet.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

let devnet: Devnet;
let gateway: TestGateway;
beforeAll(async () => {
  devnet = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 0, genesis: { checkpoints: 60 } });
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: devnet.graphqlUrl, LEDGER_RPC_URL: devnet.rpcUrl });
});
afterAll(async () => {
  await gateway.close();
  await devnet.close();
});

test('events and transactions combine with ledger fields in one operation', async () => {
  const { data, errors } = await gateway.query(/* GraphQL */ `{
    chainIdentifier
    newest: queryEvents(last: 1) { edges { cursor } nodes { txDigest timestampMs } }
    sold: queryEvents(filter: { moveEvent: "ItemSold" }, first: 2) { nodes { type } }
    queryTransactionBlocks(last: 1) { nodes { digest checkpoint } }
  }`);
  expect(errors).toBeUndefined();
  expect(data.chainIdentifier).toMatch(/^[0-9a-f]{8}$/);
  expect(data.newest.nodes).toHaveLength(1);
  expect(data.sold.nodes.map(({ type }: { type: string }) => type.split('::').at(-1))).toEqual([
    'ItemSold',
    'ItemSold',
  ]);
  expect(Number(data.queryTransactionBlocks.nodes[0].checkpoint)).toBeGreaterThan(0);
});

test('an event of JSON-RPC equals the ledger’s own event', async () => {
  const { data } = await gateway.query(
    '{ queryEvents(first: 3, filter: { moveEvent: "ItemSold" }) { nodes { type sender bcs parsedJson } } }',
  );
  const [{ type, sender, bcs, parsedJson }] = data.queryEvents.nodes;
  const own = await gateway.query(
    'query ($type: String!) { events(filter: { eventType: $type }, first: 1) { nodes { type { repr } sender { address } bcs json } } }',
    { type },
  );
  expect(own.data.events.nodes[0]).toEqual({
    type: { repr: type },
    sender: { address: sender },
    bcs,
    json: parsedJson,
  });
});

test('paging through the whole gateway returns every event once', async () => {
  const filter = { moveEvent: 'ItemSold' };
  const query = /* GraphQL */ `query ($filter: EventQueryFilter, $first: Int, $after: String, $last: Int, $before: String) {
    queryEvents(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { id txDigest eventSeq }
    }
  }`;
  const forward: unknown[] = [];
  const backward: unknown[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const { data } = await gateway.query(query, { filter, first: 7, after });
    forward.push(...data.queryEvents.nodes);
    after = data.queryEvents.pageInfo.endCursor;
    more = data.queryEvents.pageInfo.hasNextPage;
  }
  for (let before: string | null = null, more = true; more; ) {
    const { data } = await gateway.query(query, { filter, last: 5, before });
    backward.unshift(...data.queryEvents.nodes);
    before = data.queryEvents.pageInfo.startCursor;
    more = data.queryEvents.pageInfo.hasPreviousPage;
  }
  expect(forward.length).toBeGreaterThan(7);
  expect(forward).toEqual(
    devnet.ledger.events
      .filter(({ type }) => type.endsWith('::ItemSold'))
      .map(({ txDigest, eventSeq }) => ({ id: `${txDigest}:${eventSeq}`, txDigest, eventSeq: String(eventSeq) })),
  );
  expect(backward).toEqual(forward);
});

test.each([
  ['{ queryEvents(first: 51) { nodes { type } } }', "Connection's page size of 51 exceeds max of 50"],
  [
    '{ queryTransactionBlocks(first: 1, last: 1) { nodes { digest } } }',
    "'first' and 'last' must not be used together",
  ],
  [
    '{ queryEvents(filter: { sender: "me" }) { nodes { type } } }',
    'Argument \'filter.sender\' must be 0x and 1 to 64 hex digits; got "me".',
  ],
  ['{ queryEvents(filter: { package: "0x2" }) { nodes { type } } }', "This network has no event filter 'package'"],
])('%s is rejected in its own field, the others succeed', async (query, message) => {
  const { status, data, errors } = await gateway.query(query.replace('{', '{ chainIdentifier '));
  expect(status).toBe(200);
  expect(data.chainIdentifier).toBeTypeOf('string');
  expect(errors).toEqual([
    expect.objectContaining({
      message: expect.stringContaining(message),
      path: [expect.stringMatching(/^query(Events|TransactionBlocks)$/)],
      extensions: expect.objectContaining({ code: 'BAD_USER_INPUT' }),
    }),
  ]);
});

test('a filter with two members, or a time that is no number, never reaches the field', async () => {
  const query = 'query ($filter: EventQueryFilter) { queryEvents(filter: $filter) { nodes { type } } }';
  for (const filter of [
    { sender: '0x1', object: '0x2' },
    {},
    { timeRange: { startTime: -1, endTime: 5 } },
    { timeRange: { startTime: 1.5, endTime: 5 } },
  ]) {
    const { data, errors } = await gateway.query(query, { filter });
    expect(errors?.[0]?.message).toContain('$filter');
    expect(data).toBeUndefined();
  }
});

test('events that happen during paging appear at the end', async () => {
  const tail =
    'query ($after: String) { queryEvents(last: 1, after: $after) { pageInfo { endCursor } nodes { txDigest } } }';
  const before = await gateway.query(tail);
  const { endCursor: after } = before.data.queryEvents.pageInfo;
  expect((await gateway.query(tail, { after })).data.queryEvents.nodes).toEqual([]);
  const known = devnet.ledger.events.length;
  while (devnet.ledger.events.length === known) {
    devnet.act();
    devnet.ledger.closeCheckpoint();
  }
  const { txDigest } = devnet.ledger.events.at(-1)!;
  expect((await gateway.query(tail, { after })).data.queryEvents.nodes).toEqual([{ txDigest }]);
});

test('without a JSON-RPC URL, the fields name the missing setting', async () => {
  await using alone = await createTestGateway({ LEDGER_GRAPHQL_URL: devnet.graphqlUrl, EVENTS_SOURCE: 'rpc' });
  const { data, errors } = await alone.query(
    '{ chainIdentifier queryEvents { nodes { type } } gateway { capabilities { name available reason } } }',
  );
  expect(data).toMatchObject({ chainIdentifier: devnet.ledger.chainIdentifier, queryEvents: null });
  expect(errors?.[0]?.extensions).toEqual({
    code: 'NOT_CONFIGURED',
    retry: 'never',
    upstream: 'events',
    setting: 'LEDGER_RPC_URL',
  });
  expect(data.gateway.capabilities).toContainEqual({
    name: 'eventFilter:sender',
    available: false,
    reason: 'No events upstream: LEDGER_RPC_URL is not set.',
  });
});

test('while the ledger is away, its events are unavailable rather than not configured', async () => {
  await using alone = await createTestGateway({ LEDGER_GRAPHQL_URL: 'http://127.0.0.1:9/graphql' });
  const { data, errors } = await alone.query('{ queryEvents { nodes { type } } }');
  expect(data).toEqual({ queryEvents: null });
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', upstream: 'ledger' });
});
