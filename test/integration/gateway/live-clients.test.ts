import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Devnet } from '../../../src/devnet/start-devnet.ts';
import { libraryClients } from '../../support/library-clients.ts';
import { type LiveClient, type LiveResult, overWebSocket } from '../../support/live-clients.ts';
import { quickPolls, startTickedDevnet } from '../../support/live-network.ts';
import { type RecordingUpstream, recordUpstream } from '../../support/recording-upstream.ts';
import { openTcpGate } from '../../support/tcp-gate.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

let devnet: Devnet;
let rpc: RecordingUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  devnet = await startTickedDevnet();
  rpc = await recordUpstream(devnet.rpcUrl);
  gateway = await createTestGateway({
    LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
    LEDGER_RPC_URL: rpc.url,
    ...quickPolls,
  });
});
afterAll(async () => {
  await gateway?.close();
  await rpc?.[Symbol.asyncDispose]();
  await devnet?.close();
});

const libraries = [['graphql-ws', overWebSocket] as const, ...libraryClients];
const query =
  'subscription Follow($filter: EventStreamFilter, $after: String) { liveEvents(filter: $filter, after: $after) { __typename ... on LiveEventItem { cursor event { id } } ... on LiveMissed { count resumeAfter } } }';

/** A client that reconnects as soon as it can. */
const atOnce = { retryAttempts: 1_000, retry: pause, retryWait: pause, shouldRetry: () => true };
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

interface Follower {
  readonly name: string;
  readonly client: LiveClient;
}

/** Each library, concurrently. */
const followAll = (toVariables: (name: string) => Record<string, unknown>): Follower[] =>
  libraries.map(([name, subscribe]) => ({
    name,
    client: subscribe(`${gateway.url}/graphql`, query, toVariables(name)),
  }));
const leaveAll = (followers: readonly Follower[]) => Promise.all(followers.map(({ client }) => client.leave()));
/** The variables of streams that it does not hold yet. */
const untilAll = (followers: readonly Follower[], holds: (client: LiveClient) => boolean, meanwhile = () => {}) =>
  until(
    () => {
      const isAll = followers.every(({ client }) => holds(client));
      if (!isAll) meanwhile();
      return isAll;
    },
    () =>
      followers
        .filter(({ client }) => !holds(client))
        .map(({ name, client }) => `${name}: ${client.end}, ${JSON.stringify(client.results).slice(-300)}`)
        .join('\n'),
  );

/** Is the node polled within three times a reader's longest pause? */
async function isPolled(): Promise<boolean> {
  const before = rpc.requests.length;
  await new Promise((resolve) => setTimeout(resolve, 120));
  return rpc.requests.length > before;
}

it('each library receives matching events in order, resumes behind a cursor, and leaves nothing behind', async () => {
  const sender = devnet.ledger.events.at(-1)?.sender ?? '';
  const filter = { not: { sender } };
  const followers = followAll(() => ({ filter }));
  await untilAll(
    followers,
    ({ ids }) => ids.length >= 3,
    () => devnet.tick(),
  );
  const told = new Map(followers.map(({ name, client }) => [name, client]));
  await leaveAll(followers);
  // Each receives what it missed when it is back.
  const again = followAll((name) => ({ filter, after: told.get(name)?.cursor }));
  await untilAll(
    again,
    ({ ids }) => ids.length >= 3,
    () => devnet.tick(),
  );
  await leaveAll(again);
  const others = devnet.ledger.events
    .filter((event) => event.sender !== sender)
    .map(({ txDigest, eventSeq }) => `${txDigest}:${eventSeq}`);
  for (const { name, client } of again) {
    const ids = [...(told.get(name)?.ids ?? []), ...client.ids];
    const start = others.indexOf(ids[0] ?? '');
    expect(ids, name).toEqual(others.slice(start, start + ids.length));
  }
  const begunReaders = () => rpc.requests.filter(({ body }) => JSON.parse(body).params.at(-1) === true).length;
  const begun = begunReaders();
  // A stream without a running reader starts its own; a reader still running would serve it.
  await until(async () => {
    if (await isPolled()) return false;
    const next = overWebSocket(`${gateway.url}/graphql`, query.replace('Follow', 'Next'), { filter });
    await until(() => {
      devnet.tick();
      return next.ids.length > 0;
    }, 'an event');
    await next.leave();
    return begunReaders() > begun;
  }, 'a new reader');
  const ended = () =>
    gateway.log.filter(({ operations }) => JSON.stringify(operations ?? '').includes('"Follow"')).length;
  await until(
    () => ended() === libraries.length * 2,
    () => `only ${ended()} streams ended`,
  );
});

it('each library reports in its own form why a subscription was rejected', async () => {
  const followers = followAll(() => ({ after: 'AAAAAAAAAAAAAAAAAAAAAAAA' }));
  await untilAll(followers, ({ results, end }) => results.length > 0 && end !== null);
  for (const { name, client } of followers)
    expect(client.results[0]?.errors, name).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  await leaveAll(followers);
});

it.each([
  [
    'graphql-ws',
    (url: string) => createWsClient({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket, ...atOnce }),
  ],
  ['graphql-sse', (url: string) => createSseClient({ url, ...atOnce })],
])('%s, whose variables are read anew, goes on behind the last event when its connection broke', async (_, connect) => {
  await using gate = await openTcpGate(Number(new URL(gateway.url).port));
  const ids: string[] = [];
  let last: string | null = null;
  const variables = {
    get after() {
      return last;
    },
  };
  const client = connect(`http://127.0.0.1:${gate.port}/graphql`);
  const leave = client.subscribe<LiveResult['data']>(
    { query, variables },
    {
      next: ({ data }) => {
        last = data.liveEvents.cursor;
        ids.push(data.liveEvents.event.id);
      },
      error: () => {},
      complete: () => {},
    },
  );
  const more = (than: number) =>
    until(() => {
      devnet.tick();
      return ids.length > than;
    }, 'an event');
  await more(0);
  gate.cut();
  for (let ticks = 0; ticks < 5; ticks += 1) devnet.tick();
  gate.heal();
  await more(ids.length);
  leave();
  await client.dispose();
  const all = devnet.ledger.events.map(({ txDigest, eventSeq }) => `${txDigest}:${eventSeq}`);
  expect(ids).toEqual(all.slice(all.indexOf(ids[0] ?? '')).slice(0, ids.length));
});

it('each library receives a resume cursor and the end when the gateway stops', async () => {
  const followers = followAll(() => ({}));
  await untilAll(
    followers,
    ({ ids }) => ids.length > 0,
    () => devnet.tick(),
  );
  await gateway.close();
  await untilAll(followers, ({ end }) => end !== null);
  for (const { name, client } of followers) {
    expect(client.end, name).toBe('complete');
    const last = { __typename: 'LiveMissed', count: 0, resumeAfter: expect.any(String) };
    expect(client.results.at(-1)?.data.liveEvents, name).toEqual(last);
  }
  await leaveAll(followers);
});
