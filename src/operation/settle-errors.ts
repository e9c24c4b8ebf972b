import { type ASTNode, type ExecutionResult, GraphQLError, Kind } from 'graphql';
import { restoreCauses } from '../answers/attribute-errors.ts';
import { unwrapErrors } from '../errors/mask-error.ts';
import { withoutStacks } from '../errors/without-stacks.ts';
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
  const place = (error: GraphQLError) => {
    const found = error.path ? findPlace(error.path) : null;
    return { error: found ? locate(error, found, answered) : error, rank: found?.rank ?? null };
  };
  const placed = withoutStacks(() => restoreCauses(unwrapped, data === null).map(place));
  if (isOrdered) placed.sort((one, other) => compareRanks(one.rank, other.rank));
  return { data, errors: placed.map(({ error }) => error), ...rest };
}

function locate(error: GraphQLError, { nodes, path }: AnswerPlace, { operation }: AnsweredOperation): GraphQLError {
  const { message, extensions, originalError = null } = error;
  const source = operation.loc?.source;
  // One that points at something within the field, an argument, says more.
  const isNearer =
    error.nodes?.every(({ kind, loc }) => kind !== Kind.FIELD && loc !== undefined && loc.source === source) ?? false;
  const shown = isNearer ? (error.nodes ?? []) : nodes;
  // Said already. To make an error costs as much as to execute its field.
  if (path === error.path && areSame(shown, error.nodes ?? [])) return error;
  return new GraphQLError(message, {
    nodes: shown,
    path,
    extensions,
    originalError,
  });
}

function areSame(some: readonly ASTNode[], others: readonly ASTNode[]): boolean {
  return some.length === others.length && some.every((node, index) => node === others[index]);
}

function compareRanks(one: readonly number[] | null, other: readonly number[] | null): number {
  if (!one || !other) return Number(one === null) - Number(other === null);
  for (const [index, number] of one.entries()) {
    const difference = number - (other[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}
