import { GraphQLError } from 'graphql';
import { isErrorCode, retryAdviceFor } from './catalogue.ts';
import { gatewayError } from './gateway-error.ts';

/**
 * Hides internal errors from clients. Catalogued errors, the ledger's public errors and GraphQL's request errors pass; any
 * other becomes one fixed text.
 * @param onMasked called once with each hidden error, for the log
 */
export function createMaskError(onMasked: (error: unknown, requestId: string | undefined) => void) {
  const made = new WeakSet<GraphQLError>();
  return (error: unknown, requestId?: string, isMutation = false): GraphQLError => {
    // An error that was masked before is already logged.
    if (error instanceof GraphQLError && (made.has(error) || isForClients(error))) return error;
    onMasked(error, requestId);
    const at = error instanceof GraphQLError ? { nodes: error.nodes ?? null, path: error.path ?? null } : {};
    const retry = retryAdviceFor('INTERNAL_SERVER_ERROR', isMutation);
    const masked = gatewayError('INTERNAL_SERVER_ERROR', 'Unexpected error.', { retry }, at);
    made.add(masked);
    return masked;
  };
}

function isForClients(error: GraphQLError): boolean {
  if (isErrorCode(error.extensions.code) && error.extensions.code !== 'INTERNAL_SERVER_ERROR') return true;
  return (
    error.originalError === undefined ||
    (error.originalError instanceof GraphQLError && isForClients(error.originalError))
  );
}
