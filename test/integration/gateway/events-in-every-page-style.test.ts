import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../../src/devnet/state/records.ts';
import { readEventStream } from '../../support/event-stream-reader.ts';
import { overEventStream } from '../../support/live-clients.ts';
import { quickPolls } from '../../support/live-network.ts';
import { startIotaNetwork } from '../../support/networks/iota-network.ts';
import type { MockedNetwork } from '../../support/networks/network-server.ts';
import { startSuiNetwork } from '../../support/networks/sui-network.ts';
import { seededRandom } from '../../support/plausible-documents.ts';
import { recordUpstream } from '../../support/recording-upstream.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

const networks = [
  { title: 'IOTA', name: 'iota', start: startIotaNetwork },
  { title: 'Sui', name: 'sui', start: startSuiNetwork },
  {
    title: 'Sui, which examines 25 records per page,',
    name: 'sui',
    start: (history: { keptCheckpoints?: number; startMs?: number }) => startSuiNetwork({ ...history, scanLimit: 25 }),
  },
] as const;

const waitMs = 60_000;
const idOf = ({ txDigest, eventSeq }: EventRecord) => `${txDigest}:${eventSeq}`;

describe.each(networks)('over the GraphQL of $title', { timeout: 3 * waitMs }, ({ name, start }) => {
  const open = (network: MockedNetwork, env: Record<string, string> = {}, now?: () => number): Promise<TestGateway> => {
    const settings = {
      LEDGER_GRAPHQL_URL: network.graphqlUrl,
      NETWORK_PROFILE: name,
      CURSOR_KEYS: 'k'.repeat(32),
      LIVE_SOURCE: 'poll',
      ...quickPolls,
      ...env,
    };
    return createTestGateway(settings, {}, undefined, now);
  };
  const pageReads = ({ requests }: MockedNetwork) => requests.filter(({ query }) => query.startsWith('{page:')).length;
  const pages = `query ($filter: EventQueryFilter, $first: Int, $after: String, $last: Int, $before: String) {
    queryEvents(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      pageInfo { hasNextPage endCursor startCursor } nodes { id }
    }
  }`;
  const stream =
    'subscription ($filter: EventStreamFilter, $after: String) { liveEvents(filter: $filter, after: $after) { __typename ... on LiveEventItem { cursor event { id } } ... on LiveGap { after reason } } }';
  /** Events of this kind are only in the oldest history. */
  const quietType = (network: MockedNetwork) =>
    network.ledger.events.find(({ type }) => type.endsWith('::SystemEpochInfoEvent'))?.type ?? '';

  it('a page of history is one request, on any instance, in both directions', async () => {
    await using network = await start({});
    const ids = network.ledger.events.map(idOf);
    let at: string | null = null;
    for (let page = 0; page < 6; page += 1) {
      await using gateway = await open(network);
      const before = pageReads(network);
      const { data, errors } = await gateway.query(pages, { first: 20, after: at });
      expect(errors).toBeUndefined();
      expect(data.queryEvents.nodes.map(({ id }: { id: string }) => id)).toEqual(ids.slice(20 * page, 20 * page + 20));
      expect(pageReads(network) - before).toBe(1);
      at = data.queryEvents.pageInfo.endCursor;
      network.step(1);
    }
    await using gateway = await open(network);
    const before = pageReads(network);
    const { data } = await gateway.query(pages, { last: 20, before: at });
    expect(data.queryEvents.nodes.map(({ id }: { id: string }) => id)).toEqual(ids.slice(99, 119));
    expect(pageReads(network) - before).toBe(1);
  });

  it('the last page is one request too, on an instance that knows nothing, whether or not anything has happened since', async () => {
    await using network = await start({});
    const idsNow = () => network.ledger.events.map(idOf);
    await using first = await open(network);
    const { data } = await first.query(pages, { last: 10 });
    let at: string = data.queryEvents.pageInfo.startCursor;
    let count = network.ledger.events.length - 9;
    // The rest, nothing, a little, and nothing after empty checkpoints.
    for (const transactions of [0, 0, 3, 2, 0]) {
      network.step(transactions);
      await using gateway = await open(network);
      const before = pageReads(network);
      const { data: read, errors } = await gateway.query(pages, { first: 20, after: at });
      expect(errors).toBeUndefined();
      const { nodes, pageInfo } = read.queryEvents;
      expect(nodes.map(({ id }: { id: string }) => id)).toEqual(idsNow().slice(count));
      expect([pageInfo.hasNextPage, pageReads(network) - before]).toEqual([false, 1]);
      count = network.ledger.events.length;
      at = pageInfo.endCursor ?? at;
    }
  });

  it('what the ledger has dropped is reported as that', async () => {
    await using network = await start({ keptCheckpoints: 64 });
    await using gateway = await open(network);
    const [oldest] = network.ledger.events;
    const { data } = await gateway.query(pages, { first: 3 });
    const { endCursor } = data.queryEvents.pageInfo;
    const quiet = overEventStream(`${gateway.url}/graphql`, stream, { filter: { moveEventType: quietType(network) } });
    // Its reader knows where it is.
    const reads = pageReads(network);
    await until(() => pageReads(network) > reads + 10, 'polls of the quiet stream', waitMs);
    for (let steps = 0; steps < 80; steps += 1) network.step(1);
    expect(network.ledger.transaction(oldest?.txDigest ?? '')).toBeUndefined();

    for (const bound of [
      { first: 3, after: endCursor },
      { last: 3, before: endCursor },
    ]) {
      const { errors } = await gateway.query(pages, bound);
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'STALE_CURSOR', retry: 'never' });
    }
    const unknown = '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR1';
    for (const transaction of [oldest?.txDigest, unknown]) {
      const answer = await gateway.query(pages, { first: 3, filter: { transaction } });
      expect(answer.errors).toBeUndefined();
      expect(answer.data.queryEvents.nodes).toEqual([]);
    }

    const resumed = overEventStream(`${gateway.url}/graphql`, stream, { after: endCursor });
    await until(() => resumed.ids.length > 0, 'what follows the gap', waitMs);
    expect(resumed.results[0]?.data.liveEvents.__typename).toBe('LiveGap');
    const kept = network.ledger.events.map(idOf);
    await until(() => resumed.ids.length >= kept.length, 'everything that is kept', waitMs);
    expect(resumed.ids).toEqual(kept);
    // The last event of the other stream was dropped too.
    await until(() => quiet.results.length > 0 || quiet.end !== null, 'a gap of the quiet stream', waitMs);
    expect(quiet.results.map((result) => result.data?.liveEvents.__typename)).toEqual(['LiveGap']);
    await Promise.all([quiet.leave(), resumed.leave()]);
  });

  it('a reset to an earlier height leaves nothing of the old network behind', async () => {
    await using old = await start({});
    for (let steps = 0; steps < 1_200; steps += 1) old.step(steps % 10 === 0 ? 1 : 0);
    // A network that begins again is younger, and has later times.
    const endMs = old.ledger.latestCheckpoint().timestampMs;
    await using network = await start({ startMs: endMs - 20_000 });
    for (let steps = 0; steps < 50; steps += 1) network.step(1);
    await using address = await recordUpstream(old.graphqlUrl);
    await using gateway = await open(old, { LEDGER_GRAPHQL_URL: address.url });
    const startTime = endMs - 10_000;
    const inRange = async () => {
      const filter = { timeRange: { startTime, endTime: startTime + 4_000 } };
      const found: string[] = [];
      for (let after: string | null = null, isOver = false; !isOver; ) {
        const { data, errors } = await gateway.query(pages, { first: 50, filter, after });
        if (errors) return errors;
        const { nodes, pageInfo } = data.queryEvents;
        found.push(...nodes.map(({ id }: { id: string }) => id));
        after = pageInfo.endCursor;
        isOver = !pageInfo.hasNextPage;
      }
      return found;
    };
    const within = ({ ledger }: MockedNetwork) =>
      ledger.events.filter(({ timestampMs }) => startTime <= timestampMs && timestampMs <= startTime + 4_000).map(idOf);
    expect(await inRange()).toEqual(within(old));
    const client = overEventStream(`${gateway.url}/graphql`, stream);
    await until(
      () => {
        old.step(1);
        return client.ids.length > 0;
      },
      'an event of the old network',
      waitMs,
    );
    const namesOf = () => client.results.map((result) => result.data?.liveEvents.__typename);

    const chainOf = async ({ ask }: MockedNetwork) => (await ask('{chainIdentifier}')).data.chainIdentifier as string;
    const [chain, ownChain] = [await chainOf(old), await chainOf(network)];
    address.intercept = ({ body }, res) => {
      void fetch(network.graphqlUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then(
        async (answer) =>
          res
            .writeHead(200, { 'content-type': 'application/json' })
            .end((await answer.text()).replaceAll(ownChain, chain)),
      );
      return true;
    };
    expect(await inRange()).toEqual(within(network));
    await until(() => namesOf().includes('LiveGap'), 'the gap', waitMs);
    network.step(3);
    const newest = network.ledger.events.at(-1);
    await until(() => newest !== undefined && client.ids.includes(idOf(newest)), 'events of the new network', waitMs);
    expect(namesOf().filter((name) => name !== 'LiveEventItem')).toEqual(['LiveGap']);
    expect(new Set(client.ids).size).toBe(client.ids.length);
    expect(client.end).toBeNull();
    await client.leave();
  });

  it('a node that has less than half of the history, behind a balancer, is no reset', async () => {
    await using network = await start({});
    await using young = await start({});
    for (let steps = 0; steps < 1_400; steps += 1) network.step(steps % 20 === 0 ? 1 : 0);
    for (let steps = 0; steps < 300; steps += 1) young.step(steps % 20 === 0 ? 1 : 0);
    const ids = network.ledger.events.map(idOf);
    const nowMs = network.ledger.events.at(-1)?.timestampMs ?? 0;
    expect(young.ledger.events.map(idOf)).toEqual(ids.slice(0, young.ledger.events.length));
    await using address = await recordUpstream(network.graphqlUrl);
    await using gateway = await open(network, { LEDGER_GRAPHQL_URL: address.url }, () => nowMs);
    const { data } = await gateway.query(pages, { last: 1 });
    const client = overEventStream(`${gateway.url}/graphql`, stream, { after: data.queryEvents.pageInfo.endCursor });
    const random = seededRandom(3);
    address.intercept = ({ body }, res) => {
      if (random() < 0.5) return false;
      fetch(young.graphqlUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
        .then(async (answer) => {
          res.writeHead(200, { 'content-type': 'application/json' }).end(await answer.text());
        })
        .catch(() => res.destroy());
      return true;
    };

    const seen: string[] = [];
    const codes = new Set<string>();
    let after: string | null = null;
    await until(
      async () => {
        const page = await gateway.query(pages, { first: 20, after });
        for (const { extensions } of page.errors ?? []) codes.add(`${extensions.code} ${extensions.retry}`);
        seen.push(...(page.data?.queryEvents?.nodes ?? []).map(({ id }: { id: string }) => id));
        after = page.data?.queryEvents?.pageInfo.endCursor ?? after;
        return seen.length >= ids.length;
      },
      () => `every page, after ${seen.length} of ${ids.length} events and ${[...codes]}`,
      waitMs,
    );
    expect(seen).toEqual(ids);
    expect([...codes]).toEqual(['UPSTREAM_UNAVAILABLE backoff']);

    address.intercept = undefined;
    for (let steps = 0; steps < 20; steps += 1) network.step(1);
    const told = network.ledger.events.slice(ids.length).map(idOf);
    await until(() => client.ids.length >= told.length, 'the events of the stream', waitMs);
    expect(client.ids).toEqual(told);
    expect(new Set(client.results.map((result) => result.data?.liveEvents.__typename))).toEqual(
      new Set(['LiveEventItem']),
    );
    await client.leave();
  });

  it('a stream resumes behind an event that its filter does not match, with another reader', async () => {
    await using network = await start({});
    const newest = network.ledger.events.at(-1);
    // Not the sender of the newest event, behind which the stream begins.
    const sender = network.ledger.events.findLast((event) => event.sender !== newest?.sender)?.sender ?? '';
    const subscribe = (gateway: TestGateway, headers: Record<string, string> = {}) =>
      readEventStream(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query: stream, variables: { filter: { sender } } }),
      });
    // The reader of everything serves it.
    await using first = await open(network, { LIVE_MAX_READERS: '0' });
    const begun = await subscribe(first);
    await until(() => begun.lastId !== undefined, 'a first position', waitMs);
    const seen = network.ledger.events.length;
    const id = begun.lastId ?? '';
    await begun.leave();
    for (let steps = 0; steps < 30; steps += 1) network.step(5);
    await using other = await open(network);
    const resumed = await subscribe(other, { 'last-event-id': id });
    const wanted = network.ledger.events
      .slice(seen)
      .filter((event) => event.sender === sender)
      .map(idOf);
    expect(wanted.length).toBeGreaterThan(20);
    const idsOf = () => resumed.results.map(({ data }) => data.liveEvents.event?.id ?? data.liveEvents);
    await until(() => idsOf().length >= wanted.length, 'the rest', waitMs);
    expect(idsOf()).toEqual(wanted);
    await resumed.leave();
  });

  it('an idle stream takes one request for each poll, however long ago its last event was', async () => {
    await using network = await start({});
    for (let steps = 0; steps < 100; steps += 1) network.step(2);
    const polls = { LIVE_POLL_MIN_MS: '200', LIVE_POLL_MAX_MS: '200' };
    const sender = network.ledger.events.at(-1)?.sender;
    await using asked = await open(network);
    const { data } = await asked.query(pages, { first: 2, filter: { moveEventType: quietType(network) } });
    const after = data.queryEvents.pageInfo.endCursor;
    const transactions =
      'subscription ($filter: TransactionStreamFilter) { liveTransactions(filter: $filter) { __typename } }';
    for (const [text, variables] of [
      [stream, { filter: { moveEventType: quietType(network) }, after }],
      [stream, { filter: { not: { sender } } }],
      [transactions, { filter: { fromAddress: sender } }],
    ] as const) {
      await using gateway = await open(network, polls);
      const client = overEventStream(`${gateway.url}/graphql`, text, variables);
      const queries = () => network.requests.map(({ query }) => query).filter((query) => query.startsWith('{page:'));
      const begun = queries().length;
      // An idle reader repeats its last page.
      await until(
        () =>
          new Set(queries().slice(Math.max(begun, queries().length - 3))).size === 1 && queries().length > begun + 3,
        'the end of the ledger',
        waitMs,
      );
      const [before, startedMs] = [pageReads(network), performance.now()];
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const most = Math.ceil((performance.now() - startedMs) / 200) + 1;
      expect([variables, pageReads(network) - before <= most]).toEqual([variables, true]);
      expect(client.results).toEqual([]);
      await client.leave();
    }
  });

  it('every filter of transactions is decided by the reader of everything as the ledger decides it', async () => {
    await using network = await start({});
    await using gateway = await open(network, { LIVE_MAX_READERS: '0' });
    const { transactions } = network.ledger;
    const sample = transactions.findLast(({ moveCalls, changes }) => moveCalls.length > 0 && changes.length > 0);
    const [call] = sample?.moveCalls ?? [];
    const system = transactions.find(({ kind }) => kind === 'CONSENSUS_COMMIT_PROLOGUE_V1');
    const wanted = [
      { fromAddress: sample?.sender },
      { toAddress: sample?.sender },
      { inputObject: call?.package },
      { inputObject: system?.inputIds[0] },
      { changedObject: system?.inputIds[0] },
      { moveFunction: { package: call?.package } },
      { moveFunction: { package: call?.package, module: call?.module, function: call?.function } },
      { transactionKind: 'ProgrammableTransaction' },
      { transactionKind: 'SystemTransaction' },
      { transactionKind: 'ConsensusCommitPrologueV1' },
    ];
    const newest =
      'query ($filter: TransactionQueryFilter) { queryTransactionBlocks(filter: $filter, last: 50) { nodes { digest } } }';
    const digests = async (filter: object): Promise<string[] | null> => {
      const { data } = await gateway.query(newest, { filter });
      return data?.queryTransactionBlocks?.nodes.map(({ digest }: { digest: string }) => digest) ?? null;
    };
    const offered = [];
    for (const filter of wanted) if (await digests(filter)) offered.push(filter);
    expect(offered.length).toBe(name === 'iota' ? wanted.length : 5);
    const text =
      'subscription ($filter: TransactionStreamFilter, $after: String) { liveTransactions(filter: $filter, after: $after) { __typename ... on LiveTransactionItem { transaction { digest } } } }';
    const subscribe = (filter: object, after?: string) =>
      readEventStream(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(after !== undefined && { 'last-event-id': after }) },
        body: JSON.stringify({ query: text, variables: { filter } }),
      });
    const begun = await Promise.all(offered.map((filter) => subscribe(filter)));
    await until(() => begun.every(({ lastId }) => lastId !== undefined), 'their positions', waitMs);
    const first = network.ledger.transactions.length;
    for (let steps = 0; steps < 12; steps += 1) network.step(2);
    const since = new Set(network.ledger.transactions.slice(first).map(({ digest }) => digest));
    const expected = await Promise.all(
      offered.map(async (filter) => (await digests(filter))?.filter((digest) => since.has(digest)) ?? []),
    );
    expect(expected.filter((list) => list.length > 0).length).toBeGreaterThan(offered.length / 2);
    const digestsOf = ({ results }: (typeof begun)[number]) =>
      results.map(({ data }) => data.liveTransactions.transaction?.digest ?? data.liveTransactions);
    for (const [index, stream] of begun.entries()) {
      await until(() => digestsOf(stream).length >= (expected[index]?.length ?? 0), `all of ${index}`, waitMs);
      expect([offered[index], digestsOf(stream)]).toEqual([offered[index], expected[index]]);
    }
    await Promise.all(begun.map((stream) => stream.leave()));
  });
});
