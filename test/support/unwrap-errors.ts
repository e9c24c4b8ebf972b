import { GraphQLError } from 'graphql';
import { lightError } from '../../src/errors/light-error.ts';

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
