import { hash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import type { Config } from '../config/config.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { withExtensions } from '../errors/light-error.ts';
import type { ExecuteTxRequestType, MutationExecuteTxArgs, Resolvers } from '../generated/own.ts';
import type { PayingCoin } from '../ledger/find-transaction.ts';
import type { GasPriceReader } from '../ledger/gas-price.ts';
import type { Simulation, TransactionSimulator } from '../ledger/simulate-transaction.ts';
import type { UncheckedTransaction } from '../telemetry/events.ts';
import type { SponsorshipFacts } from '../telemetry/sponsorship-line.ts';
import { transactionDigest } from '../transactions/digest.ts';
import {
  type OutlinedTransaction,
  outlineTransaction,
  type TransactionOutline,
} from '../transactions/outline-transaction.ts';
import type { TransactionForms } from '../transactions/transaction-bcs.ts';
import { createPerOperation, type OperationContext } from '../upstream/operation-context.ts';
import type { ExecutionOrder, ExecutionResult } from './execution/execution-order.ts';
import { reservationNotFound } from './execution/execution-records.ts';
import type { Executions } from './execution/executions.ts';
import { hashCoins, type LeaseKeys } from './leases.ts';
import type { PolicyHook } from './policy-hook.ts';
import { boundsStorage, type PreflightPolicy, preflight, type ReservationTerms, toStorageDenial } from './preflight.ts';
import { readSpending } from './read-spending.ts';
import { createReservations, parseReservation, type ReservationOrder } from './reservations.ts';
import {
  createSponsorAuthorization,
  type ExecuteTxInput,
  type SponsorAuthorization,
  type SponsorClient,
  toCallerHeaders,
} from './sponsor-client.ts';
import {
  checkGasBudget,
  checkReserveDuration,
  checkTransactionPayload,
  createSponsorTypeResolvers,
  parseBase64Argument,
  parseIdempotencyKey,
  parseReservationId,
  parseSender,
  toSponsorVersion,
} from './sponsor-fields.ts';
import { toSenderHolds } from './sponsor-policy.ts';
import { createSponsorTransaction } from './sponsor-transaction.ts';
import { toExecuted, toFailed, toLastVerdict } from './sponsor-verdict.ts';
import type { SponsorshipStore } from './store/decide.ts';

/** Services shared by reservations and executions. */
export interface SponsorshipServices {
  /** Signs leases; `null` in forward mode, where clients get the sponsor's own numbers. */
  readonly leases: LeaseKeys | null;
  readonly store: SponsorshipStore;
  /**
   * Must the store answer before the sponsor is called? Not in forward mode: the sponsor takes each number once, and counts
   * callers.
   */
  readonly isStoreNeeded: boolean;
  readonly executions: Executions;
  readonly simulate: TransactionSimulator;
  readonly gasPrice: GasPriceReader;
  /** `null`: there is no service of the operator that decides. */
  readonly hook: PolicyHook | null;
  /** Writes one line to the audit log. Must not throw. */
  readonly audit: (event: SponsorshipFacts) => void;
}

export interface SponsorResolversOptions {
  /** `null` if no sponsor is configured: every field then fails with that reason. */
  readonly client: SponsorClient | null;
  readonly sponsorship: Pick<
    Config['sponsorship'],
    'auth' | 'token' | 'maxGasBudgetExclusive' | 'maxOpenReservations'
  > &
    Partial<Pick<Config['sponsorship'], 'sendsCaller'>> &
    PreflightPolicy;
  readonly limits: Pick<Config['limits'], 'maxTransactionPayloadBytes'>;
  readonly mutationMs: number;
  /** Left out: created from `sponsorship`. */
  readonly authorization?: SponsorAuthorization | undefined;
  /** Left out: `common`. */
  readonly transactionForms?: TransactionForms;
  readonly services: SponsorshipServices;
  /** Called for each transaction that is sent although `enforce` would reject it. */
  readonly doubted: (transaction: UncheckedTransaction) => void;
  readonly now: () => number;
}

interface Sponsor {
  readonly client: SponsorClient;
  readonly authorization: SponsorAuthorization;
}

/** Resolvers of sponsorship. They check the arguments, so that an invalid call never reaches the sponsor. */
export function createSponsorResolvers(options: SponsorResolversOptions) {
  const { client, sponsorship, mutationMs, services, now } = options;
  const sponsor = client && {
    client,
    authorization: options.authorization ?? createSponsorAuthorization(sponsorship),
  };
  const requireSponsor = (): Sponsor => {
    if (sponsor) return sponsor;
    const setting = 'SPONSOR_URL';
    const message = `No sponsor is configured: ${setting} is not set.`;
    throw gatewayError('NOT_CONFIGURED', message, { upstream: 'sponsor', setting });
  };
  /** One set for each operation, so that a field that is selected twice, under aliases too, is one call. */
  const readsOf = createPerOperation(({ caller, cancellation }) => {
    const { client, authorization } = requireSponsor();
    const header = authorization.headerFor(caller);
    let health: Promise<string> | undefined;
    let version: Promise<string> | undefined;
    return {
      health: () => (health ??= client.health(header, cancellation)),
      version: () => (version ??= client.version(header, cancellation)),
    };
  });
  const { leases, store, isStoreNeeded, audit } = services;
  // An attempt stores its end at its client's timeout at the latest; one second more for a slow store.
  const reservations = createReservations({
    ...{ leases, store, isStoreNeeded, audit, now, answerMs: mutationMs + 1_000 },
    maxOpenReservations: sponsorship.maxOpenReservations,
  });
  const sponsorTransaction = createSponsorTransaction({
    ...services,
    maxGasBudgetExclusive: sponsorship.maxGasBudgetExclusive,
    reservations,
    now,
    forms: options.transactionForms ?? 'common',
  });
  const { maxTransactionPayloadBytes } = options.limits;
  const payloadOf = createPerOperation(() => ({ bytes: 0 }));
  const countPayload: CountPayload = (context, texts) => {
    const payload = payloadOf(context);
    payload.bytes = checkTransactionPayload(texts, maxTransactionPayloadBytes, payload.bytes);
  };
  const executeTx = createExecuteTx(options, countPayload);
  /** The part of an order that its caller decides, who must be allowed to have gas sponsored. */
  const toOrder = ({ caller, cancellation, requestId }: OperationContext) => {
    const { client, authorization } = requireSponsor();
    authorization.demand('sponsor', caller);
    const holder = authorization.holderOf(caller);
    const send: ReservationOrder['send'] = (terms) => {
      const callerHeaders = sponsorship.sendsCaller ? toCallerHeaders(caller, requestId) : undefined;
      return client.reserveGas({ ...terms, callerHeaders }, authorization.headerFor(caller), cancellation);
    };
    return { holder, visitor: authorization.visitorOf(caller), spender: caller, cancellation, requestId, send };
  };
  const callAsAdmin = async <Name extends 'debugHealthCheck' | 'reloadAccessController'>(
    name: Name,
    { caller, cancellation }: OperationContext,
  ) => {
    const { client, authorization } = requireSponsor();
    authorization.demand('admin', caller);
    return client[name](authorization.headerFor(caller), cancellation) as ReturnType<SponsorClient[Name]>;
  };

  return {
    Query: {
      sponsor: () => ({}),
      reservation: (_, { reservationId }, { caller }) =>
        reservations.find(reservationId, requireSponsor().authorization.holderOf(caller)),
      async sponsorshipSpending(_, args, { caller }) {
        requireSponsor().authorization.demand('admin', caller, true);
        return readSpending(store, args, now());
      },
    },
    Sponsor: {
      health: (_, __, context) => readsOf(context).health(),
      version: async (_, __, context) => toSponsorVersion(await readsOf(context).version()),
    },
    Mutation: {
      reserveGas(_, args, context) {
        const { gasBudget, reserveDurationSecs } = args;
        const { holder, visitor, spender, cancellation, requestId, send } = toOrder(context);
        const idempotencyKey = parseIdempotencyKey(args.idempotencyKey);
        const sender = parseSender(args.sender);
        checkGasBudget(gasBudget, sponsorship.maxGasBudgetExclusive);
        checkReserveDuration(reserveDurationSecs);
        // Without a spread, whose copy has no room for further members.
        return reservations.reserve({
          holder,
          visitor,
          gasBudget,
          reserveDurationSecs,
          sender,
          idempotencyKey,
          spender,
          cancellation,
          send,
          requestId,
        });
      },

      async sponsorTransaction(_, args, context) {
        const order = toOrder(context);
        countPayload(context, { transactionKind: args.transactionKind });
        return sponsorTransaction(args, order);
      },

      async executeTx(_, args, context) {
        const sponsor = requireSponsor();
        sponsor.authorization.demand('sponsor', context.caller);
        return executeTx(sponsor, args, context);
      },

      checkSponsorHealth: (_, __, context) => callAsAdmin('debugHealthCheck', context),
      reloadAccessController: (_, __, context) => callAsAdmin('reloadAccessController', context),
    },
    ...createSponsorTypeResolvers(now),
  } as const satisfies Resolvers;
}

const requestTypes: Readonly<Record<ExecuteTxRequestType, ExecuteTxInput['requestType']>> = {
  WAIT_FOR_EFFECTS_CERT: 'waitForEffectsCert',
  WAIT_FOR_LOCAL_EXECUTION: 'waitForLocalExecution',
};

/** The sponsor's longest reservation, in milliseconds. */
const longestReservationMs = 600_000;

type CountPayload = (context: OperationContext, texts: Readonly<Record<string, string>>) => void;

function createExecuteTx(options: SponsorResolversOptions, countPayload: CountPayload) {
  const { sponsorship, transactionForms = 'common', services, doubted, now } = options;
  // Without a lease only the store knows the terms of the reservation. It returns them with the fence, which saves a round
  // trip.
  const needsReservation = services.leases === null && sponsorship.preflight !== 'off';
  return async (
    { client, authorization }: Sponsor,
    args: MutationExecuteTxArgs,
    context: OperationContext,
  ): Promise<ExecutionResult> => {
    const { caller, cancellation, requestId } = context;
    const { reservationId, txBytes, userSig } = args;
    const idempotencyKey = parseIdempotencyKey(args.idempotencyKey);
    const raw = services.leases ? null : parseReservationId(reservationId);
    countPayload(context, { txBytes, userSig });
    const transaction = parseBase64Argument('txBytes', txBytes);
    const digest = transactionDigest(transaction);
    const signature = parseBase64Argument('userSig', userSig);
    const requestType = requestTypes[args.requestType ?? 'WAIT_FOR_EFFECTS_CERT'];

    const holder = authorization.holderOf(caller);
    const lease = services.leases?.open(reservationId, holder) ?? null;
    const nowMs = now();
    // A stored answer outlives the lease: then the store decides.
    const isOver = lease !== null && nowMs >= lease.expiresAtMs && idempotencyKey === null;
    const rawReservationId = raw ?? lease?.rawReservationId;
    if (rawReservationId === undefined || isOver) throw reservationNotFound(digest);
    const leaseId = lease?.leaseId ?? rawReservationId;
    const budget = lease?.gasBudget ?? null;
    let outlined: OutlinedTransaction | null = null;
    const read = (): OutlinedTransaction => {
      outlined ??= outlineTransaction(transaction, transactionForms);
      return outlined;
    };
    const judge = (terms: ReservationTerms | null, simulation: Simulation | null, doubt: (reason: string) => void) =>
      preflight(sponsorship, {
        transaction: read(),
        simulation,
        userSig: signature,
        terms,
        policy: caller.policy,
        nowMs,
        facts: { digest, reservationId },
        doubt,
      });
    const isSimulated = mustSimulate(sponsorship, read) || boundsStorage(caller.policy);
    const isAsked = isSimulated || services.hook !== null;
    // Not for a transaction that the lease alone rules out.
    const isRuledOut = isAsked && lease && read().kind === 'known' && judge(lease, null, () => {});
    const expiresAtMs = lease?.expiresAtMs ?? nowMs + longestReservationMs;
    const [simulation, denial] = await (isAsked && !isRuledOut
      ? Promise.all([
          isSimulated ? services.simulate(txBytes, digest, cancellation) : null,
          services.hook?.ask(
            { caller, requestId, digest, outline: toOutlineOf(read()), gasBudget: budget },
            expiresAtMs,
          ),
        ])
      : nothingAsked);
    const sender = toSender(read());
    const amount = budget ?? sponsorship.maxGasBudgetExclusive - 1;
    const callerHeaders = sponsorship.sendsCaller ? toCallerHeaders(caller, requestId) : undefined;
    const input = { rawReservationId, reservationId, txBytes, userSig, requestType, digest, callerHeaders };
    const order: ExecutionOrder = {
      subject: {
        requestId,
        caller: holder,
        leaseId,
        reservationId,
        digest,
        bodyHash: hash('sha256', JSON.stringify([leaseId, digest, userSig, requestType]), 'base64url'),
        idempotencyKey,
        visitor: authorization.visitorOf(caller),
        amount,
        sender,
        targets: [...(toOutlineOf(read())?.moveCalls ?? [])].join(' '),
        senderHolds: sender === null ? [] : toSenderHolds(caller.policy, amount, sender, nowMs),
        budget,
        coin: sponsorship.preflight === 'off' ? null : toPayingCoin(read()),
        expiresAtMs,
        mustBeKnown: services.isStoreNeeded,
      },
      // A repeated call gets the stored answer, although its transaction would fail now: only the store tells them apart.
      needsReservation: needsReservation || isAsked,
      check(kept) {
        const error = judge(lease ?? toKeptTerms(kept), simulation, (reason) =>
          doubted({ caller: caller.id, requestId, digest, reason }),
        );
        return (
          error ?? toStorageDenial(caller.policy, simulation, 'txBytes', { digest, reservationId }) ?? denial ?? null
        );
      },
      dispatch: (call, report) => {
        call.caller = caller.rate.key;
        // The execution may outlast the operation, so that its call has a cancellation of its own.
        cancellation.calls += 1;
        const failed = (error: unknown) => toFailed(error, { digest, reservationId });
        const failedAtLast = (error: unknown) => toLastVerdict(failed(error));
        const sent = client.executeTx(
          input,
          authorization.headerFor(caller),
          call,
          (ended) => void ended.then(toExecuted).catch(failedAtLast).then(report),
        );
        void sent.then(toExecuted).catch(failed).then(report);
      },
    };
    const execution = services.executions.execute(order, cancellation);
    return idempotencyKey === null ? execution : execution.catch(throwWithSameKey);
  };
}

const nothingAsked = [null, null] as const;

function toOutlineOf(read: OutlinedTransaction): TransactionOutline | null {
  return read.kind === 'known' ? read.outline : null;
}

/** Does the ledger simulate the transaction before it is sent? */
export function mustSimulate({ unreadable, dryRun }: PreflightPolicy, read: () => OutlinedTransaction): boolean {
  return dryRun !== 'off' || (unreadable === 'dry-run' && read().kind !== 'known');
}

function toSender(read: OutlinedTransaction): string | null {
  return read.kind === 'known' ? read.outline.sender : null;
}

function toPayingCoin(read: OutlinedTransaction): PayingCoin | null {
  const coin = read.kind === 'known' ? read.outline.gas.payment[0] : undefined;
  return coin ? { objectId: coin.objectId, version: String(coin.version) } : null;
}

/** What the stored reservation allows; `null` if nothing is stored. */
function toKeptTerms(kept: string | null): ReservationTerms | null {
  if (kept === null) return null;
  const reservation = parseReservation(kept);
  return { ...reservation, coinsHash: hashCoins(reservation.gasCoins) };
}

/** A call with an idempotency key can be repeated even if its outcome is unknown: the gateway looks it up. */
function throwWithSameKey(error: unknown): never {
  if (!(error instanceof GraphQLError) || error.extensions.code !== 'EXECUTION_OUTCOME_UNKNOWN') throw error;
  throw withExtensions(error, { ...error.extensions, retry: 'same-key' });
}
