import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Devnet } from '../../src/devnet/start-devnet.ts';
import { type LiveClient, overEventStream, overWebSocket } from '../support/live-clients.ts';
import { quickPolls, startTickedDevnet } from '../support/live-network.ts';
import { type RecordingUpstream, recordUpstream } from '../support/recording-upstream.ts';
import { redisMissing, startRedis } from '../support/redis-server.ts';
import { openTcpGate, type TcpGate } from '../support/tcp-gate.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

const seed = Number(process.env.LIVE_SEED ?? Date.now() % 1_000_000);
/** Things that are done, one after the other. */
const steps = Number(process.env.LIVE_STEPS ?? 60);

let devnet: Devnet;
let rpc: RecordingUpstream;

beforeAll(async () => {
  devnet = await startTickedDevnet();
  rpc = await recordUpstream(devnet.rpcUrl);
});
afterAll(async () => {
  await rpc?.[Symbol.asyncDispose]();
  await devnet?.close();
});

async function startGateway(env: Record<string, string> = {}): Promise<TestGateway> {
  const gateway = await createTestGateway({
    LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
    LEDGER_RPC_URL: rpc.url,
    ...quickPolls,
    // Calls that hang are given up soon.
    REQUEST_TIMEOUT_MS: '1000',
    CURSOR_KEYS: 'k'.repeat(32),
    // Every other course has the streams of one filter on the reader of everything.
    LIVE_MAX_READERS: seed % 2 === 0 ? '0' : '32',
    ...env,
  });
  // On a busy machine the schema may take longer than that, and is asked for again.
  await until(async () => (await fetch(`${gateway.url}/health/ready`)).ok, 'a schema');
  return gateway;
}

/** Numbers from 0 to 1, the same for the same seed. */
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
  'subscription ($filter: EventStreamFilter, $after: String) { liveEvents(filter: $filter, after: $after) { __typename ... on LiveEventItem { cursor event { id } } ... on LiveMissed { resumeAfter } } }';

/** One who comes and goes, and what it was told by all its streams. */
interface Follower {
  readonly filter: object | null;
  readonly isWanted: (sender: string) => boolean;
  ids: string[];
  cursor: string | null;
  now: LiveClient | null;
}

interface Course {
  readonly random: () => number;
  /** One of those that serve at this moment. */
  readonly gateway: () => TestGateway;
  /** Does something to them, beside what the node does. */
  readonly disturb: () => Promise<void>;
  /** Ends what was done. */
  readonly settle: () => void;
}

async function runCourse({ random, gateway, disturb, settle }: Course): Promise<void> {
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
    await client.leave();
    follower.ids.push(...client.ids);
    follower.cursor = client.cursor ?? follower.cursor;
    expect(client.results.filter(({ data }) => data?.liveEvents.__typename !== 'LiveEventItem')).toEqual([]);
  };
  /** Whoever was refused or cut off tries again, as clients do. */
  const comeAgain = async (follower: Follower) => {
    if (!follower.now?.end) return;
    await go(follower);
    come(follower);
  };

  // Each begins with an event: only behind one can it go on.
  for (const follower of followers) {
    come(follower);
    await until(async () => {
      devnet.tick();
      await comeAgain(follower);
      return (follower.now?.ids.length ?? 0) > 0;
    }, 'a first event');
  }
  let faultSinceMs = 0;
  let fault: ((result: { data: unknown[] }) => unknown) | 'drop' | 'hang' | null = null;
  const faults = [
    'drop' as const,
    'hang' as const,
    (result: { data: unknown[] }) => ({ ...result, data: result.data.toReversed() }),
    (result: { data: unknown[] }) => ({ ...result, data: [...result.data, ...result.data.slice(0, 1)] }),
    (result: { data: unknown[] }) => ({ ...result, data: result.data.slice(0, -2), hasNextPage: false }),
    (result: { data: unknown[] }) => ({ ...result, data: [], hasNextPage: true }),
  ];
  rpc.intercept = (request, res) => {
    // A fault that lasts would be taken for the node's own order.
    if (!fault || random() < 0.4 || performance.now() - faultSinceMs > 3_000) return false;
    if (fault === 'drop') res.destroy();
    else if (fault !== 'hang') {
      const spoil = fault;
      void fetch(devnet.rpcUrl, { method: 'POST', body: request.body }).then(async (answer) => {
        const { result, ...rest } = (await answer.json()) as { result?: { data: unknown[] } };
        res.end(JSON.stringify({ ...rest, ...(result && { result: spoil(result) }) }));
      });
    }
    return true;
  };
  for (let step = 0; step < steps; step += 1) {
    const what = random();
    const follower = followers[among(followers.length)] as Follower;
    if (what < 0.35) for (let ticks = among(12); ticks >= 0; ticks -= 1) devnet.tick();
    else if (what < 0.55) {
      fault = faults[among(faults.length)] ?? null;
      faultSinceMs = performance.now();
    } else if (what < 0.65) fault = null;
    else if (what < 0.7) await disturb();
    else if (what < 0.8) await go(follower);
    else come(follower);
    await new Promise((resolve) => setTimeout(resolve, among(25)));
  }
  rpc.intercept = undefined;
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
      () => `the last event for ${JSON.stringify(follower.filter)}`,
    );
    await go(follower);
    const all = wanted(follower);
    expect(follower.ids).toEqual(all.slice(all.indexOf(follower.ids[0] ?? '')));
  }
}

it(`everybody is told everything once, in order, while a node drops, hangs, repeats, lags and answers in reverse (LIVE_SEED=${seed})`, async () => {
  const gateway = await startGateway();
  await runCourse({
    random: createRandom(seed),
    gateway: () => gateway,
    disturb: async () => {},
    settle: () => {},
  });
  await gateway.close();
});

it.skipIf(redisMissing)(
  redisMissing ??
    `and so in a fleet, wherever they come back, while instances end and Redis is cut off, frozen and emptied (LIVE_SEED=${seed})`,
  async () => {
    const random = createRandom(seed);
    const among = (count: number) => Math.floor(random() * count);
    await using redis = await startRedis();
    const gates: TcpGate[] = [];
    const start = async () => {
      const gate = await openTcpGate(Number(new URL(redis.url).port));
      gates.push(gate);
      const gateway = await startGateway({ REDIS_URL: `redis://127.0.0.1:${gate.port}` });
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
        // As one that is killed: it cannot give back what it has.
        gate.cut();
        ended.push(gateway);
      },
    ];
    await runCourse({
      random,
      gateway: () => (fleet[among(fleet.length)] as (typeof fleet)[number]).gateway,
      disturb: async () => void (await disturbances[among(disturbances.length)]?.(among(fleet.length))),
      settle: () => {
        for (const { gate } of fleet) gate.heal();
      },
    });
    const gone = [...ended, ...fleet.map(({ gateway }) => gateway)];
    await Promise.all(gone.map((gateway) => gateway.close()));
    client.disconnect();
    for (const gate of gates) await gate[Symbol.asyncDispose]();
  },
);
