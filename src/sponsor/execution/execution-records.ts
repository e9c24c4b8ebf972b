import type { GraphQLError } from 'graphql';
import { isErrorCode } from '../../errors/catalogue.ts';
import { type ErrorFacts, gatewayError } from '../../errors/gateway-error.ts';
import type { FoundTransaction, TransactionFinder } from '../../ledger/find-transaction.ts';
import { toAuditedReason, toHoldDenialError } from '../sponsor-policy.ts';
import { checkAfterMs, lookUpAdvice, ReservationKept } from '../sponsor-refusal.ts';
import { readEffects } from '../sponsor-response.ts';
import type { BeginExecution, EndExecution, ExecutionFound, ExecutionStart } from '../store/sponsorship-store.ts';
import type { ExecutionFact, ExecutionResult, ExecutionSubject, ExecutionWorld } from './execution-order.ts';

const resultEvents = { EXECUTED: 'executed', FAILED: 'failed', RECOVERED: 'recovered' } as const;

/**
 * What the ledger says of a transaction: it ran, it can never run (`dead`), or it has not run yet (`null`). Rejects if the ledger
 * gives no usable response.
 * @param mayBeDead has enough time passed since the dispatch?
 */
export async function lookUp(
  ledger: TransactionFinder,
  { digest, coin = null }: Pick<ExecutionSubject, 'digest' | 'coin'>,
  mayBeDead: boolean,
): Promise<FoundTransaction | 'dead' | null> {
  const found = await ledger.find(digest);
  return !found && mayBeDead && coin !== null && (await ledger.isDead(digest, coin)) ? 'dead' : found;
}

type RecordedExecution = Pick<ExecutionSubject, 'caller' | 'leaseId' | 'digest' | 'bodyHash' | 'budget' | 'requestId'> &
  Pick<ExecutionSubject, 'amount'> &
  Partial<Pick<ExecutionSubject, 'idempotencyKey' | 'mustBeKnown' | 'visitor' | 'sender' | 'targets'>>;

/**
 * The store and the audit log, as used by one attempt at an execution. Its methods never reject: the store retries failed
 * writes itself. An end is in the audit log before it is in the store, so that a process that dies in between loses no line.
 */
export class ExecutionRecords {
  readonly #subject: RecordedExecution;
  readonly #attempt: string | undefined;
  readonly #world: Pick<ExecutionWorld, 'store' | 'now' | 'audit'>;

  /** @param attempt unique: only this attempt may remove its own fence. `undefined`: the attempt of a process that died */
  constructor(
    subject: RecordedExecution,
    attempt: string | undefined,
    world: Pick<ExecutionWorld, 'store' | 'now' | 'audit'>,
  ) {
    this.#subject = subject;
    this.#attempt = attempt;
    this.#world = world;
  }

  /** Sets the fence, unless the store rejects it. `null`: the store is unavailable, and may have set the fence. */
  fence(subject: ExecutionSubject, attempt: string, needsReservation: boolean, answerMs: number) {
    const nowMs = this.#world.now();
    const { idempotency } = this.#twin();
    // Without a spread: the subject has too many members for a fast one.
    const { caller, leaseId, digest, bodyHash, expiresAtMs, mustBeKnown, amount, sender, senderHolds } = subject;
    const { budget, coin = null, requestId } = subject;
    const begin: BeginExecution = {
      caller,
      leaseId,
      digest,
      bodyHash,
      expiresAtMs,
      mustBeKnown,
      amount,
      sender,
      senderHolds,
      budget,
      coin,
      requestId,
      idempotency,
      attempt,
      answerByMs: nowMs + answerMs,
      needsReservation,
      nowMs,
    };
    return this.#world.store.beginExecution(begin).catch((): ExecutionStart | null => null);
  }

  /** The execution in another process; `null` if the store has none. */
  find(): Promise<ExecutionFound | 'away' | null> {
    return this.#world.store.findExecution(this.#twin()).catch(() => 'away' as const);
  }

  #twin() {
    const { caller, leaseId, bodyHash, idempotencyKey: key = null, visitor = caller } = this.#subject;
    const idempotency = key === null ? null : { key, bodyHash, visitor };
    return { caller, leaseId, bodyHash, idempotency, nowMs: this.#world.now() };
  }

  /** Writes an event to the audit log. */
  note(event: ExecutionFact['event'], error: GraphQLError | null = null, gasUsed: number | null = null): void {
    const { caller, leaseId, digest, budget, requestId } = this.#subject;
    // Once for each transaction: the other lines have its lease.
    const isFirst = event === 'dispatched' || event === 'declined';
    const { visitor = null, sender = null, targets = null } = this.#subject;
    const { code, rule } = toAuditedReason(error);
    const about = { ...(rule !== null && { rule }), ...(isFirst && { visitor, sender, targets }) };
    this.#world.audit({ event, caller, leaseId, digest, budget, gasUsed, code, ...about, requestId });
  }

  /** The transaction is on the ledger. @param gasUsed `null`: unknown, so everything held counts as used */
  async settle(result: ExecutionResult, gasUsed: number | null): Promise<void> {
    const isNew = result.outcome !== 'RECOVERED' || !(await this.#hasEnded());
    if (isNew) this.note(resultEvents[result.outcome], null, gasUsed);
    const end = { kind: 'executed', gasUsed: gasUsed ?? this.#subject.amount } as const;
    await this.#end(result.outcome === 'FAILED' ? { ...end, hasFailed: true } : end, toAnswerText(result));
  }

  /** Nothing ran, and the gas hold is released. @param isProven by the ledger, of which other processes may know it too */
  async release(refusal: GraphQLError, isProven: boolean): Promise<void> {
    if (!isProven || !(await this.#hasEnded())) this.note('refused', refusal);
    const { message, extensions } = refusal;
    const { code } = extensions;
    const outcome = {
      kind: 'refused',
      ...(this.#attempt !== undefined && { attempt: this.#attempt }),
      // Another transaction may have spent the reservation while the store was unavailable, or a proxy may have sent this
      // one twice.
      isSpentElsewhere: code === 'RESERVATION_NOT_FOUND',
      // In forward mode the credential is the caller's own, and only the sponsor knows whether it is valid.
      isOfNobody: this.#subject.mustBeKnown === false && code === 'SPONSOR_UNAUTHORIZED',
    } as const;
    await this.#end(outcome, JSON.stringify({ message, extensions }));
  }

  /** Nothing was sent, or the sponsor kept the reservation: the lease can still be executed. */
  retract(refusal: GraphQLError | null, attempt: string): Promise<void> {
    this.note(refusal?.originalError instanceof ReservationKept ? 'refused' : 'unsent', refusal);
    return this.#end({ kind: 'not-sent', attempt }, null);
  }

  /** The outcome is unknown. */
  suspend(doubt: GraphQLError): Promise<void> {
    this.note('unknown', doubt);
    return this.#end({ kind: 'unknown' }, null);
  }

  /** Has another process stored the end? Then it has logged it, too. */
  async #hasEnded(): Promise<boolean> {
    const found = await this.find();
    if (found === null || found === 'away' || found.kind === 'in-progress') return false;
    return found.kind === 'replay' || found.digest === this.#subject.digest;
  }

  async #end(outcome: EndExecution['outcome'], answer: string | null): Promise<void> {
    const { caller, leaseId, digest } = this.#subject;
    const { store, now } = this.#world;
    await store.endExecution({ caller, leaseId, digest, answer, outcome, nowMs: now() }).catch(() => null);
  }
}

/** In characters; longer answers are stored without their effects. */
const maxAnswerLength = 128 * 1024;

/** A result in its stored form, for repeated calls. */
function toAnswerText({ digest, outcome, effects }: ExecutionResult): string {
  const whole = JSON.stringify({ digest, outcome, effects: effects?.rawEffects });
  return whole.length <= maxAnswerLength ? whole : JSON.stringify({ digest, outcome });
}

/** How a stored execution ended; `null` for a stored text of an unknown form. */
export function readAnswer(
  text: string,
): { readonly result: ExecutionResult } | { readonly error: GraphQLError } | null {
  const { digest, outcome, effects: rawEffects = null, message, extensions } = parseMembers(text);
  if (typeof message === 'string') {
    const { code, ...facts } = Object(extensions);
    return isErrorCode(code) ? { error: gatewayError(code, message, facts) } : null;
  }
  if (typeof digest !== 'string' || !isOutcome(outcome)) return null;
  const effects = rawEffects === null ? null : { rawEffects, effects: readEffects(rawEffects) };
  return { result: { digest, outcome, effects } };
}

function isOutcome(value: unknown): value is ExecutionResult['outcome'] {
  return typeof value === 'string' && Object.hasOwn(resultEvents, value);
}

function parseMembers(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

type ExecutionId = Pick<ExecutionSubject, 'digest' | 'reservationId'>;

/** The call timed out, and the transaction may have been sent. */
export function outcomeUnknownError({ digest, reservationId }: ExecutionId): GraphQLError {
  const message = `The transaction was handed to the sponsor, and its outcome was not known in time. ${lookUpAdvice}`;
  return toError('EXECUTION_OUTCOME_UNKNOWN', message, { digest, reservationId, checkAfterMs });
}

/** The client hung up or the call timed out before anything was sent. */
export function notSentError({ digest, reservationId }: ExecutionId): GraphQLError {
  const message =
    'The request ended before the transaction was sent; nothing was sent to the sponsor. The reservation is unused.';
  return toError('REQUEST_TIMEOUT', message, { digest, reservationId });
}

/** Without the store, a lease could be executed twice. */
export function storeAway({ digest, reservationId }: ExecutionId): GraphQLError {
  const message = 'The sponsorship store of this gateway is unavailable; nothing was sent to the sponsor. Try again.';
  return toError('UPSTREAM_UNAVAILABLE', message, { digest, reservationId });
}

function toError(code: Parameters<typeof gatewayError>[0], message: string, facts: ErrorFacts): GraphQLError {
  return gatewayError(code, message, { upstream: 'sponsor', ...facts });
}

/**
 * The same error for a reservation that has expired, is unknown here, is another caller's, or was forged. An earlier request may
 * have sent the transaction: a store that was emptied does not know.
 */
export function reservationNotFound(digest: string): GraphQLError {
  const message = `There is no such reservation of this caller, or it has expired. This request sent nothing to the sponsor; an earlier one may have: look its digest up.`;
  return gatewayError('RESERVATION_NOT_FOUND', message, { upstream: 'sponsor', argument: 'reservationId', digest });
}

/**
 * The transaction was sent, did not run, and never will: another transaction used its gas coin. Its gas is free again.
 */
export function neverRunsError({ digest, reservationId }: ExecutionId): GraphQLError {
  const message = `The transaction ${digest} did not run and never will: another transaction used its gas coin. Reserve again.`;
  return toError('SPONSOR_REJECTED', message, { digest, reservationId, retry: 'never' });
}

/** The error for an execution that the store rejects. */
export function toDeclined(
  start: Exclude<ExecutionStart, { kind: 'begun' | 'replay' | 'in-progress' }>,
  { digest, reservationId, amount }: ExecutionId & Pick<ExecutionSubject, 'amount'>,
  nowMs: number,
): GraphQLError {
  /** The gateway itself rejected the reservation: the transaction of this call was not sent, and no copy of it. */
  const argument = 'reservationId';
  const notFound = (message: string, spentBy = digest, facts: ErrorFacts = {}) =>
    gatewayError('RESERVATION_NOT_FOUND', message, { ...facts, digest: spentBy, reservationId });
  switch (start.kind) {
    case 'conflict': {
      const message = 'The idempotencyKey was used for another execution; nothing was sent to the sponsor.';
      return gatewayError('IDEMPOTENCY_CONFLICT', message, { argument: 'idempotencyKey', digest, reservationId });
    }
    case 'spent':
      if (start.digest === '')
        return notFound(`The sponsor has no such reservation any more, as it said before. ${lookUpAdvice}`);
      return notFound(
        `The reservation was used by the transaction ${start.digest}: look that one up. Nothing was sent to the sponsor.`,
        start.digest,
        start.digest === digest ? {} : { argument },
      );
    case 'refused':
      return notFound(
        `The transaction ${start.digest} was refused with this reservation: it did not run, and its gas is free again. A refusal spends the reservation: reserve again. Nothing was sent to the sponsor.`,
        start.digest,
        { retry: 'never', argument },
      );
    case 'other-sender': {
      const message = `Argument "txBytes": the gas was reserved for a transaction of ${start.sender}, and this one has another sender, or one that cannot be read. Nothing was sent to the sponsor, and nothing is spent.`;
      return gatewayError('BAD_USER_INPUT', message, { argument: 'txBytes', digest, reservationId });
    }
    case 'denied':
      return toHoldDenialError(start, amount, nowMs, { digest, reservationId });
    case 'expired':
    case 'unknown':
      return reservationNotFound(digest);
    case 'full':
      return gatewayError(
        'RATE_LIMITED',
        'This gateway has no room for another execution; nothing was sent to the sponsor, and the reservation is unused.',
        { digest, reservationId, retryAfterMs: 60_000 },
      );
  }
}
