import { type ExecutionResult, GraphQLError } from 'graphql';

/** Under this key an error that was only attributed remembers the one it stands for. Symbols do not reach the wire. */
const cause = Symbol('the error this one stands for');

/** The same for one that is of no field at all. */
const refusal = Symbol('the refusal this one stands for');

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
 * When the ledger executes nothing, its errors are of no field, and stitching would say each of every field it asked for.
 * So each root key gets ones that stand for them, which `restoreCauses` makes the ledger's own again, once.
 */
export function attributeRefusal(result: ExecutionResult, rootKeys: readonly string[]): ExecutionResult {
  const { data, errors } = result;
  if (data || !errors || errors.some(({ path }) => path !== undefined)) return result;
  const stand = rootKeys.flatMap((key) =>
    errors.map(
      (error) =>
        new GraphQLError(error.message, { path: [key], extensions: { ...error.extensions, [refusal]: error } }),
    ),
  );
  return { ...result, errors: stand };
}

/**
 * The errors of an operation, each that stands for a refusal replaced by that, and where data are null as a whole each
 * attributed one by the one it stands for: which field is the first to complain of the common failure is chance.
 */
export function restoreCauses(errors: readonly GraphQLError[], isWithoutData: boolean): GraphQLError[] {
  const seen = new Set<string>();
  return errors.flatMap((error) => {
    const stoodFor = error.extensions as { [cause]?: GraphQLError; [refusal]?: GraphQLError };
    const restored = stoodFor[refusal] ?? (isWithoutData ? stoodFor[cause] : undefined) ?? error;
    if (!isWithoutData && restored === error) return [error];
    const identity = JSON.stringify([restored.message, restored.path]);
    if (seen.has(identity)) return [];
    seen.add(identity);
    return [restored];
  });
}
