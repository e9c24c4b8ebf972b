import type { GraphQLError } from 'graphql';
import {
  type CancelCause,
  type Cancellation,
  createCancellation,
  type OpenCancellation,
} from '../../upstream/cancellation.ts';
import { toGatewayError } from '../../upstream/upstream-call-error.ts';
import { DoubtfulRefusal } from '../sponsor-refusal.ts';
import type { ExecutionFound, ExecutionStart } from '../store/sponsorship-store.ts';
import type { ExecutionOrder, ExecutionResult, ExecutionWorld, Pauses, SponsorVerdict } from './execution-order.ts';
import {
  ExecutionRecords,
  lookUp,
  neverRunsError,
  notSentError,
  outcomeUnknownError,
  readAnswer,
  storeAway,
  toDeclined,
} from './execution-records.ts';

/** State of an execution. Each process that takes part in an execution has its own state. */
export type ExecutionState =
  /** This process has sent nothing. It checks the transaction, and the store sets the fence. */
  | 'fencing'
  /** The transaction was sent, by this process or by another one. The outcome is not known. */
  | 'open'
  | 'ended';

export interface ExecutionEvents {
  /** The execution has ended: later calls must not join it. */
  readonly ended: () => void;
  /** Work that a shutdown must wait for: a call to the sponsor, a write to the store. Never rejects. */
  readonly working: (work: Promise<unknown>) => void;
}

/** How waiting calls are answered. */
type Answer = { readonly result: ExecutionResult } | { readonly error: GraphQLError };

/** One call of `executeTx` that waits. */
type Waiter = (answer: Answer) => void;

/** What this process sent. Until the sponsor responds, `isAnswered` is false. */
interface Sent {
  /** Cancels the call to the sponsor while it waits for a connection. */
  readonly call: OpenCancellation;
  readonly atMs: number;
  isAnswered: boolean;
}

const never = Number.POSITIVE_INFINITY;

/**
 * One execution of a lease, for all calls that wait for it. Sends the transaction at most once, and only after the store has
 * set the fence. While it is open, three facts decide what happens next: did this process send it, and has the sponsor not
 * responded yet; does a client wait; is the sponsor late. Calls that time out are answered immediately; the others when the end
 * has been stored.
 */
export class Execution {
  state: ExecutionState = 'fencing';
  /** When `takeTurn` is due, in milliseconds of the injected clock. */
  dueMs = never;
  /** No client waits for the ledger: it is queried rarely. */
  isSwept = false;
  readonly #world: ExecutionWorld;
  readonly #events: ExecutionEvents;
  readonly #records: ExecutionRecords;
  readonly #attempt: string;
  readonly #subject: ExecutionOrder['subject'];
  /** Dropped once it is dispatched, because it holds the transaction. */
  #order: ExecutionOrder | null;
  /** Calls that wait for the end. */
  #present = new Set<Waiter>();
  /** Calls whose client hung up, or that timed out. */
  #absent: Waiter[] = [];
  /** `null`: this process has sent nothing. If the execution is open, it follows another process. */
  #sent: Sent | null = null;
  /** The process that it follows is slow or dead, or the store is unavailable: the ledger is queried as well. */
  #isSuspicious = false;
  #isAsking = false;
  #pauseMs = 0;
  /** Why the transaction must not be sent. */
  #fault: GraphQLError | null = null;
  #answer: Answer | null = null;
  #doubt: GraphQLError | null = null;
  /** A refusal that is believed from a time on, unless the ledger has the transaction. */
  #refusal: { readonly error: GraphQLError; readonly fromMs: number } | null = null;

  constructor(order: ExecutionOrder, attempt: string, world: ExecutionWorld, events: ExecutionEvents) {
    this.#order = order;
    this.#subject = order.subject;
    this.#world = world;
    this.#events = events;
    this.#attempt = attempt;
    this.#records = new ExecutionRecords(order.subject, attempt, world);
  }

  get caller(): string {
    return this.#subject.caller;
  }

  /** Is its next turn a query of the ledger? */
  get isLook(): boolean {
    return this.#sent !== null || this.#isSuspicious;
  }

  /** Waits for the end of the execution or of the operation. Rejects with an error meant for the client. */
  join(cancellation: Cancellation): Promise<ExecutionResult> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = (answer) => ('result' in answer ? resolve(answer.result) : reject(answer.error));
      this.#present.add(waiter);
      // After the waiter was added: if the ledger cannot be queried, this answers it.
      if (this.#present.size === 1 && this.#sent) this.#planAgain();
      cancellation.onCancel((cause) => this.#leave(waiter, cause));
    });
  }

  // Before the dispatch --------------------------------------------------------------------------

  /** Checks the transaction, sets the fence, and sends it. */
  async start(): Promise<void> {
    this.#fault = this.#order?.needsReservation ? null : this.#findFault(null);
    if (!this.#fault) return this.#fence();
    // The rules for callers may have changed since the transaction was sent: only the store knows.
    const found = await this.#records.find();
    if (found && found !== 'away') this.#hear(found);
    else if (found === 'away' && this.#world.isStoreNeeded) this.#end({ error: storeAway(this.#subject) });
    else {
      this.#records.note('declined', this.#fault);
      this.#end({ error: this.#fault });
    }
  }

  /** Why the transaction must not be sent, or `null`. A check that fails itself must not leave the lease fenced. */
  #findFault(reservation: string | null): GraphQLError | null {
    try {
      return this.#order?.check(reservation) ?? null;
    } catch (error) {
      return toGatewayError(error, 'sponsor');
    }
  }

  async #fence(): Promise<void> {
    const needsReservation = this.#order?.needsReservation === true;
    const { answerMs } = this.#world.pace;
    const start = await this.#records.fence(this.#subject, this.#attempt, needsReservation, answerMs);
    // If the store is optional, a full one counts as none, so that a caller that fills it does not block the others.
    const mayGoOn = !this.#world.isStoreNeeded && (start === null || start.kind === 'full');
    if (start?.kind !== 'begun' && !mayGoOn) {
      if (start) return this.#hear(start);
      void this.#work(this.#records.retract(null, this.#attempt));
      return this.#end({ error: storeAway(this.#subject) });
    }
    const isAwaited = this.#present.size > 0;
    const reservation = (start && 'reservation' in start && start.reservation) || null;
    const error = isAwaited && needsReservation ? this.#findFault(reservation) : null;
    if (error) this.#records.note('declined', error);
    if (error || !isAwaited)
      this.#end({ error: error ?? notSentError(this.#subject) }, this.#records.retract(error, this.#attempt));
    else this.#dispatch();
  }

  #dispatch(): void {
    const order = this.#order;
    const call = createCancellation();
    this.state = 'open';
    this.#order = null;
    this.#isSuspicious = false;
    this.#sent = { call, atMs: this.#world.clock(), isAnswered: false };
    this.#records.note('dispatched');
    this.#planAnew();
    let sponsorIsDone = () => {};
    void this.#work(
      new Promise<void>((resolve) => {
        sponsorIsDone = resolve;
      }),
    );
    // The callback must not capture the order: it would keep the transaction in memory until the call ends.
    const report = (verdict: SponsorVerdict) => {
      if (this.state === 'open') this.#hearSponsor(verdict);
      if (verdict.event !== 'lost' || verdict.isOver) sponsorIsDone();
    };
    try {
      order?.dispatch(call, report);
    } catch (fault) {
      // It may have been sent.
      report({ event: 'lost', error: outcomeUnknownError(this.#subject), isOver: true, fault });
    }
  }

  // While it is open -----------------------------------------------------------------------------

  /**
   * Performs due work.
   * @param mayLook may it query the ledger now? If not, a query waits for another turn
   * @returns the query, which never rejects; `null` if there was none
   */
  takeTurn(mayLook: boolean): Promise<void> | null {
    if (this.isLook) return mayLook ? this.look() : null;
    void this.#ask(async () => {
      const found = await this.#records.find();
      if (found && found !== 'away') this.#hear(found);
      else if (found) this.#isSuspicious = true;
      // The other process sent nothing.
      else if (this.state === 'open') {
        this.state = 'fencing';
        void this.#fence();
      }
      // The pause came before the query of the store.
      return this.#isSuspicious && this.#world.ledger.canFind();
    });
    return null;
  }

  /** Queries the ledger once. Never rejects. */
  look(): Promise<void> {
    return this.#ask(async () => {
      const { ledger, clock, pace } = this.#world;
      const askedAtMs = clock();
      const sentAtMs = this.#sent?.atMs ?? never;
      const mayBeDead = askedAtMs >= sentAtMs + pace.deathMs;
      // After a failure it retries; the upstream's health shows the reason.
      const found = await lookUp(ledger, this.#subject, mayBeDead).catch(() => 'failed' as const);
      this.#isSuspicious = false;
      if (this.state !== 'open') return false;
      const isBelieved = found === null && this.#refusal !== null && askedAtMs >= this.#refusal.fromMs;
      if (found === 'dead') this.#refuse(neverRunsError(this.#subject), true);
      else if (isBelieved && this.#refusal) this.#refuse(this.#refusal.error);
      else if (found && found !== 'failed') this.#settle('RECOVERED', found.gasUsed, null);
      else if (this.isSwept && clock() >= sentAtMs + pace.sweep.forMs) this.abandon();
      return false;
    });
  }

  /** @param ask asks store or ledger. Should the next question follow immediately? */
  async #ask(ask: () => Promise<boolean>): Promise<void> {
    this.dueMs = never;
    this.#isAsking = true;
    const isUrgent = await ask();
    this.#isAsking = false;
    this.#plan();
    if (isUrgent && this.state === 'open') this.dueMs = this.#world.clock();
  }

  /** Stops the lookup: too many executions are being looked up. */
  abandon(): void {
    this.#records.note('abandoned');
    this.#end({ error: this.#unknown() });
  }

  /** A client waits again. The transaction was sent some time ago, so the ledger may have it already. */
  #planAgain(): void {
    this.isSwept = false;
    this.#planAnew();
    if (!this.#isAsking) this.dueMs = this.#world.clock();
  }

  #planAnew(): void {
    this.#pauseMs = 0;
    this.#plan();
  }

  /** Decides who is asked next, and when. */
  #plan(): void {
    if (this.state !== 'open') return;
    const { pace, ledger, clock } = this.#world;
    const isAwaited = this.#present.size > 0;
    if (!this.#sent) {
      if (isAwaited) this.#pause(pace.eager);
      else this.#end({ error: this.#unknown() });
    } else if (!this.#sent.isAnswered) {
      const lateAtMs = this.#sent.atMs + pace.patienceMs;
      if (isAwaited && clock() >= lateAtMs) this.#pause(pace.eager);
      else this.dueMs = isAwaited ? lateAtMs : never;
    } else if (isAwaited && ledger.canFind()) {
      this.#pause(pace.eager);
    } else {
      if (!this.isSwept) {
        this.isSwept = true;
        this.#pauseMs = 0;
        void this.#work(this.#records.suspend(this.#unknown()));
        this.#answerAll({ error: this.#unknown() });
      }
      this.#pause(pace.sweep);
    }
  }

  #pause({ firstMs, longestMs }: Pauses): void {
    if (this.#isAsking) return;
    this.dueMs = this.#world.clock() + this.#pauseMs;
    this.#pauseMs = Math.min(Math.max(firstMs, 2 * this.#pauseMs), longestMs);
  }

  #hear(start: ExecutionStart | ExecutionFound): void {
    const { now, pace } = this.#world;
    const kept = start.kind === 'replay' ? readAnswer(start.answer) : null;
    if (kept) {
      this.#records.note('replayed');
      this.#end(kept);
    } else if (start.kind === 'in-progress' || start.kind === 'replay' || start.kind === 'begun') {
      // A text stored by another version of the gateway: the ledger has the outcome.
      const isSlow = start.kind !== 'in-progress' || start.answerByMs - now() <= pace.answerMs - pace.patienceMs;
      const isNew = this.state === 'fencing';
      this.state = 'open';
      this.#isSuspicious = isSlow;
      if (isNew) this.#planAnew();
    } else {
      const error = toDeclined(start, this.#subject, now());
      if (start.kind === 'denied') this.#records.note('declined', error);
      this.#end({ error });
    }
  }

  #hearSponsor(verdict: SponsorVerdict): void {
    if (verdict.event === 'executed') {
      this.#settle(verdict.succeeded ? 'EXECUTED' : 'FAILED', verdict.gasUsed, verdict.effects);
    } else if (verdict.event === 'unsent') {
      this.#end(verdict, this.#records.retract(verdict.error, this.#attempt));
    } else if (verdict.event === 'refused' && !this.#isDoubtful(verdict.error)) {
      this.#refuse(verdict.error);
    } else if (this.#sent) {
      const { event, error } = verdict;
      const { clock, pace } = this.#world;
      const isFirst = !this.#sent.isAnswered;
      this.#sent.isAnswered = true;
      if (event === 'refused') this.#refusal = { error, fromMs: clock() + pace.beliefMs };
      this.#doubt = event === 'lost' ? error : outcomeUnknownError(this.#subject);
      if (event === 'lost' && verdict.fault !== undefined) this.#world.fault(verdict.fault, this.#subject.requestId);
      if (isFirst) this.#planAnew();
    }
  }

  /**
   * May the transaction have run, although it is rejected? So it may if an earlier attempt of the sponsor ran it, or if the sponsor
   * denies a reservation that it gave, that nobody executed before, and that had not expired at the dispatch.
   */
  #isDoubtful({ extensions, originalError }: GraphQLError): boolean {
    const isDenied = extensions.code === 'RESERVATION_NOT_FOUND' && this.#subject.mustBeKnown;
    return isDenied || originalError instanceof DoubtfulRefusal;
  }

  #settle(outcome: ExecutionResult['outcome'], gasUsed: number | null, effects: ExecutionResult['effects']): void {
    const result = { digest: this.#subject.digest, outcome, effects };
    this.#end({ result }, this.#records.settle(result, gasUsed));
  }

  #refuse(error: GraphQLError, isProven = false): void {
    this.#end({ error }, this.#records.release(error, isProven));
  }

  /** @param written answers wait until the end is stored, so that a repeated call finds it */
  #end(answer: Answer, written?: Promise<void>): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.dueMs = never;
    this.#answer = answer;
    this.#events.ended();
    if (written === undefined) this.#answerAll(answer);
    else void this.#work(written).then(() => this.#answerAll(answer));
  }

  #work<Work extends Promise<unknown>>(work: Work): Work {
    this.#events.working(work);
    return work;
  }

  #answerAll(answer: Answer): void {
    const waiters = [...this.#present, ...this.#absent];
    this.#present = new Set();
    this.#absent = [];
    for (const waiter of waiters) waiter(answer);
  }

  #unknown(): GraphQLError {
    return this.#doubt ?? outcomeUnknownError(this.#subject);
  }

  /** A call whose client hung up is answered at the end, for the log; a call that timed out is answered now. */
  #leave(waiter: Waiter, cause: CancelCause): void {
    // A call that was answered may still time out or be cancelled, because its operation may have continued.
    if (!this.#present.delete(waiter)) return;
    this.#absent.push(waiter);
    const isLast = this.#present.size === 0;
    const end = () => {
      if (isLast && this.#present.size === 0) this.#left();
      if (cause === 'timeout') waiter(this.#answer ?? { error: this.#unknown() });
    };
    // A call that still waits for a connection ends with this, and reports its end first.
    if (isLast) this.#sent?.call.cancel(cause);
    if (isLast) setImmediate(end);
    else end();
  }

  #left(): void {
    // Of a transaction that is not permitted any more, only the store knows whether it was sent before.
    if (this.state !== 'fencing') this.#plan();
    else if (!this.#fault) this.#answerAll({ error: notSentError(this.#subject) });
  }
}
