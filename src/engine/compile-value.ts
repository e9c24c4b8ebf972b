import {
  type ASTNode,
  type FieldNode,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLOutputType,
  isLeafType,
  isListType,
  isNonNullType,
  type ResponsePath,
  responsePathAsArray,
  type SelectionSetNode,
} from 'graphql';
import { toLocatedError } from '../errors/light-error.ts';

/**
 * Turns a resolver's value into the response's value; returns a promise if something below takes time.
 * @throws anything wrong with the value, without a path: the caller adds it
 */
type CompleteValue = (value: unknown, path: ResponsePath, state: RunState) => unknown;

/**
 * Completes the fields selected on an object.
 * @throws the error of a non-null field, with its path
 */
export type CompleteObject = (
  source: unknown,
  path: ResponsePath | undefined,
  state: RunState,
) => Record<string, unknown> | Promise<Record<string, unknown>>;

/** The field that a value belongs to, for error messages. */
interface ValueSource {
  /** `Type.field`, as error messages show it. */
  readonly coordinate: string;
  readonly nodes: readonly FieldNode[];
}

/** @param completeObject for a type that is or contains an object type; `null` for leaves */
export function compileValue(
  type: GraphQLOutputType,
  source: ValueSource,
  completeObject: CompleteObject | null,
): CompleteValue {
  if (isNonNullType(type)) {
    const completeNullable = compileValue(type.ofType, source, completeObject);
    return (value, path, state) => toPresent(completeNullable(value, path, state), source.coordinate);
  }
  if (isLeafType(type)) return (value) => completeLeaf(type, value);
  const complete = isListType(type) ? compileList(type.ofType, source, completeObject) : completeObject;
  if (!complete) throw new Error(`${source.coordinate} has no object type`);
  return (value, path, state) => {
    if (value === null || value === undefined) return null;
    if (value instanceof Error) throw value;
    return complete(value, path, state);
  };
}

/** @throws if the value is null */
export function toPresent(completed: unknown, coordinate: string): unknown {
  if (completed === null) throw new Error(`Cannot return null for non-nullable field ${coordinate}.`);
  return completed;
}

/** @throws what `serialize` throws, or the value if it is an error */
export function completeLeaf(type: GraphQLLeafType, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (value instanceof Error) throw value;
  const serialized: unknown = type.serialize(value);
  if (serialized !== undefined && serialized !== null) return serialized;
  const call = `${type.name}.serialize(${typeof value === 'string' ? JSON.stringify(value) : String(value)})`;
  throw new Error(`Expected \`${call}\` to return non-nullable value, returned: ${serialized}`);
}

function compileList(
  itemType: GraphQLOutputType,
  source: ValueSource,
  completeObject: CompleteObject | null,
): CompleteValue {
  const { coordinate, nodes } = source;
  const complete = compileValue(itemType, source, completeObject);
  const isNonNull = isNonNullType(itemType);
  const isLeaf = isLeafType(isNonNull ? itemType.ofType : itemType);

  const completeItem = (item: unknown, index: number, path: ResponsePath, state: RunState): unknown => {
    const at = () => ({ prev: path, key: index, typename: undefined });
    // A leaf needs its path only if it fails.
    const itemPath = isLeaf ? null : at();
    const fail = (raw: unknown) => failPosition(raw, nodes, itemPath ?? at(), isNonNull, state);
    try {
      const completed = isPromise(item)
        ? item.then((resolved) => complete(resolved, itemPath ?? path, state))
        : complete(item, itemPath ?? path, state);
      return isPromise(completed) ? completed.then(undefined, fail) : completed;
    } catch (raw) {
      return fail(raw);
    }
  };

  return (value, path, state) => {
    if (!isIterableObject(value)) {
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${coordinate}".`);
    }
    const completed: unknown[] = [];
    let hasPromise = false;
    try {
      for (const item of value) {
        const each = completeItem(item, completed.length, path, state);
        hasPromise ||= isPromise(each);
        completed.push(each);
      }
    } catch (error) {
      // The list is lost, but pending items may still fail: handle their failures.
      if (hasPromise) void Promise.allSettled(completed);
      throw error;
    }
    return hasPromise ? Promise.all(completed) : completed;
  };
}

function isIterableObject(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

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
 * below it, or with none if it failed. That returns their values in order, and rejects only if the root field itself is a join.
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

export interface RunState {
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
  { failures }: RunState,
): null {
  const error = toLocatedError(raw, nodes, responsePathAsArray(path));
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
