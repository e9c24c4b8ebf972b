import type { Clock } from '../../src/live/clock.ts';
import type { LeasedLog, LeasedLogs, LogEntry, OnLogChange } from '../../src/live/fleet/leased-log.ts';

interface Kept {
  entries: LogEntry[];
  lease: { readonly holder: object; untilMs: number } | null;
  readonly listeners: Set<OnLogChange>;
}

/** Leased logs in memory with the rules of those in Redis. A test can make them unavailable, or lose entries. */
export interface MemoryLogs {
  /** The log as one process sees it. */
  forProcess(): ProcessLogs;
  forgetAll(): void;
  /** Like a replica that lacks the newest entries and becomes the primary. */
  forgetNewest(count: number): void;
  spoilNewest(): void;
  /** Entries now, of all queries. */
  readonly entries: readonly LogEntry[];
}

export interface ProcessLogs extends LeasedLogs {
  /**
   * `cut`: each step fails immediately. `deaf`: changes are not reported. `lost`: a step is taken, and its response is lost.
   * `full`: reads succeed, writes fail.
   */
  state: 'well' | 'cut' | 'deaf' | 'lost' | 'full';
  /** Stops silently, as if the process had been killed. */
  kill(): void;
}

const leaseMs = 3_000;
const maxEntriesRead = 4;

export function createMemoryLogs(clock: Pick<Clock, 'now'>): MemoryLogs {
  const queries = new Map<string, Kept>();
  const find = (query: string): Kept => {
    const known = queries.get(query) ?? { entries: [], lease: null, listeners: new Set() };
    queries.set(query, known);
    return known;
  };
  return {
    get entries() {
      return [...queries.values()].flatMap(({ entries }) => entries);
    },
    forgetAll() {
      for (const kept of queries.values()) Object.assign(kept, { entries: [], lease: null });
    },
    forgetNewest(count) {
      for (const kept of queries.values()) {
        kept.entries.splice(-count);
        if (kept.entries.length === 0) kept.lease = null;
      }
    },
    spoilNewest() {
      for (const { entries } of queries.values()) {
        const last = entries.pop();
        const spoil = (text: string) =>
          JSON.stringify({ ...(JSON.parse(text) as object | null), items: [['of a later version']] });
        if (last) entries.push({ ...last, text: spoil(last.text) });
      }
    },
    forProcess() {
      let isKilled = false;
      const logs: ProcessLogs = {
        state: 'well',
        kill: () => {
          isKilled = true;
        },
        async close() {},
        open(query, onChange) {
          const kept = find(query);
          const hear: OnLogChange = (ask) => {
            if (!isKilled && (logs.state === 'well' || logs.state === 'full')) queueMicrotask(() => onChange(ask));
          };
          kept.listeners.add(hear);
          return openLog(kept, clock, hear, async (take, kind) => {
            await Promise.resolve();
            if (isKilled) return new Promise(() => {});
            if (logs.state === 'cut') throw new Error('the log is away');
            if (logs.state === 'full' && kind) throw new Error('the log is full');
            const result = take();
            if (logs.state === 'lost') throw new Error('the answer was lost');
            return result;
          });
        },
      };
      return logs;
    },
  };
}

type TakeStep = <Result>(take: () => Result, kind?: 'writes') => Promise<Result>;

/** As in Redis, entry numbers are unique across leaders. */
let leads = 0;

function openLog(kept: Kept, clock: Pick<Clock, 'now'>, hear: OnLogChange, step: TakeStep): LeasedLog {
  const me = {};
  const holder = () => (kept.lease && kept.lease.untilMs > clock.now() ? kept.lease.holder : null);
  const newest = () => kept.entries.at(-1)?.id ?? null;
  const numbers = (id: string | null) => (id ?? '0-0').split('-').map(Number) as [number, number];
  const isBehind = (id: string, after: string) => {
    const [[first, second], [afterFirst, afterSecond]] = [numbers(id), numbers(after)];
    return first === afterFirst ? second > (afterSecond ?? 0) : first > afterFirst;
  };
  const announce = (ask = '') => {
    for (const listener of kept.listeners) listener(ask);
  };
  return {
    read: (after, renew) =>
      step(() => {
        if (kept.lease && renew && holder() === me) kept.lease.untilMs = clock.now() + leaseMs;
        const leader = holder() === me ? ('me' as const) : holder() ? ('other' as const) : ('nobody' as const);
        const entries = after === null ? kept.entries.slice(-1) : kept.entries.filter(({ id }) => isBehind(id, after));
        return { leader, newest: newest(), entries: entries.slice(0, maxEntriesRead) };
      }),
    lead: (text) =>
      step(() => {
        if (holder() && holder() !== me) return null;
        leads += 1;
        const behind = newest();
        const id = `${Math.max(clock.now(), numbers(behind)[0] + 1)}-${(leads * 1_000) % 1_000_000}`;
        kept.entries = [{ id, behind, text }];
        kept.lease = { holder: me, untilMs: clock.now() + leaseMs };
        announce();
        return id;
      }, 'writes'),
    append: (after, text, maxEntries) =>
      step(() => {
        if (holder() !== me || newest() !== after) return null;
        const [first, number] = numbers(after);
        const id = `${first}-${number + 1}`;
        kept.entries = [...kept.entries, { id, behind: after, text }].slice(-maxEntries);
        announce();
        return id;
      }, 'writes'),
    ask: (ask) => step(() => announce(ask), 'writes'),
    leave() {
      // Needs no connection.
      kept.listeners.delete(hear);
      return step(() => {
        if (kept.lease?.holder !== me) return;
        kept.lease = null;
        announce();
      });
    },
  };
}
