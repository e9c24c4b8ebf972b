import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventRecord, TransactionRecord } from '../../../src/devnet/state/records.ts';
import { type GraphqlDevnet, startGraphqlDevnet } from '../../support/start-graphql-devnet.ts';

let net: GraphqlDevnet;

beforeAll(async () => {
  net = await startGraphqlDevnet();
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

const zero = `0x${'0'.repeat(64)}`;

async function allEvents(filter: object): Promise<string[]> {
  const found: string[] = [];
  let after: string | null = null;
  do {
    const { events } = await net.data(
      'query ($f: EventFilter, $a: String) { events(first: 50, after: $a, filter: $f) { nodes { transactionBlock { digest } bcs } pageInfo { hasNextPage endCursor } } }',
      { f: filter, a: after },
    );
    found.push(
      ...events.nodes.map(
        (node: { transactionBlock: { digest: string }; bcs: string }) => `${node.transactionBlock.digest} ${node.bcs}`,
      ),
    );
    after = events.pageInfo.hasNextPage ? events.pageInfo.endCursor : null;
  } while (after !== null);
  return found;
}

const expectedEvents = (fits: (event: EventRecord) => boolean) =>
  net.devnet.ledger.events
    .filter(fits)
    .map((event) => `${event.txDigest} ${Buffer.from(event.bcs).toString('base64')}`);

async function allTransactions(filter: object, args: object = {}): Promise<string[]> {
  const found: string[] = [];
  let after: string | null = null;
  do {
    const { transactionBlocks } = await net.data(
      'query ($f: TransactionBlockFilter, $a: String, $n: Int, $s: Int) { transactionBlocks(first: $n, after: $a, filter: $f, scanLimit: $s) { nodes { digest } pageInfo { hasNextPage endCursor } } }',
      { n: 50, ...args, f: filter, a: after },
    );
    found.push(...transactionBlocks.nodes.map((node: { digest: string }) => node.digest));
    after = transactionBlocks.pageInfo.hasNextPage ? transactionBlocks.pageInfo.endCursor : null;
  } while (after !== null);
  return found;
}

const expectedTransactions = (fits: (record: TransactionRecord) => boolean) =>
  net.devnet.ledger.transactions.filter(fits).map((record) => record.digest);

describe('an event filter', () => {
  const last = () => net.devnet.ledger.events.at(-1)!;
  /** An event of a generic type that occurs with other arguments too. */
  const generic = () => {
    const bareOf = (type: string) => type.slice(0, type.indexOf('<'));
    const { events } = net.devnet.ledger;
    return events.find(
      ({ type }) =>
        type.includes('<') && events.some((other) => other.type !== type && bareOf(other.type) === bareOf(type)),
    )!;
  };

  test('by sender selects the events of that sender’s transactions', async () => {
    const { sender } = last();
    const found = await allEvents({ sender });
    expect(found).toEqual(expectedEvents((event) => event.sender === sender));
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(net.devnet.ledger.events.length);
  });

  test('by transaction selects that transaction’s events', async () => {
    const { txDigest } = last();
    expect(await allEvents({ transactionDigest: txDigest })).toEqual(
      expectedEvents((event) => event.txDigest === txDigest),
    );
    expect(await allEvents({ transactionDigest: '1'.repeat(32) })).toEqual([]);
  });

  test('by emitting module takes a package or a module', async () => {
    const { packageId, transactionModule } = last();
    expect(await allEvents({ emittingModule: packageId })).toEqual(
      expectedEvents((event) => event.packageId === packageId),
    );
    const found = await allEvents({ emittingModule: `${packageId}::${transactionModule}` });
    expect(found).toEqual(
      expectedEvents((event) => event.packageId === packageId && event.transactionModule === transactionModule),
    );
    expect(found.length).toBeGreaterThan(0);
  });

  test('by type takes a package, a module, a type, and short addresses', async () => {
    const { type } = last();
    const [packageId = '', module = ''] = type.split('::');
    expect(await allEvents({ eventType: packageId })).toEqual(
      expectedEvents((event) => event.type.startsWith(`${packageId}::`)),
    );
    expect(await allEvents({ eventType: `${packageId}::${module}` })).toEqual(
      expectedEvents((event) => event.type.startsWith(`${packageId}::${module}::`)),
    );
    expect(await allEvents({ eventType: type })).toEqual(expectedEvents((event) => event.type === type));
    const system = await allEvents({ eventType: '0x3' });
    expect(system).toEqual(expectedEvents((event) => event.type.startsWith(`0x${'3'.padStart(64, '0')}::`)));
  });

  test('by a generic type without arguments matches every instance, and with them one', async () => {
    const { type } = generic();
    const bare = type.slice(0, type.indexOf('<'));
    const every = await allEvents({ eventType: bare });
    expect(every).toEqual(expectedEvents((event) => event.type.startsWith(`${bare}<`)));
    const one = await allEvents({ eventType: type });
    expect(one).toEqual(expectedEvents((event) => event.type === type));
    expect(one.length).toBeLessThan(every.length);
    expect(await allEvents({ eventType: bare.slice(0, -1) })).toEqual([]);
  });

  test('combines its members', async () => {
    const { sender, type } = last();
    expect(await allEvents({ sender, eventType: type })).toEqual(
      expectedEvents((event) => event.sender === sender && event.type === type),
    );
  });
});

describe('a transaction filter', () => {
  const sample = () =>
    net.devnet.ledger.transactions.findLast((record) => record.moveCalls.length > 0 && record.status.ok)!;

  test('by sender', async () => {
    const { sender } = sample();
    const found = await allTransactions({ sentAddress: sender });
    expect(found).toEqual(expectedTransactions((record) => record.sender === sender));
    expect(found.length).toBeGreaterThan(0);
  });

  test('by kind', async () => {
    expect(await allTransactions({ kind: 'SYSTEM_TX' })).toEqual(
      expectedTransactions((record) => record.kind !== 'PROGRAMMABLE_TX'),
    );
    expect(await allTransactions({ kind: 'GENESIS' })).toEqual([net.devnet.ledger.transactions[0]!.digest]);
    expect(await allTransactions({ kind: 'END_OF_EPOCH_TX' })).toHaveLength(2);
  });

  test('by function, in three precisions', async () => {
    const call = sample().moveCalls[0]!;
    const fits = (depth: number) => (record: TransactionRecord) =>
      record.moveCalls.some(
        (one) =>
          one.package === call.package &&
          (depth < 2 || one.module === call.module) &&
          (depth < 3 || one.function === call.function),
      );
    expect(await allTransactions({ function: call.package })).toEqual(expectedTransactions(fits(1)));
    expect(await allTransactions({ function: `${call.package}::${call.module}` })).toEqual(
      expectedTransactions(fits(2)),
    );
    const found = await allTransactions({ function: `${call.package}::${call.module}::${call.function}` });
    expect(found).toEqual(expectedTransactions(fits(3)));
    expect(found).toContain(sample().digest);
  });

  test('by recipient, input, changed and deleted object', async () => {
    const { gasObject, sender } = sample();
    const coin = gasObject!.objectId;
    expect(await allTransactions({ inputObject: coin })).toEqual(
      expectedTransactions((record) => record.inputIds.includes(coin)),
    );
    expect(await allTransactions({ changedObject: coin })).toContain(sample().digest);
    expect(await allTransactions({ recvAddress: sender })).toContain(sample().digest);
    const deleted = net.devnet.ledger.transactions
      .flatMap((record) => record.changes)
      .find((change) => change.kind === 'deleted');
    expect(await allTransactions({ wrappedOrDeletedObject: deleted!.objectId })).toHaveLength(1);
    expect(await allTransactions({ wrappedOrDeletedObject: coin })).toEqual([]);
  });

  test('by digest', async () => {
    const digests = net.devnet.ledger.transactions.slice(3, 6).map((record) => record.digest);
    expect(await allTransactions({ transactionIds: [...digests].reverse() })).toEqual(digests);
  });

  test('by checkpoint bounds, exclusive except for the exact one', async () => {
    const within = (from: number, to: number) =>
      expectedTransactions(({ checkpoint }) => checkpoint! >= from && checkpoint! <= to);
    expect(await allTransactions({ afterCheckpoint: 10, beforeCheckpoint: 14 })).toEqual(within(11, 13));
    expect(await allTransactions({ atCheckpoint: 12 })).toEqual(within(12, 12));
    expect(await allTransactions({ afterCheckpoint: 57 })).toEqual(within(58, 59));
    expect(await allTransactions({ atCheckpoint: 1000 })).toEqual([]);
  });

  test('that can match nothing gives an empty page, even before its cursors are compared', async () => {
    const { transactionBlocks } = await net.data('{ transactionBlocks(first: 2) { edges { cursor } } }');
    const [one, other] = transactionBlocks.edges.map((edge: { cursor: string }) => edge.cursor);
    const moved = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(other, 'base64url').toString()), c: 3 }),
    ).toString('base64url');
    const query =
      'query ($f: TransactionBlockFilter, $a: String, $b: String, $n: Int, $s: Int) { transactionBlocks(first: $n, after: $a, before: $b, filter: $f, scanLimit: $s) { nodes { digest } pageInfo { hasNextPage hasPreviousPage endCursor startCursor } } }';
    const empty = {
      transactionBlocks: {
        nodes: [],
        pageInfo: { hasNextPage: false, hasPreviousPage: false, endCursor: null, startCursor: null },
      },
    };
    for (const filter of [
      { afterCheckpoint: 5, beforeCheckpoint: 6 },
      { beforeCheckpoint: 0 },
      { atCheckpoint: 3, afterCheckpoint: 3 },
      { kind: 'SYSTEM_TX', sentAddress: '0x7' },
      { kind: 'PROGRAMMABLE_TX', sentAddress: zero },
      { transactionIds: [] },
    ]) {
      expect(await net.data(query, { f: filter, a: one, b: moved }), JSON.stringify(filter)).toEqual(empty);
    }
    expect(await net.data(query, { n: 0, a: one, b: moved })).toEqual(empty);
    expect(await net.data(query, { s: 0, a: one, b: moved })).toEqual(empty);
    expect((await net.query(query, { a: one, b: moved })).errors).toHaveLength(1);
  });

  test('below a parent is combined with the parent’s own', async () => {
    const { sender } = sample();
    const answer = await net.data(
      `{ checkpoint(id: { sequenceNumber: 12 }) { transactionBlocks { nodes { digest } } other: transactionBlocks(filter: { atCheckpoint: 13 }) { nodes { digest } } }
         epoch(id: 1) { transactionBlocks(first: 50, filter: { beforeCheckpoint: 22 }) { nodes { digest } } }
         address(address: "${sender}") { transactionBlocks(first: 50) { nodes { digest } } none: transactionBlocks(filter: { sentAddress: "0x7" }) { nodes { digest } } received: transactionBlocks(relation: RECV, first: 50) { nodes { digest } } } }`,
    );
    const digests = (connection: { nodes: { digest: string }[] }) => connection.nodes.map((node) => node.digest);
    expect(digests(answer.checkpoint.transactionBlocks)).toEqual(
      expectedTransactions(({ checkpoint }) => checkpoint === 12),
    );
    expect(digests(answer.checkpoint.other)).toEqual([]);
    expect(digests(answer.epoch.transactionBlocks)).toEqual(
      expectedTransactions(({ checkpoint, epoch }) => epoch === 1 && checkpoint! < 22),
    );
    expect(digests(answer.address.transactionBlocks)).toEqual(
      expectedTransactions((record) => record.sender === sender).slice(0, 50),
    );
    expect(digests(answer.address.none)).toEqual([]);
    expect(digests(answer.address.received).length).toBeGreaterThan(0);
  });
});

describe('a scan limit', () => {
  test('finds the same transactions in the end, at any size', async () => {
    const { moveCalls, sender } = net.devnet.ledger.transactions.findLast((record) => record.moveCalls.length > 0)!;
    const filter = { function: moveCalls[0]!.package, kind: 'PROGRAMMABLE_TX', sentAddress: sender };
    const expected = expectedTransactions(
      (record) => record.sender === sender && record.moveCalls.some((call) => call.package === moveCalls[0]!.package),
    );
    expect(expected.length).toBeGreaterThan(0);
    for (const s of [1, 3, 10, 50, 1000])
      expect(await allTransactions(filter, { s, n: 2 }), `scan ${s}`).toEqual(expected);
  });

  test('gives empty pages with a next page, whose cursors are the edges of the scan', async () => {
    const query =
      'query ($a: String) { transactionBlocks(after: $a, scanLimit: 5, filter: { kind: END_OF_EPOCH_TX }) { nodes { digest } pageInfo { hasPreviousPage hasNextPage startCursor endCursor } } }';
    const { transactionBlocks } = await net.data(query);
    expect(transactionBlocks.nodes).toEqual([]);
    expect(transactionBlocks.pageInfo).toMatchObject({ hasPreviousPage: false, hasNextPage: true });
    expect(transactionBlocks.pageInfo.endCursor).not.toBeNull();
    const next = await net.data(query, { a: transactionBlocks.pageInfo.endCursor });
    expect(next.transactionBlocks.pageInfo.hasPreviousPage).toBe(true);
    expect(next.transactionBlocks.pageInfo.startCursor).not.toBe(transactionBlocks.pageInfo.endCursor);
  });

  test('works backwards too', async () => {
    const found: string[] = [];
    let before: string | null = null;
    do {
      const { transactionBlocks } = await net.data(
        'query ($b: String) { transactionBlocks(last: 1, before: $b, scanLimit: 7, filter: { kind: END_OF_EPOCH_TX }) { nodes { digest } pageInfo { hasPreviousPage startCursor } } }',
        { b: before },
      );
      found.unshift(...transactionBlocks.nodes.map((node: { digest: string }) => node.digest));
      before = transactionBlocks.pageInfo.hasPreviousPage ? transactionBlocks.pageInfo.startCursor : null;
    } while (before !== null);
    expect(found).toEqual(expectedTransactions((record) => record.kind === 'END_OF_EPOCH_TX'));
  });
});

describe('an object filter', () => {
  const addresses = async (filter: object) => {
    const { objects } = await net.data(
      'query ($f: ObjectFilter) { objects(first: 50, filter: $f) { nodes { address version } } }',
      { f: filter },
    );
    return objects.nodes as { address: string; version: number }[];
  };
  const live = () => net.devnet.ledger.liveObjects(net.devnet.ledger.latestCheckpoint().sequenceNumber);

  test('by type, owner and id', async () => {
    const owned = live().find((record) => record.owner.kind === 'address')!;
    const owner = owned.owner.kind === 'address' ? owned.owner.address : '';
    const refs = (records: readonly { objectId: string; version: number }[]) =>
      records.slice(0, 50).map(({ objectId, version }) => ({ address: objectId, version }));
    expect(await addresses({ type: '0x2::coin::Coin' })).toEqual(
      refs(live().filter(({ type }) => type.includes('::coin::Coin<'))),
    );
    expect(await addresses({ owner })).toEqual(
      refs(live().filter((record) => record.owner.kind === 'address' && record.owner.address === owner)),
    );
    expect(await addresses({ objectIds: [owned.objectId, '0x1234'] })).toEqual(refs([owned]));
    expect(await addresses({ objectIds: [owned.objectId], owner: '0x1234' })).toEqual([]);
    expect(await addresses({ objectIds: [] })).toEqual([]);
  });

  test('by an exact version finds old versions too', async () => {
    const changed = live().find((record) => net.devnet.ledger.objectVersions(record.objectId).length > 1)!;
    const [old] = net.devnet.ledger.objectVersions(changed.objectId);
    expect(await addresses({ objectKeys: [{ objectId: old!.objectId, version: old!.version }] })).toEqual([
      { address: old!.objectId, version: old!.version },
    ]);
  });
});
