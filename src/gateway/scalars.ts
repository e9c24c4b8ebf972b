import {
  GraphQLError,
  GraphQLScalarType,
  type GraphQLSchema,
  isScalarType,
  Kind,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';

import { showValue } from './show-value.ts';

/**
 * The scalars our own types share with the ledger by name. Stitching two scalars of one name leaves the outer schema with
 * one that accepts anything, so the outer schema gets these. They are strict on the way in, as the ledger is, and change
 * nothing on the way out: a value of the ledger that we would have written otherwise must not become a null.
 */
export const sharedScalars: Readonly<Record<string, GraphQLScalarType>> = {
  UInt53: createScalar(
    'UInt53',
    // The ledger lets through whatever fits 64 bits; our own arguments have their ranges checked besides.
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 64,
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

/** The shared scalars, each with the description it has in the first of these schemas that knows it. */
export function describedScalars(...schemas: readonly GraphQLSchema[]): Record<string, GraphQLScalarType> {
  const described = Object.values(sharedScalars).map((scalar) => {
    const source = schemas.map((schema) => schema.getType(scalar.name)).find(isScalarType);
    const { description, specifiedByURL } = source ?? scalar;
    return [scalar.name, new GraphQLScalarType({ ...scalar.toConfig(), description, specifiedByURL })] as const;
  });
  return Object.fromEntries(described);
}

function createScalar(name: string, accepts: (value: unknown) => boolean, expected: string): GraphQLScalarType {
  const parse = (value: unknown, node?: ValueNode): unknown => {
    if (accepts(value)) return value;
    throw new GraphQLError(`${name} expects ${expected}; got ${describe(value)}.`, node ? { nodes: node } : {});
  };
  return new GraphQLScalarType({
    name,
    serialize: (value) => value,
    parseValue: (value) => parse(value),
    parseLiteral: (node, variables) => parse(toValue(name, node, variables ?? {}), node),
  });
}

/** A number literal keeps its kind: `1.0` is no integer, and is refused as the text it was written in. */
function toValue(name: string, node: ValueNode, variables: Record<string, unknown>): unknown {
  if (name === 'UInt53' && node.kind === Kind.FLOAT) return node.value;
  return valueFromASTUntyped(node, variables);
}

function describe(value: unknown): string {
  // No more of it is written than is shown: it may be a megabyte.
  if (typeof value === 'object' && value !== null) return showValue(value, 60);
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, 61) : value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
