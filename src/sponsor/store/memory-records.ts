import { amountOf, type Change, type Member, portion, type Records } from './draft.ts';
import type { LeaseRecord } from './lease-records.ts';

/** Expired records that one call drops: more than a step can add, and few enough that no request waits for it. */
const droppedAtOnce = 64;
/** Records are dropped once all that expire within the same time have expired. */
const bucketMs = 10_000;

interface Kept {
  readonly value: object;
  readonly untilMs: number;
  /** Where its name is: at the latest in the bucket of its time. */
  readonly bucket: number;
}

export type MemoryRecords = ReturnType<typeof createMemoryRecords>;

/** Records in the memory of this process. Values are never changed, only replaced. */
export function createMemoryRecords() {
  const records = new Map<string, Kept>();
  const sets = new Map<string, OrderedSet>();
  /** The names of records by a time at which they may have expired. */
  const buckets = new Map<number, Set<string>>();

  const load = { leases: 0, bytes: 0, callers: 0 };
  let clockMs = Number.NEGATIVE_INFINITY;
  /** A bucket whose time is over, and the earliest time at which there is another one. */
  let due: Set<string> = new Set();
  let nextDueMs = Number.POSITIVE_INFINITY;

  /** The record, unless it has expired: then it is dropped with the set that it counts. */
  function find(name: string): Kept | undefined {
    const record = records.get(name);
    if (!record || record.untilMs > clockMs) return record;
    drop(name);
    if (name.startsWith('account:')) sets.delete(name.replace('account:', 'holds:'));
    return undefined;
  }

  function weigh(name: string, value: object, sign: 1 | -1): void {
    if (name.startsWith('lease:')) {
      const { kept = null } = value as Partial<LeaseRecord>;
      load.leases += sign;
      load.bytes += kept ? sign * amountOf(kept.member) : 0;
    } else if (name.startsWith('account:keys:') || name.startsWith('account:texts:')) load.callers += sign;
  }

  function drop(name: string): void {
    const before = records.get(name);
    if (!before) return;
    records.delete(name);
    weigh(name, before.value, -1);
    const bucket = buckets.get(before.bucket);
    if (bucket?.delete(name) && bucket.size === 0) buckets.delete(before.bucket);
  }

  /** Most records live longer with each change: their names stay where they are until that time is over. */
  function put(name: string, value: object, untilMs: number): void {
    const at = Math.ceil(untilMs / bucketMs);
    const before = records.get(name);
    weigh(name, value, 1);
    if (before && before.bucket <= at && before.bucket * bucketMs > clockMs) {
      weigh(name, before.value, -1);
      records.set(name, { value, untilMs, bucket: before.bucket });
      return;
    }
    drop(name);
    records.set(name, { value, untilMs, bucket: at });
    const bucket = buckets.get(at);
    if (bucket) bucket.add(name);
    else buckets.set(at, new Set([name]));
    nextDueMs = Math.min(nextDueMs, at * bucketMs);
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
    load,
    get: (name) => find(name)?.value ?? null,
    first: (set, untilMs = Number.POSITIVE_INFINITY) => sets.get(set)?.first(untilMs) ?? [],
    score: (set, member) => sets.get(set)?.score(member) ?? null,
  };

  return {
    ...view,
    apply(changes: readonly Change[]): void {
      for (const change of changes) {
        if (change.kind === 'put') put(change.name, change.value, change.untilMs);
        else if (change.kind === 'delete') drop(change.name);
        else move(change.set, change.member, change.kind === 'add' ? change.score : null);
      }
    },
    /** Changes that undo these, if nothing has changed since. */
    inverseOf: (changes: readonly Change[]): readonly Change[] =>
      changes.map((change) => {
        if ('name' in change) {
          const { name } = change;
          const before = find(name);
          return before
            ? { kind: 'put', name, value: before.value, untilMs: before.untilMs }
            : { kind: 'delete', name };
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
        const record = find(name);
        if (record) put(name, record.value, record.untilMs);
      }
    },
    get size(): number {
      return records.size + sets.size;
    },
  };
}

/** Members in parts of a set: few enough that moving one among them costs nothing. */
const mostInPart = 128;

/** Members by score, and by name where scores are equal. New members mostly have the highest score. */
class OrderedSet {
  readonly #members = new Map<string, Member>();
  /** Parts in order, none of them empty. */
  readonly #parts: Member[][] = [];

  get size(): number {
    return this.#members.size;
  }

  first(untilMs: number): readonly Member[] {
    // Mostly nothing is due.
    if ((this.#parts[0]?.[0]?.score ?? Number.POSITIVE_INFINITY) > untilMs) return [];
    const found: Member[] = [];
    for (const part of this.#parts) {
      for (const member of part) {
        if (found.length === portion || member.score > untilMs) return found;
        found.push(member);
      }
    }
    return found;
  }

  score(member: string): number | undefined {
    return this.#members.get(member)?.score;
  }

  move(member: string, score: number | null): void {
    const before = this.#members.get(member);
    if (before) this.#remove(before);
    if (score === null) this.#members.delete(member);
    else {
      const next = { member, score };
      this.#members.set(member, next);
      this.#insert(next);
    }
  }

  #remove(member: Member): void {
    const at = this.#partOf(member);
    const part = this.#parts[at] ?? [];
    part.splice(placeIn(part, member), 1);
    if (part.length === 0) this.#parts.splice(at, 1);
  }

  #insert(member: Member): void {
    // Behind all others, in the last part.
    const at = Math.min(this.#partOf(member), this.#parts.length - 1);
    const part = this.#parts[at];
    if (!part) {
      this.#parts.push([member]);
      return;
    }
    const place = placeIn(part, member);
    if (place === part.length) part.push(member);
    else part.splice(place, 0, member);
    if (part.length > mostInPart) this.#parts.splice(at + 1, 0, part.splice(mostInPart / 2));
  }

  /** The first part that does not end before the member. */
  #partOf(member: Member): number {
    return findFirst(this.#parts, (part) => !isBefore(part.at(-1) as Member, member));
  }
}

function placeIn(part: readonly Member[], member: Member): number {
  return findFirst(part, (other) => !isBefore(other, member));
}

function isBefore(one: Member, other: Member): boolean {
  return one.score < other.score || (one.score === other.score && one.member < other.member);
}

/** Where the items begin for which this is so; it is so for all behind them. */
function findFirst<Item>(items: readonly Item[], isSo: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(items[middle] as Item)) high = middle;
    else low = middle + 1;
  }
  return low;
}
