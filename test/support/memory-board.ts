import type { Clock } from '../../src/live/clock.ts';
import type { Board, BoardEntry, BoardQuery, NewEntry } from '../../src/live/fleet/board.ts';

type Ring = (why: 'told' | 'asked' | 'left') => void;

interface Kept {
  token: number;
  number: number;
  front: string | null | undefined;
  asked: number;
  caught: number;
  entries: (BoardEntry & Pick<NewEntry, 'front'>)[];
  /** Of the newest entry, which may be dropped already. */
  tail: string | null;
  lease: { readonly who: object; untilMs: number } | null;
  readonly rings: Set<Ring>;
}

/** A board in memory with the rules of the one in Redis. A test has it be away, and forget. */
export interface MemoryBoard {
  /** As one process sees it. */
  forProcess(): ProcessBoard;
  forgetAll(): void;
  /** As a replica that had not heard of the newest ones yet, and takes the place of its primary. */
  forgetNewest(count: number): void;
  spoilNewest(): void;
  /** Entries at this moment, of all queries. */
  readonly entries: readonly BoardEntry[];
}

export interface ProcessBoard extends Board {
  /**
   * `cut`: each step fails at once. `deaf`: no ring is heard. `lost`: a step is taken, and its answer does not come.
   * `full`: it can be looked at, and takes nothing.
   */
  state: 'well' | 'cut' | 'deaf' | 'lost' | 'full';
  /** Does nothing any more, without a word: the process was killed. */
  kill(): void;
  readonly steps: number;
}

export function createMemoryBoard(clock: Pick<Clock, 'now'>): MemoryBoard {
  const queries = new Map<string, Kept>();
  const find = (query: string): Kept => {
    const known = queries.get(query);
    if (known) return known;
    const made: Kept = {
      ...{ token: 0, number: 0, front: undefined, asked: 0, caught: 0, entries: [], tail: null, lease: null },
      rings: new Set(),
    };
    queries.set(query, made);
    return made;
  };
  return {
    get entries() {
      return [...queries.values()].flatMap(({ entries }) => entries);
    },
    forgetAll() {
      for (const kept of queries.values()) {
        Object.assign(kept, { token: 0, number: 0, front: undefined, asked: 0, caught: 0, entries: [], tail: null });
        kept.lease = null;
      }
    },
    forgetNewest(count) {
      for (const kept of queries.values()) {
        kept.entries.splice(-count);
        kept.tail = kept.entries.at(-1)?.id ?? null;
        kept.number = Number(kept.tail?.split('-')[1] ?? 0);
        if (kept.tail === null) kept.lease = null;
        kept.front = kept.entries.at(-1)?.front;
      }
    },
    spoilNewest() {
      for (const { entries } of queries.values()) {
        const last = entries.pop();
        if (last) entries.push({ ...last, text: '{"news":[["of a later version"]]}' });
      }
    },
    forProcess() {
      let isKilled = false;
      const board: ProcessBoard & { steps: number } = {
        state: 'well',
        steps: 0,
        kill: () => {
          isKilled = true;
        },
        async close() {},
        open(query, ring) {
          const kept = find(query);
          const who = {};
          const hears: Ring = (why) => {
            if (!isKilled && (board.state === 'well' || board.state === 'full')) queueMicrotask(() => ring(why));
          };
          kept.rings.add(hears);
          const step: TakeStep = async (take, kind) => {
            board.steps += 1;
            await Promise.resolve();
            if (isKilled) return new Promise(() => {});
            if (board.state === 'cut') throw new Error('the board is away');
            if (board.state === 'full' && kind) throw new Error('the board is full');
            const result = take();
            if (board.state === 'lost') throw new Error('the answer of the board was lost');
            return result;
          };
          return { ...steps(kept, who, clock, step), leave: () => step(() => leave(kept, who, hears)) };
        },
      };
      return board;
    },
  };
}

type TakeStep = <Result>(take: () => Result, kind?: 'writes') => Promise<Result>;

function ringAll({ rings }: Kept, why: Parameters<Ring>[0]): void {
  for (const ring of rings) ring(why);
}

function leave(kept: Kept, who: object, ring: Ring): void {
  kept.rings.delete(ring);
  if (kept.lease?.who !== who) return;
  kept.lease = null;
  ringAll(kept, 'left');
}

const leaseMs = 3_000;

let firsts = 0;
/** No two leads have entries of the same number, as it is in Redis. */
function nextFirst(): number {
  firsts += 1_000;
  return firsts % 1_000_000;
}

function steps(kept: Kept, who: object, clock: Pick<Clock, 'now'>, step: TakeStep): Omit<BoardQuery, 'leave'> {
  const holder = () => (kept.lease && kept.lease.untilMs > clock.now() ? kept.lease.who : null);
  const add = (text: string, front: string | null | undefined) => {
    kept.number += 1;
    const id = `${kept.token}-${kept.number}`;
    kept.entries.push({ id, behind: kept.tail, text, front });
    kept.tail = id;
    kept.front = front;
    ringAll(kept, 'told');
    return id;
  };
  const orderOf = (id: string) => Number(id.split('-')[0] ?? 0) * 1e9 + Number(id.split('-')[1] ?? 0);
  return {
    look: (behind, lead) =>
      step(() => {
        const leader = holder();
        if (kept.lease && leader === who && lead && lead.token === String(kept.token))
          kept.lease.untilMs = clock.now() + leaseMs;
        const { tail, front, asked, caught } = kept;
        const rest = kept.entries.filter(({ id }) => behind !== null && orderOf(id) > orderOf(behind));
        const role = leader === who ? ('me' as const) : leader ? ('other' as const) : ('nobody' as const);
        return { leader: role, tail, front, asked, caught, entries: tail === null ? [] : rest.slice(0, 4) };
      }),
    lead: ({ text, front }) =>
      step(() => {
        const leader = holder();
        if (leader && leader !== who) return null;
        kept.token = Math.max(kept.token + 1, clock.now());
        kept.number = nextFirst();
        kept.lease = { who, untilMs: clock.now() + leaseMs };
        return { token: String(kept.token), id: add(text, front), asked: kept.asked };
      }, 'writes'),
    add: ({ token }, behind, { text, front }, mostBytes) =>
      step(() => {
        if (holder() !== who || String(kept.token) !== token || kept.tail !== behind) return null;
        const id = add(text, front);
        const bytes = () => kept.entries.reduce((sum, entry) => sum + Buffer.byteLength(entry.text), 0);
        while (kept.entries.length > 1 && bytes() > mostBytes) kept.entries.shift();
        return id;
      }, 'writes'),
    ask: () =>
      step(() => {
        kept.asked += 1;
        ringAll(kept, 'asked');
        return kept.asked;
      }, 'writes'),
    answer: ({ token }, asked) =>
      step(() => {
        if (holder() !== who || String(kept.token) !== token) return;
        kept.caught = asked;
        ringAll(kept, 'told');
      }, 'writes'),
  };
}
