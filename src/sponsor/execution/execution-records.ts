import type { GraphQLError } from 'graphql';
import type { EndExecution, ExecutionFound, ExecutionStart } from '../store/sponsorship-store.ts';
import type { ExecutionFact, ExecutionResult, ExecutionSubject } from './execution-order.ts';
import type { ExecutionWorld } from './execution-world.ts';

/** What is written of one execution, to the store and for the audit, and what the store says of it. Nothing here rejects. */
export class ExecutionRecords<Effects> {
  readonly #subject: ExecutionSubject;
  readonly #attempt: string;
  readonly #world: ExecutionWorld<Effects>;

  /** @param attempt random: no other attempt at the same lease may take its fence away */
  constructor(subject: ExecutionSubject, attempt: string, world: ExecutionWorld<Effects>) {
    this.#subject = subject;
    this.#attempt = attempt;
    this.#world = world;
  }

  /** Sets the fence, unless the store knows better. `null`: it does not answer, and the fence may be set. */
  fence(needsReservation: boolean): Promise<ExecutionStart | null> {
    const subject = this.#subject;
    const { caller, leaseId, digest, bodyHash, expiresAtMs, mustBeKnown, gas, amount, idempotencyKey } = subject;
    const { store, now, pace } = this.#world;
    const nowMs = now();
    const idempotency = idempotencyKey === null ? null : { key: idempotencyKey, bodyHash };
    return store
      .beginExecution({
        caller,
        leaseId,
        digest,
        expiresAtMs,
        mustBeKnown,
        gas,
        amount,
        idempotency,
        bodyHash,
        attempt: this.#attempt,
        answerByMs: nowMs + pace.answerMs,
        budget: subject.budget,
        requestId: subject.requestId,
        needsReservation,
        nowMs,
      })
      .catch(() => null);
  }

  /** What has become of it in another process; `null` if nothing is known of it. */
  follow(): Promise<ExecutionFound | 'away' | null> {
    const { caller, leaseId, bodyHash } = this.#subject;
    const { store, now } = this.#world;
    return store.findExecution({ caller, leaseId, bodyHash, nowMs: now() }).catch(() => 'away' as const);
  }

  dispatched(): void {
    this.#audit('dispatched');
  }

  /** It is on the ledger. @param gasUsed `null`: not known, and what was held counts as used */
  async settle(result: ExecutionResult<Effects>, gasUsed: number | null): Promise<void> {
    const isFound = result.outcome === 'RECOVERED';
    if (!isFound) this.#audit(facts[result.outcome], gasUsed);
    const outcome = { kind: 'executed', gasUsed: gasUsed ?? this.#subject.amount } as const;
    const isNew = await this.#write(outcome, this.#world.answers.fromResult(result));
    // Others may look for it as well: who finds it first says so.
    if (isFound && isNew) this.#audit(facts[result.outcome], gasUsed);
  }

  async release(refusal: GraphQLError): Promise<void> {
    this.#audit('refused', null, refusal);
    const answer = this.#world.answers.fromRefusal(refusal);
    const { code } = refusal.extensions;
    // Where it need not be known here, what the sponsor has no more may have been spent while the store was away.
    const isSpentElsewhere = !this.#subject.mustBeKnown && code === 'RESERVATION_NOT_FOUND';
    // There the credential is the caller's own, and the sponsor alone knows whether it is anybody's.
    const isOfNobody = !this.#subject.mustBeKnown && code === 'SPONSOR_UNAUTHORIZED';
    await this.#write({ kind: 'refused', attempt: this.#attempt, isSpentElsewhere, isOfNobody }, answer);
  }

  async retract(refusal: GraphQLError | null): Promise<void> {
    this.#audit('unsent', null, refusal);
    await this.#write({ kind: 'not-sent', attempt: this.#attempt }, null);
  }

  async suspend(doubt: GraphQLError): Promise<void> {
    this.#audit('unknown', null, doubt);
    await this.#write({ kind: 'unknown' }, null);
  }

  abandon(): void {
    this.#audit('abandoned');
  }

  replayed(): void {
    this.#audit('replayed');
  }

  /** A store that is away is told later, by whoever speaks to it: the caller does not wait for that. */
  #write(outcome: EndExecution['outcome'], answer: string | null): Promise<boolean> {
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

const facts = { EXECUTED: 'executed', FAILED: 'failed', RECOVERED: 'recovered' } as const;
