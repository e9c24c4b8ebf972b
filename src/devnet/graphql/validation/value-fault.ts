import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isSpecifiedScalarType,
} from 'graphql';

const maxInt = 2 ** 31 - 1;

/**
 * Describes the fault of an argument's value and its path; `undefined` for a valid one. Resolvers check the ledger's own
 * scalars.
 */
export function valueFault(type: GraphQLInputType, value: unknown, path: string): string | undefined {
  if (isNonNullType(type)) {
    return value == null ? `"${path}", expected type "${type}"` : valueFault(type.ofType, value, path);
  }
  if (value == null) return undefined;
  if (isListType(type)) {
    const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
    return firstFault(entries.entries(), ([index, entry]) => valueFault(type.ofType, entry, `${path}.${index}`));
  }
  if (isEnumType(type)) {
    const known = typeof value === 'string' && type.getValue(value) !== undefined;
    return known ? undefined : `"${path}", enumeration type "${type}" does not contain the value "${String(value)}"`;
  }
  if (isInputObjectType(type)) return objectFault(type, value, path);
  if (!isSpecifiedScalarType(type) || fitsScalar(type.name, value)) return undefined;
  return `"${path}", expected type "${type}"`;
}

function objectFault(type: GraphQLInputObjectType, value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `"${path}", expected type "${type}"`;
  const given = value as Readonly<Record<string, unknown>>;
  const fields = type.getFields();
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) return `"${path}", unknown field "${unknown}" of type "${type}"`;
  return firstFault(Object.values(fields), (field) => {
    const missing = given[field.name] === undefined && field.defaultValue === undefined && isNonNullType(field.type);
    if (missing) return `"${path}", field "${field.name}" of type "${type}" is required but not provided`;
    return given[field.name] === undefined
      ? undefined
      : valueFault(field.type, given[field.name], `${path}.${field.name}`);
  });
}

function firstFault<Item>(items: Iterable<Item>, faultOf: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Every Int of this graph is a size or a count, so none is negative. */
function fitsScalar(name: string, value: unknown): boolean {
  switch (name) {
    case 'Int':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxInt;
    case 'Float':
      return typeof value === 'number';
    case 'Boolean':
      return typeof value === 'boolean';
    default:
      return typeof value === 'string';
  }
}
