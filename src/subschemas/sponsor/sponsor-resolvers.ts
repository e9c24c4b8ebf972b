import type { Config } from '../../config/config.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { ExecuteTxRequestType, Resolvers } from '../../generated/own.ts';
import type { OperationContext } from '../operation-context.ts';
import { createGasReservationResolvers, type GasReservationRecord, toGasReservation } from './gas-reservation.ts';
import {
  checkGasBudget,
  checkReserveDuration,
  checkTransactionPayload,
  parseBase64Argument,
  parseReservationId,
} from './sponsor-arguments.ts';
import { createSponsorAuthorization } from './sponsor-authorization.ts';
import type { ExecuteTxInput, SponsorClient, SponsorExecution } from './sponsor-client.ts';
import { createSponsorReads, type SponsorReads } from './sponsor-reads.ts';
import { toSponsorVersion } from './sponsor-version.ts';
import { sponsoredEffectsResolvers } from './sponsored-effects.ts';
import { transactionDigest } from './transaction-digest.ts';

export interface SponsorResolversOptions {
  /** `null` when no sponsor is configured: every field then says so. */
  readonly client: SponsorClient | null;
  readonly sponsorship: Pick<Config['sponsorship'], 'auth' | 'token' | 'maxGasBudgetExclusive'>;
  readonly limits: Pick<Config['limits'], 'maxTransactionPayloadBytes'>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

const requestTypes: Readonly<Record<ExecuteTxRequestType, ExecuteTxInput['requestType']>> = {
  WAIT_FOR_EFFECTS_CERT: 'waitForEffectsCert',
  WAIT_FOR_LOCAL_EXECUTION: 'waitForLocalExecution',
};

/** Resolvers of the sponsorship: arguments are checked here, and a call that breaks a rule never reaches the sponsor. */
export function createSponsorResolvers({ client, sponsorship, limits, now }: SponsorResolversOptions) {
  const service = client ? { client, authorization: createSponsorAuthorization(sponsorship) } : null;
  const configured = () => {
    if (!service) throw notConfigured('SPONSOR_URL');
    return service;
  };

  /** One set of reads per operation: selecting a field twice, under aliases too, is one call. */
  const readsOf = new WeakMap<OperationContext, SponsorReads>();
  const readsFor = (context: OperationContext): SponsorReads => {
    const known = readsOf.get(context);
    if (known) return known;
    const sponsor = configured();
    const reads = createSponsorReads(
      sponsor.client,
      sponsor.authorization.headerFor(context.caller),
      context.cancellation,
    );
    readsOf.set(context, reads);
    return reads;
  };

  return {
    Query: { sponsor: () => ({}) },

    Sponsor: {
      health: (_, __, context) => readsFor(context).health(),
      version: async (_, __, context) => toSponsorVersion(await readsFor(context).version()),
    },

    Mutation: {
      async reserveGas(_, args, { caller, cancellation }): Promise<GasReservationRecord> {
        const { client: sponsor, authorization } = configured();
        authorization.demand('sponsor', caller);
        refuseIdempotencyKey(args.idempotencyKey);
        checkGasBudget(args.gasBudget, sponsorship.maxGasBudgetExclusive);
        checkReserveDuration(args.reserveDurationSecs);
        const atMs = now();
        const reservation = await sponsor.reserveGas(args, authorization.headerFor(caller), cancellation);
        return toGasReservation(reservation, { ...args, atMs });
      },

      async executeTx(_, args, { caller, cancellation }): Promise<SponsorExecution> {
        const { client: sponsor, authorization } = configured();
        authorization.demand('sponsor', caller);
        refuseIdempotencyKey(args.idempotencyKey);
        const reservationId = parseReservationId(args.reservationId);
        const { txBytes, userSig } = args;
        checkTransactionPayload(txBytes, userSig, limits.maxTransactionPayloadBytes);
        const digest = transactionDigest(parseBase64Argument('txBytes', txBytes));
        parseBase64Argument('userSig', userSig);
        const requestType = requestTypes[args.requestType ?? 'WAIT_FOR_EFFECTS_CERT'];
        const input = { reservationId, txBytes, userSig, requestType, digest };
        return sponsor.executeTx(input, authorization.headerFor(caller), cancellation);
      },

      async checkSponsorHealth(_, __, { caller, cancellation }) {
        const { client: sponsor, authorization } = configured();
        authorization.demand('admin', caller);
        return sponsor.debugHealthCheck(authorization.headerFor(caller), cancellation);
      },

      async reloadAccessController(_, __, { caller, cancellation }) {
        const { client: sponsor, authorization } = configured();
        authorization.demand('admin', caller);
        return sponsor.reloadAccessController(authorization.headerFor(caller), cancellation);
      },
    },

    ...createGasReservationResolvers(now),
    ...sponsoredEffectsResolvers,
  } as const satisfies Resolvers;
}

function notConfigured(setting: string) {
  return gatewayError('NOT_CONFIGURED', `No sponsor is configured: ${setting} is not set.`, {
    upstream: 'sponsor',
    setting,
  });
}

/** Taking a key without keeping its answer would promise a safety against double spending that does not exist. */
function refuseIdempotencyKey(key: string | null | undefined): void {
  if (key === null || key === undefined) return;
  throw gatewayError(
    'NOT_CONFIGURED',
    'idempotencyKey is not available in this version of the gateway; nothing was sent to the sponsor',
    { upstream: 'sponsor', argument: 'idempotencyKey' },
  );
}
