import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GraphqlDevnet, startGraphqlDevnet } from '../../support/start-graphql-devnet.ts';

let net: GraphqlDevnet;

beforeAll(async () => {
  net = await startGraphqlDevnet();
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

interface PageArguments {
  readonly first?: number;
  readonly after?: string | null;
  readonly last?: number;
  readonly before?: string | null;
}

interface PageAnswer {
  readonly pageInfo: {
    readonly hasPreviousPage: boolean;
    readonly hasNextPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  readonly edges: readonly { readonly cursor: string; readonly node: object }[];
  readonly nodes: readonly object[];
}

/** A connection to walk: how to ask for a page of it, and what tells its nodes apart. */
interface Walk {
  readonly name: string;
  page(args: PageArguments): Promise<PageAnswer>;
}

const pageVariables = '$first: Int, $after: String, $last: Int, $before: String';
const pageArguments = 'first: $first, after: $after, last: $last, before: $before';

/** @param field with `PAGE` where the page's arguments go; @param path to the connection in the answer */
function walkOf(name: string, field: string, node: string, path: readonly string[]): Walk {
  const body = `{ pageInfo { hasPreviousPage hasNextPage startCursor endCursor } edges { cursor node { ${node} } } nodes { ${node} } }`;
  const query = `query (${pageVariables}) { ${field.replace('PAGE', pageArguments).replace('BODY', body)} }`;
  return {
    name,
    page: async (args) => {
      const data = await net.data(query, args);
      return path.reduce((value, key) => value[key], data);
    },
  };
}

/** Cursors tell apart what looks alike: an event may be emitted twice. Nothing moves while these tests walk. */
const keyOf = (edge: object) => JSON.stringify(edge);

/** @param sizes of the pages in turn, again from the start when they run out */
async function walkForward(walk: Walk, sizes: readonly number[]): Promise<string[]> {
  const seen: string[] = [];
  let after: string | null = null;
  for (let turn = 0; ; turn += 1) {
    const page: PageAnswer = await walk.page({ first: sizes[turn % sizes.length]!, after });
    seen.push(...page.edges.map(keyOf));
    expect(page.pageInfo.hasPreviousPage).toBe(after !== null && page.nodes.length > 0);
    if (!page.pageInfo.hasNextPage) return seen;
    after = page.pageInfo.endCursor;
  }
}

async function walkBackward(walk: Walk, sizes: readonly number[]): Promise<string[]> {
  const seen: string[] = [];
  let before: string | null = null;
  for (let turn = 0; ; turn += 1) {
    const page: PageAnswer = await walk.page({ last: sizes[turn % sizes.length]!, before });
    seen.unshift(...page.edges.map(keyOf));
    expect(page.pageInfo.hasNextPage).toBe(before !== null && page.nodes.length > 0);
    if (!page.pageInfo.hasPreviousPage) return seen;
    before = page.pageInfo.startCursor;
  }
}

const walks = () => {
  const sponsor = net.devnet.sponsor.sponsorAddress;
  const busiest = [...net.devnet.ledger.transactions].sort(
    (left, right) => right.events.length - left.events.length,
  )[0]!;
  const user = net.devnet.ledger.events.find((event) => !/^0x0+$/.test(event.sender))!.sender;
  return [
    walkOf('events', 'events(PAGE) BODY', 'bcs type { repr } transactionBlock { digest }', ['events']),
    walkOf(
      'events of a type',
      `events(PAGE, filter: { eventType: "${net.devnet.ledger.events.at(-1)!.type}" }) BODY`,
      'bcs transactionBlock { digest }',
      ['events'],
    ),
    walkOf('transactionBlocks', 'transactionBlocks(PAGE) BODY', 'digest', ['transactionBlocks']),
    walkOf(
      'transactionBlocks of a sender',
      `transactionBlocks(PAGE, filter: { sentAddress: "${user}" }) BODY`,
      'digest',
      ['transactionBlocks'],
    ),
    walkOf('checkpoints', 'checkpoints(PAGE) BODY', 'sequenceNumber', ['checkpoints']),
    walkOf('objects', 'objects(PAGE) BODY', 'address version', ['objects']),
    walkOf('coins', 'coins(PAGE) BODY', 'address coinBalance', ['coins']),
    walkOf('objects of an owner', `address(address: "${sponsor}") { objects(PAGE) BODY }`, 'address', [
      'address',
      'objects',
    ]),
    walkOf('coins of an owner', `owner(address: "${sponsor}") { coins(PAGE) BODY }`, 'address', ['owner', 'coins']),
    walkOf('balances of an owner', `address(address: "${user}") { balances(PAGE) BODY }`, 'coinType { repr }', [
      'address',
      'balances',
    ]),
    walkOf('checkpoints of an epoch', 'epoch(id: 1) { checkpoints(PAGE) BODY }', 'sequenceNumber', [
      'epoch',
      'checkpoints',
    ]),
    walkOf('transactions of an epoch', 'epoch(id: 1) { transactionBlocks(PAGE) BODY }', 'digest', [
      'epoch',
      'transactionBlocks',
    ]),
    walkOf(
      'changes of a transaction',
      `transactionBlock(digest: "${busiest.digest}") { effects { objectChanges(PAGE) BODY } }`,
      'address',
      ['transactionBlock', 'effects', 'objectChanges'],
    ),
  ];
};

describe('every connection', () => {
  test('returns the same sequence forwards and backwards, for any page sizes', async () => {
    for (const walk of walks()) {
      const whole = await walkForward(walk, [50]);
      expect(whole.length, walk.name).toBeGreaterThan(1);
      expect(new Set(whole).size, walk.name).toBe(whole.length);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 7, max: 50 }), { minLength: 1, maxLength: 4 }), async (sizes) => {
          expect(await walkForward(walk, sizes), walk.name).toEqual(whole);
          expect(await walkBackward(walk, sizes), walk.name).toEqual(whole);
        }),
        { numRuns: 4 },
      );
    }
  });

  test('selects from the front with first and from the back with last, always in ascending order', async () => {
    for (const walk of walks()) {
      const whole = await walkForward(walk, [50]);
      const front = await walk.page({ first: 2 });
      const back = await walk.page({ last: 2 });
      expect(front.edges.map(keyOf), walk.name).toEqual(whole.slice(0, 2));
      expect(back.edges.map(keyOf), walk.name).toEqual(whole.slice(-2));
    }
  });

  test('returns matching edges, nodes and cursors', async () => {
    for (const walk of walks()) {
      const { edges, nodes, pageInfo } = await walk.page({ first: 3 });
      expect(edges.map((edge) => edge.node)).toEqual(nodes);
      expect(pageInfo.startCursor).toBe(edges[0]!.cursor);
      expect(pageInfo.endCursor).toBe(edges.at(-1)!.cursor);
    }
  });

  test('returns the items between two cursors', async () => {
    for (const walk of walks()) {
      const { edges } = await walk.page({ first: 50 });
      const between = await walk.page({ after: edges[0]!.cursor, before: edges.at(-1)!.cursor });
      expect(between.edges.map(keyOf), walk.name).toEqual(edges.slice(1, -1).slice(0, 20).map(keyOf));
    }
  });

  test('returns an empty page without flags for first: 0', async () => {
    for (const walk of walks()) {
      const { pageInfo, nodes } = await walk.page({ first: 0 });
      expect(nodes).toEqual([]);
      expect(pageInfo, walk.name).toEqual({
        hasPreviousPage: false,
        hasNextPage: false,
        startCursor: null,
        endCursor: null,
      });
    }
  });

  test('rejects first with last, and a page over the maximum', async () => {
    for (const walk of walks()) {
      await expect(walk.page({ first: 1, last: 1 })).rejects.toThrow(
        `"message":"'first' and 'last' must not be used together"`,
      );
      await expect(walk.page({ first: 51 })).rejects.toThrow(`Connection's page size of 51 exceeds max of 50`);
      await expect(walk.page({ last: 51 })).rejects.toThrow(`Connection's page size of 51 exceeds max of 50`);
    }
  });

  test('rejects an invalid cursor', async () => {
    for (const walk of walks()) {
      for (const text of [
        '!',
        'AAAA',
        Buffer.from('{"c":1}').toString('base64url'),
        Buffer.from('[]').toString('base64url'),
      ]) {
        await expect(walk.page({ after: text }), `${walk.name} ${text}`).rejects.toThrow(
          'Failed to parse \\"String\\": ',
        );
      }
    }
  });
});

describe('a cursor', () => {
  test('keeps later pages at the checkpoint of the first', async () => {
    await using live = await startGraphqlDevnet();
    const { events } = await live.data('{ events(last: 2) { pageInfo { startCursor endCursor } } }');
    live.step(4);
    const pinned = await live.data(
      'query ($c: String) { events(first: 50, after: $c) { nodes { bcs } pageInfo { hasNextPage } } }',
      {
        c: events.pageInfo.startCursor,
      },
    );
    expect(pinned.events.nodes).toHaveLength(1);
    expect(pinned.events.pageInfo.hasNextPage).toBe(false);
    const fresh = await live.data('{ events(last: 50) { nodes { bcs } } }');
    expect(fresh.events.nodes.at(-1)).not.toEqual(pinned.events.nodes.at(-1));
  });

  test('pins nested data as well', async () => {
    await using live = await startGraphqlDevnet();
    const owner = live.devnet.sponsor.sponsorAddress;
    const { objects } = await live.data(`{ objects(first: 1) { pageInfo { endCursor } } }`);
    const held = JSON.stringify(await live.data(`{ address(address: "${owner}") { balance { totalBalance } } }`));
    live.step(1);
    const query = `query ($c: String) { objects(first: 50, after: $c) { nodes { receivedTransactionBlocks { nodes { digest } } owner { ... on AddressOwner { owner { address balance { totalBalance } } } } } } }`;
    const answer = await live.data(query, { c: objects.pageInfo.endCursor });
    const sponsors = answer.objects.nodes
      .map((node: { owner: { owner?: { address: string; balance: object } } }) => node.owner.owner)
      .filter((found: { address: string } | undefined) => found?.address === owner);
    expect(sponsors.length).toBeGreaterThan(0);
    for (const found of sponsors) expect(JSON.stringify({ address: { balance: found.balance } })).toBe(held);
  });

  test('cannot be combined with one of another checkpoint', async () => {
    await using live = await startGraphqlDevnet();
    const query =
      '{ events(first: 3) { edges { cursor } } checkpoints(first: 3) { edges { cursor } } objects(first: 3) { edges { cursor } } transactionBlocks(first: 3) { edges { cursor } } }';
    const early = await live.data(query);
    live.step(1);
    const late = await live.data(query);
    for (const field of ['events', 'checkpoints', 'objects', 'transactionBlocks']) {
      const { errors, data } = await live.query(
        `query ($a: String, $b: String) { ${field}(after: $a, before: $b) { pageInfo { hasNextPage } } }`,
        { a: early[field].edges[0].cursor, b: late[field].edges[2].cursor },
      );
      expect(data).toBeNull();
      expect(errors).toEqual([
        {
          message:
            'The provided cursors are taken from different checkpoints and cannot be used together in the same query.',
          locations: [{ line: 1, column: 34 }],
          path: [field],
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ]);
    }
  });

  test('outside the set gives an empty page without flags', async () => {
    const { events } = await net.data('{ events(first: 1) { edges { cursor } } }');
    const { type } = net.devnet.ledger.events[0]!;
    const other = net.devnet.ledger.events.find((event) => event.type !== type)!.type;
    const answer = await net.data(
      'query ($c: String, $t: String) { events(after: $c, filter: { eventType: $t }) { pageInfo { hasPreviousPage hasNextPage startCursor endCursor } nodes { bcs } } }',
      { c: events.edges[0].cursor, t: other },
    );
    expect(answer.events).toEqual({
      pageInfo: { hasPreviousPage: false, hasNextPage: false, startCursor: null, endCursor: null },
      nodes: [],
    });
  });

  test('is stale for live state once its checkpoint leaves the available range, and not yet for history', async () => {
    await using live = await startGraphqlDevnet({ availableCheckpoints: 3 });
    const owner = live.devnet.sponsor.sponsorAddress;
    const first = await live.data(
      `{ objects(first: 1) { pageInfo { endCursor } } coins(first: 1) { pageInfo { endCursor } } events(first: 1) { pageInfo { endCursor } }
         checkpoints(first: 1) { pageInfo { endCursor } } transactionBlocks(first: 1) { pageInfo { endCursor } }
         address(address: "${owner}") { coins(first: 1) { pageInfo { endCursor } } balances(first: 1) { pageInfo { endCursor } } } }`,
    );
    for (let count = 0; count < 5; count += 1) live.step();
    for (const field of ['objects', 'coins']) {
      const { errors } = await live.query(`query ($c: String) { ${field}(after: $c) { nodes { address } } }`, {
        c: first[field].pageInfo.endCursor,
      });
      expect(errors).toEqual([
        expect.objectContaining({
          message: 'Requested data is outside the available range',
          path: [field],
          extensions: { code: 'BAD_USER_INPUT' },
        }),
      ]);
    }
    for (const field of ['coins', 'balances']) {
      const { data, errors } = await live.query(
        `query ($c: String) { chainIdentifier address(address: "${owner}") { ${field}(after: $c) { pageInfo { hasNextPage } } } }`,
        { c: first.address[field].pageInfo.endCursor },
      );
      expect(data).toEqual({ chainIdentifier: live.devnet.ledger.chainIdentifier, address: null });
      expect(errors![0]!.message).toBe('Requested data is outside the available range');
    }
    for (const field of ['events', 'checkpoints', 'transactionBlocks']) {
      const answer = await live.data(`query ($c: String) { ${field}(after: $c) { edges { cursor } } }`, {
        c: first[field].pageInfo.endCursor,
      });
      expect(answer[field].edges).toHaveLength(20);
    }
    const { availableRange } = await live.data(
      '{ availableRange { first { sequenceNumber } last { sequenceNumber } } }',
    );
    expect(availableRange.last.sequenceNumber - availableRange.first.sequenceNumber).toBe(3);
  });

  test('is stale for history too once that is dropped', async () => {
    await using short = await startGraphqlDevnet({ retention: { checkpoints: 64 }, availableCheckpoints: 8 });
    const connections = [
      '{ page: events(first: 2 AFTER) { edges { cursor } nodes { bcs } } }',
      '{ page: transactionBlocks(first: 2 AFTER) { edges { cursor } nodes { digest } } }',
      '{ page: checkpoints(first: 2 AFTER) { edges { cursor } nodes { digest } } }',
    ];
    const read = (query: string, after?: string) =>
      short.query(query.replace('AFTER', after === undefined ? '' : `after: "${after}"`));
    const cursors = await Promise.all(
      connections.map(async (query) => (await read(query)).data.page.edges[1].cursor as string),
    );
    const [transaction] = short.devnet.ledger.transactions.slice(5);
    const chosen = (await short.data('{ coins(first: 1) { nodes { address version } } }')).coins.nodes[0];
    for (const [index, query] of connections.entries())
      expect((await read(query, cursors[index])).data.page.edges).toHaveLength(2);
    while (short.devnet.ledger.firstCheckpoint() === 0) short.step();

    for (const [index, query] of connections.entries()) {
      const { data, errors } = await read(query, cursors[index]);
      expect(data).toBeNull();
      expect(errors).toMatchObject([
        { message: 'Requested data is outside the available range', extensions: { code: 'BAD_USER_INPUT' } },
      ]);
      expect((await read(query)).data.page.edges).toHaveLength(2);
    }
    const oldest = short.devnet.ledger.firstCheckpoint();
    const newest = short.devnet.ledger.latestCheckpoint().sequenceNumber;
    const now = await short.data(
      `{ chainIdentifier availableRange { first { sequenceNumber } last { sequenceNumber } }
         oldest: checkpoints(first: 1) { nodes { sequenceNumber transactionBlocks { nodes { digest effects { dependencies { nodes { digest } } } } } } }
         gone: checkpoint(id: { sequenceNumber: 0 }) { digest }
         transactionBlock(digest: "${transaction!.digest}") { digest }
         object(address: "${chosen.address}") { address previousTransactionBlock { digest } }
         epochs: checkpoint { epoch { epochId totalTransactions transactionBlocks(first: 1) { nodes { digest } } } }
         events(first: 50) { nodes { bcs transactionBlock { digest } } } }`,
    );
    expect(now.availableRange).toEqual({ first: { sequenceNumber: newest - 8 }, last: { sequenceNumber: newest } });
    expect(now.oldest.nodes[0].sequenceNumber).toBe(oldest);
    expect(now.oldest.nodes[0].transactionBlocks.nodes.length).toBeGreaterThan(0);
    expect(now).toMatchObject({ gone: null, transactionBlock: null, object: { address: chosen.address } });
    expect(now.chainIdentifier).toBe(short.devnet.ledger.chainIdentifier);
    expect(now.events.nodes.every((event: { transactionBlock: unknown }) => event.transactionBlock !== null)).toBe(
      true,
    );
  });
});
