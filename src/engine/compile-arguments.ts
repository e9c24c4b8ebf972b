import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  getArgumentValues,
  isNonNullType,
  Kind,
} from 'graphql';

/** Arguments of a field for the variables of a request. @throws GraphQLError as `getArgumentValues` does */
export type ReadArguments = (variables: Readonly<Record<string, unknown>>) => Record<string, unknown>;

type ArgumentReader =
  | { readonly name: string; readonly variable: null; readonly value: unknown }
  | {
      readonly name: string;
      readonly variable: string;
      /** Used if the variable has no value; `undefined` omits the argument. */
      readonly fallback: unknown;
      readonly isNonNull: boolean;
    };

/**
 * Prepares the arguments of a field that variables do not decide. Lists and objects are made for each request, since a resolver
 * may change them. Mistakes are left to graphql-js, whose messages clients get.
 */
export function compileArguments(field: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
  if (field.args.length === 0) return readNothing;
  const readers: ArgumentReader[] = [];
  for (const argument of field.args) {
    const reader = toReader(argument, field, node);
    if (reader === null) return (variables) => getArgumentValues(field, node, variables);
    if (reader !== 'absent') readers.push(reader);
  }
  if (readers.every(({ variable }) => variable === null)) {
    const constants = read(readers, {}) ?? {};
    return () => ({ ...constants });
  }
  return (variables) => read(readers, variables) ?? getArgumentValues(field, node, variables);
}

const readNothing: ReadArguments = () => ({});

/** `null` if a value is wrong. */
function read(
  readers: readonly ArgumentReader[],
  variables: Readonly<Record<string, unknown>>,
): Record<string, unknown> | null {
  const values: Record<string, unknown> = {};
  for (const reader of readers) {
    if (reader.variable === null) {
      values[reader.name] = reader.value;
    } else if (Object.hasOwn(variables, reader.variable)) {
      const value = variables[reader.variable];
      if (value === undefined || (value === null && reader.isNonNull)) return null;
      values[reader.name] = value;
    } else if (reader.fallback !== undefined) {
      values[reader.name] = reader.fallback;
    } else if (reader.isNonNull) {
      return null;
    }
  }
  return values;
}

/** `null` if graphql-js must read the argument at each request. */
function toReader(
  argument: GraphQLArgument,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): ArgumentReader | 'absent' | null {
  const { name, type, defaultValue } = argument;
  const given = node.arguments?.find((each) => each.name.value === name)?.value;
  const isNonNull = isNonNullType(type);
  if (!given && defaultValue === undefined) return isNonNull ? null : 'absent';
  if (!given) return { name, variable: null, value: defaultValue };
  if (given.kind === Kind.VARIABLE) return { name, variable: given.name.value, fallback: defaultValue, isNonNull };
  if (given.kind === Kind.LIST || given.kind === Kind.OBJECT) return null;
  try {
    const value = getArgumentValues({ ...field, args: [argument] }, node)[name];
    return typeof value === 'object' && value !== null ? null : { name, variable: null, value };
  } catch {
    return null;
  }
}
