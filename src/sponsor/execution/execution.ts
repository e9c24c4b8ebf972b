import type { GraphQLError } from 'graphql';
import type { FoundTransaction } from '../../ledger/find-transaction.ts';
import { type Cancellation, createCancellation, type OpenCancellation } from '../../upstream/cancellation.ts';
import type { ExecutionFound, ExecutionStart } from '../store/sponsorship-store.ts';
import { neverSent, outcomeUnknown, storeAway, toDeclined } from './execution-errors.ts';
import { type ExecutionAct, type ExecutionState, firstStep, nextStep } from './execution-machine.ts';
import type { ExecutionOrder, ExecutionResult, ExecutionSubject, SponsorVerdict } from './execution-order.ts';
import { ExecutionRecords } from './execution-records.ts';
import type { ExecutionWorld, Pauses } from './execution-world.ts';
import { type Told, Waiters } from './waiters.ts';

/** Who looks after an execution. */
export interface ExecutionKeeper<Effects> {
  /** It has ended: nobody may join it any more. */
  readonly ended: (execution: Execution<Effects>) => void;
  /** What must not be cut off begins and ends: asking the sponsor, writing to the store. Calls come in pairs. */
  readonly busy: () => void;
  readonly idle: () => void;
}

/** Something that happened, with its facts. */
type News<Effects> =
  | SponsorVerdict<Effects>
  | { readonly event: 'declined' | 'barred' | 'storeAway'; readonly error: GraphQLError }
  | { readonly event: 'replayed'; readonly result: ExecutionResult<Effects> }
  | { readonly event: 'found'; readonly finding: FoundTransaction }
  | { readonly event: 'checked' | 'begun' | 'inProgress' | 'slow' | 'overdue' | 'gone' }
  | { readonly event: 'late' | 'missing' | 'left' | 'joined' | 'givenUp' };

const never = Number.POSITIVE_INFINITY;

/** In which the ledger is asked. */
const looking: ReadonlySet<ExecutionState> = new Set(['doubted', 'lookingUp', 'swept', 'suspecting']);
/** Between which it goes to and fro, with pauses that grow. */
const following: ReadonlySet<ExecutionState> = new Set(['following', 'suspecting']);

/** One execution: performs what its machine decides, and tells the machine what happens. */
export class Execution<Effects> {
  /** By which twins find it. */
  readonly key: string;
  state: ExecutionState = firstStep.state;
  /** When it wants a turn, by the clock of its world. */
  dueMs = never;
  readonly #subject: ExecutionSubject;
  readonly #world: ExecutionWorld<Effects>;
  readonly #keeper: ExecutionKeeper<Effects>;
  readonly #records: ExecutionRecords<Effects>;
  readonly #waiters: Waiters<ExecutionResult<Effects>>;
  /** Let go of once it is under way: it holds the transaction. */
  #order: ExecutionOrder<Effects> | null;
  /** Of the call to the sponsor: it is given up if all who wait have left before it was sent. */
  #call: OpenCancellation | null = null;
  /** How it ended. */
  #told: Told<ExecutionResult<Effects>> | null = null;
  /** The end as it is being written to the store. */
  #written: Promise<void> | null = null;
  /** Why the sponsor's answer does not tell. */
  #doubt: GraphQLError | null = null;
  #pauseMs = 0;
  #isLooking = false;
  #sweepUntilMs = never;

  constructor(
    key: string,
    attempt: string,
    order: ExecutionOrder<Effects>,
    world: ExecutionWorld<Effects>,
    keeper: ExecutionKeeper<Effects>,
  ) {
    this.key = key;
    this.#order = order;
    this.#subject = order.subject;
    this.#world = world;
    this.#keeper = keeper;
    this.#records = new ExecutionRecords(order.subject, attempt, world);
    this.#waiters = new Waiters({
      outOfTime: () => this.#told ?? { error: this.#unknown() },
      // A call that still waits for its connection is given up by this, and says so.
      leaving: (cause) => this.#call?.cancel(cause),
      left: () => this.#hear({ event: 'left' }),
    });
  }

  /** Begins it, for whoever has joined. */
  start(): void {
    for (const act of firstStep.acts) this.#perform(act, { event: 'checked' });
  }

  /** Waits for its end, until an operation is over. Rejects with an error that is meant for the caller. */
  join(cancellation: Cancellation): Promise<ExecutionResult<Effects>> {
    if (this.#waiters.isEmpty) this.#hear({ event: 'joined' });
    return this.#waiters.join(cancellation);
  }

  /**
   * Its turn has come.
   * @param mayLook may the ledger be asked now? Otherwise that waits for another turn
   * @returns the question to the ledger, which never rejects; `null` if it was not asked
   */
  takeTurn(mayLook: boolean): Promise<void> | null {
    const isLook = looking.has(this.state);
    if (isLook && !mayLook) return null;
    this.dueMs = never;
    if (this.state === 'dispatched') this.#hear({ event: 'late' });
    else if (this.state === 'following') void this.#askStore();
    return isLook ? this.look() : null;
  }

  /** Nobody looks for it any longer: there are too many of them. */
  giveUp(): void {
    this.#hear({ event: 'givenUp' });
  }

  /** Asks the ledger once. Never rejects. */
  async look(): Promise<void> {
    const { canFind, find } = this.#world.ledger;
    this.#isLooking = true;
    // What it cannot tell now it is asked again; the health of the upstream says why.
    const finding = canFind() ? await find(this.#subject.digest).catch(() => null) : null;
    this.#isLooking = false;
    if (finding) this.#hear({ event: 'found', finding });
    else if (this.state === 'swept' && this.#world.clock() >= this.#sweepUntilMs) this.#hear({ event: 'givenUp' });
    else this.#hear({ event: 'missing' });
  }

  #hear(news: News<Effects>): void {
    const before = this.state;
    const { state, acts } = nextStep(before, news.event);
    this.state = state;
    if (state !== before && !(following.has(before) && following.has(state))) this.#pauseMs = 0;
    if (news.event === 'lost') this.#doubt = news.error;
    // The sponsor was asked a while ago: it is time to doubt.
    if (before === 'unheard' && news.event === 'joined') this.dueMs = this.#world.clock();
    for (const act of acts) this.#perform(act, news);
    if (state === 'ended' && before !== 'ended') this.#keeper.ended(this);
  }

  #perform(act: ExecutionAct, news: News<Effects>): void {
    const { pace } = this.#world;
    const refusal = 'error' in news ? news.error : null;
    if (act === 'check') this.#check();
    else if (act === 'fence') void this.#fence();
    else if (act === 'dispatch') this.#dispatch();
    else if (act === 'look') this.#lookSoon();
    else if (act === 'follow') this.#pause(pace.eager);
    else if (act === 'sweep') this.#pause(pace.sweep);
    else if (act === 'settle') this.#write(this.#records.settle(this.#toResult(news), gasUsedIn(news)));
    else if (act === 'release') this.#write(this.#records.release(refusal ?? this.#unknown()));
    else if (act === 'retract') this.#write(this.#records.retract(refusal));
    else if (act === 'suspend') this.#write(this.#records.suspend(this.#unknown()));
    else if (act === 'abandon') this.#records.abandon();
    else if (act === 'tellOutcome') this.#tell({ result: this.#toResult(news) });
    else if (act === 'tellRefusal') this.#tell({ error: refusal ?? this.#unknown() });
    else if (act === 'tellUnknown') this.#waiters.tell({ error: this.#unknown() });
    else if (act === 'tellUnsent') this.#waiters.tell({ error: neverSent(this.#subject) });
    else act satisfies never;
  }

  #check(): void {
    const { check, needsReservation } = this.#order ?? {};
    const error = needsReservation ? null : check?.(null);
    this.#hear(error ? { event: 'declined', error } : { event: 'checked' });
  }

  async #fence(): Promise<void> {
    const start = await this.#records.fence(this.#order?.needsReservation === true);
    if (start) this.#hearStore(start);
    else if (this.#world.isStoreNeeded) this.#hear({ event: 'storeAway', error: storeAway(this.#subject) });
    else this.#begin(null);
  }

  #begin(reservation: string | null): void {
    const { check, needsReservation } = this.#order ?? {};
    // Where nobody waits any more it is not sent, whatever is in it.
    const error = needsReservation && this.state === 'fencing' ? check?.(reservation) : null;
    this.#hear(error ? { event: 'barred', error } : { event: 'begun' });
  }

  async #askStore(): Promise<void> {
    const found = await this.#records.follow();
    if (found === 'away') this.#hear({ event: 'inProgress' });
    else if (found) this.#hearStore(found);
    else this.#hear({ event: 'gone' });
  }

  #hearStore(start: ExecutionStart | ExecutionFound): void {
    // A store without room is as good as none: whoever fills it must not end what others can do without it.
    const hasNoRoom = start.kind === 'full' && !this.#world.isStoreNeeded;
    if (start.kind === 'begun' || hasNoRoom) this.#begin(('reservation' in start && start.reservation) || null);
    else if (start.kind === 'replay') this.#hearAnswer(start.answer);
    else if (start.kind !== 'in-progress') this.#hear({ event: 'declined', error: toDeclined(start, this.#subject) });
    else this.#hear({ event: this.#judgeAge(start.answerByMs) });
  }

  /** How another process is doing, by the time at which it would be done at the latest. */
  #judgeAge(answerByMs: number): 'inProgress' | 'slow' | 'overdue' {
    const { now, pace } = this.#world;
    const leftMs = answerByMs - now();
    if (leftMs <= 0) return 'overdue';
    return leftMs <= pace.answerMs - pace.patienceMs ? 'slow' : 'inProgress';
  }

  #hearAnswer(text: string): void {
    const kept = this.#world.answers.read(text);
    // Written by another version: the ledger tells.
    if (!kept) {
      this.#hear({ event: 'overdue' });
      return;
    }
    this.#records.replayed();
    if ('refusal' in kept) this.#hear({ event: 'declined', error: kept.refusal });
    else this.#hear({ event: 'replayed', result: kept.result });
  }

  #dispatch(): void {
    const { clock, pace } = this.#world;
    const order = this.#order;
    this.#order = null;
    this.#call = createCancellation();
    this.#sweepUntilMs = clock() + pace.sweep.forMs;
    this.dueMs = clock() + pace.patienceMs;
    this.#records.dispatched();
    this.#keeper.busy();
    order?.dispatch(this.#call, (verdict) => {
      this.#hear(verdict);
      if (verdict.event !== 'lost' || verdict.isOver) this.#keeper.idle();
    });
  }

  /** Asks the ledger at the next turn, then after growing pauses. Where it cannot be asked, nobody need wait for it. */
  #lookSoon(): void {
    if (this.#isLooking) return;
    const canFind = this.#world.ledger.canFind();
    // There the pause is before the store is asked, and the ledger is asked right after it.
    if (this.state === 'suspecting' && canFind) this.dueMs = this.#world.clock();
    else if (this.state === 'suspecting') this.#hear({ event: 'missing' });
    else if (canFind) this.#pause(this.#world.pace.eager);
    else if (this.state === 'lookingUp') this.#hear({ event: 'left' });
  }

  #pause({ firstMs, longestMs }: Pauses): void {
    this.dueMs = this.#world.clock() + this.#pauseMs;
    this.#pauseMs = Math.min(Math.max(firstMs, 2 * this.#pauseMs), longestMs);
  }

  #toResult(news: News<Effects>): ExecutionResult<Effects> {
    const { digest } = this.#subject;
    if (news.event === 'replayed') return news.result;
    if (news.event !== 'executed') return { digest, outcome: 'RECOVERED', effects: null };
    return { digest, outcome: news.succeeded ? 'EXECUTED' : 'FAILED', effects: news.effects };
  }

  #write(written: Promise<void>): void {
    this.#keeper.busy();
    this.#written = written.then(() => this.#keeper.idle());
  }

  /** Tells those who wait once the end is written, so that a repeat finds it. */
  #tell(told: Told<ExecutionResult<Effects>>): void {
    this.#told = told;
    if (this.#written !== null) void this.#written.then(() => this.#waiters.tell(told));
    else this.#waiters.tell(told);
  }

  #unknown(): GraphQLError {
    return this.#doubt ?? outcomeUnknown(this.#subject);
  }
}

function gasUsedIn(news: News<unknown>): number | null {
  if (news.event === 'executed') return news.gasUsed;
  return news.event === 'found' ? news.finding.gasUsed : null;
}
