import type { Config } from '../config/config.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Resolvers } from '../generated/own.ts';
import { createPerOperation } from '../upstream/operation-context.ts';
import { createExecuteTx, type ExecuteTxOptions, type Sponsor } from './execute-tx.ts';
import { createReservations } from './reservations.ts';
import type { SponsorClient } from './sponsor-client.ts';
import { createSponsorAuthorization, type GatewayAuthorization } from './sponsor-client.ts';
import {
  checkGasBudget,
  checkReserveDuration,
  createSponsorTypeResolvers,
  parseIdempotencyKey,
  toSponsorVersion,
} from './sponsor-fields.ts';

export interface SponsorResolversOptions extends ExecuteTxOptions {
  /** `null` when no sponsor is configured: every field then says so. */
  readonly client: SponsorClient | null;
  readonly sponsorship: Pick<Config['sponsorship'], 'auth' | 'token' | 'maxGasBudgetExclusive' | 'preflight'>;
  /** Milliseconds that a mutation may take. */
  readonly mutationMs: number;
  /** The gateway's own header, where it may be replaced. */
  readonly own?: GatewayAuthorization | undefined;
}

/** Resolvers of sponsorship. They check the arguments, so that an invalid call never reaches the sponsor. */
export function createSponsorResolvers(options: SponsorResolversOptions) {
  const { client, sponsorship, mutationMs, services, now } = options;
  const sponsor = client && { client, authorization: createSponsorAuthorization(sponsorship, options.own) };
  const demandSponsor = (): Sponsor => {
    if (sponsor) return sponsor;
    const setting = 'SPONSOR_URL';
    const message = `No sponsor is configured: ${setting} is not set.`;
    throw gatewayError('NOT_CONFIGURED', message, { upstream: 'sponsor', setting });
  };
  /** One set for each operation, so that a field that is selected twice, under aliases too, is one call. */
  const readsOf = createPerOperation(({ caller, cancellation }) => {
    const { client, authorization } = demandSponsor();
    const header = authorization.headerFor(caller);
    let health: Promise<string> | undefined;
    let version: Promise<string> | undefined;
    return {
      health: () => (health ??= client.health(header, cancellation)),
      version: () => (version ??= client.version(header, cancellation)),
    };
  });
  const { leases, store, isStoreNeeded, audit } = services;
  // An attempt writes its end at its client's timeout at the latest; one second more for a slow store.
  const reservations = createReservations({ leases, store, isStoreNeeded, audit, now, answerMs: mutationMs + 1_000 });
  const executeTx = createExecuteTx(options);

  return {
    Query: {
      sponsor: () => ({}),
      reservation: (_, { reservationId }, { caller }) =>
        reservations.find(reservationId, demandSponsor().authorization.holderOf(caller)),
    },
    Sponsor: {
      health: (_, __, context) => readsOf(context).health(),
      version: async (_, __, context) => toSponsorVersion(await readsOf(context).version()),
    },
    Mutation: {
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
          send: () =>
            client.reserveGas({ gasBudget, reserveDurationSecs }, authorization.headerFor(caller), cancellation),
          requestId,
        });
      },

      async executeTx(_, args, context) {
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
    },
    ...createSponsorTypeResolvers(now),
  } as const satisfies Resolvers;
}
