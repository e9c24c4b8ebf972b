import type { GraphQLError } from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';

/** What a subscription is refused with, whichever shell it came through and whatever the ledger's schema has. */
export function refusedSubscription(): GraphQLError {
  const message = "The ledger's subscriptions are not carried by this version of the gateway.";
  return gatewayError('NOT_CONFIGURED', message, { upstream: 'ledger' });
}
