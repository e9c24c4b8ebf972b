import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../../../src/devnet/start-devnet.ts';
import { createTestGateway, type GraphqlAnswer, type TestGateway } from '../../support/test-gateway.ts';

type Source = 'rpc' | 'graphql';

let devnet: Devnet;
let gateways: Record<Source, TestGateway>;
let gateway: TestGateway;

beforeAll(async () => {
  devnet = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 0, genesis: { checkpoints: 80 } });
  const env = { LEDGER_GRAPHQL_URL: devnet.graphqlUrl, CURSOR_KEYS: 'a-key-of-cursors-that-is-long-enough' };
  gateways = {
    rpc: await createTestGateway({ ...env, LEDGER_RPC_URL: devnet.rpcUrl }),
    graphql: await createTestGateway(env),
  };
});
afterAll(async () => {
  await Promise.all(Object.values(gateways ?? {}).map((each) => each.close()));
  await devnet?.close();
});

interface Event {
  readonly id: string;
  readonly txDigest: string;
  readonly type: string;
  readonly sender: string;
  readonly packageId: string;
  readonly transactionModule: string;
  readonly timestampMs: string;
}

const query = /* GraphQL */ `query ($filter: EventQueryFilter, $first: Int, $after: String, $last: Int, $before: String) {
  queryEvents(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    edges { cursor }
    nodes { id txDigest eventSeq type sender packageId transactionModule timestampMs parsedJson bcs }
  }
}`;

async function page(variables: object) {
  const { data, errors } = await gateway.query(query, variables);
  expect(errors).toBeUndefined();
  return data.queryEvents as {
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
    edges: { cursor: string }[];
    nodes: Event[];
  };
}

async function walk(filter: object | undefined, direction: 'forward' | 'backward', size: number) {
  const nodes: Event[] = [];
  let pages = 0;
  for (let cursor: string | null = null, more = true; more; ) {
    const forward = direction === 'forward';
    const found = await page(forward ? { filter, first: size, after: cursor } : { filter, last: size, before: cursor });
    pages += 1;
    if (forward) nodes.push(...found.nodes);
    else nodes.unshift(...found.nodes);
    const { pageInfo } = found;
    [cursor, more] = forward
      ? [pageInfo.endCursor, pageInfo.hasNextPage]
      : [pageInfo.startCursor, pageInfo.hasPreviousPage];
  }
  return { nodes, pages };
}

/** Each filter of an example event, and which of the ledger's events match; `null`: the node decides. */
const filters: [string, (e: Event) => object | undefined, ((e: Event, of: Event) => boolean) | null][] = [
  ['none', () => undefined, () => true],
  ['all', () => ({ all: true }), () => true],
  ['transaction', (of) => ({ transaction: of.txDigest }), (e, of) => e.txDigest === of.txDigest],
  [
    'moveModule',
    (of) => ({ moveModule: { package: of.packageId, module: of.transactionModule } }),
    (e, of) => e.packageId === of.packageId && e.transactionModule === of.transactionModule,
  ],
  [
    'moveEventModule',
    (of) => ({ moveEventModule: { package: of.type.split('::')[0], module: of.type.split('::')[1] } }),
    (e, of) => e.type.startsWith(of.type.split('::').slice(0, 2).join('::')),
  ],
  [
    'moveEvent',
    (of) => ({ moveEvent: of.type.split('::')[2]?.split('<')[0] }),
    (e, of) => e.type.includes(`::${of.type.split('::')[2]?.split('<')[0]}`),
  ],
  ['eventType', (of) => ({ eventType: of.type }), (e, of) => e.type === of.type],
  ['sender', (of) => ({ sender: of.sender }), (e, of) => e.sender === of.sender],
  [
    'timeRange, closed on both ends',
    (of) => ({ timeRange: { startTime: Number(of.timestampMs), endTime: Number(of.timestampMs) + 60_000 } }),
    (e, of) =>
      Number(e.timestampMs) >= Number(of.timestampMs) && Number(e.timestampMs) <= Number(of.timestampMs) + 60_000,
  ],
  ['recipient', (of) => ({ recipient: { addressOwner: of.sender } }), null],
  ['object', () => undefined, null],
];

/** All events, as the source in use pages them. */
let everything: readonly Event[];

/** An event from the middle of the history whose transaction emitted several. */
function example(nodes = everything): Event {
  const counts = new Map<string, number>();
  for (const { txDigest } of nodes) counts.set(txDigest, (counts.get(txDigest) ?? 0) + 1);
  const found = nodes.slice(Math.floor(nodes.length / 3)).find(({ txDigest }) => (counts.get(txDigest) ?? 0) > 2);
  if (!found) throw new Error('this ledger has no transaction with several events');
  return found;
}

/** Filters that the ledger's GraphQL does not have. */
const rpcAlone = ['moveEvent', 'recipient', 'object'];

describe.each<Source>(['rpc', 'graphql'])('every event filter over %s, paging both ways:', (source) => {
  beforeAll(async () => {
    gateway = gateways[source];
    everything = (await walk(undefined, 'forward', 50)).nodes;
  });

  it.each(filters.filter(([name]) => source === 'rpc' || !rpcAlone.includes(name)))(
    '%s',
    async (name, toFilter, isHit) => {
      const of = example();
      expect(everything.length).toBe(devnet.ledger.events.length);
      let filter = toFilter(of);
      if (name === 'object') {
        const { data } = await gateway.query(
          /* GraphQL */ `query ($d: String!) { transactionBlock(digest: $d) { effects { objectChanges { nodes { address } } } } }`,
          { d: of.txDigest },
        );
        const ids: string[] = data.transactionBlock.effects.objectChanges.nodes.map(
          (each: { address: string }) => each.address,
        );
        const found = await Promise.all(
          ids.map(async (object) => ({ object, count: (await page({ filter: { object }, first: 50 })).nodes.length })),
        );
        filter = { object: found.sort((a, b) => b.count - a.count)[0]?.object };
      }
      // A transaction has only a few events.
      const [ahead, back] = name === 'transaction' ? [1, 1] : ['none', 'all'].includes(name) ? [37, 31] : [7, 5];
      const idsOf = (nodes: Event[]) => nodes.map(({ id }) => id);
      const forward = await walk(filter, 'forward', ahead);
      const backward = await walk(filter, 'backward', back);
      expect(forward.pages).toBeGreaterThan(1);
      expect(backward.pages).toBeGreaterThan(1);
      expect(idsOf(backward.nodes)).toEqual(idsOf(forward.nodes));
      expect(new Set(idsOf(forward.nodes)).size).toBe(forward.nodes.length);
      if (isHit) expect(idsOf(forward.nodes)).toEqual(idsOf(everything.filter((e) => isHit(e, of))));
      else expect(forward.nodes.length).toBeGreaterThan(0);
      if (name === 'object') expect(idsOf(forward.nodes)).toContain(of.id);
    },
  );

  it('every filter rejects a cursor of another filter, and a page over the maximum', async () => {
    const { edges } = await page({ filter: { all: true }, first: 2 });
    const of = example();
    for (const [variables, message] of [
      [{ filter: { sender: of.sender }, first: 1, after: edges[0]?.cursor }, /different checkpoints/],
      [{ filter: { all: true }, first: 1, last: 1 }, /^'first' and 'last' must not be used together$/],
      [{ filter: { all: true }, last: 51 }, /^Connection's page size of 51 exceeds max of 50$/],
      [{ filter: { all: true }, first: 1, after: 'nonsense' }, /must be a cursor/],
    ] as const) {
      const { data, errors } = await gateway.query(query, variables);
      expect(data).toEqual({ queryEvents: null });
      expect(errors).toEqual([
        expect.objectContaining({
          message: expect.stringMatching(message),
          path: ['queryEvents'],
          extensions: expect.objectContaining({ code: 'BAD_USER_INPUT' }),
        }),
      ]);
    }
  });
});

describe('both sources', () => {
  const transactions = /* GraphQL */ `query ($filter: TransactionQueryFilter, $first: Int, $after: String, $last: Int, $before: String) {
    page: queryTransactionBlocks(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { digest timestampMs checkpoint }
    }
  }`;
  const events = query.replace('queryEvents(', 'page: queryEvents(');

  /** Cursors of GraphQL tell more than the position. */
  const withoutCursors = (data: unknown) =>
    JSON.parse(JSON.stringify(data, (key, value) => (/cursor$/i.test(key) && value !== null ? 'a cursor' : value)));

  /** Pages as each source answers them; the cursors of one are read by the other. */
  async function pagesAlike(text: string, filter: object | undefined, size: number) {
    const pages = [];
    for (const [count, cursor, from] of [
      ['first', 'after', 'endCursor'],
      ['last', 'before', 'startCursor'],
    ] as const) {
      let at: readonly (string | null)[] = [null, null];
      for (let number = 0; number < 4; number += 1) {
        const read = async (name: 'rpc' | 'graphql', bound: string | null | undefined): Promise<GraphqlAnswer> =>
          gateways[name].query(text, { filter, [count]: size, [cursor]: bound });
        const answers: readonly GraphqlAnswer[] = [
          await read('rpc', at[0]),
          await read('rpc', at[1]),
          await read('graphql', at[0]),
          await read('graphql', at[1]),
        ];
        const [rpc, ...others] = answers.map(({ data, errors }) => [withoutCursors(data), errors]);
        for (const other of others) expect(other).toEqual(rpc);
        pages.push(answers[0]?.data.page.nodes);
        at = [answers[0]?.data.page.pageInfo[from], answers[3]?.data.page.pageInfo[from]];
        if (at[0] === null) break;
      }
    }
    return pages.flat();
  }

  it.each([0, 1, 7, 50])('answer the same pages of %i events', async (size) => {
    gateway = gateways.rpc;
    const of = example();
    for (const filter of [undefined, { sender: of.sender }, { eventType: of.type }]) {
      await pagesAlike(events, filter, size);
    }
  });

  it('answer the same transactions for each filter that both have', async () => {
    const { transactions: all } = devnet.ledger;
    const sample = all.filter(({ moveCalls }) => moveCalls.length > 0).at(-5);
    const [call] = sample?.moveCalls ?? [];
    const changed = sample?.changes.find(({ kind }) => kind === 'mutated')?.objectId;
    const received = sample?.changes.flatMap(({ output }) =>
      output?.owner.kind === 'address' ? [output.owner.address] : [],
    );
    const filters = [
      undefined,
      { checkpoint: String(sample?.checkpoint) },
      { moveFunction: { package: call?.package } },
      { moveFunction: { package: call?.package, module: call?.module } },
      { moveFunction: { package: call?.package, module: call?.module, function: call?.function } },
      { inputObject: sample?.inputObjects[0]?.objectId },
      { changedObject: changed },
      { fromAddress: sample?.sender },
      { toAddress: received?.[0] },
      { fromAndToAddress: { from: sample?.sender, to: received?.[0] } },
      { transactionKind: 'ProgrammableTransaction' },
      { transactionKind: 'SystemTransaction' },
      { transactionKindIn: ['Genesis'] },
    ];
    for (const filter of filters) {
      expect((await pagesAlike(transactions, filter, 3)).length, JSON.stringify(filter)).toBeGreaterThan(0);
    }
  });

  it('the GraphQL of the ledger selects by package, which its JSON-RPC does not', async () => {
    gateway = gateways.graphql;
    const { packageId } = example();
    const { nodes } = await walk({ package: packageId }, 'forward', 50);
    expect(nodes.map(({ id }) => id)).toEqual(
      devnet.ledger.events.flatMap((e) => (e.packageId === packageId ? [`${e.txDigest}:${e.eventSeq}`] : [])),
    );
  });

  it.each([
    ['queryEvents', { object: '0x5' }, "This network has no event filter 'object'; it has: all, "],
    [
      'queryTransactionBlocks',
      { fromOrToAddress: '0x5' },
      "no transaction filter 'fromOrToAddress'; it has: checkpoint, ",
    ],
    ['queryTransactionBlocks', { transactionKindIn: ['Genesis', 'Other'] }, 'selects exactly one of these kinds: '],
  ])('%s over GraphQL refuses %o and names what is possible', async (field, filter, says) => {
    const type = field === 'queryEvents' ? 'EventQueryFilter' : 'TransactionQueryFilter';
    const { errors } = await gateways.graphql.query(
      `query ($filter: ${type}) { ${field}(filter: $filter) { pageInfo { hasNextPage } } }`,
      { filter },
    );
    expect(errors).toEqual([
      expect.objectContaining({
        message: expect.stringContaining(says),
        extensions: expect.objectContaining({ code: 'BAD_USER_INPUT' }),
      }),
    ]);
  });

  it('answer the same pages of a time range', async () => {
    const times = devnet.ledger.events.map(({ timestampMs }) => timestampMs);
    const [startTime, endTime] = [times[Math.floor(times.length / 4)], times[Math.floor(times.length / 2)]];
    const nodes = await pagesAlike(events, { timeRange: { startTime, endTime } }, 20);
    expect(nodes.length).toBeGreaterThan(0);
    const newest = times.at(-1) ?? 0;
    expect(await pagesAlike(events, { timeRange: { startTime: newest + 1, endTime: newest + 2 } }, 20)).toEqual([]);
    expect((await pagesAlike(events, { timeRange: { startTime: 0, endTime: newest + 9 } }, 20)).length).toBeGreaterThan(
      0,
    );
  });

  it('answer whole transactions, each in its own form', async () => {
    const { data, errors } = await gateways.graphql.query(
      '{ queryTransactionBlocks(last: 1) { nodes { digest raw } } }',
    );
    expect(errors).toBeUndefined();
    const [{ digest, raw }] = data.queryTransactionBlocks.nodes;
    expect(raw).toMatchObject({ digest, bcs: expect.any(String), effects: { status: 'SUCCESS' } });
  });
});
