import { hash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import type { Config } from '../config/config.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { ExecuteTxRequestType, MutationExecuteTxArgs } from '../generated/own.ts';
import type { TransactionFinder } from '../ledger/find-transaction.ts';
import type { DoubtfulTransaction } from '../telemetry/events.ts';
import type { SponsorshipFacts } from '../telemetry/sponsorship-line.ts';
import { transactionDigest } from '../transactions/digest.ts';
import { createPerOperation, type OperationContext } from '../upstream/operation-context.ts';
import { UpstreamCallError } from '../upstream/upstream-call-error.ts';
import {
  type ExecutionOrder,
  type ExecutionResult,
  type ExecutionSubject,
  type ExecutionWorld,
  type SponsorVerdict,
  toExecutionPace,
} from './execution/execution-order.ts';

import { createKeptAnswers } from './execution/kept-answer.ts';
import { areTermsKept, toKeptTerms } from './known-terms.ts';
import { preflight } from './preflight/preflight.ts';
import { checkAfterMs, lookItUp } from './refusals/sponsor-refusal.ts';
import {
  checkTransactionPayload,
  parseBase64Argument,
  parseIdempotencyKey,
  parseReservationId,
} from './sponsor-arguments.ts';
import type { SponsorAuthorization } from './sponsor-authorization.ts';
import type { ExecuteTxInput, SponsorClient, SponsorEffects, SponsorExecution } from './sponsor-client.ts';
import type { SponsorshipBooks } from './sponsorship-books.ts';
import { readEffects } from './wire.ts';

export interface ExecuteTxOptions {
  readonly sponsorship: Pick<Config['sponsorship'], 'maxGasBudgetExclusive' | 'preflight'>;
  readonly limits: Pick<Config['limits'], 'maxTransactionPayloadBytes'>;
  readonly books: SponsorshipBooks;
  /** Told of each transaction that is sent though `enforce` would refuse it. */
  readonly doubted: (transaction: DoubtfulTransaction) => void;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Who asks the sponsor, and as whom. */
interface Sponsor {
  readonly client: SponsorClient;
  readonly authorization: SponsorAuthorization;
}

const requestTypes: Readonly<Record<ExecuteTxRequestType, ExecuteTxInput['requestType']>> = {
  WAIT_FOR_EFFECTS_CERT: 'waitForEffectsCert',
  WAIT_FOR_LOCAL_EXECUTION: 'waitForLocalExecution',
};

/** No reservation of the sponsor's lasts longer, in milliseconds. */
const longestReservationMs = 600_000;

/** Reads the arguments of an execution, opens its lease, and has it executed. */
export function createExecuteTx({ sponsorship, limits, books, doubted, now }: ExecuteTxOptions) {
  const needsReservation = areTermsKept(books, sponsorship);
  const payloadOf = createPerOperation(() => ({ bytes: 0 }));
  return async (
    { client, authorization }: Sponsor,
    args: MutationExecuteTxArgs,
    context: OperationContext,
  ): Promise<ExecutionResult<SponsorEffects>> => {
    const { caller, cancellation, requestId } = context;
    const { reservationId, txBytes, userSig } = args;
    const idempotencyKey = parseIdempotencyKey(args.idempotencyKey);
    const raw = books.leases ? null : parseReservationId(reservationId);
    const payload = payloadOf(context);
    payload.bytes = checkTransactionPayload(txBytes, userSig, limits.maxTransactionPayloadBytes, payload.bytes);
    const transaction = parseBase64Argument('txBytes', txBytes);
    const digest = transactionDigest(transaction);
    const signature = parseBase64Argument('userSig', userSig);
    const requestType = requestTypes[args.requestType ?? 'WAIT_FOR_EFFECTS_CERT'];

    const holder = authorization.holderOf(caller);
    const lease = books.leases?.recognise(reservationId, holder) ?? null;
    const nowMs = now();
    // What was answered under a key can be had when the lease has expired: there the store decides.
    const isOver = lease !== null && nowMs >= lease.expiresAtMs && idempotencyKey === null;
    const rawReservationId = raw ?? lease?.rawReservationId;
    if (rawReservationId === undefined || isOver) throw reservationNotFound(digest);
    const leaseId = lease?.leaseId ?? rawReservationId;
    const input = { rawReservationId, reservationId, txBytes, userSig, requestType, digest };
    const order: ExecutionOrder<SponsorEffects> = {
      subject: {
        requestId,
        caller: holder,
        leaseId,
        reservationId,
        digest,
        bodyHash: hash('sha256', JSON.stringify([leaseId, digest, userSig, requestType]), 'base64url'),
        idempotencyKey,
        gas: caller.gas,
        amount: lease?.gasBudget ?? sponsorship.maxGasBudgetExclusive - 1,
        budget: lease?.gasBudget ?? null,
        expiresAtMs: lease?.expiresAtMs ?? nowMs + longestReservationMs,
        mustBeKnown: books.knowsAll,
      },
      needsReservation,
      check(kept) {
        const error = preflight(sponsorship.preflight, {
          txBytes: transaction,
          userSig: signature,
          terms: lease ?? toKeptTerms(kept),
          moveCalls: caller.moveCalls,
          isGasCounted: caller.gas !== null,
          facts: { digest, reservationId },
          doubt: (reason) => doubted({ caller: caller.id, requestId, digest, reason }),
        });
        if (error) books.audit(toDeclined(error, order.subject));
        return error;
      },
      dispatch: (call, tell) => {
        const sent = client.executeTx(
          input,
          authorization.headerFor(caller),
          call,
          (ended) => void ended.then(toExecuted, toLastWord).then(tell),
        );
        void sent.then(toExecuted, toFailed).then(tell);
      },
    };
    return books.executions.execute(order, cancellation);
  };
}

function toDeclined({ extensions }: GraphQLError, subject: ExecutionSubject): SponsorshipFacts {
  const { caller, leaseId, requestId, digest, budget } = subject;
  return { event: 'declined', caller, leaseId, requestId, digest, budget, code: String(extensions.code) };
}

/** Nothing tells a reservation that is over from one that was given to somebody else, or made up. */
function reservationNotFound(digest: string) {
  const message = 'There is no such reservation of this caller, or it has expired. Nothing was sent to the sponsor.';
  return gatewayError('RESERVATION_NOT_FOUND', message, { upstream: 'sponsor', argument: 'reservationId', digest });
}

function toExecuted({ succeeded, effects, rawEffects }: SponsorExecution): SponsorVerdict<SponsorEffects> {
  return { event: 'executed', succeeded, gasUsed: toGasUsed(effects), effects: { effects, rawEffects } };
}

/** What an error of the client means: a lost answer, a call that was never made, or a refusal. */
function toFailed(error: unknown): SponsorVerdict<SponsorEffects> {
  const known = error instanceof GraphQLError ? error : null;
  const cause = known?.originalError;
  if (!known || (known.extensions.code === 'INTERNAL_SERVER_ERROR' && !(cause instanceof UpstreamCallError))) {
    // A fault of this gateway, which may have sent it.
    const message = `The transaction was handed to the sponsor, and its answer could not be read. ${lookItUp}`;
    const options = { originalError: error instanceof Error ? error : new Error(String(error)) };
    const unknown = gatewayError('EXECUTION_OUTCOME_UNKNOWN', message, { upstream: 'sponsor', checkAfterMs }, options);
    return { event: 'lost', error: unknown, isOver: true };
  }
  if (known.extensions.code === 'EXECUTION_OUTCOME_UNKNOWN') {
    const goesOn = cause instanceof UpstreamCallError && cause.failure === 'timeout';
    return { event: 'lost', error: known, isOver: !goesOn };
  }
  const wasSent = !(cause instanceof UpstreamCallError) && known.extensions.code !== 'UNAUTHENTICATED';
  return { event: wasSent ? 'refused' : 'unsent', error: known };
}

/** The same of a call that had gone on after its time was over, and has come to its end. */
function toLastWord(error: unknown): SponsorVerdict<SponsorEffects> {
  const verdict = toFailed(error);
  return verdict.event === 'lost' ? { ...verdict, isOver: true } : verdict;
}

/** A rebate may be larger than the costs: then nothing was used. */
function toGasUsed(effects: SponsorEffects['effects']): number | null {
  if (!effects) return null;
  const { computationCost, storageCost, storageRebate } = effects.gasUsed;
  return Math.max(0, Number(BigInt(computationCost) + BigInt(storageCost) - BigInt(storageRebate)));
}

/** Characters of an answer that is kept for a repeat; longer ones are kept without effects. */
const maxKeptLength = 128 * 1024;

export interface SponsorExecutionsOptions
  extends Pick<SponsorshipBooks, 'store' | 'isStoreNeeded' | 'audit'>,
    Pick<ExecutionWorld<SponsorEffects>, 'now'> {
  readonly transactions: TransactionFinder;
  /** Milliseconds. */
  readonly mutationMs: number;
}

/** What the executions of one process need, those under way and those that others have left. */
export function toSponsorExecutionWorld(options: SponsorExecutionsOptions): ExecutionWorld<SponsorEffects> {
  const { store, isStoreNeeded, audit, transactions, now, mutationMs } = options;
  return {
    store,
    isStoreNeeded,
    audit,
    ledger: transactions,
    now,
    clock: () => performance.now(),
    pace: toExecutionPace(mutationMs),
    answers: createKeptAnswers({
      toJson: ({ rawEffects }) => rawEffects,
      fromJson: (rawEffects) => ({ rawEffects, effects: readEffects(rawEffects) }),
      maxLength: maxKeptLength,
    }),
  };
}
