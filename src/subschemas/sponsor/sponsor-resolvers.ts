import { randomBytes } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { MutationResolvers, Resolvers } from '../../generated/own.ts';
import type { ExecutionResult } from '../../sponsorship/execution/execution-order.ts';
import { hashCoins } from '../../sponsorship/leases/hash-coins.ts';
import type { DoubtfulTransaction } from '../../telemetry/events.ts';
import { createExecuteTx } from './execute-tx.ts';
import { createGasReservationResolvers, type GasReservationRecord } from './gas-reservation.ts';
import { checkGasBudget, checkReserveDuration } from './sponsor-arguments.ts';
import { createSponsorAuthorization, type SponsorAuthorization } from './sponsor-authorization.ts';
import type { SponsorClient, SponsorEffects } from './sponsor-client.ts';
import { createSponsorReads } from './sponsor-reads.ts';
import { toSponsorVersion } from './sponsor-version.ts';
import { sponsoredEffectsResolvers } from './sponsored-effects.ts';
import type { SponsorshipBooks } from './sponsorship-books.ts';

export interface SponsorResolversOptions {
  /** `null` when no sponsor is configured: every field then says so. */
  readonly client: SponsorClient | null;
  readonly sponsorship: Pick<Config['sponsorship'], 'auth' | 'token' | 'maxGasBudgetExclusive' | 'preflight'>;
  readonly limits: Pick<Config['limits'], 'maxTransactionPayloadBytes'>;
  readonly books: SponsorshipBooks;
  /** Told of each transaction that is sent though `enforce` would refuse it. */
  readonly doubted: (transaction: DoubtfulTransaction) => void;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Asks for the sponsor where a field needs it. @throws `NOT_CONFIGURED` where there is none */
type DemandSponsor = () => { readonly client: SponsorClient; readonly authorization: SponsorAuthorization };

/** Resolvers of the sponsorship: arguments are checked here, and a call that breaks a rule never reaches the sponsor. */
export function createSponsorResolvers(options: SponsorResolversOptions) {
  const { client, sponsorship, now } = options;
  const sponsor = client && { client, authorization: createSponsorAuthorization(sponsorship) };
  const demandSponsor: DemandSponsor = () => {
    if (!sponsor) throw notConfigured('SPONSOR_URL');
    return sponsor;
  };
  const readsFor = createSponsorReads(demandSponsor);
  return {
    Query: { sponsor: () => ({}) },
    Sponsor: {
      health: (_, __, context) => readsFor(context).health(),
      version: async (_, __, context) => toSponsorVersion(await readsFor(context).version()),
    },
    Mutation: createSponsorMutations(demandSponsor, options),
    ...createGasReservationResolvers(now),
    ...sponsoredEffectsResolvers,
  } as const satisfies Resolvers;
}

function createSponsorMutations(demandSponsor: DemandSponsor, options: SponsorResolversOptions) {
  const { sponsorship, books, now } = options;
  const executeTx = createExecuteTx(options);
  return {
    async reserveGas(_, args, { caller, cancellation }): Promise<GasReservationRecord> {
      const { client, authorization } = demandSponsor();
      authorization.demand('sponsor', caller);
      refuseIdempotencyKey(args.idempotencyKey);
      checkGasBudget(args.gasBudget, sponsorship.maxGasBudgetExclusive);
      checkReserveDuration(args.reserveDurationSecs);
      const atMs = now();
      const { rawReservationId, ...reserved } = await client.reserveGas(
        args,
        authorization.headerFor(caller),
        cancellation,
      );
      const { gasBudget, reserveDurationSecs } = args;
      const expiresAtMs = atMs + reserveDurationSecs * 1000;
      const reservationId = books.leases
        ? books.leases.sign(
            {
              leaseId: randomBytes(16).toString('base64url'),
              rawReservationId,
              sponsorAddress: reserved.sponsorAddress,
              gasBudget,
              issuedAtMs: atMs,
              expiresAtMs,
              coinsHash: hashCoins(reserved.gasCoins),
            },
            authorization.holderOf(caller),
          )
        : rawReservationId;
      return { ...reserved, reservationId, gasBudget, expiresAtMs };
    },

    async executeTx(_, args, context): Promise<ExecutionResult<SponsorEffects>> {
      const sponsor = demandSponsor();
      sponsor.authorization.demand('sponsor', context.caller);
      return executeTx(sponsor, args, context);
    },

    async checkSponsorHealth(_, __, { caller, cancellation }) {
      const { client, authorization } = demandSponsor();
      authorization.demand('admin', caller);
      return client.debugHealthCheck(authorization.headerFor(caller), cancellation);
    },

    async reloadAccessController(_, __, { caller, cancellation }) {
      const { client, authorization } = demandSponsor();
      authorization.demand('admin', caller);
      return client.reloadAccessController(authorization.headerFor(caller), cancellation);
    },
  } as const satisfies MutationResolvers;
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
