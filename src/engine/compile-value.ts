import {
  type FieldNode,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLOutputType,
  isLeafType,
  isListType,
  isNonNullType,
  type ResponsePath,
} from 'graphql';
import { type ExecutionState, failPosition, isPromise } from './execution-state.ts';

/**
 * Turns a resolver's value into the response's value; returns a promise if something below takes time.
 * @throws anything wrong with the value, without a path: the caller adds it
 */
export type CompleteValue = (value: unknown, path: ResponsePath, state: ExecutionState) => unknown;

/**
 * The same for the fields selected on an object.
 * @throws the error of a non-null field, with its path
 */
export type CompleteObject = (
  source: unknown,
  path: ResponsePath | undefined,
  state: ExecutionState,
) => Record<string, unknown> | Promise<Record<string, unknown>>;

/** The field that a value belongs to, for error messages. */
export interface ValueSource {
  /** `Type.field` */
  readonly coordinate: string;
  readonly nodes: readonly FieldNode[];
}

/** @param completeObject for a type that is or contains an object type; `null` for leaves */
export function compileValue(
  type: GraphQLOutputType,
  source: ValueSource,
  completeObject: CompleteObject | null,
): CompleteValue {
  if (isNonNullType(type)) return toNonNull(compileValue(type.ofType, source, completeObject), source);
  if (isLeafType(type)) return (value) => completeLeaf(type, value);
  const complete = isListType(type) ? compileList(type.ofType, source, completeObject) : completeObject;
  if (!complete) throw new Error(`${source.coordinate} has no object type`);
  return (value, path, state) => {
    if (value === null || value === undefined) return null;
    if (value instanceof Error) throw value;
    return complete(value, path, state);
  };
}

function toNonNull(complete: CompleteValue, { coordinate }: ValueSource): CompleteValue {
  return (value, path, state) => toPresent(complete(value, path, state), coordinate);
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

  const completeItem = (item: unknown, index: number, path: ResponsePath, state: ExecutionState): unknown => {
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
