import type { ExecutionResult, GraphQLError } from 'graphql';
import { lightError } from '../../src/errors/light-error.ts';

/** Key under which a stand-in error stores its original. Symbols are not serialised, so clients never see it. */
const cause = Symbol('the error this one stands for');

/** Key under which a stand-in error stores an original that names no field. */
const refusal = Symbol('the refusal this one stands for');

/**
 * When a non-null root field fails, the whole `data` is null and the error names only that field. Batching then divides the
 * response by root key, and each part without an error would report a null that it cannot explain. Therefore every root key
 * without an error gets a stand-in for the first error; `restoreCauses` later puts the original back.
 */
export function attributeErrors(result: ExecutionResult, rootKeys: readonly string[]): ExecutionResult {
  const { errors } = result;
  const first = errors?.find((error) => error.path !== undefined);
  if (result.data !== null || errors === undefined || first?.path === undefined) return result;
  const named = new Set(errors.map((error) => error.path?.[0]));
  const { message, path, extensions } = first;
  const original = lightError(message, { path, extensions });
  const stand = rootKeys
    .filter((key) => !named.has(key))
    .map((key) => lightError(message, { path: [key], extensions: { ...extensions, [cause]: original } }));
  return { ...result, errors: [...errors, ...stand] };
}

/**
 * When the ledger executes nothing, its errors name no field, and stitching would repeat them for every requested field.
 * Therefore every root key gets one stand-in for all of them; `restoreCauses` later replaces these by the ledger's errors,
 * each once.
 */
export function attributeRefusal(result: ExecutionResult, rootKeys: readonly string[]): ExecutionResult {
  const { data, errors } = result;
  const first = errors?.[0];
  if (data || !errors || !first || errors.some(({ path }) => path !== undefined)) return result;
  const extensions = { ...first.extensions, [refusal]: errors };
  return { ...result, errors: rootKeys.map((key) => lightError(first.message, { path: [key], extensions })) };
}

/**
 * The errors of an operation with stand-ins replaced by their originals, each original once. A stand-in for a failed root
 * field is replaced only if all data is null: chance decides which field reports that failure first.
 */
export function restoreCauses(errors: readonly GraphQLError[], isWithoutData: boolean): GraphQLError[] {
  const restored: GraphQLError[] = [];
  const restoredLists = new Set<readonly GraphQLError[]>();
  const seen = new Set<string>();
  const restoreOnce = (error: GraphQLError): void => {
    const identity = JSON.stringify([error.message, error.path]);
    if (!seen.has(identity)) restored.push(error);
    seen.add(identity);
  };
  for (const error of errors) {
    const stoodFor = error.extensions as { [cause]?: GraphQLError; [refusal]?: readonly GraphQLError[] };
    const refusals = stoodFor[refusal];
    if (refusals) {
      // The stand-ins of all root keys share one list of originals: restore each list once.
      if (!restoredLists.has(refusals)) for (const each of refusals) restoreOnce(each);
      restoredLists.add(refusals);
    } else if (isWithoutData) restoreOnce(stoodFor[cause] ?? error);
    else restored.push(error);
  }
  return restored;
}
