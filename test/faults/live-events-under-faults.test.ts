import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { Devnet } from '../../src/devnet/start-devnet.ts';
import { type LiveClient, type LiveResult, overEventStream, overWebSocket } from '../support/live-clients.ts';
import { eventIds, quickPolls, startTickedDevnet } from '../support/live-network.ts';
import { type RecordingUpstream, recordUpstream } from '../support/recording-upstream.ts';
import { redisMissing, startRedis } from '../support/redis-server.ts';
import { chaos, runs, seed } from '../support/runs.ts';
import { openTcpGate, type TcpGate } from '../support/tcp-gate.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

/** Milliseconds that one wait may take on a slow machine. */
const waitMs = 60_000;
/** Actions, one after the other. */
const steps = runs(20);

type Source = 'rpc' | 'graphql';

let devnet: Devnet;
/** In front of what the gateways read events from. */
let node: RecordingUpstream;

/** Runs a test with a network of its own. */
async function withNetwork(source: Source, test: () => Promise<void>): Promise<void> {
  devnet = await startTickedDevnet();
  node = await recordUpstream(source === 'rpc' ? devnet.rpcUrl : devnet.graphqlUrl);
  try {
    await test();
  } finally {
    await node[Symbol.asyncDispose]();
    await devnet.close();
  }
}

interface Answered {
  readonly data: unknown[];
  readonly hasNextPage: boolean;
}

/** Changes the page in an answer of either source. */
function spoilAnswer(text: string, spoil: (page: Answered) => Answered): string {
  const { result, ...rest } = JSON.parse(text);
  const { page } = rest.data ?? {};
  if (result) return JSON.stringify({ ...rest, result: spoil(result) });
  if (!page?.edges) return text;
  const { data, hasNextPage, ...others } = spoil({ data: page.edges, hasNextPage: page.pageInfo.hasNextPage });
  const pageInfo = { ...page.pageInfo, hasNextPage };
  return JSON.stringify({ ...rest, data: { ...rest.data, page: { ...page, ...others, edges: data, pageInfo } } });
}

/** The id of an event in a page of either source, and the event with another time. */
interface Told {
  readonly id: string | undefined;
  readonly at: (timestampMs: (told: number) => number) => unknown;
}

function readTold(told: unknown): Told {
  // biome-ignore lint/suspicious/noExplicitAny: what the network sends
  const { id, cursor, node: event, timestampMs } = told as any;
  if (!event) {
    return {
      id: id && `${id.txDigest}:${id.eventSeq}`,
      at: (change) => ({ ...(told as object), timestampMs: String(change(Number(timestampMs))) }),
    };
  }
  const { e } = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  const at: Told['at'] = (change) => {
    const timestamp = new Date(change(Date.parse(event.timestamp))).toISOString();
    return { cursor, node: { ...event, timestamp } };
  };
  return { id: `${event.transactionBlock?.digest}:${e}`, at };
}

async function startGateway(source: Source, env: Record<string, string> = {}): Promise<TestGateway> {
  const gateway = await createTestGateway({
    ...(source === 'rpc'
      ? { LEDGER_GRAPHQL_URL: devnet.graphqlUrl, LEDGER_RPC_URL: node.url }
      : { LEDGER_GRAPHQL_URL: node.url, LEDGER_GRAPHQL_WS_URL: devnet.graphqlUrl.replace('http', 'ws') }),
    ...quickPolls,
    // Hanging calls are abandoned soon.
    REQUEST_TIMEOUT_MS: '1000',
    CURSOR_KEYS: 'k'.repeat(32),
    // In every other course, the streams of one filter use the reader of everything.
    LIVE_MAX_READERS: seed % 2 === 0 ? '0' : '32',
    ...env,
  });
  // On a busy machine the schema may take longer, and is requested again.
  await until(async () => (await fetch(`${gateway.url}/health/ready`)).ok, 'a schema');
  return gateway;
}

/** Numbers from 0 to 1; the same seed gives the same numbers. */
function createRandom(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const query =
  'subscription ($filter: EventStreamFilter, $after: String) { liveEvents(filter: $filter, after: $after) { __typename ... on LiveEventItem { cursor event { id } } ... on LiveMissed { resumeAfter } ... on LiveGap { reason } } }';

/** A subscriber that comes and goes, with the deliveries of all its streams. */
interface Follower {
  readonly filter: object | null;
  readonly isWanted: (sender: string) => boolean;
  ids: string[];
  cursor: string | null;
  now: LiveClient | null;
}

/** A stream that began without a cursor while the node did not respond. */
interface Newcomer {
  readonly client: LiveClient;
  /** Events that had certainly happened before it began. */
  readonly happened: number;
}

interface Course {
  readonly source: Source;
  readonly random: () => number;
  /** One of the gateways in service. */
  readonly gateway: () => TestGateway;
  /** Does something to the gateways, beside the node's faults. @returns was one replaced? */
  readonly disturb: () => Promise<boolean>;
  /** Ends the fault. */
  readonly settle: () => void;
}

async function runCourse({ source, random, gateway, disturb, settle }: Course): Promise<void> {
  const among = (count: number) => Math.floor(random() * count);
  const sender = devnet.ledger.events.at(-1)?.sender ?? '';
  const filters: Pick<Follower, 'filter' | 'isWanted'>[] = [
    { filter: null, isWanted: () => true },
    { filter: { sender }, isWanted: (each) => each === sender },
    { filter: { not: { sender } }, isWanted: (each) => each !== sender },
  ];
  const followers: Follower[] = [...filters, ...filters].map((each) => ({ ...each, ids: [], cursor: null, now: null }));
  const come = (follower: Follower) => {
    const subscribe = random() < 0.5 ? overWebSocket : overEventStream;
    follower.now ??= subscribe(`${gateway().url}/graphql`, query, { filter: follower.filter, after: follower.cursor });
  };
  const go = async (follower: Follower) => {
    const client = follower.now;
    if (!client) return;
    follower.now = null;
    const isFromNow = follower.cursor === null;
    await client.leave();
    follower.ids.push(...client.ids);
    follower.cursor = client.cursor ?? follower.cursor;
    const typeOf = ({ data }: LiveResult) => data?.liveEvents.__typename;
    // A stream from now begins with a gap if the node is slow when it opens.
    const first = isFromNow && client.results[0] && typeOf(client.results[0]) === 'LiveGap' ? 1 : 0;
    expect(client.results.slice(first).filter((result) => typeOf(result) !== 'LiveEventItem')).toEqual([]);
  };
  /** Rejected or disconnected subscribers try again, as clients do. */
  const comeAgain = async (follower: Follower) => {
    if (!follower.now?.end) return;
    await go(follower);
    come(follower);
  };

  // Each begins with an event, because only a cursor allows resuming.
  for (const follower of followers) {
    come(follower);
    let looks = 0;
    await until(
      async () => {
        // A stream begins once its reader has caught up, so the ledger must not outrun a slow machine.
        if (looks % 10 === 0) devnet.tick();
        looks += 1;
        await comeAgain(follower);
        return (follower.now?.ids.length ?? 0) > 0;
      },
      'a first event',
      waitMs,
    );
  }
  type Spoil = (page: Answered) => Answered;
  let faultSinceMs = Number.NEGATIVE_INFINITY;
  let fault: Spoil | 'drop' | 'hang' | 'freeze' | 'away' | null = null;
  const faults = [
    'drop' as const,
    'hang' as const,
    'freeze' as const,
    (page: Answered) => ({ ...page, data: page.data.toReversed() }),
    (page: Answered) => ({ ...page, data: [...page.data, ...page.data.slice(0, 1)] }),
    (page: Answered) => ({ ...page, data: page.data.slice(0, -2), hasNextPage: false }),
    (page: Answered) => ({ ...page, data: [], hasNextPage: true }),
  ];
  /** From this event on, times are earlier than before: the node's clock was set back. */
  let setBackFrom = Number.POSITIVE_INFINITY;
  const setBack: Spoil = (page) => {
    const late = new Set(eventIds(devnet).slice(setBackFrom));
    const data = page.data.map((each) => {
      const told = readTold(each);
      return told.id !== undefined && late.has(told.id) ? told.at((ms) => ms - 11_000) : each;
    });
    return { ...page, data };
  };
  /** Requests that a frozen node received, and answers when it continues. */
  const frozen: (() => void)[] = [];
  const setFault = (next: typeof fault) => {
    fault = next;
    // However slowly the course runs, the node answers well for 3 of 6 seconds.
    if (performance.now() - faultSinceMs > 6_000) faultSinceMs = performance.now();
    for (const thaw of frozen.splice(0)) thaw();
  };
  const target = source === 'rpc' ? devnet.rpcUrl : devnet.graphqlUrl;
  node.intercept = (request, res) => {
    if (source === 'graphql' && !/^\{"query":"\{(?:page|found):/.test(request.body)) return false;
    const answer = (spoil: Spoil) => {
      const headers = { 'content-type': 'application/json' };
      const forwarded = fetch(target, { method: 'POST', headers, body: request.body }).then(async (told) => {
        const text = spoilAnswer(await told.text(), (page) => spoil(setBack(page)));
        res.writeHead(told.status, { 'content-type': 'application/json' });
        res.end(text);
      });
      forwarded.catch(() => res.destroy());
    };
    // A lasting fault would be accepted as the node's own order.
    const isSpoilt = fault === 'away' || (random() > 0.4 && performance.now() - faultSinceMs < 3_000);
    if (!fault || !isSpoilt) answer((page) => page);
    else if (fault === 'drop' || fault === 'away') res.destroy();
    else if (fault === 'freeze') frozen.push(() => answer((page) => page));
    else if (fault !== 'hang') answer(fault);
    return true;
  };
  const newcomers: Newcomer[] = [];
  const openWhileAway = async () => {
    setFault('away');
    const client = overEventStream(`${gateway().url}/graphql`, query);
    // By then it has begun.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    newcomers.push({ client, happened: devnet.ledger.events.length });
    for (let ticks = 0; ticks < 3; ticks += 1) devnet.tick();
    setFault(null);
  };
  const replace = async () => {
    if (!(await disturb())) return;
    for (const follower of followers) {
      await go(follower);
      come(follower);
    }
  };
  for (let step = 0; step < steps; step += 1) {
    const what = random();
    const follower = followers[among(followers.length)] as Follower;
    if (what < 0.35) for (let ticks = among(12); ticks >= 0; ticks -= 1) devnet.tick();
    else if (what < 0.55) setFault(faults[among(faults.length)] ?? null);
    else if (what < 0.65) setFault(null);
    else if (what < 0.7) await replace();
    else if (what < 0.71 && newcomers.length < 2) await openWhileAway();
    else if (what < 0.72) setBackFrom = Math.min(setBackFrom, devnet.ledger.events.length);
    else if (what < 0.8) await go(follower);
    else come(follower);
    await new Promise((resolve) => setTimeout(resolve, among(25)));
  }
  setFault(null);
  settle();
  for (const follower of followers) come(follower);
  const wanted = ({ isWanted }: Follower) =>
    devnet.ledger.events
      .filter((event) => isWanted(event.sender))
      .map(({ txDigest, eventSeq }) => `${txDigest}:${eventSeq}`);
  for (const follower of followers) {
    const last = wanted(follower).at(-1);
    await until(
      () => comeAgain(follower).then(() => [...follower.ids, ...(follower.now?.ids ?? [])].at(-1) === last),
      () => {
        const got = [...follower.ids, ...(follower.now?.ids ?? [])];
        const { end = null, results = [] } = follower.now ?? {};
        const all = wanted(follower);
        const missing = all.slice(all.indexOf(got.at(-1) ?? '') + 1).length;
        return `the last ${missing} events for ${JSON.stringify(follower.filter)}, after ${end} ${JSON.stringify(results.at(-1))}`;
      },
      waitMs,
    );
    await go(follower);
    const all = wanted(follower);
    expect(follower.ids).toEqual(all.slice(all.indexOf(follower.ids[0] ?? '')));
  }
  for (const { client, happened } of newcomers) {
    // After a gap, it may begin at any point since which nothing has happened.
    let looks = 0;
    await until(() => {
      if (client.ids.length === 0 && looks % 10 === 0) devnet.tick();
      looks += 1;
      return client.end !== null || client.ids.length > 0;
    }, 'an event for a newcomer');
    const all = eventIds(devnet);
    await until(
      () => client.end !== null || client.ids.at(-1) === all.at(-1),
      () => `the last event for a newcomer: ${JSON.stringify(client.results.at(-1))}`,
    );
    await client.leave();
    const first = all.indexOf(client.ids[0] ?? '');
    if (client.ids.length > 0) expect(client.ids).toEqual(all.slice(first, first + client.ids.length));
    // Later events are delivered, or reported as missed.
    const isGapTold = client.results[0]?.data?.liveEvents.__typename === 'LiveGap';
    if (!isGapTold && client.ids.length > 0) expect(first).toBeLessThanOrEqual(happened);
  }
  node.intercept = undefined;
}

describe.each<Source>(['rpc', 'graphql'])('with events from %s:', { timeout: 5 * waitMs * chaos }, (source) => {
  it(`every subscriber gets everything once, in order, while a node drops, hangs, freezes, repeats, lags, reverses pages and sets its clock back (SEED=${seed})`, () =>
    withNetwork(source, async () => {
      const gateways = [await startGateway(source)];
      await runCourse({
        source,
        random: createRandom(seed),
        gateway: () => gateways.at(-1) as TestGateway,
        disturb: async () => {
          if (gateways.length > 2) return false;
          gateways.push(await startGateway(source));
          return true;
        },
        settle: () => {},
      });
      await Promise.all(gateways.map((gateway) => gateway.close()));
    }));

  it.skipIf(redisMissing)(
    redisMissing ??
      `and so in a fleet, wherever they come back, while instances end and Redis is cut off, frozen and emptied (SEED=${seed})`,
    () =>
      withNetwork(source, async () => {
        const random = createRandom(seed);
        const among = (count: number) => Math.floor(random() * count);
        await using redis = await startRedis();
        const gates: TcpGate[] = [];
        const start = async () => {
          const gate = await openTcpGate(Number(new URL(redis.url).port));
          gates.push(gate);
          const gateway = await startGateway(source, { REDIS_URL: `redis://127.0.0.1:${gate.port}` });
          return { gate, gateway };
        };
        const fleet = [await start(), await start()];
        const ended: TestGateway[] = [];
        const client = new Redis(redis.url);
        const disturbances = [
          (at: number) => fleet[at]?.gate.cut(),
          (at: number) => fleet[at]?.gate.freeze(),
          (at: number) => fleet[at]?.gate.heal(),
          (at: number) => fleet[at]?.gate.heal(),
          () => client.flushall(),
          async (at: number) => {
            const { gateway, gate } = fleet[at] as (typeof fleet)[number];
            fleet[at] = await start();
            // Like a killed process: it cannot return its lease.
            gate.cut();
            ended.push(gateway);
          },
        ];
        await runCourse({
          source,
          random,
          gateway: () => (fleet[among(fleet.length)] as (typeof fleet)[number]).gateway,
          disturb: async () => {
            await disturbances[among(disturbances.length)]?.(among(fleet.length));
            return false;
          },
          settle: () => {
            for (const { gate } of fleet) gate.heal();
          },
        });
        const gone = [...ended, ...fleet.map(({ gateway }) => gateway)];
        await Promise.all(gone.map((gateway) => gateway.close()));
        client.disconnect();
        for (const gate of gates) await gate[Symbol.asyncDispose]();
      }),
  );
});
