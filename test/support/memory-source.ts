import type { Clock } from '../../src/live/clock.ts';
import {
  type ItemPosition,
  type LiveEntry,
  type LivePage,
  type LiveSource,
  PositionLostError,
} from '../../src/live/live-source.ts';

/** Items in memory that a live stream reads like those of an upstream. A test changes the items and the responses. */
export interface MemorySource extends LiveSource<string> {
  /** Oldest first. Each item is its own name. */
  items: LiveEntry<string>[];
  pageSize: number;
  /** Reads so far: the name after which each page began, or `newest`. */
  readonly reads: (string | null)[];
  /** Called before each read; may throw or wait. */
  before: () => void | Promise<void>;
  /** Fails reads behind an item that it does not have. */
  lost: () => never;
  /** Changes each page before it is returned. */
  spoil: (page: LivePage<string>) => LivePage<string>;
  add(...names: string[]): void;
}

export function createMemorySource(...names: string[]): MemorySource {
  const source: MemorySource = {
    items: [],
    pageSize: 50,
    reads: [],
    before: () => {},
    lost() {
      throw new PositionLostError();
    },
    spoil: (page) => page,
    add(...more) {
      for (const key of more) {
        const timestampMs = (source.items.at(-1)?.timestampMs ?? 1_000) + 1;
        source.items.push({ key, timestampMs, item: key, bytes: 100 });
      }
    },
    async after(place: ItemPosition | null) {
      source.reads.push(place?.key ?? null);
      await source.before();
      const at = place ? source.items.findIndex(({ key }) => key === place.key) : -1;
      if (place && at < 0) source.lost();
      const rest = source.items.slice(at + 1);
      return source.spoil({ entries: rest.slice(0, source.pageSize), hasMore: rest.length > source.pageSize });
    },
    async newest(count) {
      source.reads.push('newest');
      await source.before();
      const places = source.items.slice(-count).toReversed();
      return source.spoil({ entries: places, hasMore: source.items.length > count });
    },
  };
  source.add(...names);
  return source;
}

/** A query for the names that contain this text, starting after any name. */
export function selectFrom(all: MemorySource, part: string): LiveSource<string> {
  const isWanted = ({ key }: ItemPosition) => key.includes(part);
  return {
    async after(place) {
      all.reads.push(`${part} behind ${place?.key ?? 'nothing'}`);
      await all.before();
      const at = place ? all.items.findIndex(({ key }) => key === place.key) : -1;
      if (place && at < 0) all.lost();
      const rest = all.items.slice(at + 1).filter(isWanted);
      return all.spoil({ entries: rest.slice(0, all.pageSize), hasMore: rest.length > all.pageSize });
    },
    async newest(count) {
      all.reads.push(`newest ${part}`);
      await all.before();
      const wanted = all.items.filter(isWanted);
      return { entries: wanted.slice(-count).toReversed(), hasMore: wanted.length > count };
    },
  };
}

/** A clock that a test moves. */
export interface TestClock extends Clock {
  /** Timers set now. */
  readonly timers: number;
  /** Calls back in the next turn of the event loop. `pass` waits for it, and for what follows. */
  defer(then: () => void): void;
  /** Lets no time pass before something outside has answered. */
  track<Value>(answer: Promise<Value>): Promise<Value>;
  /** Advances time, timer by timer, and runs everything that follows from each. */
  pass(ms: number): Promise<void>;
}

/** @param random from 0 to 1 */
export function createTestClock(random = () => 0.5): TestClock {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly then: () => void }>();
  let deferred = 0;
  const isDone = async () => {
    do await settled();
    while (deferred > 0);
  };
  return {
    defer(then) {
      deferred += 1;
      setImmediate(() => {
        deferred -= 1;
        then();
      });
    },
    track(answer) {
      deferred += 1;
      return answer.finally(() => {
        deferred -= 1;
      });
    },
    get timers() {
      return timers.size;
    },
    now: () => now,
    random,
    after(ms, then) {
      const timer = { at: now + ms, then };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async pass(ms) {
      const until = now + ms;
      await isDone();
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= until).sort((one, other) => one.at - other.at);
        if (!next) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.then();
        await isDone();
      }
      now = until;
    },
  };
}

/** Runs everything that waits only for its turn. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
