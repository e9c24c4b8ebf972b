import type { Config } from '../config/config.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { MutationResolvers, Resolvers } from '../generated/own.ts';
import type { DoubtfulTransaction } from '../telemetry/events.ts';
import { createExecuteTx } from './execute-tx.ts';
import type { ExecutionResult } from './execution/execution-order.ts';
import { createGasReservationResolvers } from './gas-reservation.ts';
import { createReservations, type Reservations } from './reservation/reservations.ts';
import { checkGasBudget, checkReserveDuration, parseIdempotencyKey } from './sponsor-arguments.ts';
import {
  createSponsorAuthorization,
  type GatewayAuthorization,
  type SponsorAuthorization,
} from './sponsor-authorization.ts';
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
  /** Milliseconds that a mutation may take. */
  readonly mutationMs: number;
  readonly books: SponsorshipBooks;
  /** What the gateway itself sends, where that may be replaced. */
  readonly own?: GatewayAuthorization;
  /** Told of each transaction that is sent though `enforce` would refuse it. */
  readonly doubted: (transaction: DoubtfulTransaction) => void;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Asks for the sponsor where a field needs it. @throws `NOT_CONFIGURED` where there is none */
type DemandSponsor = () => { readonly client: SponsorClient; readonly authorization: SponsorAuthorization };

/** Resolvers of the sponsorship: arguments are checked here, and a call that breaks a rule never reaches the sponsor. */
export function createSponsorResolvers(options: SponsorResolversOptions) {
  const { client, sponsorship, mutationMs, books, now } = options;
  const sponsor = client && { client, authorization: createSponsorAuthorization(sponsorship, options.own) };
  const demandSponsor: DemandSponsor = () => {
    if (!sponsor) throw notConfigured('SPONSOR_URL');
    return sponsor;
  };
  const readsFor = createSponsorReads(demandSponsor);
  const { leases, store, isStoreNeeded } = books;
  // The end of an attempt is written when its caller's time is over at the latest; a second more for a store that is slow.
  const reservations = createReservations({ leases, store, isStoreNeeded, now, answerMs: mutationMs + 1_000 });
  return {
    Query: {
      sponsor: () => ({}),
      reservation: (_, { reservationId }, { caller }) =>
        reservations.find(reservationId, demandSponsor().authorization.holderOf(caller)),
    },
    Sponsor: {
      health: (_, __, context) => readsFor(context).health(),
      version: async (_, __, context) => toSponsorVersion(await readsFor(context).version()),
    },
    Mutation: createSponsorMutations(demandSponsor, reservations, options),
    ...createGasReservationResolvers(now),
    ...sponsoredEffectsResolvers,
  } as const satisfies Resolvers;
}

function createSponsorMutations(
  demandSponsor: DemandSponsor,
  reservations: Reservations,
  options: SponsorResolversOptions,
) {
  const { sponsorship, books } = options;
  const executeTx = createExecuteTx(options);
  return {
    reserveGas(_, { gasBudget, reserveDurationSecs, idempotencyKey: key }, { caller, cancellation, requestId }) {
      const { client, authorization } = demandSponsor();
      authorization.demand('sponsor', caller);
      const idempotencyKey = parseIdempotencyKey(key);
      checkGasBudget(gasBudget, sponsorship.maxGasBudgetExclusive);
      checkReserveDuration(reserveDurationSecs);
      const holder = authorization.holderOf(caller);
      return reservations.reserve({
        holder,
        gasBudget,
        reserveDurationSecs,
        idempotencyKey,
        gas: caller.gas,
        cancellation,
        ask: () => client.reserveGas({ gasBudget, reserveDurationSecs }, authorization.headerFor(caller), cancellation),
        // Each member by its name: a spread gives each object a shape of its own, and that costs all who read it.
        audit: ({ event, leaseId, budget, code = null }) =>
          books.audit({ event, caller: holder, leaseId, requestId, budget, code }),
      });
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
