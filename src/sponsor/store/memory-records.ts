import { createTimeQueue, type GasHold } from './gas-accounts.ts';
import { keyLifeMs, lingerMs, minClaimPauseMs, type StoreBounds, textLifeMs } from './sponsorship-store.ts';

/** The record of one lease: a reservation, and its one execution. */
export class Lease implements Kept {
  readonly caller: string;
  leaseId: string;
  readonly expiresAtMs: number;
  readonly hold: GasHold | null;
  /** `foreign`: reserved elsewhere; first seen in this store when it was executed. */
  reserving: 'asked' | 'reserved' | 'lost' | 'foreign';
  /** `unsure`: dispatched, outcome unknown. */
  executing: 'none' | 'sent' | 'unsure' | 'done' = 'none';
  isRefused = false;
  reservationKey: KeyRecord | null = null;
  /** The key of the execution, and the keys of twins that joined it. */
  executionKeys: KeyRecord[] = [];
  /** Answers to calls without a key. */
  reservationText: string | null = null;
  executionText: string | null = null;
  /** Digest of the execution's transaction; empty if there is none. */
  digest = '';
  bodyHash = '';
  attempt = '';
  answerByMs = 0;
  amount = 0;
  budget: number | null = null;
  requestId = '';
  /** When any process may look for the outcome of the execution; `NaN`: no process needs to. */
  lookAtMs = Number.NaN;
  /** When the record may be dropped. */
  dropAtMs: number;
  /** When the queue checks whether to drop the record; `NaN`: it has been dropped. */
  queuedAtMs = 0;
  keptAtMs: number;
  bytes = 0;

  constructor(facts: Pick<Lease, 'caller' | 'leaseId' | 'expiresAtMs' | 'hold' | 'reserving'>, nowMs: number) {
    this.caller = facts.caller;
    this.leaseId = facts.leaseId;
    this.expiresAtMs = facts.expiresAtMs;
    this.hold = facts.hold;
    this.reserving = facts.reserving;
    this.dropAtMs = facts.expiresAtMs + lingerMs;
    this.keptAtMs = nowMs;
  }
}

/** The record of one idempotency key of one caller. */
export interface KeyRecord extends Kept {
  readonly id: string;
  readonly bodyHash: string;
  readonly answerByMs: number;
  /** By then the coins of a reservation are free, whatever the outcome of the request. */
  readonly untilMs: number;
  isLost: boolean;
  answer: string | null;
}

/**
 * Maximum of records that one step drops: more than a step can add, and few enough that no request waits for a large clean-up.
 */
const droppedAtOnce = 64;

/**
 * Leases and idempotency keys of all callers, limited in number and bytes. An expired record is never returned, even before it
 * has been dropped.
 */
export function createMemoryRecords(bounds: StoreBounds) {
  const { maxLeasesPerCaller, maxLeases, maxKeysPerCaller, maxKeys, maxAnswerBytes } = bounds;
  const maxBytes = bounds.maxAnswerBytesPerCaller;
  const maxBytesInAll = bounds.maxAnswerBytesInAll;
  const leases = new Map<string, Lease>();
  const leaseCounts = new Map<string, number>();
  const toDrop = createTimeQueue<Lease>((lease, atMs) => lease.queuedAtMs === atMs);
  /** Dispatched executions without a known outcome. */
  const toDueLookups = createTimeQueue<Lease>((lease, atMs) => lease.lookAtMs === atMs);
  const keyRecords = new Map<string, KeyRecord>();
  const keys = createKeptTexts<KeyRecord>({
    lifeMs: keyLifeMs,
    perCaller: { maxItems: maxKeysPerCaller, maxBytes },
    inAll: { maxItems: maxKeys, maxBytes: maxBytesInAll },
    forget(record) {
      record.answer = null;
      keyRecords.delete(record.id);
    },
  });
  const texts = createKeptTexts<Lease>({
    lifeMs: textLifeMs,
    perCaller: { maxItems: maxLeasesPerCaller, maxBytes },
    inAll: { maxItems: maxLeases, maxBytes: maxBytesInAll },
    forget(lease) {
      lease.reservationText = null;
      lease.executionText = null;
    },
  });
  const leaseKey = (caller: string, leaseId: string) => `${leaseId} ${caller}`;
  const isTooLong = (text: string) => Buffer.byteLength(text) > maxAnswerBytes;
  const hasNoRoom = (caller: string) =>
    (leaseCounts.get(caller) ?? 0) >= maxLeasesPerCaller || leases.size >= maxLeases;

  function queue(lease: Lease): void {
    lease.queuedAtMs = lease.dropAtMs;
    toDrop.push(lease.dropAtMs, lease);
  }

  function drop(lease: Lease): void {
    leases.delete(leaseKey(lease.caller, lease.leaseId));
    cancelLookup(lease);
    texts.drop(lease);
    // No entry of the queue is at this time.
    lease.queuedAtMs = Number.NaN;
    const count = (leaseCounts.get(lease.caller) ?? 1) - 1;
    if (count === 0) leaseCounts.delete(lease.caller);
    else leaseCounts.set(lease.caller, count);
  }

  /** Drops a lease before the queue reaches it. */
  function dropEarly(lease: Lease): void {
    drop(lease);
    toDrop.forget();
  }

  /** @returns whether there may be more to drop */
  function sweepLeases(nowMs: number): boolean {
    for (let count = 0; count < droppedAtOnce; count += 1) {
      const due = toDrop.popDue(nowMs);
      if (!due) return false;
      const { item: lease, atMs } = due;
      if (lease.queuedAtMs !== atMs) continue;
      if (lease.dropAtMs <= nowMs) drop(lease);
      else queue(lease);
    }
    return true;
  }

  function scheduleLookupAt(lease: Lease, atMs: number): void {
    cancelLookup(lease);
    lease.lookAtMs = atMs;
    toDueLookups.push(atMs, lease);
  }

  function cancelLookup(lease: Lease): void {
    if (Number.isNaN(lease.lookAtMs)) return;
    lease.lookAtMs = Number.NaN;
    toDueLookups.forget();
  }

  return {
    /** Drops some records whose time is over. */
    sweep(nowMs: number): void {
      sweepLeases(nowMs);
      keys.sweep(nowMs, droppedAtOnce);
      texts.sweep(nowMs, droppedAtOnce);
    },

    lease(caller: string, leaseId: string, nowMs: number): Lease | undefined {
      const lease = leases.get(leaseKey(caller, leaseId));
      if (!lease) return undefined;
      texts.dropOld(lease, nowMs);
      if (lease.dropAtMs > nowMs) return lease;
      dropEarly(lease);
      return undefined;
    },
    /** Has this caller, or have all callers, reached the limit of leases? */
    isFull(caller: string, nowMs: number): boolean {
      while (hasNoRoom(caller)) if (!sweepLeases(nowMs)) return hasNoRoom(caller);
      return false;
    },
    addLease(...facts: ConstructorParameters<typeof Lease>): Lease {
      const lease = new Lease(...facts);
      leases.set(leaseKey(lease.caller, lease.leaseId), lease);
      leaseCounts.set(lease.caller, (leaseCounts.get(lease.caller) ?? 0) + 1);
      queue(lease);
      return lease;
    },
    dropLease: dropEarly,
    dropLeaseAt(lease: Lease, atMs: number): void {
      lease.dropAtMs = atMs;
      if (atMs >= lease.queuedAtMs) return;
      queue(lease);
      toDrop.forget();
    },
    /**
     * Stores the sponsor's number of a lease. A lease that had this number before gets the new lease's old name in exchange: a
     * sponsor that was reset assigns its numbers again and means the newer lease, and the execution of the older one must
     * still end.
     */
    renameLease(lease: Lease, leaseId: string): void {
      const { caller, leaseId: before } = lease;
      const other = leases.get(leaseKey(caller, leaseId));
      leases.delete(leaseKey(caller, before));
      if (other) {
        other.leaseId = before;
        leases.set(leaseKey(caller, before), other);
      }
      lease.leaseId = leaseId;
      leases.set(leaseKey(caller, leaseId), lease);
    },

    /** From this time on, any process may look for the outcome of the execution. */
    scheduleLookupAt,
    cancelLookup,
    /** Executions to look up now. Each is returned again only after a pause that grows with its age. */
    takeOverdue(most: number, nowMs: number): readonly Lease[] {
      const overdue: Lease[] = [];
      while (overdue.length < most) {
        const due = toDueLookups.popDue(nowMs);
        if (!due) break;
        const { item: lease, atMs } = due;
        if (lease.lookAtMs !== atMs) continue;
        lease.lookAtMs = Number.NaN;
        if (lease.dropAtMs > nowMs) overdue.push(lease);
      }
      for (const lease of overdue)
        scheduleLookupAt(lease, nowMs + Math.max(minClaimPauseMs, (nowMs - lease.answerByMs) / 2));
      return overdue;
    },

    key(id: string, nowMs: number): KeyRecord | undefined {
      const record = keyRecords.get(id);
      if (record) keys.dropOld(record, nowMs);
      return keyRecords.get(id);
    },
    addKey(facts: Pick<KeyRecord, 'caller' | 'id' | 'bodyHash' | 'answerByMs' | 'untilMs'>, nowMs: number): KeyRecord {
      const record: KeyRecord = { ...facts, isLost: false, answer: null, keptAtMs: nowMs, bytes: 0 };
      keyRecords.set(record.id, record);
      keys.add(record);
      return record;
    },
    /** Does nothing for a dropped record, because a successor may have its id. */
    forgetKey: keys.drop,

    answerOf(record: KeyRecord, nowMs: number): string | null {
      keys.dropOld(record, nowMs);
      return record.answer;
    },
    /** Keeps an answer under a key, unless it is too long. */
    answerKey(record: KeyRecord, answer: string): void {
      if (!keys.has(record) || isTooLong(answer)) return;
      record.answer = answer;
      keys.resize(record, Buffer.byteLength(answer));
    },
    /** Keeps an answer to a call without a key, unless it is too long. */
    answerLease(lease: Lease, member: 'reservationText' | 'executionText', answer: string, nowMs: number): void {
      if (isTooLong(answer)) return;
      lease[member] = answer;
      if (!texts.has(lease)) {
        lease.keptAtMs = nowMs;
        lease.bytes = 0;
        texts.add(lease);
      }
      texts.resize(lease, lease.bytes + Buffer.byteLength(answer));
    },
  };
}

/** An item stored with its text until it is too old, or younger items need its space. */
export interface Kept {
  readonly caller: string;
  /** Milliseconds since the Unix epoch. */
  keptAtMs: number;
  /** Size of the text; changed with `resize` only. */
  bytes: number;
}

export interface TextBounds {
  readonly maxItems: number;
  readonly maxBytes: number;
}

export interface KeptTextsOptions<Item extends Kept> {
  readonly lifeMs: number;
  readonly perCaller: TextBounds;
  readonly inAll: TextBounds;
  readonly forget: (item: Item) => void;
}

/**
 * Stores items in order of age. A caller's oldest items make room for its younger ones. Those of busy callers make room when
 * all callers together exceed the limits.
 */
export function createKeptTexts<Item extends Kept>(options: KeptTextsOptions<Item>) {
  const { lifeMs, perCaller, inAll, forget } = options;
  const all = new AgeOrder<Item>();
  const byCaller = new Map<string, AgeOrder<Item>>();
  const isOver = ({ size, bytes }: AgeOrder<Item>, { maxItems, maxBytes }: TextBounds) =>
    size > maxItems || bytes > maxBytes;
  const isOld = ({ keptAtMs }: Kept, nowMs: number) => keptAtMs + lifeMs <= nowMs;
  const loadOf = ({ size, bytes }: AgeOrder<Item>) => size / inAll.maxItems + bytes / inAll.maxBytes;
  const isBusy = (own: AgeOrder<Item>) => loadOf(own) * byCaller.size >= loadOf(all);
  let callers = byCaller.values();
  let busy: AgeOrder<Item> | undefined;

  function drop(item: Item): void {
    const own = byCaller.get(item.caller);
    if (!own?.delete(item)) return;
    all.delete(item);
    if (own.size === 0) byCaller.delete(item.caller);
    forget(item);
  }

  function makeRoom(caller: string): void {
    const own = byCaller.get(caller);
    while (own?.oldest && isOver(own, perCaller)) drop(own.oldest);
    while (all.oldest && isOver(all, inAll)) drop(oldestOfBusy(own) ?? all.oldest);
  }

  /**
   * The oldest item of a caller with at least the average load, so that busy callers displace only one another. First of the
   * caller that needs the room, so that none becomes busy meanwhile; then of the next one in turn, so that a search does not
   * begin with the same thousands of others each time.
   */
  function oldestOfBusy(own: AgeOrder<Item> | undefined): Item | null {
    // A caller's only item is its newest.
    if (own && own.size > 1 && isBusy(own)) return own.oldest;
    for (let left = byCaller.size; left >= 0 && !(busy && isBusy(busy)); left -= 1) {
      let next = callers.next();
      if (next.done) {
        callers = byCaller.values();
        next = callers.next();
      }
      busy = next.value;
    }
    return busy?.oldest ?? null;
  }

  return {
    has: (item: Item): boolean => all.has(item),
    add(item: Item): void {
      const own = byCaller.get(item.caller) ?? new AgeOrder<Item>();
      byCaller.set(item.caller, own);
      own.add(item);
      all.add(item);
      makeRoom(item.caller);
    },
    resize(item: Item, bytes: number): void {
      const own = byCaller.get(item.caller);
      if (!own?.has(item)) return;
      for (const order of [own, all]) order.bytes += bytes - item.bytes;
      item.bytes = bytes;
      makeRoom(item.caller);
    },
    drop,
    /** Drops items that are too old, up to this number. */
    sweep(nowMs: number, most: number): void {
      for (let count = 0; count < most && all.oldest && isOld(all.oldest, nowMs); count += 1) drop(all.oldest);
    },
    dropOld(item: Item, nowMs: number): void {
      if (all.has(item) && isOld(item, nowMs)) drop(item);
    },
  };
}

/** Items in order of insertion, with their total bytes. */
class AgeOrder<Item extends Kept> {
  readonly #items = new Set<Item>();
  /** Stays open: a new iterator would skip everything deleted since the set was last rebuilt. */
  #scan = this.#items.values();
  #oldest: Item | null = null;
  bytes = 0;

  get size(): number {
    return this.#items.size;
  }

  get oldest(): Item | null {
    if (this.#oldest || this.size === 0) return this.#oldest;
    let next = this.#scan.next();
    if (next.done) {
      this.#scan = this.#items.values();
      next = this.#scan.next();
    }
    this.#oldest = next.value ?? null;
    return this.#oldest;
  }

  has(item: Item): boolean {
    return this.#items.has(item);
  }

  add(item: Item): void {
    this.#items.add(item);
    this.bytes += item.bytes;
  }

  delete(item: Item): boolean {
    if (!this.#items.delete(item)) return false;
    this.bytes -= item.bytes;
    if (item === this.#oldest) this.#oldest = null;
    return true;
  }
}
