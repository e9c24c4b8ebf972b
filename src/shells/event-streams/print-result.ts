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
      return { ...error.toJSON(), extensions };
    }),
  });
}
