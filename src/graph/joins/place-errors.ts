import type { GraphQLError } from 'graphql';
import { lightError } from '../../errors/light-error.ts';
import type { ToldErrors } from '../../errors/told-errors.ts';
import { ExactNumber } from '../../json/exact-number.ts';
import type { JoinAnswer } from './join-loader.ts';

/**
 * Replaces each null that an error caused with that error, given its path in the client's answer; several errors
 * behind one null become one `AggregateError`. Errors without such a null are returned as `unplaced`: they concern
 * the whole value.
 * @param at path of the join field in the client's answer
 * @param told of the whole answer; once it is full, the first error of each place is enough
 */
export function placeErrors(
  { value, errors }: JoinAnswer,
  at: readonly (string | number)[],
  told: ToldErrors,
): { value: unknown; unplaced: GraphQLError[] } {
  if (errors.length === 0) return { value, unplaced: [] };
  // A copy, since the same answer may serve several fields, each with its own path.
  const copy = copyJson(value);
  const unplaced: GraphQLError[] = [];
  for (const error of told.isFull ? errors.slice(0, 1) : errors) {
    const path = error.path ?? [];
    const located = told.add(lightError(error.message, { path: [...at, ...path], extensions: error.extensions }));
    if (!putAt(copy, path, located)) unplaced.push(located);
  }
  return { value: copy, unplaced };
}

/** Not `structuredClone`, which would strip exact numbers of their class. */
function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyJson);
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyJson(member)]));
}

/**
 * Puts the error in place of the first null along the path, or beside an error put there before; false if there is
 * neither.
 */
function putAt(root: unknown, path: readonly (string | number)[], error: GraphQLError): boolean {
  let parent = root as Record<string | number, unknown> | null;
  for (const key of path) {
    if (typeof parent !== 'object' || parent === null) return false;
    if (!Object.hasOwn(parent, key)) return false;
    const child = parent[key];
    if (child === null || child instanceof Error) {
      const others = child instanceof AggregateError ? child.errors : child === null ? [] : [child];
      parent[key] = others.length === 0 ? error : new AggregateError([...others, error]);
      return true;
    }
    parent = child as typeof parent;
  }
  return false;
}
