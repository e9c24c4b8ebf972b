import { Redis } from 'ioredis';
import { afterAll, describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/devnet/state/ledger-state.ts';
import type { EventRecord } from '../../src/devnet/state/records.ts';
import { type LiveClient, type LiveResult, overEventStream, overWebSocket } from '../support/live-clients.ts';
import { quickPolls, startTickedDevnet } from '../support/live-network.ts';
import { startSuiNetwork } from '../support/networks/sui-network.ts';
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
/** Streams of each filter at a time: `CHAOS=20` judges more than 500,000 items. */
const followersOfEach = Math.max(1, Math.min(12, Math.floor(chaos)));
/** How far a node behind a balancer may lag, in checkpoints. */
const maxLag = 6;

/** What is counted of all courses: items that were compared with the ledger, and how long streams waited for some. */
const proof = { items: 0, faults: 0, longestWaitMs: 0 };
afterAll(() => {
  if (chaos > 1) process.stdout.write(`${JSON.stringify({ seed, ...proof })}\n`);
});

/** A network that a course reads: its ledger, and where it is served. */
interface Served extends AsyncDisposable {
  readonly url: string;
  /** Where its GraphQL is served, if it is read elsewhere. */
  readonly graphqlUrl: string | null;
  readonly ledger: Ledger;
  tick(): void;
}

/** The sources and the ways in which their ledgers page. @param chain another number is another network */
const networks = {
  'JSON-RPC': { start: (chain: number) => startDevnetOf(chain, 'rpcUrl'), env: {} },
  'the GraphQL of IOTA': { start: (chain: number) => startDevnetOf(chain, 'graphqlUrl'), env: {} },
  'the GraphQL of Sui': { start: (chain: number) => startSuiOf(chain), env: { NETWORK_PROFILE: 'sui' } },
  'the GraphQL of Sui, which examines 25 records per page': {
    start: (chain: number) => startSuiOf(chain, 25),
    env: { NETWORK_PROFILE: 'sui' },
  },
} as const;
type Source = keyof typeof networks;

const startMs = Date.now();
const startOf = (chain: number) => startMs - 3_600_000 * chain;

async function startDevnetOf(chain: number, face: 'rpcUrl' | 'graphqlUrl'): Promise<Served> {
  const devnet = await startTickedDevnet({ startMs: startOf(chain), seed: chain + 1 });
  const { ledger } = devnet;
  const graphqlUrl = face === 'rpcUrl' ? devnet.graphqlUrl : null;
  const dispose = () => devnet.close();
  return { url: devnet[face], ledger, graphqlUrl, tick: () => devnet.tick(), [Symbol.asyncDispose]: dispose };
}

async function startSuiOf(chain: number, scanLimit?: number): Promise<Served> {
  const network = await startSuiNetwork({ startMs: startOf(chain), ...(scanLimit !== undefined && { scanLimit }) });
  const { graphqlUrl: url, ledger } = network;
  const dispose = () => network[Symbol.asyncDispose]();
  return { url, graphqlUrl: null, ledger, tick: () => void network.step(1), [Symbol.asyncDispose]: dispose };
}

interface Place {
  readonly source: Source;
  /** In front of what the gateways read from. */
  readonly node: RecordingUpstream;
  readonly main: Served;
  /** A node of the same network that lags. */
  readonly twin: Served;
  /** Another network, which takes the place of the first one. */
  readonly next: Served;
}

/** Runs a test with networks of its own. */
async function withNetwork(source: Source, test: (place: Place) => Promise<void>): Promise<void> {
  const { start } = networks[source];
  await using main = await start(0);
  await using twin = await start(0);
  await using next = await start(1);
  await using node = await recordUpstream(main.url);
  await test({ source, node, main, twin, next });
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
  const { data, hasNextPage } = spoil({ data: page.edges, hasNextPage: page.pageInfo.hasNextPage });
  // A node that leaves items out does not claim that it has examined them.
  const cursors = data.map((edge) => (edge as { readonly cursor: string }).cursor);
  const ends = data.length !== page.edges.length && {
    startCursor: cursors[0] ?? null,
    endCursor: cursors.at(-1) ?? null,
  };
  const pageInfo = { ...page.pageInfo, hasNextPage, ...ends };
  return JSON.stringify({ ...rest, data: { ...rest.data, page: { ...page, edges: data, pageInfo } } });
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
  const at: Told['at'] = (change) => {
    const timestamp = new Date(change(Date.parse(event.timestamp))).toISOString();
    return { cursor, node: { ...event, timestamp } };
  };
  const number =
    event.sequenceNumber ?? (event.transactionBlock && JSON.parse(Buffer.from(cursor, 'base64url').toString()).e);
  const digest = (event.transactionBlock ?? event.transaction)?.digest;
  return { id: digest && `${digest}:${number}`, at };
}

async function startGateway(
  { source, node, main: { graphqlUrl } }: Place,
  env: Record<string, string> = {},
): Promise<TestGateway> {
  const gateway = await createTestGateway({
    ...(graphqlUrl === null
      ? { LEDGER_GRAPHQL_URL: node.url }
      : { LEDGER_GRAPHQL_URL: graphqlUrl, LEDGER_RPC_URL: node.url }),
    ...networks[source].env,
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

/** The items of a kind of streams, in the ledger's order: a list that grows with the ledger. */
interface Kind {
  readonly field: 'liveEvents' | 'liveTransactions';
  readonly filter: object | null;
  readonly idsOf: (ledger: Ledger) => string[];
}

const idOf = ({ txDigest, eventSeq }: EventRecord) => `${txDigest}:${eventSeq}`;

function kindsOf({ events }: Ledger): readonly Kind[] {
  const sender = events.at(-1)?.sender ?? '';
  const ofEvents = (filter: object | null, isWanted: (by: string) => boolean): Kind => ({
    field: 'liveEvents',
    filter,
    idsOf: (ledger) => ledger.events.filter((event) => isWanted(event.sender)).map(idOf),
  });
  const ofTransactions = (filter: object | null, isWanted: (by: string) => boolean): Kind => ({
    field: 'liveTransactions',
    filter,
    idsOf: ({ transactions }) => transactions.filter((each) => isWanted(each.sender)).map(({ digest }) => digest),
  });
  return [
    ofEvents(null, () => true),
    ofEvents({ sender }, (by) => by === sender),
    ofEvents({ not: { sender } }, (by) => by !== sender),
    ofTransactions(null, () => true),
    ofTransactions({ fromAddress: sender }, (by) => by === sender),
  ];
}

const queries = {
  liveEvents:
    'subscription ($filter: EventStreamFilter, $after: String) { liveEvents(filter: $filter, after: $after) { __typename ... on LiveEventItem { cursor event { id } } ... on LiveMissed { resumeAfter } ... on LiveGap { reason } } }',
  liveTransactions:
    'subscription ($filter: TransactionStreamFilter, $after: String) { liveTransactions(filter: $filter, after: $after) { __typename ... on LiveTransactionItem { cursor transaction { digest } } ... on LiveMissed { resumeAfter } ... on LiveGap { reason } } }',
};

/** A subscriber that comes and goes, with the deliveries of all its streams. */
interface Follower {
  readonly kind: Kind;
  ids: string[];
  cursor: string | null;
  now: LiveClient | null;
  /** How many items it had when it last had all, or when it last got one or came. */
  seen: number;
  seenMs: number;
}

/** A stream that began without a cursor while the node did not respond. */
interface Newcomer {
  readonly client: LiveClient;
  /** Events that had certainly happened before it began. */
  readonly happened: number;
}

interface Course {
  readonly place: Place;
  readonly random: () => number;
  /** One of the gateways in service. */
  readonly gateway: () => TestGateway;
  /** Does something to the gateways, beside the node's faults. @returns was one replaced? */
  readonly disturb: () => Promise<boolean>;
  /** Ends the fault. */
  readonly settle: () => void;
}

const typeOf = ({ data }: LiveResult) => (data?.liveEvents ?? data?.liveTransactions)?.__typename;

async function runCourse({ place, random, gateway, disturb, settle }: Course): Promise<void> {
  const { main, twin, next, node } = place;
  const among = (count: number) => Math.floor(random() * count);
  let ledger = main.ledger;
  /** Checkpoints by which the other node of the network lags. */
  let lag = 0;
  let fault: Spoil | 'drop' | 'hang' | 'freeze' | 'away' | 'lag' | null = null;
  const tick = () => {
    main.tick();
    lag += 1;
    const most = fault === 'lag' ? maxLag : 0;
    for (; lag > most; lag -= 1) twin.tick();
  };
  const kinds = kindsOf(ledger);
  const followers: Follower[] = kinds.flatMap((kind) =>
    Array.from({ length: followersOfEach }, () => ({ kind, ids: [], cursor: null, now: null, seen: 0, seenMs: 0 })),
  );
  const come = (follower: Follower) => {
    if (follower.now) return;
    const subscribe = random() < 0.5 ? overWebSocket : overEventStream;
    const { field, filter } = follower.kind;
    follower.now = subscribe(`${gateway().url}/graphql`, queries[field], { filter, after: follower.cursor });
    follower.seenMs = performance.now();
  };
  const go = async (follower: Follower) => {
    const client = follower.now;
    if (!client) return;
    follower.now = null;
    const isFromNow = follower.cursor === null;
    await client.leave();
    follower.ids.push(...client.ids);
    follower.cursor = client.cursor ?? follower.cursor;
    // A stream from now begins with a gap if the node is slow when it opens.
    const first = isFromNow && client.results[0] && typeOf(client.results[0]) === 'LiveGap' ? 1 : 0;
    const others = client.results.slice(first).filter((result) => !/Item$/.test(typeOf(result) ?? ''));
    expect(others).toEqual([]);
  };
  /** Rejected or disconnected subscribers try again, as clients do. */
  const comeAgain = async (follower: Follower) => {
    if (!follower.now?.end) return;
    await go(follower);
    come(follower);
  };
  const idsSoFar = ({ ids, now }: Follower) => [...ids, ...(now?.ids ?? [])];
  /** Looks how long each stream has been without an item that the ledger has for it. */
  const watch = () => {
    const nowMs = performance.now();
    const lasts = new Map(kinds.map((kind) => [kind, kind.idsOf(ledger).at(-1)]));
    for (const follower of followers) {
      const { ids, now, kind } = follower;
      const count = ids.length + (now?.ids.length ?? 0);
      const hasAll = (now?.ids.at(-1) ?? ids.at(-1)) === lasts.get(kind);
      if (!now || now.end !== null || count === 0 || hasAll || count !== follower.seen) {
        follower.seen = count;
        follower.seenMs = nowMs;
      }
      proof.longestWaitMs = Math.max(proof.longestWaitMs, Math.round(nowMs - follower.seenMs));
    }
  };

  // Each begins with an item, because only a cursor allows resuming.
  for (const follower of followers) {
    come(follower);
    let looks = 0;
    await until(
      async () => {
        // A stream begins once its reader has caught up, so the ledger must not outrun a slow machine.
        if (looks % 10 === 0) tick();
        looks += 1;
        await comeAgain(follower);
        return (follower.now?.ids.length ?? 0) > 0;
      },
      'a first item',
      waitMs,
    );
  }
  type Spoil = (page: Answered) => Answered;
  let faultSinceMs = Number.NEGATIVE_INFINITY;
  const faults = [
    'drop' as const,
    'hang' as const,
    'freeze' as const,
    'lag' as const,
    (page: Answered) => ({ ...page, data: page.data.toReversed() }),
    (page: Answered) => ({ ...page, data: [...page.data, ...page.data.slice(0, 1)] }),
    (page: Answered) => ({ ...page, data: page.data.slice(0, -2), hasNextPage: false }),
    (page: Answered) => ({ ...page, data: [], hasNextPage: true }),
  ];
  /** From this event on, times are earlier than before: the node's clock was set back. */
  let setBackFrom = Number.POSITIVE_INFINITY;
  const setBack: Spoil = (page) => {
    if (setBackFrom === Number.POSITIVE_INFINITY) return page;
    const late = new Set(ledger.events.slice(setBackFrom).map(idOf));
    const data = page.data.map((each) => {
      const told = readTold(each);
      return told.id !== undefined && late.has(told.id) ? told.at((ms) => ms - 11_000) : each;
    });
    return { ...page, data };
  };
  /** Requests that a frozen node received, and answers when it continues. */
  const frozen: (() => void)[] = [];
  const setFault = (given: typeof fault) => {
    fault = given;
    proof.faults += 1;
    // However slowly the course runs, the node answers well for 3 of 6 seconds.
    if (performance.now() - faultSinceMs > 6_000) faultSinceMs = performance.now();
    for (const thaw of frozen.splice(0)) thaw();
  };
  let target = main.url;
  node.intercept = ({ method, path, body }, res) => {
    const isPage = place.source === 'JSON-RPC' || /^\{"query":"\{(?:page|found):/.test(body);
    const answer = (spoil: Spoil, url = target) => {
      const headers = { 'content-type': 'application/json' };
      const given = { method, headers, ...(method === 'POST' && { body }) };
      const forwarded = fetch(new URL(path, url), given).then(async (told) => {
        const text = await told.text();
        res.writeHead(told.status, { 'content-type': 'application/json' });
        res.end(isPage ? spoilAnswer(text, (page) => spoil(setBack(page))) : text);
      });
      forwarded.catch(() => res.destroy());
    };
    // A lasting fault would be accepted as the node's own order.
    const isSpoilt = fault === 'away' || (random() > 0.4 && performance.now() - faultSinceMs < 3_000);
    if (!fault || !isSpoilt || !isPage) answer((page) => page);
    else if (fault === 'drop' || fault === 'away') res.destroy();
    else if (fault === 'freeze') frozen.push(() => answer((page) => page));
    else if (fault === 'lag') answer((page) => page, twin.url);
    else if (fault !== 'hang') answer(fault);
    return true;
  };
  const newcomers: Newcomer[] = [];
  const openWhileAway = async () => {
    setFault('away');
    const client = overEventStream(`${gateway().url}/graphql`, queries.liveEvents);
    // By then it has begun.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    newcomers.push({ client, happened: ledger.events.length });
    for (let ticks = 0; ticks < 3; ticks += 1) tick();
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
    if (what < 0.35) for (let ticks = among(12); ticks >= 0; ticks -= 1) tick();
    else if (what < 0.55) setFault(faults[among(faults.length)] ?? null);
    else if (what < 0.65) setFault(null);
    else if (what < 0.7) await replace();
    else if (what < 0.71 && newcomers.length < 2) await openWhileAway();
    else if (what < 0.72) setBackFrom = Math.min(setBackFrom, ledger.events.length);
    else if (what < 0.8) await go(follower);
    else come(follower);
    watch();
    await new Promise((resolve) => setTimeout(resolve, among(25)));
  }
  setFault(null);
  settle();
  const judgeAll = async () => {
    for (const follower of followers) come(follower);
    for (const follower of followers) {
      const last = follower.kind.idsOf(ledger).at(-1);
      await until(
        async () => {
          watch();
          await comeAgain(follower);
          return idsSoFar(follower).at(-1) === last;
        },
        () => {
          const { end = null, results = [] } = follower.now ?? {};
          const all = follower.kind.idsOf(ledger);
          const missing = all.slice(all.indexOf(idsSoFar(follower).at(-1) ?? '') + 1).length;
          return `the last ${missing} items for ${JSON.stringify(follower.kind.filter)}, after ${end} ${JSON.stringify(results.at(-1))}`;
        },
        waitMs,
      );
      await go(follower);
      const all = follower.kind.idsOf(ledger);
      expect(follower.ids).toEqual(all.slice(all.indexOf(follower.ids[0] ?? '')));
    }
  };
  await judgeAll();
  for (const { client, happened } of newcomers) {
    // After a gap, it may begin at any point since which nothing has happened.
    let looks = 0;
    await until(() => {
      if (client.ids.length === 0 && looks % 10 === 0) tick();
      looks += 1;
      return client.end !== null || client.ids.length > 0;
    }, 'an event for a newcomer');
    const all = ledger.events.map(idOf);
    await until(
      () => client.end !== null || client.ids.at(-1) === all.at(-1),
      () => `the last event for a newcomer: ${JSON.stringify(client.results.at(-1))}`,
    );
    await client.leave();
    const first = all.indexOf(client.ids[0] ?? '');
    if (client.ids.length > 0) expect(client.ids).toEqual(all.slice(first, first + client.ids.length));
    // Later events are delivered, or reported as missed.
    const isGapTold = client.results[0] && typeOf(client.results[0]) === 'LiveGap';
    if (!isGapTold && client.ids.length > 0) expect(first).toBeLessThanOrEqual(happened);
  }

  await judgeAll();
  for (const { ids } of followers) proof.items += ids.length;

  // Another network takes the place of the first one: each stream says so, and goes on there without a repeat.
  setBackFrom = Number.POSITIVE_INFINITY;
  for (const follower of followers) come(follower);
  await until(() => followers.every(({ now }) => now !== null), 'all streams');
  target = next.url;
  ledger = next.ledger;
  for (const follower of followers) {
    let looks = 0;
    const said = () => follower.now?.results.some((result) => typeOf(result) === 'LiveGap') ?? false;
    const lastOf = () => follower.kind.idsOf(ledger).at(-1);
    await until(
      () => {
        if (looks % 10 === 0 && follower.now?.ids.length === 0) next.tick();
        looks += 1;
        // The accounts of the first network may have done nothing there.
        const hasCome = follower.now?.ids.length !== 0 || lastOf() === undefined;
        return said() && hasCome && follower.now?.ids.at(-1) === lastOf();
      },
      () => {
        const { ids = [], results = [], end } = follower.now ?? {};
        const all = follower.kind.idsOf(ledger);
        const places = ids.map((id) => all.indexOf(id));
        return `the other network: ${JSON.stringify(follower.kind.filter)} ${end} ${results.map(typeOf)} at ${places} of ${all.length}`;
      },
      waitMs,
    );
    const all = follower.kind.idsOf(ledger);
    const ids = follower.now?.ids ?? [];
    const first = all.indexOf(ids[0] ?? '');
    expect(ids).toEqual(all.slice(first, first + ids.length));
    proof.items += ids.length;
    await follower.now?.leave();
  }
  node.intercept = undefined;
  // A busy machine delays every stream: only one that has stopped is a failure.
  expect(proof.longestWaitMs).toBeLessThan(waitMs);
}

describe.each(Object.keys(networks) as Source[])('over %s:', { timeout: 10 * waitMs * chaos }, (source) => {
  it(`every subscriber gets everything once, in order, while a node drops, hangs, freezes, repeats, lags, reverses pages and sets its clock back (SEED=${seed})`, () =>
    withNetwork(source, async (place) => {
      const gateways = [await startGateway(place)];
      await runCourse({
        place,
        random: createRandom(seed),
        gateway: () => gateways.at(-1) as TestGateway,
        disturb: async () => {
          if (gateways.length > 2 * chaos) return false;
          gateways.push(await startGateway(place));
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
      withNetwork(source, async (place) => {
        const random = createRandom(seed);
        const among = (count: number) => Math.floor(random() * count);
        await using redis = await startRedis();
        const gates: TcpGate[] = [];
        const start = async () => {
          const gate = await openTcpGate(Number(new URL(redis.url).port));
          gates.push(gate);
          const gateway = await startGateway(place, { REDIS_URL: `redis://127.0.0.1:${gate.port}` });
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
          place,
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
