import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLList,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isSpecifiedScalarType,
} from 'graphql';
import { putVariable } from '../documents/plan-operation.ts';
import { ExactNumber } from '../json/exact-json.ts';
import { showValue } from '../json/show-value.ts';

/** The path to a member of a value, linked from the member upwards. */
export interface InputPath {
  readonly key: string | number;
  readonly above: InputPath | null;
}

/** Called for each mistake in a value. May throw to stop the coercion. */
export type OnMistake = (path: InputPath | null, value: unknown, message: string, cause?: unknown) => void;

/** Characters of a value that an error message repeats. */
export const maxShown = 200;

/**
 * Coerces a value by the rules of GraphQL. Visits each member once, and suggests no names for unknown ones, which would take
 * longer than all the rest.
 * @returns anything if there was a mistake
 */
export type Coerce = (value: unknown, onMistake: OnMistake, path: InputPath | null) => unknown;

const coercions = new WeakMap<GraphQLInputType, Coerce>();

/** Compiles a type once: reading it for each value would take as long as all other work of a small request. */
export function coercionOf(type: GraphQLInputType): Coerce {
  const known = coercions.get(type);
  if (known) return known;
  const made = isNonNullType(type)
    ? toRequiredCoercion(type, type.ofType)
    : isListType(type)
      ? toListCoercion(type)
      : isInputObjectType(type)
        ? toObjectCoercion(type)
        : toLeafCoercion(type);
  coercions.set(type, made);
  return made;
}

function toRequiredCoercion(type: GraphQLInputType, ofType: GraphQLInputType): Coerce {
  const coerce = coercionOf(ofType);
  return (value, onMistake, path) => {
    if (value !== null && value !== undefined) return coerce(value, onMistake, path);
    return onMistake(path, value, `Expected non-nullable type "${type}" not to be null.`);
  };
}

function toListCoercion(type: GraphQLList<GraphQLInputType>): Coerce {
  const coerce = coercionOf(type.ofType);
  return (value, onMistake, path) => {
    if (value === null || value === undefined) return null;
    // A bare value is a list of one.
    if (!Array.isArray(value)) return [coerce(value, onMistake, path)];
    return value.map((item: unknown, key) => coerce(item, onMistake, { key, above: path }));
  };
}

function toObjectCoercion(type: GraphQLInputObjectType): Coerce {
  // A type may contain itself, so compile its fields when the first value comes.
  let members: readonly (readonly [GraphQLInputField, Coerce])[] | null = null;
  return (value, onMistake, path) => {
    if (value === null || value === undefined) return null;
    if (typeof value !== 'object' || Array.isArray(value) || value instanceof ExactNumber) {
      return onMistake(path, value, `Expected type "${type.name}" to be an object.`);
    }
    const sent = value as Readonly<Record<string, unknown>>;
    const fields = type.getFields();
    members ??= Object.values(fields).map((field) => [field, coercionOf(field.type)] as const);
    const coerced: Record<string, unknown> = {};
    for (const [field, coerce] of members) {
      const { name, defaultValue } = field;
      const member = Object.hasOwn(sent, name) ? sent[name] : undefined;
      if (member !== undefined) putVariable(coerced, name, coerce(member, onMistake, { key: name, above: path }));
      else if (defaultValue !== undefined) putVariable(coerced, name, defaultValue);
      else if (isNonNullType(field.type))
        onMistake(path, value, `Field "${name}" of required type "${field.type}" was not provided.`);
    }
    for (const name in sent) {
      if (!Object.hasOwn(fields, name))
        onMistake(path, value, `Field "${showName(name)}" is not defined by type "${type.name}".`);
    }
    if (type.isOneOf) checkOneOf(coerced, type, value, onMistake, path);
    return coerced;
  };
}

function checkOneOf(
  coerced: Readonly<Record<string, unknown>>,
  type: GraphQLInputObjectType,
  value: unknown,
  onMistake: OnMistake,
  path: InputPath | null,
): void {
  const [key = '', ...others] = Object.keys(coerced);
  if (key === '' || others.length > 0) {
    onMistake(path, value, `Exactly one key must be specified for OneOf type "${type.name}".`);
  }
  if (coerced[key] === null) onMistake({ key, above: path }, null, `Field "${key}" must be non-null.`);
}

function toLeafCoercion(type: GraphQLLeafType): Coerce {
  const isEnum = isEnumType(type);
  const isOwn = !isEnum && !isSpecifiedScalarType(type);
  return (sent, onMistake, path) => {
    if (sent === null || sent === undefined) return null;
    const value = sent instanceof ExactNumber && !isOwn ? toBuiltin(sent, type.name) : sent;
    // Built-in scalars and enums print the whole value into their message, which may be long.
    const isPlain = typeof value !== 'object' || typeof (value as { toJSON?: unknown }).toJSON === 'function';
    if (!isOwn && (!isPlain || (isEnum && typeof value === 'string' && value.length > maxShown))) {
      const shown = showValue(value, maxShown);
      return onMistake(path, value, `${isEnum ? 'Enum ' : ''}"${type.name}" cannot represent value: ${shown}`);
    }
    let parsed: unknown;
    try {
      parsed = parseLeaf(type, value);
    } catch (error) {
      const message = error instanceof Error ? error.message : `Expected type "${type.name}".`;
      // Show the number as it was sent, not the double next to it.
      return onMistake(path, sent, value === sent ? message : message.replace(String(value), String(sent)), error);
    }
    return parsed === undefined ? onMistake(path, sent, `Expected type "${type.name}".`) : parsed;
  };
}

/** Errors of wrong values get no stack: nothing reads it, and it costs more than all else of the refusal. */
function parseLeaf(type: GraphQLLeafType, value: unknown): unknown {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return isEnumType(type) ? type.parseValue(value, true) : type.parseValue(value);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function showName(name: string): string {
  return name.length > maxShown ? `${name.slice(0, maxShown)}…` : name;
}

/** Converts an exact number for a built-in type. */
export function toBuiltin(number: ExactNumber, typeName: string): string | number {
  return typeName === 'ID' && /^-?\d+$/.test(number.text) ? number.text : number.valueOf();
}
