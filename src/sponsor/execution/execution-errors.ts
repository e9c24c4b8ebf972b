import type { GraphQLError } from 'graphql';
import { type ErrorFacts, gatewayError } from '../../errors/gateway-error.ts';
import { checkAfterMs, lookItUp } from '../refusals/sponsor-refusal.ts';
import type { ExecutionStart } from '../store/sponsorship-store.ts';
import type { ExecutionSubject } from './execution-order.ts';

type Named = Pick<ExecutionSubject, 'digest' | 'reservationId'>;

const upstream = 'sponsor';

/** The call timed out, and the transaction may have been sent. */
export function outcomeUnknown({ digest, reservationId }: Named): GraphQLError {
  const message = `The transaction was handed to the sponsor, and its outcome was not known in time. ${lookItUp}`;
  return gatewayError('EXECUTION_OUTCOME_UNKNOWN', message, { upstream, digest, reservationId, checkAfterMs });
}

/** The client hung up or the call timed out before anything was sent. */
export function neverSent({ digest, reservationId }: Named): GraphQLError {
  const message =
    'The request ended before the transaction was sent; nothing was sent to the sponsor. The reservation is unused.';
  return gatewayError('REQUEST_TIMEOUT', message, { upstream, digest, reservationId });
}

/** Without the store a lease could be executed twice. */
export function storeAway({ digest, reservationId }: Named): GraphQLError {
  const message =
    'The store that the instances of this gateway share is unavailable; nothing was sent to the sponsor. Try again.';
  return gatewayError('UPSTREAM_UNAVAILABLE', message, { upstream, digest, reservationId });
}

/** The error for an execution that the store does not let begin. */
export function toDeclined(
  start: Exclude<ExecutionStart, { kind: 'begun' | 'replay' | 'in-progress' }>,
  { digest, reservationId }: Named,
): GraphQLError {
  const notFound = (message: string, facts: ErrorFacts = {}) =>
    gatewayError('RESERVATION_NOT_FOUND', message, { digest, reservationId, ...facts });
  switch (start.kind) {
    case 'conflict': {
      const message = 'The idempotencyKey was used for another execution; nothing was sent to the sponsor.';
      return gatewayError('IDEMPOTENCY_CONFLICT', message, { argument: 'idempotencyKey', digest, reservationId });
    }
    case 'spent':
      if (start.digest === '')
        return notFound(`The sponsor has no such reservation any more, as it said before. ${lookItUp}`);
      return notFound(
        `The reservation was used by the transaction ${start.digest}: look that one up. Nothing was sent to the sponsor.`,
        { digest: start.digest },
      );
    case 'refused':
      return notFound(
        `The transaction ${start.digest} was refused with this reservation: it did not run, and its gas is free again. A refusal spends the reservation: reserve again. Nothing was sent to the sponsor.`,
        { digest: start.digest },
      );
    case 'expired':
    case 'unknown':
      return notFound('The reservation does not exist or has expired; nothing was sent to the sponsor.');
    case 'full':
      return gatewayError(
        'RATE_LIMITED',
        'This gateway has no room for another execution; nothing was sent to the sponsor, and the reservation is unused.',
        { digest, reservationId, retryAfterSeconds: 60 },
      );
  }
}
