import type { GraphQLError } from 'graphql';
import type { FoundTransaction } from '../../ledger/find-transaction.ts';
import {
  type CancelCause,
  type Cancellation,
  createCancellation,
  type OpenCancellation,
} from '../../upstream/cancellation.ts';
import { toGatewayError } from '../../upstream/upstream-call-error.ts';
import { DoubtfulRefusal } from '../sponsor-refusal.ts';
import type { ExecutionFound, ExecutionStart } from '../store/sponsorship-store.ts';
import {
  type ExecutionAct,
  type ExecutionEvent,
  type ExecutionState,
  firstStep,
  nextStep,
} from './execution-machine.ts';
import type {
  ExecutionOrder,
  ExecutionResult,
  ExecutionSubject,
  ExecutionWorld,
  Pauses,
  SponsorVerdict,
} from './execution-order.ts';
import {
  ExecutionRecords,
  neverRunsError,
  notSentError,
  outcomeUnknownError,
  readAnswer,
  storeAway,
  toDeclined,
} from './execution-records.ts';

export interface ExecutionEvents {
  /** The execution has ended: later calls must not join it. */
  readonly ended: () => void;
  /** Work that a shutdown must wait for: a call to the sponsor, a write to the store. Never rejects. */
  readonly working: (work: Promise<unknown>) => void;
}

/** How waiting calls are answered. */
type Answer = { readonly result: ExecutionResult } | { readonly error: GraphQLError };

/** Data of an event, if it has any of these. */
interface EventData {
  readonly result?: ExecutionResult;
  readonly gasUsed?: number | null;
  readonly error?: GraphQLError;
}

/** One call of `executeTx` that waits. */
type Waiter = (answer: Answer) => void;

const never = Number.POSITIVE_INFINITY;

/** States in which the ledger is queried. */
const looking: ReadonlySet<ExecutionState> = new Set(['doubted', 'lookingUp', 'swept', 'suspecting']);
/** States between which an execution alternates, with growing pauses. */
const following: ReadonlySet<ExecutionState> = new Set(['following', 'suspecting']);

/**
 * One execution of a lease, for all calls that wait for it. Sends the transaction at most once, and only after the store has
 * set the fence. If the sponsor's response is lost, it looks the transaction up in the ledger. Calls that time out are
 * answered immediately; the others when the end has been stored.
 *
 * The state machine decides; this class reports events to it and performs its decisions.
 */
export class Execution {
  state: ExecutionState = firstStep.state;
  /** When `takeTurn` is due, in milliseconds of the injected clock. */
  dueMs = never;
  readonly #subject: ExecutionSubject;
  readonly #world: ExecutionWorld;
  readonly #events: ExecutionEvents;
  readonly #records: ExecutionRecords;
  /** Dropped once it is dispatched, because it holds the transaction. */
  #order: ExecutionOrder | null;
  /** Calls that wait for the end. */
  #present = new Set<Waiter>();
  /** Calls whose client hung up, or that timed out. */
  #absent: Waiter[] = [];
  /** Cancels the call to the sponsor while it waits for a connection. */
  #call: OpenCancellation | null = null;
  #answer: Answer | null = null;
  /** The pending write of the execution's end. */
  #written: Promise<void> | null = null;
  #doubt: GraphQLError | null = null;
  #pauseMs = 0;
  #isLooking = false;
  #sweepUntilMs = never;
  /** From this time on the transaction may be taken for dead. */
  #deadAtMs = never;
  /** A refusal that is believed at this time, unless the ledger has the transaction. */
  #refusal: GraphQLError | null = null;
  #believeAtMs = never;

  constructor(order: ExecutionOrder, attempt: string, world: ExecutionWorld, events: ExecutionEvents) {
    this.#order = order;
    this.#subject = order.subject;
    this.#world = world;
    this.#events = events;
    this.#records = new ExecutionRecords(order.subject, attempt, world);
  }

  /** Is its next turn a query of the ledger? */
  get isLook(): boolean {
    return looking.has(this.state);
  }

  get caller(): string {
    return this.#subject.caller;
  }

  start(): void {
    for (const act of firstStep.acts) this.#perform(act, {});
  }

  /** Waits for the end of the execution or of the operation. Rejects with an error meant for the client. */
  join(cancellation: Cancellation): Promise<ExecutionResult> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = (answer) => {
        if ('result' in answer) resolve(answer.result);
        else reject(answer.error);
      };
      this.#present.add(waiter);
      // After the waiter was added: if the ledger cannot be queried, this answers it.
      if (this.#present.size === 1) this.#handle('joined');
      cancellation.onCancel((cause) => this.#leave(waiter, cause));
    });
  }

  /**
   * Performs due work.
   * @param mayLook may it query the ledger now? If not, a query waits for another turn
   * @returns the query, which never rejects; `null` if there was none
   */
  takeTurn(mayLook: boolean): Promise<void> | null {
    const { isLook } = this;
    if (isLook && !mayLook) return null;
    this.dueMs = never;
    if (this.state === 'dispatched') this.#handle('late');
    else if (this.state === 'following') void this.#askStore();
    return isLook ? this.look() : null;
  }

  /** Queries the ledger once. Never rejects. */
  async look(): Promise<void> {
    const { digest } = this.#subject;
    const askedAtMs = this.#world.clock();
    this.#isLooking = true;
    // After a failure it retries; the upstream's health shows the reason.
    const found = await this.#find().catch(() => 'failed' as const);
    this.#isLooking = false;
    const nowMs = this.#world.clock();
    const isOver = this.state === 'swept' && nowMs >= this.#sweepUntilMs;
    const isBelieved = found === null && this.#refusal !== null && askedAtMs >= this.#believeAtMs;
    if (found === 'dead') this.#handle('refused', { error: neverRunsError(this.#subject) });
    else if (isBelieved && this.#refusal) this.#handle('refused', { error: this.#refusal });
    else if (!found || found === 'failed') this.#handle(isOver ? 'givenUp' : 'missing');
    else this.#handle('found', { result: { digest, outcome: 'RECOVERED', effects: null }, gasUsed: found.gasUsed });
  }

  async #find(): Promise<FoundTransaction | 'dead' | 'failed' | null> {
    const { ledger, clock } = this.#world;
    const { digest, coin = null } = this.#subject;
    if (!ledger.canFind()) return 'failed';
    const found = await ledger.find(digest);
    const mayBeDead = !found && coin !== null && clock() >= this.#deadAtMs;
    return mayBeDead && (await ledger.isDead(digest, coin)) ? 'dead' : found;
  }

  /** Stops the lookup: too many executions are being looked up. */
  abandon(): void {
    this.#handle('givenUp');
  }

  #handle(event: ExecutionEvent, news: EventData = {}): void {
    const before = this.state;
    const { state, acts } = nextStep(before, event);
    this.state = state;
    if (state !== before && !(following.has(before) && following.has(state))) this.#pauseMs = 0;
    if (event === 'lost') this.#doubt = news.error ?? null;
    // The sponsor was called some time ago, so the ledger may have the transaction already.
    if (before === 'unawaited' && event === 'joined') this.dueMs = this.#world.clock();
    for (const act of acts) this.#perform(act, news);
    if (state === 'ended' && before !== 'ended') this.#events.ended();
  }

  #perform(act: ExecutionAct, { result, gasUsed = null, error }: EventData): void {
    const { pace } = this.#world;
    if (act === 'check') this.#check();
    else if (act === 'fence') void this.#fence();
    else if (act === 'dispatch') this.#dispatch();
    else if (act === 'look') this.#lookSoon();
    else if (act === 'follow') this.#pause(pace.eager);
    else if (act === 'sweep') this.#pause(pace.sweep);
    else if (act === 'settle') result && this.#write(this.#records.settle(result, gasUsed));
    else if (act === 'release') this.#write(this.#records.release(error ?? this.#unknown()));
    else if (act === 'retract') this.#write(this.#records.retract(error ?? null));
    else if (act === 'suspend') this.#write(this.#records.suspend(this.#unknown()));
    else if (act === 'abandon') this.#records.note('abandoned');
    else if (act === 'answerOutcome') result && this.#answerAfterWrite({ result });
    else if (act === 'answerRefusal') this.#answerAfterWrite({ error: error ?? this.#unknown() });
    else if (act === 'answerUnknown') this.#answerAll({ error: this.#unknown() });
    else if (act === 'answerUnsent') this.#answerAll({ error: notSentError(this.#subject) });
    else act satisfies never;
  }

  #check(): void {
    const error = this.#order?.needsReservation ? null : this.#findFault(null);
    if (error) void this.#declineUnlessSent(error);
    else this.#handle('checked');
  }

  /** The rules for callers may have changed since the transaction was sent: only the store knows. */
  async #declineUnlessSent(error: GraphQLError): Promise<void> {
    const found = await this.#records.follow();
    if (found && found !== 'away') {
      this.#handleStore(found);
    } else if (found === 'away' && this.#world.isStoreNeeded) {
      this.#handle('declined', { error: storeAway(this.#subject) });
    } else {
      this.#records.decline(error);
      this.#handle('declined', { error });
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
    const start = await this.#records.fence(this.#order?.needsReservation === true);
    if (start) this.#handleStore(start);
    else if (this.#world.isStoreNeeded) this.#handle('storeAway', { error: storeAway(this.#subject) });
    else this.#begin(null);
  }

  #begin(reservation: string | null): void {
    // If every client has left, the check is skipped, because the transaction is not sent anyway.
    const isChecked = !this.#order?.needsReservation || this.state !== 'fencing';
    const error = isChecked ? null : this.#findFault(reservation);
    if (error) this.#records.decline(error);
    if (error) this.#handle('barred', { error });
    else this.#handle('begun');
  }

  async #askStore(): Promise<void> {
    const found = await this.#records.follow();
    if (found === 'away') this.#handle('slow');
    else if (found) this.#handleStore(found);
    else this.#handle('gone');
  }

  #handleStore(start: ExecutionStart | ExecutionFound): void {
    const { isStoreNeeded, now, pace } = this.#world;
    // If the store is optional, a full one counts as none, so that a caller that fills it does not block the others.
    const hasNoRoom = start.kind === 'full' && !isStoreNeeded;
    if (start.kind === 'begun' || hasNoRoom) {
      this.#begin(('reservation' in start && start.reservation) || null);
    } else if (start.kind === 'in-progress') {
      const isSlow = start.answerByMs - now() <= pace.answerMs - pace.patienceMs;
      this.#handle(isSlow ? 'slow' : 'inProgress');
    } else if (start.kind !== 'replay') {
      this.#handle('declined', { error: toDeclined(start, this.#subject) });
    } else {
      const kept = readAnswer(start.answer);
      if (kept) this.#records.note('replayed');
      // A text stored by another version of the gateway: the ledger has the outcome.
      this.#handle(kept === null ? 'slow' : 'error' in kept ? 'declined' : 'replayed', kept ?? {});
    }
  }

  #dispatch(): void {
    const { clock, pace } = this.#world;
    const order = this.#order;
    const call = createCancellation();
    this.#order = null;
    this.#call = call;
    this.#sweepUntilMs = clock() + pace.sweep.forMs;
    this.#deadAtMs = clock() + pace.deathMs;
    this.dueMs = clock() + pace.patienceMs;
    this.#records.note('dispatched');
    let sponsorIsDone = () => {};
    this.#events.working(
      new Promise<void>((resolve) => {
        sponsorIsDone = resolve;
      }),
    );
    // The callback must not capture the order: it would keep the transaction in memory until the call ends.
    const report = (verdict: SponsorVerdict) => {
      this.#handleSponsor(verdict);
      if (verdict.event !== 'lost' || verdict.isOver) sponsorIsDone();
    };
    try {
      order?.dispatch(call, report);
    } catch (fault) {
      // It may have been sent.
      report({ event: 'lost', error: outcomeUnknownError(this.#subject), isOver: true, fault });
    }
  }

  #handleSponsor(verdict: SponsorVerdict): void {
    if (verdict.event !== 'executed') {
      const { event, error } = verdict;
      if (verdict.event === 'lost' && verdict.fault !== undefined) this.#records.fault(verdict.fault);
      if (event === 'refused' && this.#isDoubtful(error)) this.#doubtRefusal(error);
      else this.#handle(event, { error });
      return;
    }
    const { succeeded, gasUsed, effects } = verdict;
    const { digest } = this.#subject;
    this.#handle('executed', { result: { digest, outcome: succeeded ? 'EXECUTED' : 'FAILED', effects }, gasUsed });
  }

  /**
   * May the transaction have run, although it is rejected? So it may if an earlier attempt of the sponsor ran it, or if the sponsor
   * denies a reservation that it gave and that nobody executed before.
   */
  #isDoubtful({ extensions, originalError }: GraphQLError): boolean {
    const { mustBeKnown, expiresAtMs } = this.#subject;
    const isDenied = extensions.code === 'RESERVATION_NOT_FOUND' && mustBeKnown && this.#world.now() < expiresAtMs;
    return isDenied || originalError instanceof DoubtfulRefusal;
  }

  #doubtRefusal(refusal: GraphQLError): void {
    this.#refusal = refusal;
    this.#believeAtMs = this.#world.clock() + this.#world.pace.beliefMs;
    this.#handle('lost', { error: outcomeUnknownError(this.#subject) });
  }

  /**
   * Queries the ledger in the next turn, then after growing pauses. If the ledger cannot be queried, no client waits for it.
   */
  #lookSoon(): void {
    if (this.#isLooking) return;
    const canFind = this.#world.ledger.canFind();
    // The pause comes before the store query, and the ledger query follows immediately.
    if (this.state === 'suspecting' && canFind) this.dueMs = this.#world.clock();
    else if (this.state === 'suspecting') this.#handle('missing');
    else if (canFind) this.#pause(this.#world.pace.eager);
    else if (this.state === 'lookingUp') this.#handle('left');
  }

  #pause({ firstMs, longestMs }: Pauses): void {
    this.dueMs = this.#world.clock() + this.#pauseMs;
    this.#pauseMs = Math.min(Math.max(firstMs, 2 * this.#pauseMs), longestMs);
  }

  #write(written: Promise<void>): void {
    this.#events.working(written);
    this.#written = written;
  }

  /** Waits until the end is stored, so that a repeated call finds it. */
  #answerAfterWrite(answer: Answer): void {
    this.#answer = answer;
    if (this.#written === null) this.#answerAll(answer);
    else void this.#written.then(() => this.#answerAll(answer));
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
    const answerTimeout = () => {
      if (cause === 'timeout') waiter(this.#answer ?? { error: this.#unknown() });
    };
    if (this.#present.size > 0) {
      answerTimeout();
      return;
    }
    // A call that still waits for a connection ends with this, and reports its end before the state machine gets the event.
    this.#call?.cancel(cause);
    setImmediate(() => {
      if (this.#present.size === 0) this.#handle('left');
      answerTimeout();
    });
  }
}
