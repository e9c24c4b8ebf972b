import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventRecord, TransactionRecord } from '../../../src/devnet/state/records.ts';
import { overEventStream, overWebSocket } from '../../support/live-clients.ts';
import { quickPolls } from '../../support/live-network.ts';
import { startIotaNetwork } from '../../support/networks/iota-network.ts';
import type { MockedNetwork } from '../../support/networks/network-server.ts';
import { startSuiNetwork } from '../../support/networks/sui-network.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

const networks = [
  { title: 'IOTA', name: 'iota', start: () => startIotaNetwork() },
  { title: 'Sui', name: 'sui', start: () => startSuiNetwork() },
  { title: 'Sui, which examines 25 records per page', name: 'sui', start: () => startSuiNetwork({ scanLimit: 25 }) },
] as const;

/** Milliseconds that one wait may take on a slow machine. */
const waitMs = 60_000;

const idOf = ({ txDigest, eventSeq }: EventRecord) => `${txDigest}:${eventSeq}`;
const isCallOf = (called: string) => (record: TransactionRecord) =>
  record.moveCalls.some((call) => `${call.package}::${call.module}::${call.function}::`.startsWith(`${called}::`));

describe.each(networks)('with the GraphQL of $title alone', { timeout: 3 * waitMs }, ({ name, start, title }) => {
  let network: MockedNetwork;
  let gateway: TestGateway;
  const env = () => ({
    LEDGER_GRAPHQL_URL: network.graphqlUrl,
    NETWORK_PROFILE: name,
    CURSOR_KEYS: 'k'.repeat(32),
    ...quickPolls,
  });
  beforeAll(async () => {
    network = await start();
    gateway = await createTestGateway(env());
  });
  afterAll(async () => {
    await gateway?.close();
    await network?.[Symbol.asyncDispose]();
  });

  /** Every page of a field, in both directions. */
  async function walkBothWays(field: string, type: string, node: string, filter: object | undefined, size: number) {
    const ways = [
      ['first', 'after', 'hasNextPage', 'endCursor'],
      ['last', 'before', 'hasPreviousPage', 'startCursor'],
    ] as const;
    const walks: string[][] = [];
    for (const [count, bound, more, cursor] of ways) {
      const text = `query ($filter: ${type}, $size: Int, $at: String) {
        page: ${field}(filter: $filter, ${count}: $size, ${bound}: $at) { pageInfo { ${more} ${cursor} } nodes { key: ${node} } }
      }`;
      const keys: string[] = [];
      for (let at: string | null = null, hasMore = true; hasMore; ) {
        const { data, errors } = await gateway.query(text, { filter, size, at });
        expect(errors).toBeUndefined();
        const page = data.page.nodes.map(({ key }: { key: string }) => key);
        if (count === 'first') keys.push(...page);
        else keys.unshift(...page);
        hasMore = data.page.pageInfo[more];
        at = data.page.pageInfo[cursor];
        if (hasMore) expect(at).not.toBeNull();
      }
      walks.push(keys);
    }
    expect(walks[0]).toEqual(walks[1]);
    return walks[0] ?? [];
  }

  it('each event filter answers exactly the matching events, in both directions', async () => {
    const { events } = network.ledger;
    const of = events[Math.floor(events.length / 2)] as EventRecord;
    const [type = ''] = of.type.split('<');
    const [definer, module] = type.split('::');
    const { timestampMs: startTime } = of;
    const endTime = startTime + 9_000;
    const cases: [object | undefined, (event: EventRecord) => boolean][] = [
      [undefined, () => true],
      [{ transaction: of.txDigest }, ({ txDigest }) => txDigest === of.txDigest],
      [{ sender: of.sender }, ({ sender }) => sender === of.sender],
      [{ package: of.packageId }, ({ packageId }) => packageId === of.packageId],
      [
        { moveModule: { package: of.packageId, module: of.transactionModule } },
        ({ packageId, transactionModule }) => packageId === of.packageId && transactionModule === of.transactionModule,
      ],
      [{ moveEventModule: { package: definer, module } }, (event) => event.type.startsWith(`${definer}::${module}::`)],
      [{ eventType: type }, (event) => event.type.split('<')[0] === type],
      [{ timeRange: { startTime, endTime } }, ({ timestampMs }) => startTime <= timestampMs && timestampMs <= endTime],
    ];
    for (const [filter, isWanted] of cases) {
      const ids = await walkBothWays('queryEvents', 'EventQueryFilter', 'id', filter, 17);
      expect(ids.length, JSON.stringify(filter)).toBeGreaterThan(0);
      expect(ids, JSON.stringify(filter)).toEqual(events.filter(isWanted).map(idOf));
    }
  });

  it('each transaction filter that the network has answers exactly the matching transactions', async () => {
    const { transactions } = network.ledger;
    const of = transactions.findLast(({ moveCalls }) => moveCalls.length > 0) as TransactionRecord;
    const [call] = of.moveCalls;
    const cases: [object | undefined, (record: TransactionRecord) => boolean][] = [
      [undefined, () => true],
      [{ checkpoint: String(of.checkpoint) }, ({ checkpoint }) => checkpoint === of.checkpoint],
      [{ fromAddress: of.sender }, ({ sender }) => sender === of.sender],
      [
        { moveFunction: { package: call?.package, module: call?.module } },
        isCallOf(`${call?.package}::${call?.module}`),
      ],
      [{ transactionKind: 'SystemTransaction' }, ({ kind }) => kind !== 'PROGRAMMABLE_TX'],
    ];
    for (const [filter, isWanted] of cases) {
      const digests = await walkBothWays('queryTransactionBlocks', 'TransactionQueryFilter', 'digest', filter, 50);
      expect(digests, JSON.stringify(filter)).toEqual(transactions.filter(isWanted).map(({ digest }) => digest));
    }
  });

  it('capabilities list what works', async () => {
    const { data } = await gateway.query('{ gateway { capabilities { name available } upstreams { name state } } }');
    const { capabilities, upstreams } = data.gateway as {
      capabilities: { name: string; available: boolean }[];
      upstreams: object[];
    };
    const isOffered = (filter: string) => capabilities.find((each) => each.name === filter)?.available;
    expect(isOffered('eventFilter:sender')).toBe(true);
    expect(isOffered('eventFilter:object')).toBe(false);
    expect(isOffered('transactionFilter:inputObject')).toBe(name === 'iota');
    expect(upstreams).toContainEqual({ name: 'events', state: 'UP' });
  });

  const items =
    'subscription ($filter: EventStreamFilter, $after: String) { liveEvents(filter: $filter, after: $after) { __typename ... on LiveEventItem { cursor event { id } } } }';

  const senderOf = () => network.ledger.events.at(-1)?.sender ?? '';
  /** Closes checkpoints less and less often: a stream begins once its reader has caught up, on a slow machine too. */
  async function stepUntil(isDone: () => boolean, what: string): Promise<void> {
    let looks = 0;
    let next = 0;
    await until(
      () => {
        if (looks === next) {
          network.step(2);
          next = 40 + 2 * next;
        }
        looks += 1;
        return isDone();
      },
      what,
      waitMs,
    );
  }

  it.each<[string, () => object | undefined, (event: EventRecord, sender: string) => boolean]>([
    ['every event', () => undefined, () => true],
    ['the events of a sender', () => ({ sender: senderOf() }), (event, sender) => event.sender === sender],
    ['the other events', () => ({ not: { sender: senderOf() } }), (event, sender) => event.sender !== sender],
  ])(
    'a stream of %s delivers each once and in order, also to another gateway that resumes',
    async (_, toFilter, isWanted) => {
      const [sender, filter] = [senderOf(), toFilter()];
      const client = overWebSocket(`${gateway.url}/graphql`, items, { filter });
      await stepUntil(() => client.ids.length > 0, 'a first event');
      const wanted = () => {
        const ids = network.ledger.events.filter((event) => isWanted(event, sender)).map(idOf);
        return ids.slice(ids.indexOf(client.ids[0] ?? ''));
      };
      for (let steps = 0; steps < 3; steps += 1) network.step(5);
      await until(() => client.ids.at(-1) === wanted().at(-1), 'the newest event');
      await client.leave();
      for (let steps = 0; steps < 20; steps += 1) network.step(5);
      await using other = await createTestGateway(env());
      const again = overEventStream(`${other.url}/graphql`, items, { filter, after: client.cursor });
      await until(() => again.ids.at(-1) === wanted().at(-1), 'the rest');
      network.step(3);
      await until(() => again.ids.at(-1) === wanted().at(-1), 'new events');
      expect([...client.ids, ...again.ids]).toEqual(wanted());
      await again.leave();
    },
  );

  // Sui with partial scans differs in its pages only.
  const isWhole = title === 'IOTA' || title === 'Sui';
  if (isWhole)
    it('transactions are streamed as well', async () => {
      const query =
        'subscription { liveTransactions { ... on LiveTransactionItem { cursor transaction { digest checkpoint raw } } } }';
      const client = overEventStream(`${gateway.url}/graphql`, query);
      await stepUntil(() => client.ids.length > 0, 'a first transaction');
      network.step(5);
      const wanted = () => {
        const digests = network.ledger.transactions.map(({ digest }) => digest);
        return digests.slice(digests.indexOf(client.ids[0] ?? ''));
      };
      await until(() => client.ids.length >= wanted().length, 'all');
      expect(client.ids).toEqual(wanted());
      expect(client.results[0]?.data.liveTransactions.transaction.raw).toMatchObject({
        effects: { status: 'SUCCESS' },
      });
      await client.leave();
    });

  if (isWhole)
    it('subscriptions of the ledger trigger reads; if they repeat, pause or break, nothing is lost', async () => {
      const client = overEventStream(`${gateway.url}/graphql`, items);
      await stepUntil(() => client.ids.length > 0 && network.streams > 0, 'an event and a subscription');
      const wanted = () => {
        const ids = network.ledger.events.map(idOf);
        return ids.slice(ids.indexOf(client.ids[0] ?? ''));
      };
      const disturbances = [
        () => Object.assign(network, { isRepeating: true }),
        () => Object.assign(network, { isPaused: true }),
        () => network.drop(),
        () => Object.assign(network, { isRepeating: false, isPaused: false }),
      ];
      for (const disturb of disturbances) {
        disturb();
        network.step(4);
        await until(() => client.ids.at(-1) === wanted().at(-1), 'the newest event');
      }
      expect(client.ids).toEqual(wanted());
      await client.leave();
      await stepUntil(() => network.streams === 0, 'no subscription without subscribers');
    });

  it(
    'events that appear late, behind newer ones, are delivered once; queries show what the network shows',
    async () => {
      const [sender, filters] = [senderOf(), [undefined, { sender: senderOf() }]];
      const clients = filters.map((filter) => overEventStream(`${gateway.url}/graphql`, items, { filter }));
      await stepUntil(() => clients.every(({ ids }) => ids.length > 0), 'first events');
      const wanted = (at: number) => {
        const { events } = network.ledger;
        const ids = events.filter((event) => at === 0 || event.sender === sender).map(idOf);
        return ids.slice(ids.indexOf(clients[at]?.ids[0] ?? ''));
      };
      const newestIds = async () => {
        const { data } = await gateway.query('{ queryEvents(last: 30) { nodes { id } } }');
        return data.queryEvents.nodes.map(({ id }: { id: string }) => id);
      };
      const areComplete = () => clients.every(({ ids }, at) => new Set(ids).size === wanted(at).length);
      for (let round = 0; round < 3; round += 1) {
        await until(areComplete, 'all events so far', waitMs);
        network.step(4, 2);
        const { held } = network;
        const heldIds = new Set(held.map(idOf));
        const shown = network.ledger.events.map(idOf).filter((id) => !heldIds.has(id));
        expect(held.length).toBeGreaterThan(0);
        await until(() => clients[0]?.ids.at(-1) === shown.at(-1), 'the newer events', waitMs);
        expect(await newestIds()).toEqual(shown.slice(-30));
        for (const { ids } of clients) expect(ids.filter((id) => heldIds.has(id))).toEqual([]);
        network.showHeld();
        expect(await newestIds()).toEqual(network.ledger.events.slice(-30).map(idOf));
      }
      await until(areComplete, 'the late events', waitMs);
      for (const [at, { ids }] of clients.entries()) expect(ids.toSorted()).toEqual(wanted(at).toSorted());
      await Promise.all(clients.map((client) => client.leave()));
    },
    3 * waitMs,
  );

  if (title === 'IOTA')
    it('a subscription of the ledger resumes after a transaction, at the root', async () => {
      network.step(6);
      const { ledger } = network;
      const from = ledger.transactions.length - 4;
      const startAfter = ledger.transactions[from - 1]?.digest;
      const client = overWebSocket(
        `${gateway.url}/graphql`,
        'subscription ($startAfter: String) { transactions(startAfter: $startAfter) { ... on TransactionBlock { digest } } }',
        { startAfter },
      );
      await until(() => client.results.length >= 4, 'the past', waitMs);
      network.step(2);
      const wanted = ledger.transactions.slice(from).map(({ digest }) => digest);
      await until(() => client.results.length >= wanted.length, 'new transactions', waitMs);
      expect(client.results.map(({ data }) => data.transactions.digest)).toEqual(wanted);
      await client.leave();
    });

  if (title === 'Sui')
    it('subscriptions of the ledger are forwarded at the root', async () => {
      const client = overWebSocket(
        `${gateway.url}/graphql`,
        'subscription { events { cursor node { sequenceNumber transaction { digest } } } }',
      );
      await stepUntil(() => client.results.length > 0, 'an event');
      const { digest } = client.results[0]?.data.events.node.transaction ?? {};
      expect(network.ledger.events.map(({ txDigest }) => txDigest)).toContain(digest);
      const refused = overWebSocket(
        `${gateway.url}/graphql`,
        'subscription { events(filter: { atCheckpoint: 1 }) { cursor } }',
      );
      await until(() => refused.results.length > 0, 'a refusal');
      expect(refused.results[0]?.errors?.[0].message).toContain('are not supported in subscriptions');
      await Promise.all([client.leave(), refused.leave()]);
      await stepUntil(() => network.streams === 0, 'no subscription without subscribers');
    });
});
