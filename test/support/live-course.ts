import { expect } from 'vitest';
import type { Ledger } from '../../src/devnet/state/ledger-state.ts';
import type { EventRecord } from '../../src/devnet/state/records.ts';
import type { LiveClient, LiveResult } from './live-clients.ts';
import { startTickedDevnet } from './live-network.ts';
import { startSuiNetwork } from './networks/sui-network.ts';

/** A network that a course reads: its ledger, and where it is served. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  /** Where its GraphQL is served, if it is read elsewhere. */
  readonly graphqlUrl: string | null;
  readonly ledger: Ledger;
  tick(): void;
}

/** The sources and the ways in which their ledgers page. @param chain another number is another network */
export const networks = {
  'JSON-RPC': { start: (chain: number) => startDevnetOf(chain, 'rpcUrl'), profile: 'ledger' },
  'the GraphQL of IOTA': { start: (chain: number) => startDevnetOf(chain, 'graphqlUrl'), profile: 'ledger' },
  'the GraphQL of Sui': { start: (chain: number) => startSuiOf(chain), profile: 'sui' },
  'the GraphQL of Sui, which examines 25 records per page': {
    start: (chain: number) => startSuiOf(chain, 25),
    profile: 'sui',
  },
} as const;
export type Source = keyof typeof networks;
export const sources = Object.keys(networks) as Source[];

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
  const network = await startSuiNetwork({
    startMs: startOf(chain),
    seed: chain + 1,
    ...(scanLimit !== undefined && { scanLimit }),
  });
  const { graphqlUrl: url, ledger } = network;
  const dispose = () => network[Symbol.asyncDispose]();
  return { url, graphqlUrl: null, ledger, tick: () => void network.step(1), [Symbol.asyncDispose]: dispose };
}

/** The networks of one course. */
export interface Place {
  readonly source: Source;
  readonly main: Served;
  /** A node of the same network that lags. */
  readonly twin: Served;
  /** Another network, which takes the place of the first one. */
  readonly next: Served;
}

/** Runs a test with networks of its own. */
export async function withNetworks(source: Source, test: (place: Place) => Promise<void>): Promise<void> {
  const { start } = networks[source];
  await using main = await start(0);
  await using twin = await start(0);
  await using next = await start(1);
  await test({ source, main, twin, next });
}

interface Answered {
  readonly data: unknown[];
  readonly hasNextPage: boolean;
}
type Spoil = (page: Answered) => Answered;

/** Changes the page in an answer of either source. */
function spoilAnswer(text: string, spoil: Spoil): string {
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

/** Numbers from 0 to 1; the same seed gives the same numbers. */
export function createRandom(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The items of a kind of streams, in the ledger's order: a list that grows with the ledger. */
export interface Kind {
  readonly field: 'liveEvents' | 'liveTransactions';
  // biome-ignore lint/suspicious/noExplicitAny: of either field
  readonly filter: any;
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

/** Milliseconds for which a node with a lasting fault answers badly, and then well: a fault of 5 s counts as its own order. */
const [badMs, periodMs] = [3_000, 6_000];
/** How far a node behind a balancer may lag, in checkpoints. */
const maxLag = 6;

type Fault = Spoil | 'drop' | 'hang' | 'freeze' | 'away' | 'lag';

/** What the node does with one request. */
export interface Exchange {
  readonly body: string;
  /** Sends it to the network at this URL. */
  forward(url: string): Promise<string>;
  answer(text: string): void;
  /** Closes the connection without an answer. */
  drop(): void;
}

/** The node that gateways read, with faults. */
function createNode({ source, main, twin }: Place, { now, random, lostMs }: CourseOptions) {
  let fault: Fault | null = null;
  let faultSinceMs = Number.NEGATIVE_INFINITY;
  /** When the fault was set, and for how long the node had been bad by then. */
  let [setMs, badBeforeMs] = [0, 0];
  const badSoFarMs = () => {
    const untilMs = fault === 'away' ? now() : Math.min(now(), faultSinceMs + badMs);
    return badBeforeMs + (fault === null ? 0 : Math.max(0, untilMs - setMs));
  };
  /** Checkpoints by which the twin lags. */
  let lag = 0;
  /** Requests that a frozen node received, and answers when it continues. */
  const frozen: (() => void)[] = [];
  /** From this event on, times are earlier than before: the node's clock was set back. */
  let setBackFrom = Number.POSITIVE_INFINITY;
  const setBack: Spoil = (page) => {
    if (setBackFrom === Number.POSITIVE_INFINITY) return page;
    const late = new Set(main.ledger.events.slice(setBackFrom).map(idOf));
    const data = page.data.map((each) => {
      const told = readTold(each);
      return told.id !== undefined && late.has(told.id) ? told.at((ms) => ms - 11_000) : each;
    });
    return { ...page, data };
  };
  const node = {
    url: main.url,
    get setBackFrom() {
      return setBackFrom;
    },
    set setBackFrom(index: number) {
      setBackFrom = index;
    },
    tick(): void {
      main.tick();
      lag += 1;
      for (; lag > (fault === 'lag' ? maxLag : 0); lag -= 1) twin.tick();
    },
    /** Milliseconds for which the node has answered well. */
    wellMs: () => now() - badSoFarMs() - lostMs(),
    set(given: Fault | null): void {
      badBeforeMs = badSoFarMs();
      setMs = now();
      fault = given;
      if (now() - faultSinceMs > periodMs) faultSinceMs = now();
      for (const thaw of frozen.splice(0)) thaw();
    },
    serve(exchange: Exchange): void {
      const { body } = exchange;
      const isPage = source === 'JSON-RPC' || /^\{"query":"\{(?:page|found):/.test(body);
      const answer = (spoil: Spoil, url = node.url) => {
        const forwarded = exchange
          .forward(url)
          .then((text) => exchange.answer(isPage ? spoilAnswer(text, (page) => spoil(setBack(page))) : text));
        forwarded.catch(() => exchange.drop());
      };
      const isSpoilt = fault === 'away' || (random() > 0.4 && now() - faultSinceMs < badMs);
      if (!fault || !isSpoilt || !isPage) answer((page) => page);
      else if (fault === 'drop' || fault === 'away') exchange.drop();
      else if (fault === 'freeze') frozen.push(() => answer((page) => page));
      else if (fault === 'lag') answer((page) => page, twin.url);
      else if (fault !== 'hang') answer(fault);
    },
  };
  return node;
}

export type FaultyNode = ReturnType<typeof createNode>;

const faults: readonly Fault[] = [
  'drop',
  'hang',
  'freeze',
  'lag',
  (page) => ({ ...page, data: page.data.toReversed() }),
  (page) => ({ ...page, data: [...page.data, ...page.data.slice(0, 1)] }),
  (page) => ({ ...page, data: page.data.slice(0, -2), hasNextPage: false }),
  (page) => ({ ...page, data: [], hasNextPage: true }),
];

/** Time, gateways and subscribers of a course. */
export interface World {
  pass(ms: number): Promise<void>;
  /** Waits until a condition holds, for `waitMs` at most. @param what is awaited, for the message of a timeout */
  until(condition: () => boolean | Promise<boolean>, what: () => string): Promise<void>;
  /** Subscribes at one of the gateways in service. */
  subscribe(kind: Pick<Kind, 'field' | 'filter'>, after: string | null): LiveClient;
  /** Does something to the gateways, beside the node's faults. @returns must every subscriber connect again? */
  disturb(): Promise<boolean>;
  /** Milliseconds within which gateways go on after such a disturbance. */
  readonly failoverMs: number;
  /** Ends what was done to the gateways. */
  settle(): void;
}

export interface CourseOptions {
  readonly place: Place;
  readonly random: () => number;
  readonly now: () => number;
  /** Milliseconds so far in which the machine let nothing work. */
  readonly lostMs: () => number;
  /** @param node answers what the gateways ask */
  readonly start: (node: FaultyNode) => Promise<World>;
  /** Actions, one after the other. */
  readonly steps: number;
  readonly followersOfEach: number;
  /** Milliseconds between two actions. */
  readonly stepMs: () => number;
  /** Milliseconds for which a stream may get nothing from a node that answers well and has something for it. */
  readonly maxWaitMs: number;
}

/** What courses proved: items that were compared with the ledger, and how long streams waited for some. */
export interface Proof {
  items: number;
  faults: number;
  longestWaitMs: number;
}

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

/** Throws unless a subscriber got all of these items, once each and in order. @param isWhole up to the last one */
function judge(ids: readonly string[], all: readonly string[], isWhole: boolean): void {
  const places = ids.map((id) => all.indexOf(id));
  const [first = 0] = places;
  const at = places.findIndex((place, index) => place !== first + index);
  if (at >= 0) {
    const around = places.slice(Math.max(0, at - 3), at + 4);
    throw new Error(`the items at ${around} follow one another, of ${all.length}; from ${first} to ${places.at(-1)}`);
  }
  if (isWhole) expect(first + ids.length).toBe(all.length);
}

const typeOf = ({ data }: LiveResult) => (data?.liveEvents ?? data?.liveTransactions)?.__typename;

/** Judges every delivery of many subscribers over a network and gateways at fault. */
export async function runCourse(options: CourseOptions): Promise<Proof> {
  const { place, random, steps, followersOfEach, maxWaitMs } = options;
  const node = createNode(place, options);
  const world = await options.start(node);
  const { main, next } = place;
  const proof: Proof = { items: 0, faults: 0, longestWaitMs: 0 };
  const among = (count: number) => Math.floor(random() * count);
  let ledger = main.ledger;
  const kinds = kindsOf(ledger);
  const followers: Follower[] = kinds.flatMap((kind) =>
    Array.from({ length: followersOfEach }, () => ({ kind, ids: [], cursor: null, now: null, seen: 0, seenMs: 0 })),
  );
  const setFault = (fault: Fault | null) => {
    proof.faults += 1;
    node.set(fault);
  };
  const come = (follower: Follower) => {
    if (follower.now) return;
    follower.now = world.subscribe(follower.kind, follower.cursor);
    follower.seenMs = node.wellMs();
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
  const lastOf = ({ ids, now }: Follower) => now?.ids.at(-1) ?? ids.at(-1);
  const describeFollower = (follower: Follower) => {
    const { end = null, results = [] } = follower.now ?? {};
    const all = follower.kind.idsOf(ledger);
    const missing = all.slice(all.indexOf(lastOf(follower) ?? '') + 1).length;
    return `the last ${missing} items for ${JSON.stringify(follower.kind.filter)}, after ${end} ${JSON.stringify(results.at(-1))}`;
  };
  /** Looks how long each stream has been without an item that the ledger has for it, while the node answers well. */
  const watch = () => {
    const nowMs = node.wellMs();
    const lasts = new Map(kinds.map((kind) => [kind, kind.idsOf(ledger).at(-1)]));
    for (const follower of followers) {
      const { ids, now, kind } = follower;
      const count = ids.length + (now?.ids.length ?? 0);
      const hasAll = lastOf(follower) === lasts.get(kind);
      if (!now || now.end !== null || count === 0 || hasAll || count !== follower.seen) {
        follower.seen = count;
        follower.seenMs = nowMs;
      }
      const waitMs = Math.round(nowMs - follower.seenMs);
      if (waitMs >= maxWaitMs) throw new Error(`not within ${waitMs} ms: ${describeFollower(follower)}`);
      proof.longestWaitMs = Math.max(proof.longestWaitMs, waitMs);
    }
  };

  // Each begins with an item, because only a cursor allows resuming.
  for (const follower of followers) {
    come(follower);
    let looks = 0;
    await world.until(
      async () => {
        // A stream begins once its reader has caught up, so the ledger must not outrun a slow machine.
        if (looks % 10 === 0) node.tick();
        looks += 1;
        await comeAgain(follower);
        return (follower.now?.ids.length ?? 0) > 0;
      },
      () => 'a first item',
    );
  }
  const newcomers: Newcomer[] = [];
  const openWhileAway = async () => {
    setFault('away');
    const client = world.subscribe({ field: 'liveEvents', filter: null }, null);
    // By then it has begun.
    await world.pass(3_000);
    newcomers.push({ client, happened: ledger.events.length });
    for (let ticks = 0; ticks < 3; ticks += 1) node.tick();
    setFault(null);
  };
  const replace = async () => {
    const mustComeAgain = await world.disturb();
    for (const follower of followers) follower.seenMs += world.failoverMs;
    if (!mustComeAgain) return;
    for (const follower of followers) {
      await go(follower);
      come(follower);
    }
  };
  for (let step = 0; step < steps; step += 1) {
    const what = random();
    const follower = followers[among(followers.length)] as Follower;
    if (what < 0.35) for (let ticks = among(12); ticks >= 0; ticks -= 1) node.tick();
    else if (what < 0.55) setFault(faults[among(faults.length)] ?? null);
    else if (what < 0.65) setFault(null);
    else if (what < 0.7) await replace();
    else if (what < 0.71 && newcomers.length < 2) await openWhileAway();
    else if (what < 0.72) node.setBackFrom = Math.min(node.setBackFrom, ledger.events.length);
    else if (what < 0.8) await go(follower);
    else come(follower);
    for (const each of followers) await comeAgain(each);
    watch();
    await world.pass(options.stepMs());
  }
  setFault(null);
  world.settle();
  const judgeAll = async () => {
    for (const follower of followers) come(follower);
    for (const follower of followers) {
      const last = follower.kind.idsOf(ledger).at(-1);
      await world.until(
        async () => {
          watch();
          await comeAgain(follower);
          return lastOf(follower) === last;
        },
        () => describeFollower(follower),
      );
    }
    for (const follower of followers) {
      await go(follower);
      judge(follower.ids, follower.kind.idsOf(ledger), true);
    }
  };
  await judgeAll();
  for (const { client, happened } of newcomers) {
    // After a gap, it may begin at any point since which nothing has happened.
    let looks = 0;
    await world.until(
      () => {
        if (client.ids.length === 0 && looks % 10 === 0) node.tick();
        looks += 1;
        return client.end !== null || client.ids.length > 0;
      },
      () => 'an event for a newcomer',
    );
    const all = ledger.events.map(idOf);
    await world.until(
      () => client.end !== null || client.ids.at(-1) === all.at(-1),
      () => `the last event for a newcomer: ${JSON.stringify(client.results.at(-1))}`,
    );
    await client.leave();
    const first = all.indexOf(client.ids[0] ?? '');
    if (client.ids.length > 0) judge(client.ids, all, false);
    // Later events are delivered, or reported as missed.
    const isGapTold = client.results[0] && typeOf(client.results[0]) === 'LiveGap';
    if (!isGapTold && client.ids.length > 0) expect(first).toBeLessThanOrEqual(happened);
  }

  await judgeAll();
  for (const { ids } of followers) proof.items += ids.length;

  // Another network takes the place of the first one: each stream says so, and goes on there without a repeat.
  node.setBackFrom = Number.POSITIVE_INFINITY;
  for (const follower of followers) come(follower);
  node.url = next.url;
  ledger = next.ledger;
  for (const follower of followers) {
    let looks = 0;
    const said = () => follower.now?.results.some((result) => typeOf(result) === 'LiveGap') ?? false;
    const newest = () => follower.kind.idsOf(ledger).at(-1);
    await world.until(
      () => {
        if (looks % 10 === 0 && follower.now?.ids.length === 0) next.tick();
        looks += 1;
        // The accounts of the first network may have done nothing there.
        const hasCome = follower.now?.ids.length !== 0 || newest() === undefined;
        return said() && hasCome && follower.now?.ids.at(-1) === newest();
      },
      () => {
        const { ids = [], results = [], end } = follower.now ?? {};
        const all = follower.kind.idsOf(ledger);
        const places = ids.map((id) => all.indexOf(id));
        return `the other network: ${JSON.stringify(follower.kind.filter)} ${end} ${results.map(typeOf)} at ${places} of ${all.length}`;
      },
    );
    const ids = follower.now?.ids ?? [];
    judge(ids, follower.kind.idsOf(ledger), false);
    proof.items += ids.length;
    await follower.now?.leave();
  }
  return proof;
}
