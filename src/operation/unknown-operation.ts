import type { GraphQLError } from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';

/** Longest name that is repeated, in characters. */
const maxShown = 100;

/** Why a valid document has no operation that a request could mean, as the ledger says it. */
export function unknownOperation(operationName: string | null): GraphQLError {
  if (operationName === null) {
    return gatewayError('GRAPHQL_VALIDATION_FAILED', 'Operation name required in request.');
  }
  const shown = operationName.length > maxShown ? `${operationName.slice(0, maxShown)}…` : operationName;
  return gatewayError('GRAPHQL_VALIDATION_FAILED', `Unknown operation named "${shown}"`);
}
