import { amountOf, type Change, type Member, portion, type Records } from './draft.ts';
import type { LeaseRecord } from './lease-records.ts';

/** Expired records that one call drops: more than a step can add, and few enough that no request waits for it. */
const droppedAtOnce = 64;
/** Records are dropped once all that expire within the same time have expired. */
const bucketMs = 10_000;

/** A record in memory. There may be 200,000 leases, which every garbage collection visits: they are kept in few objects. */
interface Kept {
  /** Or its JSON text: one object, where a lease has twenty. */
  readonly value: object | string;
  readonly untilMs: number;
  /** Where its name is: at the latest in the bucket of its time. */
  readonly bucket: number;
  /** Of the answers of a lease. */
  readonly bytes: number;
}

export type MemoryRecords = ReturnType<typeof createMemoryRecords>;

/** Records in the memory of this process. Values are never changed, only replaced. */
export function createMemoryRecords() {
  const records = new Map<string, Kept>();
  const sets = new Map<string, OrderedSet>();
  /** The names of records by a time at which they may have expired. */
  const buckets = new Map<number, Set<string>>();

  /** The record that was parsed last. */
  let parsed: { readonly kept: Kept; readonly value: object } | null = null;

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

  function weigh(name: string, bytes: number, sign: 1 | -1): void {
    if (name.startsWith('lease:')) {
      load.leases += sign;
      load.bytes += sign * bytes;
    } else if (name.startsWith('account:keys:') || name.startsWith('account:texts:')) load.callers += sign;
  }

  function drop(name: string): void {
    const before = records.get(name);
    if (!before) return;
    records.delete(name);
    weigh(name, before.bytes, -1);
    const bucket = buckets.get(before.bucket);
    if (bucket?.delete(name) && bucket.size === 0) buckets.delete(before.bucket);
  }

  /**
   * Most records live longer with each change: their names stay where they are until that time is over.
   * @param given in either form, as it was kept
   */
  function put(name: string, given: object | string, untilMs: number, bytes = bytesOf(name, given)): void {
    const at = Math.ceil(untilMs / bucketMs);
    const before = records.get(name);
    const value = isAtRest(name, given) ? toFlatText(given) : given;
    weigh(name, bytes, 1);
    if (before && before.bucket <= at && before.bucket * bucketMs > clockMs) {
      weigh(name, before.bytes, -1);
      records.set(name, { value, untilMs, bucket: before.bucket, bytes });
      return;
    }
    drop(name);
    records.set(name, { value, untilMs, bucket: at, bytes });
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
    get(name) {
      const kept = find(name);
      if (typeof kept?.value !== 'string') return kept?.value ?? null;
      // A step reads it several times.
      if (parsed?.kept !== kept) parsed = { kept, value: JSON.parse(kept.value) };
      return parsed.value;
    },
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
    /** Undoes these changes, if nothing has changed since. To be made before they are applied. */
    undoOf(changes: readonly Change[]): () => void {
      const undos = changes.map((change) => {
        if ('name' in change) {
          const { name } = change;
          const before = find(name);
          return before ? () => put(name, before.value, before.untilMs, before.bytes) : () => drop(name);
        }
        const { set, member } = change;
        const score = view.score(set, member);
        return () => move(set, member, score);
      });
      return () => {
        for (const undo of undos) undo();
      };
    },
    /** It is this time. Drops some records whose time is over. */
    sweep(nowMs: number): void {
      clockMs = nowMs;
      if (due.size === 0 && nowMs >= nextDueMs) due = findDue(nowMs);
      let count = 0;
      for (const name of due) {
        count += 1;
        if (count > droppedAtOnce) return;
        const record = find(name);
        if (record) put(name, record.value, record.untilMs, record.bytes);
      }
    },
    get size(): number {
      return records.size + sets.size;
    },
  };
}

/** In one piece: a text that was printed or joined consists of many. */
function toFlatText(value: object): string {
  const text = JSON.stringify(value);
  text.charCodeAt(0);
  return text;
}

/** Is it a lease that no call is working on? Then it will rarely be read. */
function isAtRest(name: string, value: object | string): value is object {
  if (typeof value === 'string' || !name.startsWith('lease:')) return false;
  const { reserving, execution } = value as Partial<LeaseRecord>;
  return reserving !== 'asked' && (!execution || execution.state === 'done');
}

function bytesOf(name: string, value: object | string): number {
  const { kept } = name.startsWith('lease:') ? (value as Partial<LeaseRecord>) : {};
  return kept ? amountOf(kept.member) : 0;
}

/** Members in parts of a set: few enough that moving one among them costs nothing. */
const mostInPart = 128;

interface Part {
  readonly members: string[];
  readonly scores: number[];
}

/** Members by score, and by name where scores are equal. New members mostly have the highest score. */
class OrderedSet {
  readonly #scores = new Map<string, number>();
  /** Parts in order, none of them empty. */
  readonly #parts: Part[] = [];

  get size(): number {
    return this.#scores.size;
  }

  first(untilMs: number): readonly Member[] {
    // Mostly nothing is due.
    if ((this.#parts[0]?.scores[0] ?? Number.POSITIVE_INFINITY) > untilMs) return [];
    const found: Member[] = [];
    for (const { members, scores } of this.#parts) {
      for (const [index, member] of members.entries()) {
        const score = scores[index] as number;
        if (found.length === portion || score > untilMs) return found;
        found.push({ member, score });
      }
    }
    return found;
  }

  score(member: string): number | undefined {
    return this.#scores.get(member);
  }

  move(member: string, score: number | null): void {
    const before = this.#scores.get(member);
    if (before !== undefined) this.#remove(member, before);
    if (score === null) this.#scores.delete(member);
    else {
      this.#scores.set(member, score);
      this.#insert(member, score);
    }
  }

  #remove(member: string, score: number): void {
    const at = this.#partOf(member, score);
    const part = this.#parts[at] as Part;
    const place = placeIn(part, member, score);
    part.members.splice(place, 1);
    part.scores.splice(place, 1);
    if (part.members.length === 0) this.#parts.splice(at, 1);
  }

  #insert(member: string, score: number): void {
    // Behind all others, in the last part.
    const at = Math.min(this.#partOf(member, score), this.#parts.length - 1);
    const part = this.#parts[at];
    if (!part) {
      this.#parts.push({ members: [member], scores: [score] });
      return;
    }
    const place = placeIn(part, member, score);
    if (place === part.members.length) {
      part.members.push(member);
      part.scores.push(score);
    } else {
      part.members.splice(place, 0, member);
      part.scores.splice(place, 0, score);
    }
    if (part.members.length <= mostInPart) return;
    const half = mostInPart / 2;
    this.#parts.splice(at + 1, 0, { members: part.members.splice(half), scores: part.scores.splice(half) });
  }

  /** The first part that does not end before the member. */
  #partOf(member: string, score: number): number {
    return findFirst(this.#parts.length, (at) => {
      const part = this.#parts[at] as Part;
      return !isBefore(part, part.members.length - 1, member, score);
    });
  }
}

function placeIn(part: Part, member: string, score: number): number {
  return findFirst(part.members.length, (at) => !isBefore(part, at, member, score));
}

/** Is the member at this place before another one? */
function isBefore({ members, scores }: Part, at: number, member: string, score: number): boolean {
  const own = scores[at] as number;
  return own < score || (own === score && (members[at] as string) < member);
}

/** The first of this many places for which this is so; it is so for all behind it. */
function findFirst(length: number, isSo: (at: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
