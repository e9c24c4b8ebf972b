import { type ASTNode, type ExecutionResult, type GraphQLError, Kind } from 'graphql';
import {
  type AnsweredOperation,
  type AnswerPlace,
  compareRanks,
  createFindPlace,
} from '../documents/plan/answer-places.ts';
import { lightError } from '../errors/light-error.ts';
import { unwrapErrors } from '../errors/mask-error.ts';
import { cutErrors } from '../errors/told-errors.ts';
import { restoreCauses } from '../ledger/answers/attribute-errors.ts';

/**
 * Gives the errors of an answer the same form whichever plan made it: each on its own, located at the fields of the client's
 * text that asked for what failed.
 * @param isOrdered sorts them by their places, those without a place last. Needed where fields are executed side by side,
 *   since chance decides which of them fails first
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
  const placed = restoreCauses(unwrapped, data === null).map(place);
  if (isOrdered) placed.sort((one, other) => compareRanks(one.rank, other.rank));
  return { data, errors: cutErrors(placed.map(({ error }) => error)), ...rest };
}

function locate(error: GraphQLError, { nodes, path }: AnswerPlace, { operation }: AnsweredOperation): GraphQLError {
  const { message, extensions, originalError = null } = error;
  const source = operation.loc?.source;
  // Keep a location within the field, such as an argument, because it says more.
  const isNearer =
    error.nodes?.every(({ kind, loc }) => kind !== Kind.FIELD && loc !== undefined && loc.source === source) ?? false;
  const shown = isNearer ? (error.nodes ?? []) : nodes;
  if (path === error.path && areSame(shown, error.nodes ?? [])) return error;
  return lightError(message, { nodes: shown, path, extensions, originalError });
}

function areSame(some: readonly ASTNode[], others: readonly ASTNode[]): boolean {
  return some.length === others.length && some.every((node, index) => node === others[index]);
}
