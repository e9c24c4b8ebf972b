import { type ExecutionResult, type FieldNode, GraphQLError, type GraphQLObjectType, isNonNullType } from 'graphql';
import type { Generation } from './generation.ts';
import { type PlannedOperation, rootFields } from './planned-operation.ts';

/**
 * The answer of a split operation, made of both its parts.
 * @param variables coerced
 * @param readTheirs throws where the ledger did not answer
 */
export function mergeParts(
  generation: Generation,
  found: PlannedOperation,
  variables: Record<string, unknown>,
  readTheirs: () => ExecutionResult,
  ours: ExecutionResult,
): ExecutionResult {
  const isAffected = (name: string) => generation.ownership.ownerOf(found.operation.operation, name) === 'ledger';
  const failed = (errors: readonly unknown[]) => failAll(errors, generation, found, variables, isAffected);
  let theirs: ExecutionResult;
  try {
    const answer = readTheirs();
    theirs = isRefused(answer) ? failed(answer.errors) : answer;
  } catch (error) {
    theirs = failed([error]);
  }
  const errors = [...(theirs.errors ?? []), ...(ours.errors ?? [])];
  return {
    data: mergeData(theirs.data, ours.data, rootFields(generation, found, variables).keys()),
    ...(errors.length > 0 ? { errors } : {}),
  };
}

/** Root keys in the order in which the client asked for them. A null of one part as a whole is one of the answer. */
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

/** The ledger would not execute it at all: its errors concern every field, and say so of none. */
export function isRefused(answer: ExecutionResult): answer is ExecutionResult & { errors: readonly GraphQLError[] } {
  return !answer.data && answer.errors !== undefined && answer.errors.every(({ path }) => path === undefined);
}

/**
 * What an operation answers when the ledger does not: one error for each of its root keys, and null for each, or for the
 * whole where one may not be null.
 */
export function failAll(
  causes: readonly unknown[],
  generation: Generation,
  found: PlannedOperation,
  variables: Record<string, unknown>,
  isAffected: (name: string) => boolean = () => true,
): ExecutionResult {
  const type = generation.schema.getRootType(found.operation.operation) as GraphQLObjectType;
  const fields = rootFields(generation, found, variables);
  const errors: GraphQLError[] = [];
  const data: Record<string, unknown> = Object.create(null);
  let isNull = false;
  for (const [key, nodes] of fields) {
    const name = nodes[0]?.name.value ?? '';
    if (name === '__typename') data[key] = type.name;
    if (name === '__typename' || !isAffected(name)) continue;
    errors.push(...causes.map((cause) => atRootKey(cause, key, nodes)));
    data[key] = null;
    isNull ||= isNonNullType(type.getFields()[name]?.type);
  }
  return { data: isNull ? null : data, errors };
}

function atRootKey(cause: unknown, key: string, nodes: readonly FieldNode[]): GraphQLError {
  const path = [key];
  if (!(cause instanceof GraphQLError))
    return new GraphQLError('Unexpected error.', { nodes, path, originalError: cause as Error });
  const { message, extensions, originalError = null } = cause;
  return new GraphQLError(message, { nodes, path, extensions, originalError });
}
