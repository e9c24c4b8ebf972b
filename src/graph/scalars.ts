import {
  GraphQLScalarType,
  type GraphQLSchema,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  type ValueNode,
} from 'graphql';
import { readVariable } from '../documents/cost/usage.ts';
import { lightError } from '../errors/light-error.ts';
import { ExactNumber, toExactNumber } from '../json/exact-json.ts';
import { showValue } from '../json/show-value.ts';

/**
 * The scalars that the gateway and the ledger share by name. Stitching would merge two such scalars into one that accepts
 * anything, so the graph gets these instead. They are strict on input, like the ledger's, and leave output unchanged: an
 * unusual value of the ledger must not become null.
 */
export const sharedScalars: Readonly<Record<string, GraphQLScalarType>> = {
  UInt53: createScalar(
    'UInt53',
    // The ledger's range. The gateway's arguments with a smaller range check it themselves.
    isUnsigned64,
    'an unsigned integer, written as a JSON number',
  ),
  BigInt: createScalar(
    'BigInt',
    (value) => typeof value === 'string' && /^-?\d+$/.test(value),
    'a whole number, written as text',
  ),
  Base64: createScalar('Base64', (value) => typeof value === 'string', 'bytes, written as base64 text'),
  DateTime: createScalar('DateTime', (value) => typeof value === 'string', 'an instant, written as RFC 3339 text'),
  JSON: createScalar('JSON', () => true, 'any JSON value'),
};

/** The shared scalars, each described as in the first of these schemas that has it. */
export function describedScalars(...schemas: readonly GraphQLSchema[]): Record<string, GraphQLScalarType> {
  const described = Object.values(sharedScalars).map((scalar) => {
    const source = schemas.map((schema) => schema.getType(scalar.name)).find(isScalarType);
    const { description, specifiedByURL } = source ?? scalar;
    return [scalar.name, new GraphQLScalarType({ ...scalar.toConfig(), description, specifiedByURL })] as const;
  });
  return Object.fromEntries(described);
}

const maxUnsigned64 = 2n ** 64n - 1n;

/** Rejects doubles, which cannot distinguish 2^64-1 from 2^64; an exact number can be compared. */
function isUnsigned64(value: unknown): boolean {
  if (value instanceof ExactNumber) return /^\d{1,20}$/.test(value.text) && BigInt(value.text) <= maxUnsigned64;
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 64;
}

/** Makes the ledger's scalars keep all digits of numbers in a document. The ledger decides which values it accepts. */
export function keepDigits(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isScalarType(type) || isSpecifiedScalarType(type) || Object.hasOwn(sharedScalars, type.name)) continue;
    type.parseLiteral = (node, variables) => toJsonValue(node, variables ?? {});
  }
}

function createScalar(name: string, accepts: (value: unknown) => boolean, expected: string): GraphQLScalarType {
  const parse = (value: unknown, node?: ValueNode): unknown => {
    if (accepts(value)) return value;
    throw lightError(`${name} expects ${expected}; got ${describe(value)}.`, node ? { nodes: [node] } : {});
  };
  return new GraphQLScalarType({
    name,
    serialize: (value) => value,
    parseValue: (value) => parse(value),
    parseLiteral: (node, variables) => parse(toValue(name, node, variables ?? {}), node),
  });
}

/** Keeps the spelling of a number: `1.0` is not an integer, and the error quotes it. */
function toValue(name: string, node: ValueNode, variables: Record<string, unknown>): unknown {
  if (name === 'UInt53' && node.kind === Kind.FLOAT) return node.value;
  return toJsonValue(node, variables);
}

function toJsonValue(node: ValueNode, variables: Readonly<Record<string, unknown>>): unknown {
  switch (node.kind) {
    case Kind.NULL:
      return null;
    case Kind.INT:
    case Kind.FLOAT:
      return toExactNumber(node.value);
    case Kind.LIST:
      return node.values.map((each) => toJsonValue(each, variables));
    case Kind.OBJECT: {
      const members = node.fields.map(({ name, value }) => [name.value, toJsonValue(value, variables)] as const);
      return Object.assign(Object.create(null), Object.fromEntries(members));
    }
    case Kind.VARIABLE:
      return readVariable(variables, node.name.value);
    default:
      return node.value;
  }
}

function describe(value: unknown): string {
  // Truncate before escaping: the text may be a megabyte.
  if (typeof value === 'object' && value !== null) return showValue(value, 60);
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, 61) : value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
