import { type ExecutionResult, GraphQLError } from 'graphql';

/** Under this key an error that was only attributed remembers the one it stands for. Symbols do not reach the wire. */
const cause = Symbol('the error this one stands for');

/** Root keys as batching writes them when it merges several requests: with the number of the request. */
const mergedKey = /^_v(\d+)_/;

/**
 * When a non-null root field fails, `data` is null as a whole and the error names only that field. A batched answer is
 * then cut into pieces by root key, and the pieces without an error of their own would each complain of a null they
 * cannot explain. So every root key that has no error gets one that stands for the first; `restoreCauses` puts the first
 * back where it belongs.
 * @param clientKeys of each merged request, in order, the key that its field has in the client's answer
 */
export function attributeErrors(
  result: ExecutionResult,
  rootKeys: readonly string[],
  clientKeys: readonly string[] = [],
): ExecutionResult {
  const { errors } = result;
  const first = errors?.find((error) => error.path !== undefined);
  if (result.data !== null || errors === undefined || first?.path === undefined) return result;
  const named = new Set(errors.map((error) => error.path?.[0]));
  const [root = '', ...below] = first.path;
  const path = [clientKeys[Number(mergedKey.exec(String(root))?.[1])] ?? root, ...below];
  const original = new GraphQLError(first.message, { path, extensions: first.extensions });
  const stand = rootKeys
    .filter((key) => !named.has(key))
    .map(
      (key) => new GraphQLError(first.message, { path: [key], extensions: { ...first.extensions, [cause]: original } }),
    );
  return { ...result, errors: [...errors, ...stand] };
}

/**
 * The errors of an operation whose data are null as a whole, each attributed one replaced by the one it stands for: which
 * field is the first to complain of the common failure is chance.
 */
export function restoreCauses(errors: readonly GraphQLError[]): GraphQLError[] {
  const restored = errors.map((error) => (error.extensions as { [cause]?: GraphQLError })[cause] ?? error);
  const seen = new Set<string>();
  return restored.filter(({ message, path }) => {
    const identity = JSON.stringify([message, path]);
    return !seen.has(identity) && seen.add(identity);
  });
}
