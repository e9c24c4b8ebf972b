import { type ExecutionResult, type FieldNode, GraphQLError, type GraphQLObjectType, isNonNullType } from 'graphql';
import type { PreparedOperation } from './prepared-operation.ts';

/**
 * The answer of a split operation, made of both its parts.
 * @param variables coerced
 * @param readTheirs throws if the ledger did not answer
 */
export function mergeParts(
  operation: PreparedOperation,
  variables: Record<string, unknown>,
  readTheirs: () => ExecutionResult,
  ours: ExecutionResult,
): ExecutionResult {
  const { isLedgers, rootFields } = operation;
  let theirs: ExecutionResult;
  try {
    const answer = readTheirs();
    theirs = isRefused(answer) ? { ...answer, data: toNulls(operation, variables, isLedgers) } : answer;
  } catch (error) {
    theirs = failAll(error, operation, variables, isLedgers);
  }
  const errors = [...(theirs.errors ?? []), ...(ours.errors ?? [])];
  return {
    data: mergeData(theirs.data, ours.data, rootFields(variables).keys()),
    ...(errors.length > 0 ? { errors } : {}),
  };
}

/** Puts root keys in the order in which the client asked for them. If the data of one part is null, all data is. */
function mergeData(
  theirs: ExecutionResult['data'],
  ours: ExecutionResult['data'],
  keys: Iterable<string>,
): Record<string, unknown> | null {
  if (!theirs || !ours) return null;
  const data: Record<string, unknown> = Object.create(null);
  for (const key of keys) data[key] = Object.hasOwn(theirs, key) ? theirs[key] : ours[key];
  return data;
}

/** Did the ledger execute nothing? Its errors then name no field, and our fields are answered nevertheless. */
function isRefused({ data, errors }: ExecutionResult): boolean {
  return !data && errors !== undefined && errors.every(({ path }) => path === undefined);
}

/**
 * The answer to an operation if the ledger gives none: an error and a null for each root key, or null for all data if one of
 * the keys may not be null.
 */
export function failAll(
  cause: unknown,
  operation: PreparedOperation,
  variables: Record<string, unknown>,
  isAffected: (name: string) => boolean = () => true,
): ExecutionResult {
  const errors: GraphQLError[] = [];
  for (const [key, nodes] of operation.rootFields(variables)) {
    const name = nodes[0]?.name.value ?? '';
    if (name !== '__typename' && isAffected(name)) errors.push(atRootKey(cause, key, nodes));
  }
  return { data: toNulls(operation, variables, isAffected), errors };
}

/** Null for each affected root key, or for all data if one of them may not be null. */
function toNulls(
  operation: PreparedOperation,
  variables: Record<string, unknown>,
  isAffected: (name: string) => boolean,
): Record<string, unknown> | null {
  const type = operation.schema.getRootType(operation.type) as GraphQLObjectType;
  const data: Record<string, unknown> = Object.create(null);
  for (const [key, nodes] of operation.rootFields(variables)) {
    const name = nodes[0]?.name.value ?? '';
    if (name === '__typename') data[key] = type.name;
    else if (isAffected(name)) {
      if (isNonNullType(type.getFields()[name]?.type)) return null;
      data[key] = null;
    }
  }
  return data;
}

function atRootKey(cause: unknown, key: string, nodes: readonly FieldNode[]): GraphQLError {
  const path = [key];
  if (!(cause instanceof GraphQLError))
    return new GraphQLError('Unexpected error.', { nodes, path, originalError: cause as Error });
  const { message, extensions, originalError = null } = cause;
  return new GraphQLError(message, { nodes, path, extensions, originalError });
}
