import { type ExecutionResult, GraphQLError, Kind } from 'graphql';
import { unwrapErrors } from '../errors/mask-error.ts';
import { restoreCauses } from '../subschemas/ledger/attribute-errors.ts';
import { type AnsweredOperation, type AnswerPlace, createFindPlace } from './answer-places.ts';

/**
 * Gives the errors of an answer the form they have whichever plan it was made by: each on its own, with the place in the
 * client's text that asked for what failed.
 * @param isOrdered are they to follow one another as their places do? Those without a place come last. Side by side, who
 *   fails first is chance
 */
export function settleErrors(
  result: ExecutionResult,
  answered: AnsweredOperation,
  isOrdered: boolean,
): ExecutionResult {
  const { data, errors, ...rest } = result;
  if (!errors || data === undefined) return result;
  const findPlace = createFindPlace(answered);
  const unwrapped = unwrapErrors(errors);
  const placed = restoreCauses(unwrapped, data === null).map((error) => {
    const place = error.path ? findPlace(error.path) : null;
    return { error: place ? locate(error, place, answered) : error, rank: place?.rank ?? null };
  });
  if (isOrdered) placed.sort((one, other) => compareRanks(one.rank, other.rank));
  return { data, errors: placed.map(({ error }) => error), ...rest };
}

function locate(error: GraphQLError, { nodes, path }: AnswerPlace, { operation }: AnsweredOperation): GraphQLError {
  const { message, extensions, originalError = null } = error;
  const source = operation.loc?.source;
  // One that points at something within the field, an argument, says more.
  const isNearer =
    error.nodes?.every(({ kind, loc }) => kind !== Kind.FIELD && loc !== undefined && loc.source === source) ?? false;
  return new GraphQLError(message, {
    nodes: isNearer ? (error.nodes ?? null) : nodes,
    path,
    extensions,
    originalError,
  });
}

function compareRanks(one: readonly number[] | null, other: readonly number[] | null): number {
  if (!one || !other) return Number(one === null) - Number(other === null);
  for (const [index, number] of one.entries()) {
    const difference = number - (other[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}
