import {
  type ASTNode,
  type GraphQLError,
  type ResponsePath,
  responsePathAsArray,
  type SelectionSetNode,
} from 'graphql';
import { locateLightly } from '../errors/light-error.ts';

/** Our field whose value another owner provides. */
export interface JoinField {
  /** Selects the join's key on the object that has the field, under reserved aliases. */
  readonly key: SelectionSetNode;
}

/** A position in the response where a join's value is missing. */
export interface JoinPoint {
  readonly field: JoinField;
  /** The join's key, as selected. */
  readonly key: Readonly<Record<string, unknown>>;
  /** The object of the response that has the field; `name` is the field's key in it. */
  readonly data: Record<string, unknown>;
  readonly name: string;
  readonly path: ResponsePath;
}

/** A value to insert unchanged, and its errors, with their paths in the whole response. */
export interface JoinOutcome {
  readonly value: unknown;
  readonly errors: readonly GraphQLError[];
}

/**
 * Called when a root field with joins begins. Returns a function that must be called once the field is resolved, with the joins
 * below it, or with none if it failed. That returns their values in order, and never rejects.
 */
export type AnswerJoins = () => (points: readonly JoinPoint[]) => Promise<readonly JoinOutcome[]>;

/**
 * The errors so far, and the positions that they made null. A position is identified by its path object, which the positions
 * below refer to as `prev`.
 */
export interface Failures {
  readonly errors: GraphQLError[];
  /** Positions that an error made null; `undefined` stands for the whole response. `null` until there is one. */
  nulled: Set<ResponsePath | undefined> | null;
}

/** One execution of a compiled operation. */
export interface ExecutionState {
  readonly context: unknown;
  /** Coerced, with declared defaults filled in. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly answerJoins: AnswerJoins | null;
  readonly failures: Failures;
  /** Joins found so far below the root field that is executing. */
  readonly joins: JoinPoint[];
}

/** Has an error made this position, or one above it, null? */
export function isNulled({ nulled }: Failures, path: ResponsePath | undefined): boolean {
  if (!nulled) return false;
  for (let each = path; each; each = each.prev) if (nulled.has(each)) return true;
  return nulled.has(undefined);
}

/** Records an error that makes a position null, unless one above it is null already. */
export function addFailure(failures: Failures, error: GraphQLError, path: ResponsePath | undefined): void {
  if (isNulled(failures, path)) return;
  failures.nulled ??= new Set();
  failures.nulled.add(path);
  failures.errors.push(error);
}

/**
 * Records an error and returns the null that replaces the value.
 * @throws the error with its path, if the position is non-null
 */
export function failPosition(
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
