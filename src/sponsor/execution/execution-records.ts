import type { GraphQLError } from 'graphql';
import type { EndExecution, ExecutionFound, ExecutionStart } from '../store/sponsorship-store.ts';
import type { ExecutionFact, ExecutionResult, ExecutionSubject, ExecutionWorld } from './execution-order.ts';

const resultEvents = { EXECUTED: 'executed', FAILED: 'failed', RECOVERED: 'recovered' } as const;

/**
 * The store and the audit log as one attempt at an execution uses them. Nothing here rejects: what cannot be written now, the
 * store writes later by itself.
 */
export class ExecutionRecords<Effects> {
  readonly #subject: ExecutionSubject;
  readonly #attempt: string;
  readonly #world: ExecutionWorld<Effects>;

  /** @param attempt unique: only this attempt may take its own fence back */
  constructor(subject: ExecutionSubject, attempt: string, world: ExecutionWorld<Effects>) {
    this.#subject = subject;
    this.#attempt = attempt;
    this.#world = world;
  }

  /** Sets the fence, unless the store has a reason against it. `null`: the store is away, and may have set the fence. */
  fence(needsReservation: boolean): Promise<ExecutionStart | null> {
    const { idempotencyKey: key, ...subject } = this.#subject;
    const { store, now, pace } = this.#world;
    const nowMs = now();
    const idempotency = key === null ? null : { key, bodyHash: subject.bodyHash };
    const answerByMs = nowMs + pace.answerMs;
    const begin = { ...subject, idempotency, attempt: this.#attempt, answerByMs, needsReservation, nowMs };
    return store.beginExecution(begin).catch(() => null);
  }

  /** What became of the execution in another process; `null` if the store has nothing. */
  follow(): Promise<ExecutionFound | 'away' | null> {
    const { caller, leaseId, bodyHash } = this.#subject;
    const { store, now } = this.#world;
    return store.findExecution({ caller, leaseId, bodyHash, nowMs: now() }).catch(() => 'away' as const);
  }

  /** Writes an event without an end. */
  note(event: 'dispatched' | 'replayed' | 'abandoned'): void {
    this.#audit(event);
  }

  /** The transaction is on the ledger. @param gasUsed `null`: unknown, so everything held counts as used */
  async settle(result: ExecutionResult<Effects>, gasUsed: number | null): Promise<void> {
    const isRecovered = result.outcome === 'RECOVERED';
    if (!isRecovered) this.#audit(resultEvents[result.outcome], gasUsed);
    const outcome = { kind: 'executed', gasUsed: gasUsed ?? this.#subject.amount } as const;
    const isNew = await this.#end(outcome, this.#world.answers.fromResult(result));
    // Several processes may look for it: only the first to find it writes the event.
    if (isRecovered && isNew) this.#audit('recovered', gasUsed);
  }

  /** Nothing ran. */
  async release(refusal: GraphQLError): Promise<void> {
    this.#audit('refused', null, refusal);
    const { code } = refusal.extensions;
    const isForward = !this.#subject.mustBeKnown;
    const outcome = {
      kind: 'refused',
      attempt: this.#attempt,
      // Another transaction may have spent it while the store was away.
      isSpentElsewhere: isForward && code === 'RESERVATION_NOT_FOUND',
      // In forward mode the credential is the caller's own, and only the sponsor knows whether it is valid.
      isOfNobody: isForward && code === 'SPONSOR_UNAUTHORIZED',
    } as const;
    await this.#end(outcome, this.#world.answers.fromRefusal(refusal));
  }

  /** Nothing was sent: the lease can still be executed. */
  async retract(refusal: GraphQLError | null): Promise<void> {
    this.#audit('unsent', null, refusal);
    await this.#end({ kind: 'not-sent', attempt: this.#attempt }, null);
  }

  /** The outcome is unknown. */
  async suspend(doubt: GraphQLError): Promise<void> {
    this.#audit('unknown', null, doubt);
    await this.#end({ kind: 'unknown' }, null);
  }

  #end(outcome: EndExecution['outcome'], answer: string | null): Promise<boolean> {
    const { caller, leaseId, digest } = this.#subject;
    const { store, now } = this.#world;
    return store.endExecution({ caller, leaseId, digest, answer, outcome, nowMs: now() }).catch(() => true);
  }

  #audit(event: ExecutionFact['event'], gasUsed: number | null = null, error: GraphQLError | null = null): void {
    const { caller, leaseId, digest, budget, requestId } = this.#subject;
    const code = error === null ? null : String(error.extensions.code);
    this.#world.audit({ event, caller, leaseId, digest, budget, gasUsed, code, requestId });
  }
}
