import type { Presenter } from '../../src/live/channel.ts';
import type { Fleet } from '../../src/live/fleet/fleet.ts';
import { HistoryCalls } from '../../src/live/history.ts';
import { createLiveHub, type LiveHub } from '../../src/live/live-hub.ts';
import type { ResumePoint } from '../../src/live/live-source.ts';
import { createStreamQuota } from '../../src/live/stream-quota.ts';
import { Turns } from '../../src/upstream/fair-turns.ts';
import type { PushedItems } from '../../src/upstream/operation-context.ts';
import { createEvenShares, type EvenShares, Quota } from '../../src/upstream/quota.ts';
import { createMemorySource, createTestClock, type MemorySource, selectFrom, type TestClock } from './memory-source.ts';
import { pull } from './pushed-items.ts';

/** A delivery of a stream of names, as text: a name, `gap a…b`, `missed 3 after a`. */
type Told = string;

export interface TestHub {
  readonly hub: LiveHub<string, Told>;
  readonly clock: TestClock;
  /** Maximum bytes of its replay buffers. */
  readonly budget: EvenShares;
  readonly source: MemorySource;
  /** Payloads that its channels may keep. */
  readonly payloads: EvenShares;
  /** How often an item was presented. */
  readonly made: { count: number };
  /** Reports to the operator. */
  readonly log: string[];
  /** Resume positions after each name, as delivered. */
  readonly points: Map<string, ResumePoint>;
  /** Subscribes after a delivered name, or from now. */
  follow(after?: string | ResumePoint, options?: FollowOptions): Following;
  /** Subscribes with the position that came with a delivery: one name may have several positions. */
  trace(after: ResumePoint): Tracing;
  /** Subscribes without a reader yet. */
  open(after?: string | ResumePoint, options?: FollowOptions): PushedItems<Told>;
  /** Subscribes with pulled deliveries. */
  byHand(after?: string | ResumePoint, options?: FollowOptions): AsyncGenerator<Told, undefined>;
}

export interface FollowOptions {
  readonly filter?: string;
  readonly caller?: string;
  readonly weight?: number;
  /** The query: everything, or items that match the filter. A query for everything may replace one for matches. */
  readonly read?: 'everything' | 'own' | 'own only';
}

/** A stream, and its deliveries so far. */
export interface Following {
  readonly told: Told[];
  readonly stream: AsyncGenerator<Told, undefined>;
  /** Did the stream end by itself? */
  readonly isOver: boolean;
  leave(): Promise<unknown>;
}

/** A subscriber that keeps its last position, as a client keeps its cursor. */
export interface Tracing extends Following {
  /** Its last position; `null` before the first delivery. */
  readonly point: ResumePoint | null;
}

export interface TestHubOptions {
  readonly replayBytes?: number;
  readonly maxStreams?: number;
  readonly maxStreamsPerCaller?: number;
  readonly maxReaders?: number;
  readonly maxReadersPerCaller?: number;
  /** Clock of another hub in the same test. */
  readonly clock?: TestClock;
  readonly fleet?: Fleet;
}

export function createTestHub(source = createMemorySource(), options: TestHubOptions = {}): TestHub {
  const { replayBytes = 1_000_000, maxStreams = 100, maxStreamsPerCaller = 100 } = options;
  const { maxReaders = 100, maxReadersPerCaller = 100, clock = createTestClock(), fleet } = options;
  const points = new Map<string, ResumePoint>();
  const made = { count: 0 };
  const payloads = createEvenShares({ total: 4_096, least: 2 });
  const budget = createEvenShares({ total: replayBytes, least: 8_192 });
  const log: string[] = [];
  // Uses the test's clock, so that a busy machine cannot delay work of this turn.
  const turns = new Turns({ now: clock.now, nextTurn: clock.defer });
  const hub = createLiveHub<string, Told>({
    clock,
    pace: { minMs: 100, maxMs: 1_000 },
    budget,
    made: payloads,
    turns,
    streamQuota: createStreamQuota({ max: maxStreams, maxPerCaller: maxStreamsPerCaller }),
    readerQuota: new Quota({ max: maxReaders, maxPerCaller: maxReadersPerCaller }),
    historyCalls: new HistoryCalls({ clock, turns, maxAtOnce: 4, maxPerSecond: 50 }),
    lostAfterMs: 5_000,
    graceMs: 500,
    onFaultyPageAccepted: (fault) => log.push(`taken: ${fault}`),
    onUnreadable: () => log.push('left out'),
    onStall: ({ who, waitsFor, count }) => log.push(`${count} ${who}: ${waitsFor}`),
    join: fleet && ((query) => fleet.join(query, { write: (item) => item, read: (text) => text })),
  });
  const toCursor = (at: ResumePoint) => JSON.stringify(at);
  const presenter = (filter: string): Presenter<string, Told> => ({
    toCursor,
    matches: (name) => name.includes(filter),
    item: ({ item }, at) => {
      made.count += 1;
      points.set(item, at);
      return item;
    },
    gap: (after, before, reason) => `gap ${after?.last?.key}…${before?.key} ${reason.slice(0, 12)}`,
    missed: (count, { last }) => `missed ${count} after ${last?.key ?? 'nothing'}`,
  });
  const traced: Presenter<string, Told> = {
    toCursor,
    matches: () => true,
    item: ({ item }, at) => JSON.stringify([item, at]),
    gap: (after, before) => JSON.stringify([`gap ${after?.last?.key}…${before?.key}`, after]),
    missed: (count, at) => JSON.stringify([`missed ${count}`, at]),
  };
  const everything = { query: 'all', source: () => source };
  const own = (filter: string) => ({ query: `has ${filter}`, source: () => selectFrom(source, filter) });
  const open: TestHub['open'] = (after, about = {}) => {
    const { filter = '', caller = 'somebody', weight = 1, read = 'everything' } = about;
    const point = typeof after === 'string' ? points.get(after) : after;
    if (after !== undefined && !point) throw new Error(`nobody told ${String(after)}`);
    return hub.open({
      ...(read === 'everything' ? everything : own(filter)),
      everything: read === 'own only' ? null : everything,
      filter,
      presenter: () => presenter(filter),
      after: point ?? null,
      weight,
      caller,
    });
  };
  const byHand: TestHub['byHand'] = (after, about) => pull(open(after, about));
  return {
    hub,
    clock,
    budget,
    payloads,
    source,
    made,
    points,
    log,
    open,
    byHand,
    trace(after) {
      const query = { ...everything, everything, filter: 'traced', presenter: () => traced };
      const stream = pull(hub.open({ ...query, after, weight: 1, caller: 'somebody' }));
      const tracing = { told: [] as Told[], stream, isOver: false, leave: () => stream.return(undefined) };
      let point: ResumePoint | null = null;
      const read = async () => {
        for await (const each of stream) {
          const [text, at] = JSON.parse(each) as [string, ResumePoint];
          tracing.told.push(text);
          point = at;
        }
        tracing.isOver = true;
      };
      void read();
      return Object.defineProperty(tracing, 'point', { get: () => point }) as unknown as Tracing;
    },
    follow(after, options) {
      const stream = byHand(after, options);
      const following = { told: [] as Told[], stream, isOver: false, leave: () => stream.return(undefined) };
      const read = async () => {
        for await (const each of stream) following.told.push(each);
        following.isOver = true;
      };
      void read();
      return following;
    },
  };
}
