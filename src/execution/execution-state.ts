import {
  type ASTNode,
  type GraphQLError,
  locatedError,
  type ResponsePath,
  responsePathAsArray,
  type SelectionSetNode,
} from 'graphql';

/** A field of ours whose value somebody else gives. */
export interface JoinField {
  /** What of the object that has the field tells which value is meant; selected on that object, under names of its own. */
  readonly key: SelectionSetNode;
}

/** One place of an answer where the value of a join is missing yet. */
export interface JoinPoint {
  readonly field: JoinField;
  /** The join's key, as selected. */
  readonly key: Readonly<Record<string, unknown>>;
  /** The object of the answer that has the field, and under which key. */
  readonly data: Record<string, unknown>;
  readonly name: string;
  readonly path: ResponsePath;
}

/** A value to be put in its place as it is, and the errors in it, with their paths in the whole answer. */
export interface JoinOutcome {
  readonly value: unknown;
  readonly errors: readonly GraphQLError[];
}

/** Gives the values at the places of joins beneath one root field, in their order. Never rejects. */
export type AnswerJoins = (points: readonly JoinPoint[]) => Promise<readonly JoinOutcome[]>;

/** Places of an answer, by path object: every place has one, which its descendants name as their `prev`. */
export interface Failures {
  readonly errors: GraphQLError[];
  /** Places that an error made null; `undefined` in it is the answer as a whole. `null` while there are none. */
  nulled: Set<ResponsePath | undefined> | null;
}

/** One execution of a compiled operation. */
export interface ExecutionState {
  readonly context: unknown;
  /** Coerced, declared defaults filled in. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly answerJoins: AnswerJoins | null;
  readonly failures: Failures;
  /** Joins met so far beneath the root field under way. */
  readonly joins: JoinPoint[];
}

/** Does an error stand for this place already, or for one that it is part of? */
export function isNulled({ nulled }: Failures, path: ResponsePath | undefined): boolean {
  if (!nulled) return false;
  for (let place = path; place; place = place.prev) if (nulled.has(place)) return true;
  return nulled.has(undefined);
}

/** Notes an error that makes a place null, unless the place is gone with one above it. */
export function addFailure(failures: Failures, error: GraphQLError, path: ResponsePath | undefined): void {
  if (isNulled(failures, path)) return;
  failures.nulled ??= new Set();
  failures.nulled.add(path);
  failures.errors.push(error);
}

/**
 * What an error makes of a place: null, and the error noted.
 * @throws the error with its place, where there may be no null
 */
export function failPlace(
  raw: unknown,
  nodes: readonly ASTNode[],
  path: ResponsePath,
  isNonNull: boolean,
  { failures }: ExecutionState,
): null {
  const error = locatedError(raw, nodes, responsePathAsArray(path));
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
