import type { GasHold } from './gas-accounts.ts';
import { createKeptTexts, type Kept } from './kept-texts.ts';
import { keyLifeMs, lingerMs, type StoreBounds, textLifeMs } from './store-bounds.ts';
import { createTimeQueue } from './time-queue.ts';

export interface Lease extends Kept {
  readonly caller: string;
  leaseId: string;
  readonly expiresAtMs: number;
  readonly hold: GasHold | null;
  /** `foreign`: reserved elsewhere; this store heard of it when it was executed. */
  reserving: 'asked' | 'reserved' | 'lost' | 'foreign';
  /** `unsure`: dispatched, and nobody knows how it ended. */
  executing: 'none' | 'sent' | 'unsure' | 'done';
  /** Was its transaction refused? */
  isRefused: boolean;
  reservationKey: KeyRecord | null;
  /** Its own, and those of twins that joined it. */
  executionKeys: KeyRecord[];
  /** What was answered without a key. */
  reservationText: string | null;
  executionText: string | null;
  /** Of the execution, where there is one. */
  digest: string;
  bodyHash: string;
  attempt: string;
  answerByMs: number;
  amount: number;
  budget: number | null;
  requestId: string;
  /** When whoever is left looks for its end. */
  lookAtMs: number;
  /** When nothing needs to be known of it any more. */
  dropAtMs: number;
  /** When it is looked at next, to be dropped. */
  queuedAtMs: number;
}

/** What is known under one idempotency key of one caller. */
export interface KeyRecord extends Kept {
  readonly id: string;
  readonly bodyHash: string;
  readonly answerByMs: number;
  /** Coins that were asked for are free by then, whatever became of asking. */
  readonly untilMs: number;
  isLost: boolean;
  answer: string | null;
}

/**
 * How many of each kind one step drops of those whose time is over: more than a step can add, and so few that no request waits
 * for the rest of a hundred thousand that were made together. Whoever looks for one of the rest does not find it either.
 */
const droppedAtOnce = 64;

/** Was it dispatched, and is its end not known? */
const isOpen = ({ executing }: Lease): boolean => executing === 'sent' || executing === 'unsure';

/** Leases and idempotency keys of all callers, of bounded number and size. */
export function createMemoryRecords(bounds: StoreBounds) {
  const leases = new Map<string, Lease>();
  const leaseCounts = new Map<string, number>();
  const toDrop = createTimeQueue<Lease>((lease, atMs) => lease.queuedAtMs === atMs);
  const toLookFor = createTimeQueue<Lease>((lease, atMs) => isOpen(lease) && lease.lookAtMs === atMs);
  /** Those whose time has come. */
  const overdue = new Set<Lease>();
  const keyRecords = new Map<string, KeyRecord>();
  const maxBytes = bounds.maxAnswerBytesPerCaller;
  const maxBytesInAll = bounds.maxAnswerBytesInAll;
  const keys = createKeptTexts<KeyRecord>({
    lifeMs: keyLifeMs,
    perCaller: { maxItems: bounds.maxKeysPerCaller, maxBytes },
    inAll: { maxItems: bounds.maxKeys, maxBytes: maxBytesInAll },
    forget(record) {
      record.answer = null;
      keyRecords.delete(record.id);
    },
  });
  const texts = createKeptTexts<Lease>({
    lifeMs: textLifeMs,
    perCaller: { maxItems: bounds.maxLeasesPerCaller, maxBytes },
    inAll: { maxItems: bounds.maxLeases, maxBytes: maxBytesInAll },
    forget(lease) {
      lease.reservationText = null;
      lease.executionText = null;
    },
  });
  const leaseKey = (caller: string, leaseId: string) => `${leaseId} ${caller}`;
  const isTooLong = (text: string) => Buffer.byteLength(text) > bounds.maxAnswerBytes;

  function queue(lease: Lease): void {
    lease.queuedAtMs = lease.dropAtMs;
    toDrop.push(lease.dropAtMs, lease);
  }

  /** Drops one before its turn to be looked at has come. */
  function dropEarly(lease: Lease): void {
    drop(lease);
    toDrop.forget();
    if (lease.lookAtMs > 0) toLookFor.forget();
  }

  function drop(lease: Lease): void {
    leases.delete(leaseKey(lease.caller, lease.leaseId));
    overdue.delete(lease);
    texts.remove(lease);
    // Entries of the queue that are left are of nobody.
    lease.queuedAtMs = Number.NaN;
    const count = (leaseCounts.get(lease.caller) ?? 1) - 1;
    if (count === 0) leaseCounts.delete(lease.caller);
    else leaseCounts.set(lease.caller, count);
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

  /** Of those whose time has come most have ended long ago: they are let go of whether anybody looks for the others or not. */
  function sweepToLookFor(nowMs: number): void {
    for (let count = 0; count < droppedAtOnce; count += 1) {
      const due = toLookFor.popDue(nowMs);
      if (!due) return;
      const { item: lease, atMs } = due;
      if (isOpen(lease) && lease.lookAtMs === atMs) overdue.add(lease);
    }
  }

  const hasNoRoom = (caller: string): boolean =>
    (leaseCounts.get(caller) ?? 0) >= bounds.maxLeasesPerCaller || leases.size >= bounds.maxLeases;

  return {
    /** Drops some of what nothing needs to be known of any more. */
    sweep(nowMs: number): void {
      sweepLeases(nowMs);
      sweepToLookFor(nowMs);
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
    /** May no more leases of this caller be added? */
    isFull(caller: string, nowMs: number): boolean {
      while (hasNoRoom(caller)) if (!sweepLeases(nowMs)) return hasNoRoom(caller);
      return false;
    },
    addLease(facts: Pick<Lease, 'caller' | 'leaseId' | 'expiresAtMs' | 'hold' | 'reserving'>, nowMs: number): Lease {
      // Members by name: what is spread into an object costs more than all the rest of this.
      const lease: Lease = {
        caller: facts.caller,
        leaseId: facts.leaseId,
        expiresAtMs: facts.expiresAtMs,
        hold: facts.hold,
        reserving: facts.reserving,
        executing: 'none',
        isRefused: false,
        reservationKey: null,
        executionKeys: [],
        reservationText: null,
        executionText: null,
        digest: '',
        bodyHash: '',
        attempt: '',
        answerByMs: 0,
        amount: 0,
        budget: null,
        requestId: '',
        lookAtMs: 0,
        dropAtMs: facts.expiresAtMs + lingerMs,
        queuedAtMs: 0,
        keptAtMs: nowMs,
        bytes: 0,
        place: null,
      };
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
    lookForAt(lease: Lease, atMs: number): void {
      overdue.delete(lease);
      lease.lookAtMs = atMs;
      toLookFor.push(atMs, lease);
    },
    /** Takes one out that is to be looked for now; `undefined` if there is none. */
    takeOverdue(nowMs: number): Lease | undefined {
      for (const lease of overdue) {
        overdue.delete(lease);
        if (isOpen(lease) && lease.dropAtMs > nowMs) return lease;
      }
      return undefined;
    },
    /**
     * Gives it the number that the sponsor has for it. Whatever had that before gets its name in exchange: a sponsor whose
     * numbers begin anew means the one that it gave last, and what is under way of the other has its end all the same.
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

    key(id: string, nowMs: number): KeyRecord | undefined {
      const record = keyRecords.get(id);
      if (record) keys.dropOld(record, nowMs);
      return record?.place ? record : undefined;
    },
    /** What is kept under a key that a lease was used with. */
    answerOf(record: KeyRecord, nowMs: number): string | null {
      keys.dropOld(record, nowMs);
      return record.answer;
    },
    addKey(
      caller: string,
      facts: Pick<KeyRecord, 'id' | 'bodyHash' | 'answerByMs' | 'untilMs'>,
      nowMs: number,
    ): KeyRecord {
      const record: KeyRecord = {
        id: facts.id,
        bodyHash: facts.bodyHash,
        answerByMs: facts.answerByMs,
        untilMs: facts.untilMs,
        isLost: false,
        answer: null,
        keptAtMs: nowMs,
        bytes: 0,
        place: null,
      };
      keyRecords.set(record.id, record);
      keys.add(caller, record);
      return record;
    },
    forgetKey(record: KeyRecord): void {
      // One that was forgotten before may have a successor under its id.
      if (record.place) keyRecords.delete(record.id);
      keys.remove(record);
    },
    /** Keeps an answer under a key. One that is too long is not kept. */
    answerKey(record: KeyRecord, answer: string): void {
      if (!record.place || isTooLong(answer)) return;
      record.answer = answer;
      keys.resize(record, Buffer.byteLength(answer));
    },
    /** Keeps an answer that no key asks for. */
    answerLease(lease: Lease, member: 'reservationText' | 'executionText', answer: string, nowMs: number): void {
      if (isTooLong(answer)) return;
      lease[member] = answer;
      if (!lease.place) {
        lease.keptAtMs = nowMs;
        lease.bytes = 0;
        texts.add(lease.caller, lease);
      }
      texts.resize(lease, lease.bytes + Buffer.byteLength(answer));
    },
  };
}
