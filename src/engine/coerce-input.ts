import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { ExactNumber } from '../json/exact-number.ts';
import { showValue } from '../json/show-value.ts';
import { toBuiltin } from './to-executable.ts';

/** The path to a member of a value, linked from the member upwards. */
export interface InputPath {
  readonly key: string | number;
  readonly above: InputPath | null;
}

/** Called for each mistake. To end the coercion it throws. */
export type OnMistake = (path: InputPath | null, value: unknown, message: string, cause?: unknown) => void;

/** Characters of a value that an error message repeats. */
const maxShown = 200;

/**
 * Coerces a value by the rules of GraphQL. Looks at every member once at most, and suggests no names for unknown ones:
 * searching for similar names would take longer than all the rest.
 * @returns anything if there was a mistake
 */
export function coerceInput(
  value: unknown,
  type: GraphQLInputType,
  onMistake: OnMistake,
  path: InputPath | null = null,
): unknown {
  if (isNonNullType(type)) {
    if (value !== null && value !== undefined) return coerceInput(value, type.ofType, onMistake, path);
    return onMistake(path, value, `Expected non-nullable type "${type}" not to be null.`);
  }
  if (value === null || value === undefined) return null;
  if (isListType(type)) {
    const { ofType } = type;
    // A bare value is a list of one.
    if (!Array.isArray(value)) return [coerceInput(value, ofType, onMistake, path)];
    return value.map((item: unknown, key) => coerceInput(item, ofType, onMistake, { key, above: path }));
  }
  return isInputObjectType(type)
    ? coerceObject(value, type, onMistake, path)
    : coerceLeaf(value, type, onMistake, path);
}

function coerceObject(
  value: unknown,
  type: GraphQLInputObjectType,
  onMistake: OnMistake,
  path: InputPath | null,
): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof ExactNumber) {
    return onMistake(path, value, `Expected type "${type.name}" to be an object.`);
  }
  const sent = value as Readonly<Record<string, unknown>>;
  const fields = type.getFields();
  // A field may be called `__proto__`.
  const coerced: Record<string, unknown> = Object.create(null);
  for (const { name, type: fieldType, defaultValue } of Object.values(fields)) {
    const member = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (member !== undefined) coerced[name] = coerceInput(member, fieldType, onMistake, { key: name, above: path });
    else if (defaultValue !== undefined) coerced[name] = defaultValue;
    else if (isNonNullType(fieldType))
      onMistake(path, value, `Field "${name}" of required type "${fieldType}" was not provided.`);
  }
  for (const name in sent) {
    if (!Object.hasOwn(fields, name))
      onMistake(path, value, `Field "${showName(name)}" is not defined by type "${type.name}".`);
  }
  if (type.isOneOf) checkOneOf(coerced, type, value, onMistake, path);
  return { ...coerced };
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

function coerceLeaf(sent: unknown, type: GraphQLLeafType, onMistake: OnMistake, path: InputPath | null): unknown {
  const isOwn = isScalarType(type) && !isSpecifiedScalarType(type);
  const value = sent instanceof ExactNumber && !isOwn ? toBuiltin(sent, type.name) : sent;
  // Built-in scalars and enums would print the whole value into their message: report long values ourselves.
  const isOfTexts = !isOwn;
  const isPlain = typeof value !== 'object' || typeof (value as { toJSON?: unknown }).toJSON === 'function';
  if (isOfTexts && (!isPlain || (isEnumType(type) && typeof value === 'string' && value.length > maxShown))) {
    const shown = showValue(value, maxShown);
    return onMistake(path, value, `${isEnumType(type) ? 'Enum ' : ''}"${type.name}" cannot represent value: ${shown}`);
  }
  let parsed: unknown;
  try {
    parsed = isEnumType(type) ? type.parseValue(value, true) : type.parseValue(value);
  } catch (error) {
    const message = error instanceof Error ? error.message : `Expected type "${type.name}".`;
    // Show the number as it was sent, not the double next to it.
    return onMistake(path, sent, value === sent ? message : message.replace(String(value), String(sent)), error);
  }
  return parsed === undefined ? onMistake(path, sent, `Expected type "${type.name}".`) : parsed;
}

function showName(name: string): string {
  return name.length > maxShown ? `${name.slice(0, maxShown)}…` : name;
}
