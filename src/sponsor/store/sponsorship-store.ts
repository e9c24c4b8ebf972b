/**
 * What is remembered of sponsorship, by all processes that serve as one gateway: which leases were dispatched, what was
 * answered under an idempotency key, and what is left of gas budgets.
 *
 * Each method is one step: all of it happens or nothing. Methods reject with `StoreAwayError` alone, within a bounded time;
 * after a rejection the step may or may not have happened, unless the error says that it has not. `nowMs` (milliseconds since
 * the Unix epoch) is always the caller's, so that a test can let time pass.
 */
export interface SponsorshipStore {
  /**
   * Before the sponsor is asked for coins: looks the idempotency key up, and holds the budget. A twin that was told
   * `in-progress` asks again with the same values.
   */
  beginReservation(begin: BeginReservation): Promise<ReservationStart>;
  /** How asking for coins ended. Repeating it changes nothing. */
  endReservation(end: EndReservation): Promise<void>;
  /**
   * Sets the fence: from here on this lease is spent. Looks the idempotency key up in the same step, and does so before the
   * lease: what was answered under a key can be had for its 24 hours, also when the lease has long expired.
   */
  beginExecution(begin: BeginExecution): Promise<ExecutionStart>;
  /**
   * What has become of an execution that a twin was told is `in-progress`. Begins nothing. `null`: nothing is known of it, for
   * example because its attempt sent nothing; then the twin may begin its own.
   */
  findExecution(twin: ExecutionTwin): Promise<ExecutionFound | null>;
  /**
   * How an execution ended. Repeating it changes nothing; a later certain outcome replaces an unknown one.
   * @returns whether it changed anything, or will where it could not be written yet; `false`: somebody has ended it before
   */
  endExecution(end: EndExecution): Promise<boolean>;
  /**
   * Takes executions that nobody has ended though their time is over, the longest overdue first: their process died, or
   * could not write how they ended. Each is given to one of those who ask, and again only after a pause that grows with its
   * age, until nothing is known of it any more.
   */
  claimOverdue(claim: ClaimOverdue): Promise<readonly OverdueExecution[]>;
  /** What is kept of a reservation of this caller, until some minutes after its expiry; `null` if nothing. */
  findReservation(caller: string, leaseId: string, nowMs: number): Promise<KeptReservation | null>;
  /** What a key has left of its budget today. */
  gasAllowance(gas: GasBudget, nowMs: number): Promise<GasAllowance>;
  /** Waits for what is still to be written, for a bounded time. */
  close(): void | Promise<void>;
}

/** The store could not be asked, or did not answer in time. The step may have happened all the same. */
export class StoreAwayError extends Error {
  override readonly name = 'StoreAwayError';
  /** The step has certainly not happened: it was never sent, or refused. */
  readonly isUntaken: boolean;
  constructor(cause?: unknown, isUntaken = false) {
    super('What the instances of this gateway share about sponsorship cannot be reached.', { cause });
    this.isUntaken = isUntaken;
  }
}

/** Of the smallest unit of the gas coin. Several callers may share one key. */
export interface GasBudget {
  readonly key: string;
  /** For one day in UTC. */
  readonly perDay: number;
}

/**
 * `held + settled + free = limit`, always. `free` is below zero after a budget was lowered in the course of the day.
 * A hold counts in the day in which it was made.
 */
export interface GasAllowance {
  readonly limit: number;
  /** Of reservations that have not expired, and of executions whose end is not known. */
  readonly held: number;
  readonly settled: number;
  readonly free: number;
  /** When the next day begins. */
  readonly resetsAtMs: number;
}

export interface Idempotency {
  /** As the caller wrote it: it is told from those of other callers and of the other field here. */
  readonly key: string;
  /** Of all that the caller asks for under the key, the reservation's id included. */
  readonly bodyHash: string;
}

export interface BeginReservation {
  readonly caller: string;
  /** Random, of this attempt alone. */
  readonly leaseId: string;
  /** What is held of the budget. */
  readonly amount: number;
  readonly expiresAtMs: number;
  /** `null`: nobody counts what this caller spends. */
  readonly gas: GasBudget | null;
  readonly idempotency: Idempotency | null;
  /** When the attempt is over, whatever became of it: later a twin need not wait for it. */
  readonly answerByMs: number;
  readonly nowMs: number;
}

export type ReservationStart =
  /** Ask the sponsor, then say how it ended. */
  | { readonly kind: 'begun' }
  /** Answered before, under this key. */
  | { readonly kind: 'replay'; readonly answer: string }
  /** Somebody else asks under this key at this moment. */
  | { readonly kind: 'in-progress'; readonly answerByMs: number }
  /** The key was used for something else. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'over-budget'; readonly allowance: GasAllowance }
  /** Under this key the sponsor was asked, and nobody knows its answer: coins may be locked until then. */
  | { readonly kind: 'lost'; readonly untilMs: number }
  /** So much is kept of this caller, or of all of them, that no more may be begun for some minutes. */
  | { readonly kind: 'full' };

export interface EndReservation {
  readonly caller: string;
  readonly leaseId: string;
  readonly nowMs: number;
  readonly outcome:
    | {
        /** Keeps the hold until the lease expires or is executed. */
        readonly kind: 'reserved';
        /** What a repeat under the key gets, and `findReservation`. */
        readonly answer: string;
        /** The id by which it is known from now on, where that is not `leaseId`: the sponsor's own number. */
        readonly knownAs?: string | undefined;
      }
    /** Releases the hold and forgets the key: a repeat may ask again. Also where the sponsor was never asked. */
    | { readonly kind: 'refused' }
    /** Coins may be locked: the hold stays until it expires, and a repeat under the key is told `lost`. */
    | { readonly kind: 'lost' };
}

export interface BeginExecution {
  readonly caller: string;
  readonly leaseId: string;
  /** Of the transaction. */
  readonly digest: string;
  readonly expiresAtMs: number;
  /**
   * Must the lease have been begun in this store? Then one that is not known is refused: a store that was emptied, that was
   * started again or that another took the place of may have forgotten which leases are spent. Leases of our own need it; of
   * the sponsor's own numbers the sponsor knows.
   */
  readonly mustBeKnown: boolean;
  /** For a lease that the store does not know; one that it knows has its hold. */
  readonly gas: GasBudget | null;
  readonly amount: number;
  readonly idempotency: Idempotency | null;
  /** Of all that is executed: a second call with the same body is a twin. */
  readonly bodyHash: string;
  /** Random, of this attempt alone: by it the attempt takes its own fence back when it sent nothing. */
  readonly attempt: string;
  /** When the attempt is over, whatever became of it: a twin that finds it still open looks the digest up itself. */
  readonly answerByMs: number;
  /** For whoever ends it if this process dies: what was reserved, `null` where only the sponsor knows. */
  readonly budget: number | null;
  /** The same: of the call that began it. */
  readonly requestId: string;
  /** Is what is kept of the reservation told as well? */
  readonly needsReservation: boolean;
  readonly nowMs: number;
}

export type ExecutionStart =
  /** Dispatch it, then say how it ended. `reservation`: what is kept of it, where that is asked for and anything is. */
  | { readonly kind: 'begun'; readonly reservation?: string }
  | { readonly kind: 'replay'; readonly answer: string }
  /** A twin is under way (same caller, lease and body), or nobody knows how it ended: then `answerByMs` has passed. */
  | { readonly kind: 'in-progress'; readonly digest: string; readonly answerByMs: number }
  /** The key was used for something else. */
  | { readonly kind: 'conflict' }
  /** The lease was dispatched before, with the transaction of this digest; empty where another one spent it. */
  | { readonly kind: 'spent'; readonly digest: string }
  /** The same, and that transaction was refused: nothing ran. */
  | { readonly kind: 'refused'; readonly digest: string }
  | { readonly kind: 'expired' }
  /** The lease should be known and is not: the store has been emptied since, or started again. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'full' };

export interface ExecutionTwin {
  readonly caller: string;
  readonly leaseId: string;
  readonly bodyHash: string;
  readonly nowMs: number;
}

export type ExecutionFound = Extract<ExecutionStart, { kind: 'replay' | 'in-progress' | 'spent' | 'refused' }>;

export interface ClaimOverdue {
  /** At most so many. */
  readonly most: number;
  readonly nowMs: number;
}

/** What is known of an execution whose end was never written. */
export interface OverdueExecution
  extends Pick<BeginExecution, 'caller' | 'leaseId' | 'digest' | 'amount' | 'budget' | 'requestId'> {}

export interface EndExecution {
  readonly caller: string;
  readonly leaseId: string;
  readonly digest: string;
  readonly nowMs: number;
  /**
   * What a repeat under the idempotency key gets for 24 hours, and a twin that waits for some minutes; `null`: they are
   * told `spent` or `refused`. One that is too long is not kept.
   */
  readonly answer: string | null;
  readonly outcome: /** It is on the ledger, failed or not: what it used is settled, at most what was held. */
    | { readonly kind: 'executed'; readonly gasUsed: number }
    /**
     * Nothing ran: the hold is released; the lease stays spent. Changes nothing where another attempt than this set the
     * fence, for that one may have run; left out: it was whichever did.
     */
    | {
        readonly kind: 'refused';
        readonly attempt?: string;
        /** It was spent by another transaction, which is not known here: `spent` is told with an empty digest. */
        readonly isSpentElsewhere?: boolean;
        /**
         * The sponsor did not take its caller's credential: of a lease that was not reserved here nothing is kept, nor its
         * key, for anybody can make up as many credentials as they like.
         */
        readonly isOfNobody?: boolean;
      }
    /** The hold stays for the rest of its day. */
    | { readonly kind: 'unknown' }
    /** Nothing has left this process: all is as if the attempt had not begun, and the lease can be executed. */
    | { readonly kind: 'not-sent'; readonly attempt: string };
}

export interface KeptReservation {
  /** What `endReservation` was given. */
  readonly answer: string;
  readonly expiresAtMs: number;
  /** `consumed`: dispatched, whatever became of it. */
  readonly state: 'active' | 'consumed';
  /** Of the transaction that it was dispatched with. */
  readonly digest: string | null;
}
