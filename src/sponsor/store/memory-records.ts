import { type Change, type Member, portion, type Records } from './draft.ts';
import { createTimeQueue } from './time-queue.ts';

/** Expired records that one call drops: more than a step can add, and few enough that no request waits for it. */
const droppedAtOnce = 64;

interface Kept {
  readonly value: object;
  readonly untilMs: number;
}

export type MemoryRecords = ReturnType<typeof createMemoryRecords>;

/** Records in the memory of this process. Values are never changed, only replaced. */
export function createMemoryRecords() {
  const records = new Map<string, Kept>();
  const sets = new Map<string, OrderedSet>();
  const expiries = createTimeQueue<string>((name, atMs) => records.get(name)?.untilMs === atMs);

  let clockMs = Number.NEGATIVE_INFINITY;

  /** The record, unless it has expired: then it is dropped with the sets that it counts. */
  function find(name: string): Kept | undefined {
    const record = records.get(name);
    if (!record || record.untilMs > clockMs) return record;
    drop(name);
    expiries.forget();
    return undefined;
  }

  function drop(name: string): void {
    records.delete(name);
    for (const kind of ['holds:', 'ranks:']) sets.delete(name.replace(/^account:/, kind));
  }

  function replace(name: string, next: Kept | undefined): void {
    const before = find(name);
    if (next) records.set(name, next);
    else records.delete(name);
    if (next?.untilMs === before?.untilMs) return;
    if (next) expiries.push(next.untilMs, name);
    if (before) expiries.forget();
  }

  function move(set: string, member: string, score: number | null): void {
    let ordered = sets.get(set);
    if (!ordered) {
      if (score === null) return;
      ordered = new OrderedSet();
      sets.set(set, ordered);
    }
    ordered.move(member, score);
    if (ordered.size === 0) sets.delete(set);
  }

  const view: Records = {
    run: '',
    get: (name) => find(name)?.value ?? null,
    first: (set) => sets.get(set)?.first(portion) ?? [],
    score: (set, member) => sets.get(set)?.score(member) ?? null,
  };

  return {
    ...view,
    apply(changes: readonly Change[]): void {
      for (const change of changes) {
        if (change.kind === 'put') replace(change.name, { value: change.value, untilMs: change.untilMs });
        else if (change.kind === 'delete') replace(change.name, undefined);
        else move(change.set, change.member, change.kind === 'add' ? change.score : null);
      }
    },
    /** Changes that undo these, if nothing has changed since. */
    inverseOf: (changes: readonly Change[]): readonly Change[] =>
      changes.map((change) => {
        if ('name' in change) {
          const before = find(change.name);
          return before ? { kind: 'put', name: change.name, ...before } : { kind: 'delete', name: change.name };
        }
        const { set, member } = change;
        const score = view.score(set, member);
        return score === null ? { kind: 'remove', set, member } : { kind: 'add', set, member, score };
      }),
    /** It is this time. Drops some records whose time is over. */
    sweep(nowMs: number): void {
      clockMs = nowMs;
      for (let count = 0; count < droppedAtOnce; count += 1) {
        const due = expiries.popDue(nowMs);
        if (!due) return;
        if (records.get(due.item)?.untilMs === due.atMs) drop(due.item);
      }
    },
    get size(): number {
      return records.size + sets.size;
    },
  };
}

/** Members by score, and by name where scores are equal. New members mostly have the highest score. */
class OrderedSet {
  readonly #scores = new Map<string, number>();
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  first(count: number): readonly Member[] {
    return this.#members.slice(0, count);
  }

  score(member: string): number | undefined {
    return this.#scores.get(member);
  }

  move(member: string, score: number | null): void {
    const before = this.#scores.get(member);
    if (before !== undefined) this.#members.splice(this.#indexOf(member, before), 1);
    if (score === null) {
      this.#scores.delete(member);
      return;
    }
    this.#scores.set(member, score);
    this.#members.splice(this.#indexOf(member, score), 0, { member, score });
  }

  /** Where the member is, or would be. */
  #indexOf(member: string, score: number): number {
    let [low, high] = [0, this.#members.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#members[middle] as Member;
      if (other.score < score || (other.score === score && other.member < member)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
