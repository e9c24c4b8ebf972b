import { type ExecutionResult, GraphQLError } from 'graphql';

/**
 * When a non-null root field fails, `data` is null as a whole and the error names only that field. A batched answer is
 * then cut into pieces by root key, and the pieces without an error of their own would each complain of a null they
 * cannot explain. So every root key that has no error gets a copy of the first one.
 */
export function attributeErrors(result: ExecutionResult, rootKeys: readonly string[]): ExecutionResult {
  const { errors } = result;
  const cause = errors?.find((error) => error.path !== undefined);
  if (result.data !== null || errors === undefined || cause === undefined) return result;
  const named = new Set(errors.map((error) => error.path?.[0]));
  const copies = rootKeys
    .filter((key) => !named.has(key))
    .map((key) => new GraphQLError(cause.message, { path: [key], extensions: cause.extensions }));
  return { ...result, errors: [...errors, ...copies] };
}
