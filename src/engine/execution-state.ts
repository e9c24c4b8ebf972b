import {
  type ASTNode,
  type GraphQLError,
  type ResponsePath,
  responsePathAsArray,
  type SelectionSetNode,
} from 'graphql';
import { locateLightly } from '../errors/light-error.ts';

/** An own field whose value another owner gives. */
export interface JoinField {
  /** Selects the key of the join on the object that has the field, under reserved aliases. */
  readonly key: SelectionSetNode;
}

/** One place of an answer where a join's value is still missing. */
export interface JoinPoint {
  readonly field: JoinField;
  /** The join's key, as selected. */
  readonly key: Readonly<Record<string, unknown>>;
  /** The object of the answer that has the field; `name` is the field's key in it. */
  readonly data: Record<string, unknown>;
  readonly name: string;
  readonly path: ResponsePath;
}

/** A value to put in place unchanged, and the errors in it, with their paths in the whole answer. */
export interface JoinOutcome {
  readonly value: unknown;
  readonly errors: readonly GraphQLError[];
}

/**
 * Called as a root field with joins begins. What it returns is called once the field is there, with the joins beneath it, or with
 * none if it failed: gives their values in order, and never rejects.
 */
export type AnswerJoins = () => (points: readonly JoinPoint[]) => Promise<readonly JoinOutcome[]>;

/**
 * The errors so far, and the places they made null. A place is known by its path object, to which the places below it
 * refer as `prev`.
 */
export interface Failures {
  readonly errors: GraphQLError[];
  /** Places that an error made null; `undefined` in it stands for the whole answer. `null` until there is one. */
  nulled: Set<ResponsePath | undefined> | null;
}

/** One execution of a compiled operation. */
export interface ExecutionState {
  readonly context: unknown;
  /** Coerced, with declared defaults filled in. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly answerJoins: AnswerJoins | null;
  readonly failures: Failures;
  /** Joins found so far beneath the root field that is executing. */
  readonly joins: JoinPoint[];
}

/** Has an error made this place null already, or one above it? */
export function isNulled({ nulled }: Failures, path: ResponsePath | undefined): boolean {
  if (!nulled) return false;
  for (let place = path; place; place = place.prev) if (nulled.has(place)) return true;
  return nulled.has(undefined);
}

/** Records an error that makes a place null, unless the place is gone already with one above it. */
export function addFailure(failures: Failures, error: GraphQLError, path: ResponsePath | undefined): void {
  if (isNulled(failures, path)) return;
  failures.nulled ??= new Set();
  failures.nulled.add(path);
  failures.errors.push(error);
}

/**
 * Records an error and gives the null that takes the value's place.
 * @throws the error with its path, if the place may not be null
 */
export function failPlace(
  raw: unknown,
  nodes: readonly ASTNode[],
  path: ResponsePath,
  isNonNull: boolean,
  { failures }: ExecutionState,
): null {
  const error = locateLightly(raw, nodes, responsePathAsArray(path));
  if (isNonNull) throw error;
  addFailure(failures, error, path);
  return null;
}

export function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}
