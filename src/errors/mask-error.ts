import { GraphQLError } from 'graphql';
import { isErrorCode } from './catalogue.ts';
import { gatewayError } from './gateway-error.ts';

/**
 * Decides what a client sees of an error. What is meant for clients passes: our catalogued errors, the ledger's public
 * ones, and GraphQL's own about the request. Anything else becomes one fixed text.
 * @param onMasked called once with each error that was hidden, for the log
 */
export function createMaskError(onMasked: (error: unknown, requestId: string | undefined) => void) {
  const made = new WeakSet<GraphQLError>();
  return (error: unknown, requestId?: string): GraphQLError => {
    // What was hidden further inside has been told already.
    if (error instanceof GraphQLError && (made.has(error) || isForClients(error))) return error;
    onMasked(error, requestId);
    const at = error instanceof GraphQLError ? { nodes: error.nodes ?? null, path: error.path ?? null } : {};
    const masked = gatewayError('INTERNAL_SERVER_ERROR', 'Unexpected error.', {}, at);
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

/** Several errors below one nulled object travel as an `AggregateError`; clients get each of them. */
export function unwrapErrors(errors: readonly GraphQLError[]): GraphQLError[] {
  return errors.flatMap((error) => {
    const inner: unknown =
      error.originalError && 'errors' in error.originalError ? error.originalError.errors : undefined;
    if (!Array.isArray(inner)) return [error];
    return inner.map((each: unknown) =>
      each instanceof GraphQLError
        ? new GraphQLError(each.message, {
            nodes: error.nodes ?? null,
            path: each.path ?? error.path ?? null,
            extensions: each.extensions,
            originalError: each,
          })
        : new GraphQLError('Unexpected error.', {
            nodes: error.nodes ?? null,
            path: error.path ?? null,
            originalError: new Error(String(each)),
          }),
    );
  });
}
