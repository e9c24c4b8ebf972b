import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryObjects } from 'node:v8';
import { expect, test } from 'vitest';
import type { Devnet } from '../../src/devnet/start-devnet.ts';
import { CatchUp } from '../../src/live/catch-up.ts';
import { LiveChannel } from '../../src/live/channel.ts';
import { Feed } from '../../src/live/feed.ts';
import type { Listen, WatchAttempt } from '../../src/live/live-source.ts';
import { LiveStream } from '../../src/live/live-stream.ts';
import { Reader } from '../../src/live/reader.ts';
import { WakeList } from '../../src/live/wake-list.ts';
import { ResultStream } from '../../src/operation/subscriptions/result-stream.ts';
import { EventStream } from '../../src/server/event-stream.ts';
import { Exchange } from '../../src/server/exchange.ts';
import { SocketOperation } from '../../src/server/websocket/socket-operation.ts';
import { ClientSocket } from '../../src/server/websocket/socket-server.ts';
import { SharedConnection } from '../../src/upstream/sockets/shared-connection.ts';
import { untilNothingIsLeft } from '../support/count-live-objects.ts';
import { inTurns } from '../support/in-turns.ts';
import { type LiveClient, overEventStream, overWebSocket } from '../support/live-clients.ts';
import { createTestFleet, numbered, type TestProcess } from '../support/live-fleet.ts';
import { quickPolls, startTickedDevnet } from '../support/live-network.ts';
import { openWebSocket } from '../support/open-websocket.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

const { constructor: Timeout } = setTimeout(() => {}, 0) as unknown as { constructor: new () => object };

type Counts = Readonly<Record<string, number>>;

/** Classes with one object per subscription, or per query. */
const ofSubscriptions = [
  LiveStream,
  LiveChannel,
  WakeList,
  Feed,
  Reader,
  CatchUp,
  ResultStream,
  SocketOperation,
  ClientSocket,
  EventStream,
  Exchange,
];
/** The last two are subclasses of `SharedConnection`. */
const namesOfSubscriptions = [...ofSubscriptions.map(({ name }) => name), 'GraphqlConnection', 'RpcConnection'];

/** An ancestor of all counted classes: a search for one class takes seconds, and for all of them no longer. */
class Counted {}
for (const { prototype } of [...ofSubscriptions, SharedConnection, Timeout, Server]) {
  let root: object = prototype;
  while (Object.getPrototypeOf(root) !== Object.prototype) root = Object.getPrototypeOf(root);
  if (root !== Counted.prototype) Object.setPrototypeOf(root, Counted.prototype);
}

/** Live objects of each class in this process. */
function countObjects(): Counts {
  const counts: Record<string, number> = {};
  for (const text of queryObjects(Counted, { format: 'summary' })) {
    const [name = ''] = /^\w+/.exec(text) ?? [];
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function countOfSubscriptions(): Counts {
  const counts = countObjects();
  return Object.fromEntries(namesOfSubscriptions.map((name) => [name, counts[name] ?? 0]));
}

/** Waits until no class has more objects than before: readers live 5 s longer, for clients that reconnect. */
async function untilNoMoreThan(before: Counts): Promise<void> {
  let now = countOfSubscriptions();
  await until(
    () => {
      now = countOfSubscriptions();
      return Object.entries(now).every(([name, count]) => count <= (before[name] ?? 0));
    },
    () => `no more objects than ${JSON.stringify(before)}; there are ${JSON.stringify(now)}`,
    60_000,
    2_000,
  );
}

/**
 * Connections, servers and listeners of this process. Timers are counted as objects, because some do not keep the process
 * alive.
 */
function countHandles(): Counts {
  const kinds = process.getActiveResourcesInfo();
  const ofKind = (kind: string) => kinds.filter((each) => each === kind).length;
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  return { connections: ofKind('TCPSocketWrap'), servers: ofKind('TCPServerWrap'), listeners };
}

function countTimersAndHandles(): Counts {
  const { Timeout: timers = 0, Server: listening = 0 } = countObjects();
  return { timers, listening, ...countHandles() };
}

/** Each round leaves less than half an object behind, because libraries vary a little. */
function expectFewSince(before: Counts, times: number): void {
  for (const [name, count] of Object.entries(countTimersAndHandles())) {
    expect(count - (before[name] ?? 0), name).toBeLessThan(times / 2);
  }
}

const item = '__typename ... on LiveEventItem { cursor event { id } }';
const plain = `subscription ($filter: EventStreamFilter, $after: String) { liveEvents(filter: $filter, after: $after) { ${item} } }`;
const joined = plain.replace('event { id }', 'event { id transactionBlock { digest } }');
const broken = plain.replace('event { id }', 'event { nothingOfThatName }');

interface Network extends AsyncDisposable {
  readonly devnet: Devnet;
  readonly gateway: TestGateway;
  readonly address: string;
}

async function startNetwork(env: Record<string, string> = {}): Promise<Network> {
  const devnet = await startTickedDevnet();
  const upstreams = { LEDGER_GRAPHQL_URL: devnet.graphqlUrl, LEDGER_RPC_URL: devnet.rpcUrl };
  const gateway = await createTestGateway({ ...upstreams, ...quickPolls, SCHEMA_POLL_MS: '0', ...env });
  return {
    devnet,
    gateway,
    address: `${gateway.url}/graphql`,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await devnet.close();
    },
  };
}

/** Subscribes to history, to the future and to failing streams, and leaves in one of the ways in which clients leave. */
async function comeAndGoOverWebSocket(address: string, query: string, after: string, way: number): Promise<void> {
  const client = await openWebSocket(address.replace('http', 'ws'));
  const isTold = (id: string, type = 'next') => client.messages.some((each) => each.id === id && each.type === type);
  const subscribe = (id: string, payload: object) => client.send({ id, type: 'subscribe', payload });
  client.send({ type: 'connection_init' });
  await until(() => client.messages.length > 0, 'an acknowledgement');
  subscribe('now', { query });
  subscribe('history', { query, variables: { after } });
  subscribe('nobody', { query, variables: { filter: { sender: `0x${(way + 0xdead).toString(16)}` } } });
  subscribe('refused', { query, variables: { after: 'no cursor' } });
  subscribe('invalid', { query: broken });
  await until(() => isTold('invalid', 'error'), 'an error');
  switch (way % 5) {
    case 0:
      // The client sends `complete`, the first one while items are arriving.
      await until(() => isTold('history'), 'history');
      for (const id of ['history', 'now', 'nobody']) client.send({ id, type: 'complete' });
      client.send({ type: 'ping' });
      await until(() => client.messages.some(({ type }) => type === 'pong'), 'an answer');
      client.socket.close();
      break;
    case 1:
      await until(() => isTold('history'), 'history');
      client.socket.close();
      break;
    case 2:
      // Leaves immediately.
      for (const id of ['history', 'now', 'nobody']) client.send({ id, type: 'complete' });
      client.socket.close();
      break;
    case 3:
      client.socket.terminate();
      break;
    default:
      await until(() => isTold('history'), 'history');
      (client.socket as unknown as { _socket: { resetAndDestroy(): void } })._socket.resetAndDestroy();
  }
  await client.closed;
}

async function comeAndGoOverEventStream(address: string, query: string, after: string, way: number): Promise<void> {
  const filter = { sender: `0x${(way + 0xdead).toString(16)}` };
  switch (way % 5) {
    case 0: {
      const client = overEventStream(address, query, { after });
      await until(() => client.ids.length > 0, 'history');
      return client.leave();
    }
    case 1: {
      const client = overEventStream(address, query, { filter });
      await until(() => client.text !== '', 'its beginning');
      return client.leave();
    }
    case 2:
      return overEventStream(address, query, { after }).leave();
    case 3: {
      const client = overEventStream(address, query, { after: 'no cursor' });
      await until(() => client.end !== null, 'its end');
      return client.leave();
    }
    default: {
      const client = overEventStream(address, broken);
      await until(() => client.end !== null, 'its end');
      return client.leave();
    }
  }
}

/** Each has one to five subscriptions. */
const each = 40;

test('a hundred short subscriptions leave nothing behind, beside lasting ones', {
  timeout: 600_000,
}, async () => {
  await using network = await startNetwork({ LIVE_SOURCE: 'websocket' });
  const { devnet, gateway, address } = network;
  const clients = [overWebSocket(address, plain), overWebSocket(address, joined), overEventStream(address, joined)];
  const isToldAll = (client: LiveClient) => {
    const last = devnet.ledger.events.at(-1);
    return last !== undefined && client.ids.at(-1) === `${last.txDigest}:${last.eventSeq}`;
  };
  const tick = async (times: number) => {
    for (let count = 0; count < times; count += 1) {
      devnet.tick();
      await until(() => clients.every(isToldAll), 'what happened, told to all', 60_000);
    }
  };
  await until(
    () => {
      devnet.tick();
      return clients.every(({ ids }) => ids.length > 0);
    },
    'an event for each',
    20_000,
    25,
  );
  const after = clients[0]?.cursor as string;
  await tick(5);
  const staying = countOfSubscriptions();
  expect(staying.LiveStream).toBe(clients.length);

  const round = async () => {
    await inTurns(each, 8, async (index) => {
      const query = index % 4 < 2 ? plain : joined;
      const comeAndGo = index % 2 === 0 ? comeAndGoOverWebSocket : comeAndGoOverEventStream;
      await comeAndGo(address, query, after, Math.floor(index / 4));
    });
    gateway.log.length = 0;
    await untilNoMoreThan(staying);
  };
  await round();
  const before = countTimersAndHandles();
  await round();
  expectFewSince(before, each);
  const quiet = countTimersAndHandles();
  await tick(20);
  expectFewSince(quiet, 20);

  for (const client of clients) await client.leave();
  await untilNoMoreThan({});
});

test('a stopped gateway leaves nothing in its process, with or without subscribers', {
  timeout: 600_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'leak-guard-'));
  const secret = join(folder, 'sponsor-token');
  await writeFile(secret, 'a-token-that-lasts');
  const clientsFile = join(folder, 'clients.json');
  const listed = JSON.stringify([{ id: 'app', hash: 'a'.repeat(64), scopes: ['read'] }]);
  await writeFile(clientsFile, listed);
  await using devnet = await startTickedDevnet({ sponsorToken: 'a-token-that-lasts' });
  const lifetime = async (source: string) => {
    const gateway = await createTestGateway(
      {
        LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
        LEDGER_RPC_URL: devnet.rpcUrl,
        SPONSOR_URL: devnet.sponsorUrl,
        SPONSOR_TOKEN_FILE: secret,
        SPONSOR_ALLOW_ANONYMOUS: 'true',
        CORS_ORIGINS: 'https://app.example',
        CLIENTS_FILE: clientsFile,
        ...quickPolls,
        LIVE_SOURCE: source,
      },
      { [secret]: 'a-token-that-lasts', [clientsFile]: listed },
    );
    const address = `${gateway.url}/graphql`;
    const clients = [overWebSocket(address, plain), overEventStream(address, joined), overWebSocket(address, joined)];
    await until(
      () => {
        devnet.tick();
        return clients.every(({ ids }) => ids.length > 0);
      },
      'an event for each',
      20_000,
      25,
    );
    await gateway.close();
    for (const client of clients) await client.leave();
  };
  await lifetime('websocket');
  await untilNoMoreThan({});
  const before = countTimersAndHandles();
  for (const source of ['websocket', 'auto', 'poll']) await lifetime(source);
  await until(
    () => Object.entries(countHandles()).every(([name, count]) => count <= (before[name] ?? 0)),
    () => `${JSON.stringify(countHandles())} where ${JSON.stringify(before)} were`,
  );
  await untilNoMoreThan({});
  expectFewSince(before, 3);
  await rm(folder, { recursive: true });
});

/** Streams of a round. */
const streams = 24;

test('streams of many callers, left at any moment, leave nothing in the processes of a fleet', {
  timeout: 600_000,
}, async () => {
  const { clock, node, logs, start } = createTestFleet({ names: numbered(1, 300), replayBytes: 30_000 });
  let happened = 300;
  let callers = 0;
  const happen = (count: number) => {
    node.add(...numbered(happened + 1, happened + count));
    happened += count;
    // Streams that begin before these find a gap.
    node.items.splice(0, node.items.length - 300);
  };
  const begin = (): TestProcess => {
    const started = start();
    const { source } = started;
    const attempts = new Set<WatchAttempt>();
    const listen: Listen = (attempt) => {
      attempts.add(attempt);
      queueMicrotask(() => attempt.up());
      return () => attempts.delete(attempt);
    };
    return Object.assign(started, { source: Object.assign(source, { listen }), attempts });
  };
  const lasting = [begin(), begin()] as const;
  const [first, second] = lasting;
  const stays = [first.follow(), second.follow()];
  await clock.pass(5_000);
  const stayingTimers = clock.timers;
  // Fills the replay buffers and the keys that outlive them.
  for (let times = 0; times < 12; times += 1) {
    happen(40);
    await clock.pass(2_000);
  }

  const round = async () => {
    for (let index = 0; index < streams; index += 1) {
      const { source, follow, byHand, logs: own } = lasting[index % 2] as TestProcess;
      callers += 1;
      const options = {
        caller: `caller ${callers}`,
        filter: String(index % 5),
        read: (['everything', 'own', 'own only'] as const)[index % 3] as 'own',
      };
      const from = node.items[index % 7 === 0 ? 250 : 20] ?? null;
      const after = index % 4 === 0 ? undefined : { last: from, from };
      const following = follow(after, options);
      const pulled = byHand(after, options);
      const next = pulled.next();
      happen(index % 3);
      if (index % 6 === 1)
        source.before = () => {
          throw new Error('away');
        };
      if (index % 8 === 3) own.state = 'cut';
      if (index % 5 > 0) await clock.pass([0, 1, 150, 3_000, 9_000][index % 5] ?? 0);
      source.before = () => {};
      own.state = 'well';
      await following.leave();
      await pulled.return(undefined);
      await next;
    }
    // A process that comes and goes.
    const third = begin();
    const left = third.follow();
    await clock.pass(4_000);
    happen(30);
    await clock.pass(4_000);
    third.hub.stop();
    await left.leave();
    third.hub.close();
    await clock.pass(60_000);
    for (const { points, log, source } of [...lasting, third]) {
      points.clear();
      log.length = 0;
      source.reads.splice(0);
    }
    for (const { told } of stays) told.length = 0;
    expect(lasting.map(({ hub }) => hub.readers)).toEqual([1, 1]);
    expect(clock.timers).toBeLessThanOrEqual(stayingTimers + 2);
  };
  await untilNothingIsLeft(streams, round);
  for (const each of stays) await each.leave();
  await clock.pass(10_000);
  expect([lasting.map(({ hub }) => hub.readers), clock.timers]).toEqual([[0, 0], 0]);
  expect(logs.entries.length).toBeGreaterThan(0);
});
