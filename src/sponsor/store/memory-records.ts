import { type Change, type Member, portion, type Records } from './draft.ts';

/** Expired records that one call drops: more than a step can add, and few enough that no request waits for it. */
const droppedAtOnce = 64;
/** Records are dropped once all that expire within the same time have expired. */
const bucketMs = 60_000;

interface Kept {
  readonly value: object;
  readonly untilMs: number;
}

export type MemoryRecords = ReturnType<typeof createMemoryRecords>;

/** Records in the memory of this process. Values are never changed, only replaced. */
export function createMemoryRecords() {
  const records = new Map<string, Kept>();
  const sets = new Map<string, OrderedSet>();
  /** The names of records by the time at which they have all expired. */
  const buckets = new Map<number, Set<string>>();
  const bucketOf = ({ untilMs }: Kept) => Math.ceil(untilMs / bucketMs);

  let clockMs = Number.NEGATIVE_INFINITY;
  /** A bucket whose time is over, and the earliest time at which there is another one. */
  let due: Set<string> = new Set();
  let nextDueMs = Number.POSITIVE_INFINITY;

  /** The record, unless it has expired: then it is dropped with the sets that it counts. */
  function find(name: string): Kept | undefined {
    const record = records.get(name);
    if (!record || record.untilMs > clockMs) return record;
    replace(name, undefined);
    for (const kind of ['holds:', 'ranks:']) sets.delete(name.replace(/^account:/, kind));
    return undefined;
  }

  function replace(name: string, next: Kept | undefined): void {
    const before = records.get(name);
    if (next) records.set(name, next);
    else records.delete(name);
    const [from, into] = [before && bucketOf(before), next && bucketOf(next)];
    if (from === into) return;
    const left = from === undefined ? undefined : buckets.get(from);
    if (from !== undefined && left?.delete(name) && left.size === 0) buckets.delete(from);
    if (into === undefined) return;
    const bucket = buckets.get(into) ?? new Set();
    buckets.set(into, bucket.add(name));
    nextDueMs = Math.min(nextDueMs, into * bucketMs);
  }

  function findDue(nowMs: number): Set<string> {
    nextDueMs = Number.POSITIVE_INFINITY;
    for (const [index, names] of buckets) {
      nextDueMs = Math.min(nextDueMs, index * bucketMs);
      if (nextDueMs <= nowMs) return names;
    }
    return new Set();
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
      if (due.size === 0 && nowMs >= nextDueMs) due = findDue(nowMs);
      let count = 0;
      for (const name of due) {
        count += 1;
        if (count > droppedAtOnce) return;
        find(name);
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
