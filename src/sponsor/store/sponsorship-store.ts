import { hash } from 'node:crypto';
import type { PolicyRule } from '../../errors/policy-rules.ts';
import type { PayingCoin } from '../../ledger/find-transaction.ts';

/** The store did not answer in time. The step may have happened. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  /** The step has not happened: it was not sent, or rejected. */
  readonly isUntaken: boolean;
  constructor(cause?: unknown, isUntaken = false) {
    super('The sponsorship store cannot be reached.', { cause });
    this.isUntaken = isUntaken;
  }
}

/**
 * A part of an account, to be held for a lease. Several callers may share an account. What an account counts, its name says:
 * `gas:` and `count:` accounts are those of a UTC day and settled by an execution; `open:` accounts are released by it.
 */
export interface HoldRequest {
  readonly rule: PolicyRule;
  readonly account: string;
  readonly amount: number;
  readonly limit: number;
  /** An account of which this one is a part: it may be at most three times as large as what others have left there. */
  readonly shareOf: { readonly account: string; readonly limit: number } | null;
}

/** `held + settled + free = limit`. `free` is negative if the limit was lowered meanwhile. A hold counts on the day it was made. */
export interface GasAllowance {
  readonly limit: number;
  /** Held for unexpired reservations and for executions without an outcome. */
  readonly held: number;
  readonly settled: number;
  readonly free: number;
  /** The end of its day; `null`: it has none. */
  readonly resetsAtMs: number | null;
}

/** Who reserves how much gas. */
export interface Spending {
  readonly client: string;
  readonly visitor: string;
  readonly amount: number;
}

/** What was spent on a UTC day with reservations of that day. `visitor: null`: of all visitors beyond the most that are told apart. */
export interface SpendingRow extends Pick<GasAllowance, 'held' | 'settled'>, SpendingCounts {
  readonly client: string;
  readonly visitor: string | null;
  /** `null` = not known yet, or of many senders. */
  readonly sender: string | null;
}

export interface SpendingCounts {
  /** Gas of all reservations, whatever became of them. */
  readonly reserved: number;
  readonly executed: number;
  readonly failed: number;
  /** By an account without room, or by the sponsor. */
  readonly refused: number;
}

/** One page of a day's spending: the rows of a client, or the ids of clients with rows. */
export interface FindSpending {
  /** In days since the Unix epoch: this one or the one before, since others are forgotten. */
  readonly day: number;
  /** `null` = which clients have rows? */
  readonly client: string | null;
  /** Position of the first row or client of the part. */
  readonly from: number;
  readonly nowMs: number;
}

export interface SpendingPart {
  /** In the order of their first reservation. */
  readonly rows: readonly SpendingRow[];
  readonly clients: readonly string[];
  /** Where the next part begins; `null` = there is none. */
  readonly next: number | null;
}

export interface Idempotency {
  /** The idempotency key in the caller's spelling. The store separates keys by caller and by field. */
  readonly key: string;
  /** Hash of all arguments, the reservation's id included. */
  readonly bodyHash: string;
  /** Whose key it is, where several visitors are one caller. Left out: the caller's. */
  readonly visitor?: string;
}

/**
 * Looks up the idempotency key and holds the budget, before the sponsor is called. After `in-progress`, a twin retries. If it
 * rejects, the store releases the budget, so the caller has nothing to undo, unless the step is optional.
 */
export interface BeginReservation {
  readonly caller: string;
  /** A random id, unique to this attempt. */
  readonly leaseId: string;
  readonly expiresAtMs: number;
  /** The only sender of its transaction; `null` = any. */
  readonly sender: string | null;
  /** All of them or none are held. */
  readonly holds: readonly HoldRequest[];
  /** Whose spending is recorded. Left out or `null`: none. */
  readonly spending?: Spending | null;
  readonly idempotency: Idempotency | null;
  /** When twins may treat the attempt as dead. */
  readonly answerByMs: number;
  readonly nowMs: number;
  /** Does the reservation continue if this step fails? Then it stores its own end, and nothing is undone. */
  readonly isOptional?: boolean;
  /** Only look up the idempotency key: an unknown one is `begun`, and nothing is written. */
  readonly isLookup?: boolean;
}

export type ReservationStart =
  /** Call the sponsor, then store the end. */
  | { readonly kind: 'begun' }
  /** The stored answer under this key. */
  | { readonly kind: 'replay'; readonly answer: string }
  /** Another call under this key is in flight. */
  | { readonly kind: 'in-progress'; readonly answerByMs: number }
  /** The key was used with other arguments. */
  | { readonly kind: 'conflict' }
  | HoldDenied
  /** The sponsor's response to a call under this key was lost: coins may be locked until then. */
  | { readonly kind: 'lost'; readonly untilMs: number }
  /** The caller, or all callers together, have too many leases. */
  | { readonly kind: 'full' };

/** An account has no room. `roomAtMs`: when enough holds will have expired, `null` if only the end of the day brings room. */
export interface HoldDenied {
  readonly kind: 'denied';
  readonly rule: PolicyRule;
  readonly allowance: GasAllowance;
  readonly roomAtMs: number | null;
}

/** Stores how a reservation ended. Idempotent. */
export interface EndReservation {
  readonly caller: string;
  readonly leaseId: string;
  readonly nowMs: number;
  readonly outcome:
    | {
        /** The hold stays until the lease expires or is executed. */
        readonly kind: 'reserved';
        /** The reservation for repeated calls under the key, and for `findReservation`. */
        readonly answer: string;
        /** Replaces `leaseId` from now on: the sponsor's own number. */
        readonly knownAs?: string | undefined;
      }
    /**
     * Releases the hold and the key, so that a repeated call reaches the sponsor again. Also if the sponsor was never called.
     */
    | {
        readonly kind: 'refused';
        /** The begin may still be on its way: it must not count when it arrives. */
        readonly isUndo?: boolean;
      }
    /** Coins may be locked: the hold stays until it expires, and a repeated call under the key gets `lost`. */
    | { readonly kind: 'lost' };
}

/**
 * Sets the fence: the lease is spent from here on. First looks up the idempotency key, whose answer outlives the lease: it is kept
 * for 24 hours.
 */
export interface BeginExecution {
  readonly caller: string;
  readonly leaseId: string;
  readonly digest: string;
  readonly expiresAtMs: number;
  /**
   * Must the lease have been reserved in this store? A store that was emptied, restarted or replaced may have lost the fact
   * that the lease is spent. `false` for the sponsor's own numbers, which the sponsor accepts once, and which have no budget
   * here.
   */
  readonly mustBeKnown: boolean;
  readonly amount: number;
  /** The sender of the transaction; `null` if it was not parsed. */
  readonly sender: string | null;
  /** Held for a lease that names no sender. */
  readonly senderHolds: readonly HoldRequest[];
  readonly idempotency: Idempotency | null;
  /** Hash of all executed arguments: a second call with the same hash is a twin. */
  readonly bodyHash: string;
  /** Unique to this attempt, which may remove its fence if it sent nothing. */
  readonly attempt: string;
  /** When twins may treat the attempt as dead, and look up the digest themselves. */
  readonly answerByMs: number;
  /** The terms of the reservation, for the audit log of the process that ends it; `null` if only the sponsor knows them. */
  readonly budget: number | null;
  /** A coin that pays for the transaction; `null` if it was not parsed, or pays otherwise. */
  readonly coin?: PayingCoin | null;
  /** Request id of the call that began it, for the same audit log. */
  readonly requestId: string;
  readonly needsReservation: boolean;
  readonly nowMs: number;
}

export type ExecutionStart =
  /** Dispatch it, then store the end. `reservation`: if `needsReservation` and it is stored. */
  | { readonly kind: 'begun'; readonly reservation?: string }
  | { readonly kind: 'replay'; readonly answer: string }
  /** A twin is in flight, or its outcome is unknown: then `answerByMs` has passed. */
  | { readonly kind: 'in-progress'; readonly digest: string; readonly answerByMs: number }
  /** The key was used with other arguments. */
  | { readonly kind: 'conflict' }
  /** The lease was dispatched before, with this transaction; empty if a transaction unknown here spent it. */
  | { readonly kind: 'spent'; readonly digest: string }
  /** As `spent`, but the transaction was rejected: nothing ran. */
  | { readonly kind: 'refused'; readonly digest: string }
  | { readonly kind: 'expired' }
  /** It was reserved for another sender: nothing is spent. */
  | { readonly kind: 'other-sender'; readonly sender: string }
  | HoldDenied
  /** The lease must be in the store and is not. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'full' };

/** Finds the execution that a twin waits for. `null`: there is none, for example because it sent nothing; the twin may begin. */
export interface ExecutionTwin extends Pick<BeginExecution, 'caller' | 'leaseId' | 'bodyHash' | 'nowMs'> {
  /** Its answer outlives the lease. */
  readonly idempotency?: Idempotency | null;
}

export type ExecutionFound = Extract<ExecutionStart, { kind: 'replay' | 'in-progress' | 'spent' | 'refused' }>;

/**
 * Claims executions that have exceeded their time without an end, roughly oldest first: their process died, or could not
 * write. Each goes to one process at a time, and again after a pause that grows with its age.
 */
export interface ClaimOverdue {
  readonly most: number;
  readonly nowMs: number;
}

export interface OverdueExecution
  extends Pick<
    BeginExecution,
    'caller' | 'leaseId' | 'digest' | 'bodyHash' | 'amount' | 'budget' | 'requestId' | 'coin'
  > {
  readonly sentAtMs: number;
}

/**
 * Stores how an execution ended: `false` if it had ended before, `null` if the store knows of no such execution. Idempotent; a certain
 * outcome replaces an unknown one. In forward mode a sponsor may keep a reservation after a rejection, and execute another transaction
 * with it while the store is unavailable: that transaction replaces the rejection.
 */
export interface EndExecution {
  readonly caller: string;
  readonly leaseId: string;
  readonly digest: string;
  readonly nowMs: number;
  /** For repeated calls under the key and for waiting twins; `null`, or too long: they get `spent` or `refused`. */
  readonly answer: string | null;
  readonly outcome: /** The transaction is on the ledger, failed or not. The gas used is settled, at most the amount held. */
    | { readonly kind: 'executed'; readonly gasUsed: number; readonly hasFailed?: boolean }
    /**
     * Nothing ran: the hold is released; the lease stays spent. Ignored if another attempt set the fence, since that one may
     * have run; without `attempt` it applies to any.
     */
    | {
        readonly kind: 'refused';
        readonly attempt?: string;
        /** An unknown transaction, or an earlier copy of this one, spent it: repeated calls get `spent` with an empty digest. */
        readonly isSpentElsewhere?: boolean;
        /**
         * The sponsor rejected the caller's credential. Nothing is stored about a lease that was not reserved here, nor its
         * key, because clients can make up any number of credentials.
         */
        readonly isOfNobody?: boolean;
      }
    /** Outcome unknown: what it holds of a day stays held. */
    | { readonly kind: 'unknown' }
    /** Nothing was sent: undo the attempt. */
    | { readonly kind: 'not-sent'; readonly attempt: string };
}

export interface KeptReservation {
  /** The stored reservation, as passed to `endReservation`. */
  readonly answer: string;
  /** `consumed`: dispatched, whatever the outcome. */
  readonly state: 'active' | 'consumed';
}

/** Limits of the store. Busy callers do not displace the entries of others. */
export interface StoreBounds {
  /** Reservations and executions of one caller, until `lingerMs` after their expiry. Beyond: `full`. */
  readonly maxLeasesPerCaller: number;
  /** Of all callers in the memory of one process, with those that are kept for their keys or answers. Beyond: `full`. */
  readonly maxLeases: number;
  /** Leases of one caller with idempotency keys or answers. Beyond: those that end first are forgotten. */
  readonly maxKeysPerCaller: number;
  /** Leases of all callers in memory. Beyond: callers with more keys or answers than the average lose their oldest. */
  readonly maxKeys: number;
  /** Bytes of one answer. A longer one is not stored. */
  readonly maxAnswerBytes: number;
  /** Bytes of all answers of one caller. Beyond: those that end first are forgotten. */
  readonly maxAnswerBytesPerCaller: number;
  /** In memory. Beyond: as with `maxKeys`. */
  readonly maxAnswerBytesInAll: number;
  /** Rows of spending of one client and day. Beyond: visitors and senders share one. */
  readonly maxSpendingRows: number;
  /** Rows of one visitor of a client that has several. Beyond: its senders share one. */
  readonly maxSendersPerVisitor: number;
}

export const defaultStoreBounds: StoreBounds = {
  maxLeasesPerCaller: 20_000,
  maxLeases: 200_000,
  maxKeysPerCaller: 20_000,
  maxKeys: 100_000,
  maxAnswerBytes: 256 * 1024,
  maxAnswerBytesPerCaller: 8 * 1024 * 1024,
  maxAnswerBytesInAll: 64 * 1024 * 1024,
  maxSpendingRows: 4_096,
  maxSendersPerVisitor: 64,
};

/** Idempotency keys stored for one execution. Further twins get `spent` when they repeat the call. */
export const maxKeysPerExecution = 8;
/** How long an idempotency key and its answer are kept. */
export const keyLifeMs = 24 * 60 * 60_000;
/** How long the end of an execution with an unknown outcome can still be stored. */
export const unresolvedLifeMs = 24 * 60 * 60_000;
/** How long an answer without a key is kept: longer than any reservation lasts and any twin waits. */
export const textLifeMs = 15 * 60_000;
/** How long a lease is kept after its expiry: clocks of instances differ, and clients query its state. */
export const lingerMs = 5 * 60_000;

/** For this time, only the process that executed it looks for an unknown outcome. Then any process does. */
export const ownLookupMs = 60_000;
/** The shortest pause between two lookups of an overdue execution. Each pause is half the execution's age. */
export const minClaimPauseMs = 30_000;

export const dayMs = 24 * 60 * 60_000;

/** Days since the Unix epoch, in UTC. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / dayMs);
}

/** A UTC day like `2027-01-31`. */
export function toDay(nowMs: number): string {
  return new Date(dayOf(nowMs) * dayMs).toISOString().slice(0, 10);
}

/** The id of a caller's idempotency key for one field: of limited length, whatever the caller sent. */
export function keyIdOf(field: 'reserve' | 'execute', caller: string, key: string): string {
  return hash('sha256', `${field}\n${caller}\n${key}`, 'base64url');
}
