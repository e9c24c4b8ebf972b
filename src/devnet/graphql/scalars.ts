import type { GraphQLScalarType } from 'graphql';
import { valueFromASTUntyped } from 'graphql';

/**
 * Makes a scalar pass values through unread. Arguments are read by the fields that take them: a value that cannot be read
 * then fails its own field, with a path, as in the real service, and not the document.
 */
export function passThrough(scalar: GraphQLScalarType): void {
  scalar.serialize = (value) => value;
  scalar.parseValue = (value) => value;
  scalar.parseLiteral = (node, variables) => valueFromASTUntyped(node, variables);
}
