import type { ExecutionResult, GraphQLFormattedError } from 'graphql';
import { printJson } from '../../json/exact-number.ts';

/** A result as JSON. Hints that set an HTTP status are not for clients: a stream has none. */
export function printResult(result: ExecutionResult): string {
  const { errors, ...rest } = result;
  if (!errors) return printJson(result);
  return printJson({
    ...rest,
    errors: errors.map((error): GraphQLFormattedError => {
      const { http, ...extensions } = error.extensions;
      // Yoga has made plain objects of the errors of a result that is no stream.
      return { ...(error.toJSON?.() ?? error), extensions };
    }),
  });
}
