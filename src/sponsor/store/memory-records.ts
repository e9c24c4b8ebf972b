import { createTimeQueue, type GasHold } from './gas-accounts.ts';
import { createKeptTexts, type Kept } from './kept-texts.ts';
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
