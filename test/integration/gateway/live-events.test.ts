import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Devnet } from '../../../src/devnet/start-devnet.ts';
import { readEventStream } from '../../support/event-stream-reader.ts';
import { type LiveClient, overEventStream, overWebSocket } from '../../support/live-clients.ts';
import {
  asksForNewest,
  eventIds,
  type LiveNetwork,
  quickPolls,
  readsItems,
  startLiveNetwork,
  startTickedDevnet,
} from '../../support/live-network.ts';
import type { RecordingUpstream } from '../../support/recording-upstream.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

describe.each(['rpc', 'graphql'] as const)('with events from %s:', (source) => {
  let network: LiveNetwork;
  let devnet: Devnet;
  let rpc: RecordingUpstream;
  let gateway: TestGateway;
  let address: string;

  beforeAll(async () => {
    network = await startLiveNetwork({}, source);
    ({ devnet, rpc, gateway, address } = network);
  });
  afterAll(() => network?.[Symbol.asyncDispose]());

  const idsFrom = (start: number) => eventIds(devnet).slice(start);
  /** Creates events: at least one. */
  const happen = () => {
    const before = devnet.ledger.events.length;
    while (devnet.ledger.events.length === before) devnet.tick();
  };
  const polls = () => rpc.requests.filter(readsItems).length;
  /** A reader begins by requesting the newest event, and never does so again. */
  const begunReaders = () => rpc.requests.filter(asksForNewest).length;
  /** Creates events until a stream receives one. @returns its index among all */
  async function begun(client: LiveClient): Promise<number> {
    await until(
      () => {
        if (client.ids.length === 0) happen();
        return client.ids.length > 0;
      },
      'an event',
      20_000,
      25,
    );
    return idsFrom(0).indexOf(client.ids[0] ?? '');
  }

  const items =
    'subscription ($filter: EventStreamFilter, $after: String) { liveEvents(filter: $filter, after: $after) { __typename ... on LiveEventItem { cursor event { id sender } } ... on LiveMissed { count resumeAfter } ... on LiveGap { after before reason } } }';

  describe.each([
    ['over WebSocket', overWebSocket],
    ['as an event stream', overEventStream],
  ])('liveEvents %s', (_, subscribe) => {
    it('delivers events in order, and resumes exactly behind a cursor', async () => {
      const client = subscribe(address, items);
      const start = await begun(client);
      happen();
      happen();
      await until(() => client.ids.length === idsFrom(start).length, 'all events');
      expect(client.ids).toEqual(idsFrom(start));
      await client.leave();
      happen();
      const again = subscribe(address, items, { after: client.cursor });
      happen();
      await until(() => client.ids.length + again.ids.length >= idsFrom(start).length, 'the rest of the events');
      expect([...client.ids, ...again.ids]).toEqual(idsFrom(start));
      await again.leave();
    });

    it('delivers only matching events', async () => {
      const sender = devnet.ledger.events.at(-1)?.sender ?? '';
      const client = subscribe(address, items, { filter: { not: { sender } } });
      const start = await begun(client);
      const others = () => devnet.ledger.events.slice(start).filter((event) => event.sender !== sender);
      while (others().length < 3) happen();
      await until(() => client.ids.length === others().length, 'the events of others');
      expect(client.ids).toEqual(others().map(({ txDigest, eventSeq }) => `${txDigest}:${eventSeq}`));
      await client.leave();
    });

    it('resolves joins for each event', async () => {
      const query =
        '{ liveEvents { ... on LiveEventItem { event { id type senderAddress { address } transactionBlock { digest } } } } }';
      const client = subscribe(address, `subscription ${query}`);
      const start = await begun(client);
      const event = devnet.ledger.events[start];
      expect(client.results[0]).toEqual({
        data: {
          liveEvents: {
            event: {
              id: idsFrom(start)[0],
              type: event?.type,
              senderAddress: { address: event?.sender },
              transactionBlock: { digest: event?.txDigest },
            },
          },
        },
      });
      await client.leave();
    });

    it.each([
      ['a filter that breaks a rule', { filter: { and: [] } }, 'BAD_USER_INPUT'],
      ['a cursor that was made up', { after: 'AAAAAAAAAAAAAAAAAAAAAAAA' }, 'BAD_USER_INPUT'],
      ['a variable of another type', { after: 5 }, 'BAD_USER_INPUT'],
    ])('rejects %s without an upstream call', async (_about, variables, code) => {
      const before = begunReaders();
      const client = subscribe(address, items, variables);
      await until(() => client.results.length > 0, 'a refusal');
      expect(client.results[0]?.errors).toMatchObject([{ extensions: { code } }]);
      await until(() => client.end !== null, 'its end');
      expect(begunReaders()).toBe(before);
      await client.leave();
    });

    it('rejects a cursor of another filter', async () => {
      const client = subscribe(address, items);
      await begun(client);
      await client.leave();
      const other = subscribe(address, items, { filter: { sender: '0x2' }, after: client.cursor });
      await until(() => other.results.length > 0, 'a refusal');
      expect(other.results[0]?.errors?.[0].message).toContain('cursors are taken from different checkpoints');
      await other.leave();
    });

    it('stops polling when the last subscriber has left', async () => {
      const clients = [subscribe(address, items), subscribe(address, items, { filter: { package: '0x2' } })];
      await Promise.all(clients.slice(0, 1).map(begun));
      await Promise.all(clients.map((client) => client.leave()));
      const before = begunReaders();
      // This stream starts its own reader; a reader still running would serve it.
      await until(async () => {
        if (await isPolled()) return false;
        const next = subscribe(address, items);
        await begun(next);
        await next.leave();
        return begunReaders() > before;
      }, 'a new reader');
      expect(begunReaders()).toBe(before + 1);
    });
  });

  /** Is the node polled within three times a reader's longest pause? */
  async function isPolled(): Promise<boolean> {
    const before = polls();
    await new Promise((resolve) => setTimeout(resolve, 120));
    return polls() > before;
  }

  it('polls once for all subscribers, over WebSocket and event streams', async () => {
    const clients = [overWebSocket, overEventStream].flatMap((subscribe) =>
      Array.from({ length: 10 }, () => subscribe(address, items)),
    );
    const starts = [];
    for (const client of clients) starts.push(await begun(client));
    const callsDuring = async (work: () => Promise<unknown>) => {
      const before = polls();
      await work();
      return polls() - before;
    };
    happen();
    const last = idsFrom(0).at(-1);
    const calls = await callsDuring(() => until(() => clients.every(({ ids }) => ids.at(-1) === last), 'it for all'));
    expect(calls).toBeLessThan(clients.length);
    for (const [index, { ids }] of clients.entries()) expect(ids).toEqual(idsFrom(starts[index] ?? 0));
    await Promise.all(clients.map((client) => client.leave()));
  });

  it.each([
    ['every event', undefined, undefined],
    ['a sender', { sender: '0x0' }, { senderAddress: '0x0' }],
  ])('continues at a cursor of queryEvents with the same filter: %s', async (_, queried, streamed) => {
    const sender = devnet.ledger.events.at(-1)?.sender ?? '';
    const inPlace = (filter: object | undefined) =>
      filter && Object.fromEntries(Object.keys(filter).map((key) => [key, sender]));
    const { data } = await gateway.query(
      'query ($filter: EventQueryFilter) { queryEvents(filter: $filter, first: 3) { nodes { id } pageInfo { endCursor } } }',
      { filter: inPlace(queried) },
    );
    const { nodes, pageInfo } = data.queryEvents;
    const after = pageInfo.endCursor;
    const client = overWebSocket(address, items, { filter: inPlace(streamed), after });
    happen();
    const wanted = devnet.ledger.events
      .filter((event) => !queried || event.sender === sender)
      .map((e) => `${e.txDigest}:${e.eventSeq}`);
    await until(() => client.ids.length + 3 >= wanted.length, 'the rest');
    expect([...nodes.map(({ id }: { id: string }) => id), ...client.ids]).toEqual(wanted);
    await client.leave();
    const other = overWebSocket(address, items, { filter: { not: { sender } }, after });
    await until(() => other.results.length > 0, 'a refusal');
    expect(other.results[0]?.errors?.[0].message).toContain('cursors are taken from different checkpoints');
    await other.leave();
  });

  describe('liveTransactions', () => {
    const query = (fields: string) =>
      `subscription ($filter: TransactionStreamFilter, $after: String) { liveTransactions(filter: $filter, after: $after) { ... on LiveTransactionItem { cursor transaction { digest ${fields} } } } }`;
    const digests = () => devnet.ledger.transactions.map(({ digest }) => digest);
    /** Creates transactions until a stream receives one. @returns all that followed it */
    const sinceFirst = async (client: LiveClient) => {
      await until(
        () => {
          if (client.ids.length === 0) happen();
          return client.ids.length > 0;
        },
        'a transaction',
        20_000,
        25,
      );
      const first = client.ids[0] ?? '';
      return () => digests().slice(digests().indexOf(first));
    };

    it.each([
      ['over WebSocket', overWebSocket],
      ['as an event stream', overEventStream],
    ])('delivers transactions in order, and resumes exactly behind a cursor: %s', async (_, subscribe) => {
      const client = subscribe(address, query('checkpoint transactionBlock { digest }'));
      const all = await sinceFirst(client);
      await client.leave();
      happen();
      const again = subscribe(address, query(''), { after: client.cursor });
      happen();
      await until(() => client.ids.length + again.ids.length >= all().length, 'the rest');
      expect([...client.ids, ...again.ids]).toEqual(all());
      expect(client.results[0]?.data.liveTransactions.transaction).toMatchObject({
        digest: client.ids[0],
        transactionBlock: { digest: client.ids[0] },
      });
      await again.leave();
    });

    it('delivers matching transactions, whole if selected', async () => {
      const fromAddress = devnet.ledger.events.at(-1)?.sender ?? '';
      // A reader that does not fetch parts of a transaction cannot serve a stream that needs them.
      const brief = overWebSocket(address, query(''), { filter: { fromAddress } });
      await sinceFirst(brief);
      const client = overWebSocket(address, query('raw'), { filter: { fromAddress } });
      await sinceFirst(client);
      const senders = client.results.map(({ data }) => {
        const { raw } = data.liveTransactions.transaction;
        return raw.sender?.address ?? raw.transaction.data.sender;
      });
      expect(new Set(senders)).toEqual(new Set([fromAddress]));
      await Promise.all([client.leave(), brief.leave()]);
    });

    it('rejects an invalid filter', async () => {
      const client = overEventStream(address, query(''), { filter: { fromAddress: 'me' } });
      await until(() => client.results.length > 0, 'a refusal');
      expect(client.results[0]?.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
      await client.leave();
    });
  });

  describe('a stream', () => {
    it('resumes after an outage of the node without losing anything', async () => {
      const client = overWebSocket(address, items);
      const start = await begun(client);
      const before = polls();
      rpc.intercept = (_, res) => {
        res.destroy();
        return true;
      };
      happen();
      await until(() => polls() > before + 2, 'calls that fail');
      happen();
      rpc.intercept = undefined;
      await until(() => client.ids.length === idsFrom(start).length, 'all events');
      expect(client.ids).toEqual(idsFrom(start));
      await client.leave();
    });

    it('is rejected for a client that cannot read it, before anything is opened', async () => {
      const before = begunReaders();
      const headers = { accept: 'application/json', 'content-type': 'application/json' };
      const variables = { filter: { sender: '0x77' } };
      const response = await fetch(address, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query: items, variables }),
      });
      expect(response.status).toBe(406);
      expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
      expect(begunReaders()).toBe(before);
    });

    it('is served to a plain GET, with an immediate comment', async () => {
      const query = 'subscription { liveEvents { __typename } }';
      const controller = new AbortController();
      const response = await fetch(`${address}?${new URLSearchParams({ query })}`, {
        headers: { accept: 'text/event-stream' },
        signal: controller.signal,
      });
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      const { value } = (await response.body?.getReader().read()) ?? {};
      expect(Buffer.from(value ?? []).toString()).toMatch(/^retry: \d+\n:\n\n$/);
      controller.abort();
    });

    it('is estimated as served, without a number of calls', async () => {
      const { data } = await gateway.query(
        'query ($query: String!) { estimate(query: $query) { refused plan upstreamCalls } }',
        {
          query: items,
        },
      );
      expect(data.estimate).toEqual({ refused: false, plan: 'LOCAL', upstreamCalls: null });
    });

    it('logs how it ended', async () => {
      const client = overWebSocket(address, items);
      await begun(client);
      await client.leave();
      await until(() => gateway.log.some(({ msg }) => msg === 'operation over a WebSocket'), 'a line');
      expect(gateway.log.findLast(({ msg }) => msg === 'operation over a WebSocket')).toMatchObject({
        operations: [{ type: 'subscription', errors: 0 }],
      });
    });
  });

  describe('a gateway', () => {
    const env = () => ({
      LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
      ...(source === 'rpc' && { LEDGER_RPC_URL: devnet.rpcUrl }),
      ...quickPolls,
    });

    it('that stops sends each stream a resume cursor, and ends it', async () => {
      const stopping = await createTestGateway(env());
      const clients: LiveClient[] = [overWebSocket, overEventStream].map((subscribe) =>
        subscribe(`${stopping.url}/graphql`, items),
      );
      const start = devnet.ledger.events.length;
      const missed = '... on LiveMissed { count resumeAfter }';
      const transactions = overWebSocket(
        `${stopping.url}/graphql`,
        `subscription { liveTransactions { __typename ... on LiveTransactionItem { transaction { digest } } ${missed} } }`,
      );
      await until(
        () => {
          happen();
          return [...clients, transactions].every(({ ids }) => ids.length > 0);
        },
        'items for all',
        20_000,
        25,
      );
      const seen = clients.map(({ ids }) => ids.length);
      await stopping.close();
      await until(() => [...clients, transactions].every(({ end }) => end !== null), 'their ends');
      expect(transactions.end).toBe('complete');
      expect(transactions.results.at(-1)?.data.liveTransactions).toMatchObject({ __typename: 'LiveMissed', count: 0 });
      for (const [index, { end, results, ids }] of clients.entries()) {
        expect(end).toBe('complete');
        expect(results.at(-1)?.data.liveEvents).toMatchObject({ __typename: 'LiveMissed', count: 0 });
        expect(ids.length).toBeGreaterThanOrEqual(seen[index] ?? 0);
        expect(idsFrom(start).join()).toContain(ids.join());
      }
      await Promise.all([...clients, transactions].map((client) => client.leave()));
    });

    it('limits the streams of one caller, and a stream that ends frees a slot', async () => {
      await using small = await createTestGateway({ ...env(), LIVE_MAX_STREAMS_PER_CALLER: '1' });
      const first = overEventStream(`${small.url}/graphql`, items);
      await until(
        () => {
          happen();
          return first.ids.length > 0;
        },
        'an event',
        20_000,
        25,
      );
      const second = overWebSocket(`${small.url}/graphql`, items);
      await until(() => second.results.length > 0, 'a refusal');
      expect(second.results[0]?.errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
      await second.leave();
      await first.leave();
      await until(async () => {
        const third = overWebSocket(`${small.url}/graphql`, items);
        await until(
          () => {
            happen();
            return third.results.length > 0;
          },
          'an answer',
          20_000,
          25,
        );
        await third.leave();
        return third.ids.length > 0;
      }, 'a place');
    });

    it('without a JSON-RPC URL names the missing setting', async () => {
      await using bare = await createTestGateway({ LEDGER_GRAPHQL_URL: devnet.graphqlUrl, EVENTS_SOURCE: 'rpc' });
      const client = overEventStream(`${bare.url}/graphql`, items);
      await until(() => client.results.length > 0, 'a refusal');
      expect(client.results[0]?.errors).toMatchObject([
        { extensions: { code: 'NOT_CONFIGURED', setting: 'LEDGER_RPC_URL' } },
      ]);
      await client.leave();
    });
  });

  it('reports a gap if a node has dropped the events after a cursor', async () => {
    await using forgetful = await startTickedDevnet({ retention: { checkpoints: 40 } });
    const env = {
      LEDGER_GRAPHQL_URL: forgetful.graphqlUrl,
      ...(source === 'rpc' && { LEDGER_RPC_URL: forgetful.rpcUrl }),
      CURSOR_KEYS: 'k'.repeat(32),
      ...quickPolls,
    };
    await using over = await createTestGateway(env);
    const client = overWebSocket(`${over.url}/graphql`, items);
    await until(
      () => {
        forgetful.tick();
        return client.cursor !== null;
      },
      'an event',
      20_000,
      25,
    );
    await client.leave();
    for (let count = 0; count < 100; count += 1) forgetful.tick();
    // Another instance, without history.
    await using other = await createTestGateway(env);
    const again = overWebSocket(`${other.url}/graphql`, items, { after: client.cursor });
    const kept = eventIds(forgetful);
    await until(() => again.ids.length === kept.length, 'what is left');
    expect(again.results[0]?.data.liveEvents).toMatchObject({ __typename: 'LiveGap', after: client.cursor });
    expect(again.results[0]?.data.liveEvents.before).toBe(again.results[1]?.data.liveEvents.cursor);
    expect(again.ids).toEqual(kept);
    await again.leave();
  });

  describe('many streams with different filters', () => {
    const capability = async (gateway: TestGateway) => {
      const { data } = await gateway.query('{ gateway { capabilities { name available reason } } }');
      const all = (data as { gateway: { capabilities: { name: string }[] } }).gateway.capabilities;
      return all.find(({ name }) => name === 'live:ownReader');
    };
    const senderOf = (index: number) => `0x${(index + 16).toString(16)}`;

    it('share a few readers and the reader of everything, which capabilities shows, and receive their events', async () => {
      await using network = await startLiveNetwork({ LIVE_MAX_READERS_PER_CALLER: '2' }, source);
      const { gateway, rpc, devnet, address } = network;
      expect(await capability(gateway)).toMatchObject({ available: true, reason: null });
      const sender = devnet.ledger.events.at(-1)?.sender ?? '';
      const others = Array.from({ length: 50 }, (_, index) =>
        overWebSocket(address, items, { filter: { sender: senderOf(index) } }),
      );
      const begun = () => rpc.requests.filter(asksForNewest).length;
      await until(() => begun() >= 3, 'three readers');
      const late = overEventStream(address, items, { filter: { sender } });
      const start = devnet.ledger.events.length;
      await until(
        () => {
          devnet.tick();
          return late.ids.length >= 3;
        },
        'events of the sender',
        20_000,
        25,
      );
      const wanted = devnet.ledger.events.slice(start).filter((event) => event.sender === sender);
      const ids = wanted.map(({ txDigest, eventSeq }) => `${txDigest}:${eventSeq}`);
      await until(() => late.ids.at(-1) === ids.at(-1), 'the last of them');
      expect(ids.slice(ids.indexOf(late.ids[0] ?? ''))).toEqual(late.ids);
      expect(begun()).toBe(3);
      expect(await capability(gateway)).toMatchObject({
        available: false,
        reason: expect.stringContaining('The 2 readers that one caller may have are open'),
      });
      const all = overWebSocket(address, 'subscription { liveTransactions { __typename } }');
      const sent = overWebSocket(
        address,
        `subscription { liveTransactions(filter: { fromAddress: "${sender}" }) { ... on LiveTransactionItem {
          transaction { transactionBlock { sender { address } } } } } }`,
      );
      await until(
        () => {
          devnet.tick();
          return all.results.length > 0 && sent.results.length > 0;
        },
        'transactions',
        20_000,
        25,
      );
      expect([all.results[0]?.errors, sent.results[0]?.errors]).toEqual([undefined, undefined]);
      expect(sent.results[0]?.data.liveTransactions.transaction.transactionBlock.sender.address).toBe(sender);
      await Promise.all([...others, late, all, sent].map((client) => client.leave()));
    });

    it('of transactions are all served by the reader of everything, which decides them as the node does', async () => {
      await using network = await startLiveNetwork(
        { LIVE_MAX_READERS: '0', LIVE_MAX_STREAMS_PER_CALLER: '100' },
        source,
      );
      const { gateway, devnet, address, rpc } = network;
      const { transactions } = devnet.ledger;
      const users = transactions.filter(({ kind }) => kind === 'PROGRAMMABLE_TX');
      const filters = [
        { transactionKind: 'ProgrammableTransaction' },
        ...users
          .slice(-6)
          .flatMap(({ sender, inputIds, changes, moveCalls }) => [
            { fromAddress: sender },
            { toAddress: sender },
            ...inputIds.map((inputObject) => ({ inputObject })),
            ...changes.slice(0, 1).map(({ objectId }) => ({ changedObject: objectId })),
            ...moveCalls.slice(0, 1).map(({ package: id, module }) => ({ moveFunction: { package: id, module } })),
          ]),
      ].slice(0, 40);
      const text =
        'subscription ($filter: TransactionStreamFilter) { liveTransactions(filter: $filter) { ... on LiveTransactionItem { transaction { digest } } } }';
      const streams = await Promise.all(
        filters.map((filter) =>
          readEventStream(address, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ query: text, variables: { filter } }),
          }),
        ),
      );
      await until(() => streams.every(({ lastId }) => lastId !== undefined), 'their positions', 20_000);
      expect(rpc.requests.filter(asksForNewest).length).toBe(1);
      const start = devnet.ledger.transactions.length;
      for (let count = 0; count < 15; count += 1) devnet.tick();
      const since = new Set(devnet.ledger.transactions.slice(start).map(({ digest }) => digest));
      const query =
        'query ($filter: TransactionQueryFilter) { queryTransactionBlocks(filter: $filter, last: 50) { nodes { digest } } }';
      for (const [index, filter] of filters.entries()) {
        const { data } = await gateway.query(query, { filter });
        const nodes: { digest: string }[] = data.queryTransactionBlocks.nodes;
        const expected = nodes.map(({ digest }) => digest).filter((digest) => since.has(digest));
        const told = () =>
          (streams[index]?.results ?? []).map(({ data }) => data.liveTransactions.transaction?.digest ?? data);
        await until(() => told().length >= expected.length, 'its transactions', 20_000);
        expect([filter, told()]).toEqual([filter, expected]);
      }
      await Promise.all(streams.map((stream) => stream.leave()));
    });
  });
});
