import { Redis } from 'ioredis';
import { afterAll, describe, expect, it } from 'vitest';
import { overEventStream, overWebSocket } from '../support/live-clients.ts';
import {
  createRandom,
  type FaultyNode,
  networks,
  type Place,
  type Proof,
  runCourse,
  sources,
  type World,
  withNetworks,
} from '../support/live-course.ts';
import { quickPolls } from '../support/live-network.ts';
import { type RecordingUpstream, recordUpstream } from '../support/recording-upstream.ts';
import { redisMissing, startRedis } from '../support/redis-server.ts';
import { chaos, partOf, runs, seed } from '../support/runs.ts';
import { openTcpGate, type TcpGate } from '../support/tcp-gate.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

// Over real sockets and a real Redis. Virtual time judges far more: see live-events-in-virtual-time.test.ts.

/** Milliseconds that one wait may take on a slow machine. */
const waitMs = 60_000;
/** Milliseconds for which a stream may get nothing, without those in which the machine was busy with other work. */
const maxWaitMs = 10_000;

const total: Proof = { items: 0, faults: 0, longestWaitMs: 0 };
afterAll(() => {
  if (chaos > 1) process.stdout.write(`${JSON.stringify({ seed, ...total })}\n`);
});

/** Passes what gateways ask on to the faulty node. */
function serveNode(upstream: RecordingUpstream, node: FaultyNode): void {
  upstream.intercept = ({ path, body, method }, res) => {
    const headers = { 'content-type': 'application/json' };
    node.serve({
      body,
      forward: async (url) => {
        const given = { method, headers, ...(method === 'POST' && { body }) };
        return (await fetch(new URL(path, url), given)).text();
      },
      answer: (text) => void res.writeHead(200, headers).end(text),
      drop: () => void res.destroy(),
    });
    return true;
  };
}

async function startGateway(
  { source, main: { graphqlUrl } }: Place,
  upstream: RecordingUpstream,
  env: Record<string, string> = {},
): Promise<TestGateway> {
  const gateway = await createTestGateway({
    ...(graphqlUrl === null
      ? { LEDGER_GRAPHQL_URL: upstream.url }
      : { LEDGER_GRAPHQL_URL: graphqlUrl, LEDGER_RPC_URL: upstream.url }),
    NETWORK_PROFILE: networks[source].profile,
    ...quickPolls,
    // Hanging calls are abandoned soon.
    REQUEST_TIMEOUT_MS: '1000',
    CURSOR_KEYS: 'k'.repeat(32),
    // In every other course, the streams of one filter use the reader of everything.
    LIVE_MAX_READERS: seed % 2 === 0 ? '0' : '32',
    // Announcements of a network that another one replaces end: its connections break with it, which this proxy does not show.
    LIVE_SOURCE: 'poll',
    ...env,
  });
  // On a busy machine the schema may take longer, and is requested again.
  await until(async () => (await fetch(`${gateway.url}/health/ready`)).ok, 'a schema');
  return gateway;
}

const tickMs = 10;

/** Counts the milliseconds by which the event loop was late, since gateways and network share it. */
function watchLoop(): Disposable & { readonly lostMs: number } {
  let dueMs = performance.now() + tickMs;
  const loop = { lostMs: 0, [Symbol.dispose]: () => clearInterval(timer) };
  const timer = setInterval(() => {
    const nowMs = performance.now();
    loop.lostMs += Math.max(0, nowMs - dueMs);
    dueMs = nowMs + tickMs;
  }, tickMs);
  return loop;
}

type Gateways = Pick<World, 'disturb' | 'settle' | 'failoverMs'> & { readonly one: () => TestGateway };

/** Runs one course. @param start starts its gateways */
async function run(
  place: Place,
  start: (upstream: RecordingUpstream, random: () => number) => Promise<Gateways>,
): Promise<void> {
  await using upstream = await recordUpstream(place.main.url);
  using loop = watchLoop();
  const random = createRandom(seed);
  const proof = await runCourse({
    place,
    random,
    now: () => performance.now(),
    lostMs: () => loop.lostMs,
    steps: runs(20),
    // `CHAOS=20` judges more than 500,000 items.
    followersOfEach: Math.max(1, Math.min(12, Math.floor(chaos))),
    stepMs: () => Math.floor(random() * 25),
    maxWaitMs,
    async start(node) {
      serveNode(upstream, node);
      const { one, ...gateways } = await start(upstream, random);
      return {
        ...gateways,
        pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
        until: (condition, what) => until(condition, what, waitMs),
        subscribe: ({ field, filter }, after) => {
          const item =
            field === 'liveEvents'
              ? 'LiveEventItem { cursor event { id } }'
              : 'LiveTransactionItem { cursor transaction { digest } }';
          const type = field === 'liveEvents' ? 'EventStreamFilter' : 'TransactionStreamFilter';
          const query = `subscription ($filter: ${type}, $after: String) { ${field}(filter: $filter, after: $after) { __typename ... on ${item} ... on LiveMissed { resumeAfter } ... on LiveGap { reason } } }`;
          const subscribe = random() < 0.5 ? overWebSocket : overEventStream;
          return subscribe(`${one().url}/graphql`, query, { filter, after });
        },
      };
    },
  });
  expect(proof.items).toBeGreaterThan(0);
  total.items += proof.items;
  total.faults += proof.faults;
  total.longestWaitMs = Math.max(total.longestWaitMs, proof.longestWaitMs);
}

/** A gateway, which another one replaces. */
async function runAlone(place: Place): Promise<void> {
  const gateways: TestGateway[] = [];
  await run(place, async (upstream) => {
    gateways.push(await startGateway(place, upstream));
    return {
      one: () => gateways.at(-1) as TestGateway,
      async disturb() {
        if (gateways.length > 2 * chaos) return false;
        gateways.push(await startGateway(place, upstream));
        return true;
      },
      failoverMs: 0,
      settle() {},
    };
  });
  await Promise.all(gateways.map((gateway) => gateway.close()));
}

/** Two gateways that share their readers, while instances end and Redis is cut off, frozen and emptied. */
async function runFleet(place: Place): Promise<void> {
  await using redis = await startRedis();
  const gates: TcpGate[] = [];
  const started: TestGateway[] = [];
  const client = new Redis(redis.url);
  await run(place, async (upstream, random) => {
    const among = (count: number) => Math.floor(random() * count);
    const start = async () => {
      const gate = await openTcpGate(Number(new URL(redis.url).port));
      gates.push(gate);
      const gateway = await startGateway(place, upstream, { REDIS_URL: `redis://127.0.0.1:${gate.port}` });
      started.push(gateway);
      return { gate, gateway };
    };
    const fleet = [await start(), await start()];
    const at = () => fleet[among(fleet.length)] as (typeof fleet)[number];
    const disturbances = [
      () => at().gate.cut(),
      () => at().gate.freeze(),
      () => at().gate.heal(),
      () => at().gate.heal(),
      () => client.flushall(),
      async () => {
        const gone = at();
        fleet[fleet.indexOf(gone)] = await start();
        // Like a killed process: it cannot return its lease.
        gone.gate.cut();
      },
    ];
    return {
      one: () => at().gateway,
      async disturb() {
        await disturbances[among(disturbances.length)]?.();
        return false;
      },
      failoverMs: 5_000,
      settle() {
        for (const { gate } of fleet) gate.heal();
      },
    };
  });
  await Promise.all(started.map((gateway) => gateway.close()));
  client.disconnect();
  for (const gate of gates) await gate[Symbol.asyncDispose]();
}

const everything = `everything once, in order, while a node drops, hangs, freezes, repeats, lags, reverses pages and sets its clock back (SEED=${seed})`;
const courses = [
  { gateways: 'gateways that replace one another', play: runAlone, missing: null },
  { gateways: 'a fleet', play: runFleet, missing: redisMissing },
];

describe.each(sources.map((source, index) => [source, index] as const))(
  'over %s:',
  { timeout: 10 * waitMs * chaos },
  (source, index) => {
    for (const { gateways, play, missing } of partOf(courses, 2, index)) {
      it.skipIf(missing)(missing ?? `every subscriber of ${gateways} gets ${everything}`, () =>
        withNetworks(source, play),
      );
    }
  },
);
