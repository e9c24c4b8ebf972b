import { GraphQLError } from 'graphql';
import { isErrorCode, retryAdviceFor } from './catalogue.ts';
import { gatewayError } from './gateway-error.ts';
import { lightError } from './light-error.ts';

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

/** Stitching packs several errors behind one null into an `AggregateError`; this unpacks them for clients. */
export function unwrapErrors(errors: readonly GraphQLError[]): readonly GraphQLError[] {
  return errors.some(isPacked) ? errors.flatMap(unpack) : errors;
}

function isPacked({ originalError }: GraphQLError): boolean {
  return originalError !== undefined && 'errors' in originalError;
}

function unpack(error: GraphQLError): readonly GraphQLError[] {
  const { originalError, nodes, path } = error;
  const inner: unknown = originalError && 'errors' in originalError ? originalError.errors : undefined;
  if (!Array.isArray(inner)) return [error];
  return inner.map((each: unknown) =>
    each instanceof GraphQLError
      ? lightError(each.message, {
          nodes,
          path: each.path ?? path,
          extensions: each.extensions,
          originalError: each,
        })
      : lightError('Unexpected error.', { nodes, path, originalError: new Error(String(each)) }),
  );
}
