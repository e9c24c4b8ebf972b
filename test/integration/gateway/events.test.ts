import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { type CursorKeys, createCursorKeys } from '../../../src/events/signed-cursor.ts';
import type { EventQueryFilter, TransactionQueryFilter } from '../../../src/generated/own.ts';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import { createEventsGraph, type EventsGraph } from '../../support/events-graph.ts';
import { type RpcDevnet, startRpcDevnet } from '../../support/start-rpc-devnet.ts';

let devnet: RpcDevnet;
let graph: EventsGraph;
const cursorKeys = createCursorKeys(new Secret('the key of cursors in tests'));
beforeAll(async () => {
  devnet = await startRpcDevnet();
  graph = createEventsGraph({ url: devnet.url, cursorKeys });
});
afterAll(async () => {
  await graph[Symbol.asyncDispose]();
  await devnet[Symbol.asyncDispose]();
});

const eventsQuery = /* GraphQL */ `
  query ($filter: EventQueryFilter, $first: Int, $after: String, $last: Int, $before: String) {
    page: queryEvents(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
      edges { cursor node { id } }
    }
  }
`;
const transactionsQuery = /* GraphQL */ `
  query ($filter: TransactionQueryFilter, $first: Int, $after: String, $last: Int, $before: String) {
    page: queryTransactionBlocks(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
      edges { cursor node { digest } }
    }
  }
`;

interface Bounds {
  readonly first?: number;
  readonly after?: string | null;
  readonly last?: number;
  readonly before?: string | null;
}

async function page(query: string, filter: unknown, bounds: Bounds = {}) {
  const { data, errors } = await graph.query(query, { filter, ...bounds });
  if (errors) throw errors[0];
  const { pageInfo, edges } = data.page;
  // biome-ignore lint/suspicious/noExplicitAny: nodes of either connection
  const names: string[] = edges.map(({ node }: any) => node.id ?? node.digest);
  const cursors: string[] = edges.map(({ cursor }: { cursor: string }) => cursor);
  return { pageInfo, names, cursors };
}

/** All pages of a query, in either direction; always in ledger order. */
async function walk(query: string, filter: unknown, backward: boolean, nextSize: () => number) {
  const pages: string[][] = [];
  for (let edge: string | null = null; ; ) {
    const { pageInfo, names }: Awaited<ReturnType<typeof page>> = await page(
      query,
      filter,
      backward ? { last: nextSize(), before: edge } : { first: nextSize(), after: edge },
    );
    if (backward) pages.unshift(names);
    else pages.push(names);
    edge = backward ? pageInfo.startCursor : pageInfo.endCursor;
    if (!(backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return pages;
  }
}

const eventFilters: Readonly<
  Record<string, (net: RpcDevnet) => readonly [EventQueryFilter | null, (index: number) => boolean]>
> = {
  'no filter': () => [null, () => true],
  all: () => [{ all: true }, () => true],
  transaction: ({ ledger: { events } }) => {
    const { txDigest } = events[40]!;
    return [{ transaction: txDigest }, (index) => events[index]!.txDigest === txDigest];
  },
  moveModule: ({ ledger: { events }, contracts: { packages } }) => [
    { moveModule: { package: packages.market, module: 'listings' } },
    (index) => events[index]!.packageId === packages.market && events[index]!.transactionModule === 'listings',
  ],
  moveEventModule: ({ ledger: { events }, contracts: { packages } }) => [
    { moveEventModule: { package: packages.core, module: 'events' } },
    (index) => events[index]!.type.startsWith(`${packages.core}::events::`),
  ],
  moveEvent: ({ ledger: { events } }) => [
    { moveEvent: 'ItemSold' },
    (index) => events[index]!.type.endsWith('::ItemSold'),
  ],
  eventType: ({ ledger: { events }, contracts: { packages } }) => [
    { eventType: `${packages.dex}::pool::SwapExecuted` },
    (index) => events[index]!.type.startsWith(`${packages.dex}::pool::SwapExecuted<`),
  ],
  sender: ({ ledger: { events } }) => {
    const { sender } = events[60]!;
    return [{ sender }, (index) => events[index]!.sender === sender];
  },
  recipient: ({ ledger: { events } }) => {
    const addressOwner = events.flatMap(({ recipients }) => recipients)[3]!;
    return [{ recipient: { addressOwner } }, (index) => events[index]!.recipients.includes(addressOwner)];
  },
  object: ({ ledger: { events } }) => {
    const object = events[70]!.objectIds[0]!;
    return [{ object }, (index) => events[index]!.objectIds.includes(object)];
  },
  timeRange: ({ ledger: { events } }) => {
    const [startTime, endTime] = [events[30]!.timestampMs, events[90]!.timestampMs];
    return [
      { timeRange: { startTime, endTime } },
      (index) => events[index]!.timestampMs >= startTime && events[index]!.timestampMs <= endTime,
    ];
  },
};

describe('every event filter returns its events, paging both ways:', () => {
  test.each(Object.entries(eventFilters))('%s', async (_, toCase) => {
    const [filter, selects] = toCase(devnet);
    const expected = devnet.ledger.events
      .filter((_event, index) => selects(index))
      .map(({ txDigest, eventSeq }) => `${txDigest}:${eventSeq}`);
    const size = Math.max(1, Math.min(17, expected.length - 1));
    for (const backward of [false, true]) {
      const pages = await walk(eventsQuery, filter, backward, () => size);
      expect(pages.flat()).toEqual(expected);
      expect(pages.length).toBe(Math.ceil(expected.length / size));
      expect(pages.length).toBeGreaterThan(1);
    }
  });
});

const transactionFilters: Readonly<Record<string, (net: RpcDevnet) => TransactionQueryFilter | null>> = {
  'no filter': () => null,
  fromAddress: ({ ledger }) => ({ fromAddress: ledger.events[60]!.sender }),
  toAddress: ({ ledger }) => ({ toAddress: ledger.events[60]!.sender }),
  fromOrToAddress: ({ ledger }) => ({ fromOrToAddress: ledger.events[60]!.sender }),
  fromAndToAddress: ({ ledger: { events } }) => ({
    fromAndToAddress: { from: events[60]!.sender, to: events[60]!.sender },
  }),
  moveFunction: ({ contracts: { packages } }) => ({ moveFunction: { package: packages.arena, module: 'battle' } }),
  inputObject: ({ ledger: { events } }) => ({ inputObject: events[60]!.objectIds[0]! }),
  changedObject: ({ ledger: { events } }) => ({ changedObject: events[60]!.objectIds[0]! }),
  transactionKind: () => ({ transactionKind: 'ConsensusCommitPrologueV1' }),
  transactionKindIn: () => ({ transactionKindIn: ['Genesis', 'EndOfEpochTransaction'] }),
  checkpoint: ({ ledger }) => {
    const busiest = Array.from({ length: 60 }, (_, number) => ledger.checkpoint(number)!).sort(
      (a, b) => b.endTransaction - b.firstTransaction - (a.endTransaction - a.firstTransaction),
    )[0]!;
    return { checkpoint: String(busiest.sequenceNumber) };
  },
};

describe('every transaction filter returns the same sequence both ways:', () => {
  test.each(Object.entries(transactionFilters))('%s', async (_, toFilter) => {
    const filter = toFilter(devnet);
    const forward = (await walk(transactionsQuery, filter, false, () => 2)).flat();
    const order = devnet.ledger.transactions.map(({ digest }) => digest);
    expect(forward.length).toBeGreaterThan(1);
    expect(forward).toEqual(order.filter((digest) => forward.includes(digest)));
    expect((await walk(transactionsQuery, filter, true, () => 3)).flat()).toEqual(forward);
  });
});

test('random page sizes, in either direction, give the same sequence', async () => {
  const sender = devnet.ledger.events[60]!.sender;
  const expected = devnet.ledger.events
    .filter((event) => event.sender === sender)
    .map((event) => `${event.txDigest}:${event.eventSeq}`);
  const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 50 }));
  await fc.assert(
    fc.asyncProperty(sizes, fc.boolean(), async (stream, backward) => {
      const pages = await walk(eventsQuery, { sender }, backward, () => stream.next().value as number);
      expect(pages.flat()).toEqual(expected);
    }),
    { numRuns: 15 },
  );
});

test('after and before together select the slice between them, in any order', async () => {
  const sender = devnet.ledger.events[60]!.sender;
  const { names, cursors } = await page(eventsQuery, { sender }, { first: 50 });
  const index = fc.nat({ max: names.length - 1 });
  await fc.assert(
    fc.asyncProperty(
      index,
      index,
      fc.integer({ min: 1, max: 50 }),
      fc.boolean(),
      async (after, before, size, backward) => {
        const bounds = { after: cursors[after]!, before: cursors[before]! };
        const between = names.slice(after + 1, Math.max(after + 1, before));
        const result = await page(
          eventsQuery,
          { sender },
          backward ? { last: size, ...bounds } : { first: size, ...bounds },
        );
        expect(result.names).toEqual(backward ? between.slice(-size) : between.slice(0, size));
      },
    ),
    { numRuns: 40 },
  );
});

test('cursors are signed only if selected, once each under any number of aliases', async () => {
  let signed = 0;
  const key = cursorKeys.signing;
  const counting: CursorKeys = {
    all: cursorKeys.all,
    signing: {
      ...key,
      sign: (scope, text) => {
        signed += 1;
        return key.sign(scope, text);
      },
    },
  };
  await using counted = createEventsGraph({ url: devnet.url, cursorKeys: counting });
  expect(
    (await counted.query('{ queryEvents(first: 20) { nodes { type } edges { node { type } } } }')).errors,
  ).toBeUndefined();
  expect(signed).toBe(0);
  const { data } = await counted.query(
    '{ queryEvents(first: 20) { pageInfo { startCursor } edges { cursor again: cursor more: cursor } } }',
  );
  expect(signed).toBe(20);
  expect(data.queryEvents.edges[0]).toMatchObject({ again: data.queryEvents.pageInfo.startCursor });
});

test('an end cursor of a forward page works as before, and vice versa', async () => {
  const forward = await page(eventsQuery, null, { first: 5 });
  const backward = await page(eventsQuery, null, { last: 3, before: forward.pageInfo.endCursor });
  expect(backward.names).toEqual(forward.names.slice(1, 4));
  const again = await page(eventsQuery, null, { first: 1, after: backward.pageInfo.startCursor });
  expect(again.names).toEqual(forward.names.slice(2, 3));
});

test('pageInfo agrees with the ledger on both sides of a page', async () => {
  const flags = async (bounds: Bounds) => {
    const { hasPreviousPage, hasNextPage } = (await page(eventsQuery, null, bounds)).pageInfo;
    return [hasPreviousPage, hasNextPage];
  };
  const { cursors } = await page(eventsQuery, null, { first: 10 });
  expect(await flags({ first: 3 })).toEqual([false, true]);
  expect(await flags({ first: 3, after: cursors[4]! })).toEqual([true, true]);
  expect(await flags({ last: 3 })).toEqual([true, false]);
  expect(await flags({ last: 3, before: cursors[2]! })).toEqual([false, true]);
  expect(await flags({ first: 0 })).toEqual([false, false]);
});

test('a default page has 20 items, and the newest come last', async () => {
  const { names } = await page(eventsQuery, null);
  expect(names).toHaveLength(20);
  const newest = devnet.ledger.events.at(-1)!;
  expect((await page(eventsQuery, null, { last: 2 })).names.at(-1)).toBe(`${newest.txDigest}:${newest.eventSeq}`);
});

describe('rejected without an upstream call:', () => {
  const mixed =
    'The provided cursors are taken from different checkpoints and cannot be used together in the same query.';
  test.each<[string, (own: string, other: string) => Record<string, unknown>, string]>([
    ["another filter's cursor as after", (_, other) => ({ after: other }), mixed],
    ["another filter's cursor beside one's own", (own, other) => ({ after: own, before: other }), mixed],
    ['first with last', () => ({ first: 1, last: 1 }), "'first' and 'last' must not be used together"],
    ['51', () => ({ first: 51 }), "Connection's page size of 51 exceeds max of 50"],
    ['-1', () => ({ last: -1 }), "Argument 'last' must be from 0 to 50; got -1."],
    [
      'no cursor',
      () => ({ after: 'xx' }),
      'Argument \'after\' must be a cursor from an earlier answer of the same field; got "xx".',
    ],
    ['all: false', () => ({ filter: { all: false } }), "Argument 'filter.all' must be true or left out; got false."],
    [
      'a bad address',
      () => ({ filter: { sender: 'bob' } }),
      'Argument \'filter.sender\' must be 0x and 1 to 64 hex digits; got "bob".',
    ],
  ])('%s', async (_, toVariables, message) => {
    const own = (await page(eventsQuery, { sender: '0x0' }, { first: 1 })).cursors[0]!;
    const other = (await page(eventsQuery, null, { first: 1 })).cursors[0]!;
    const callsBefore = graph.calls.length;
    const { data, errors } = await graph.query(eventsQuery, { filter: { sender: '0x0' }, ...toVariables(own, other) });
    expect(errors).toEqual([
      expect.objectContaining({
        message,
        path: ['page'],
        extensions: expect.objectContaining({ code: 'BAD_USER_INPUT' }),
      }),
    ]);
    expect(data).toEqual({ page: null });
    expect(graph.calls.length).toBe(callsBefore);
  });

  test('an empty page', async () => {
    const callsBefore = graph.calls.length;
    expect((await page(eventsQuery, null, { first: 0 })).names).toEqual([]);
    expect(graph.calls.length).toBe(callsBefore);
  });
});

test('whole transactions are fetched only if selected', async () => {
  const asked = async (selection: string, rest = '') => {
    const { data, errors } = await graph.query(`{ queryTransactionBlocks(last: 1) { ${selection} } } ${rest}`);
    expect(errors).toBeUndefined();
    const [{ options }] = graph.calls.at(-1)!.params as [{ options: object }];
    return { data, options };
  };
  const fragment = 'fragment R on RpcTransaction { raw }';
  expect((await asked('nodes { digest timestampMs checkpoint }')).options).toEqual({});
  expect((await asked('nodes { digest ...R @include(if: false) }', fragment)).options).toEqual({});
  expect((await asked('nodes { digest ... @skip(if: true) { raw } }')).options).toEqual({});
  for (const asking of [
    await asked('nodes { raw }'),
    await asked('edges { node { ... on RpcTransaction { whole: raw } } }'),
    await asked('edges { node { ...R } }', fragment),
  ]) {
    expect(asking.options).toMatchObject({ showInput: true, showEffects: true, showBalanceChanges: true });
  }
  const { data } = await asked('nodes { digest checkpoint timestampMs raw }');
  const newest = devnet.ledger.transactions.at(-1)!;
  expect(data.queryTransactionBlocks.nodes[0]).toMatchObject({
    digest: newest.digest,
    checkpoint: String(newest.checkpoint),
    timestampMs: String(newest.timestampMs),
    raw: { digest: newest.digest, effects: { transactionDigest: newest.digest } },
  });
});

test('an event has the same fields as on the ledger', async () => {
  const record = devnet.ledger.events[55]!;
  const { data } = await graph.query(
    /* GraphQL */ `query ($transaction: String!) {
      queryEvents(filter: { transaction: $transaction }, first: 50) {
        nodes { id txDigest eventSeq packageId transactionModule sender type parsedJson bcs timestampMs }
      }
    }`,
    { transaction: record.txDigest },
  );
  expect(data.queryEvents.nodes[record.eventSeq]).toEqual({
    id: `${record.txDigest}:${record.eventSeq}`,
    txDigest: record.txDigest,
    eventSeq: String(record.eventSeq),
    packageId: record.packageId,
    transactionModule: record.transactionModule,
    sender: record.sender,
    type: record.type,
    parsedJson: record.json,
    bcs: Buffer.from(record.bcs).toString('base64'),
    timestampMs: String(record.timestampMs),
  });
});

test('a page larger than the node’s maximum takes several calls', async () => {
  await using large = createEventsGraph({ url: devnet.url, pages: { defaultSize: 20, maxSize: 200 } });
  const { data } = await large.query('{ queryEvents(last: 120) { nodes { id } } }');
  const expected = devnet.ledger.events
    .slice(-120)
    .map(({ txDigest, eventSeq }) => ({ id: `${txDigest}:${eventSeq}` }));
  expect(data.queryEvents.nodes).toEqual(expected);
  expect(large.calls.map(({ params }) => params[2])).toEqual([50, 50, 20]);
});

test('another network’s names and time ranges are used on the wire', async () => {
  await using iota = createEventsGraph({ url: devnet.url, profile: 'iota' });
  const { sender, type } = devnet.ledger.events[60]!;
  const { data } = await iota.query(
    'query ($sender: String!) { queryEvents(filter: { sender: $sender }, first: 1) { nodes { sender } } }',
    { sender },
  );
  expect(data.queryEvents.nodes).toEqual([{ sender }]);
  await iota.query('query ($type: String!) { queryEvents(filter: { eventType: $type }) { nodes { type } } }', { type });
  await iota.query('{ queryEvents(filter: { timeRange: { startTime: 5, endTime: 9 } }) { nodes { type } } }');
  expect(iota.calls.map(({ method, params }) => [method, params[0]])).toEqual([
    ['iotax_queryEvents', { Sender: sender }],
    ['iotax_queryEvents', { MoveEventType: type }],
    ['iotax_queryEvents', { TimeRange: { startTime: '5', endTime: '10' } }],
  ]);
  const { errors } = await iota.query('{ queryEvents(filter: { moveEvent: "ItemSold" }) { nodes { type } } }');
  expect(errors?.[0]?.message).toContain("no event filter 'moveEvent'");
});

test('an unavailable upstream costs only its own fields', async () => {
  const gone = await startRpcDevnet({ checkpoints: 2 });
  await gone[Symbol.asyncDispose]();
  await using dead = createEventsGraph({ url: gone.url });
  const { data, errors } = await dead.query('{ a: queryEvents { nodes { type } } __typename }');
  expect(data).toEqual({ a: null, __typename: 'Query' });
  expect(errors?.[0]).toMatchObject({ path: ['a'], extensions: { code: 'UPSTREAM_UNAVAILABLE', upstream: 'events' } });
});

test('a cursor unknown to the node is stale', async () => {
  const cursor = (await page(eventsQuery, null, { last: 1 })).cursors[0];
  const younger = await startRpcDevnet({ checkpoints: 2, checkpointIntervalMs: 777 });
  await using other = createEventsGraph({ url: younger.url, cursorKeys });
  const { errors } = await other.query(eventsQuery, { first: 1, after: cursor });
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'STALE_CURSOR', upstream: 'events', rpcCode: -32602 });
  await younger[Symbol.asyncDispose]();
});

test.each([
  ['events', '{ queryEvents { nodes { type } } }'],
  ['transactions', '{ queryTransactionBlocks { nodes { digest } } }'],
])('a client that disconnects cancels the call: %s', async (_, query) => {
  const hungUp = createCancellation();
  hungUp.cancel('aborted');
  const { errors } = await graph.query(query, {}, hungUp);
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'REQUEST_TIMEOUT' });
});
