import { GraphQLError, type GraphQLSchema, getVariableValues, type OperationDefinitionNode } from 'graphql';

/**
 * As many errors as are told of variables. Each shows the value that is wrong, and whoever sends a large one with a
 * thousand mistakes would have it written out a thousand times.
 */
export const maxVariableErrors = 5;
/** Longer messages are cut, in characters. */
const maxMessageLength = 500;

/** Values of an operation's variables as the graph's own types have them, or what is wrong with those that were sent. */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  maxErrors = maxVariableErrors,
):
  | { readonly errors: readonly GraphQLError[] }
  | { readonly errors?: never; readonly values: Record<string, unknown> } {
  const { errors, coerced } = getVariableValues(schema, variableDefinitions, variables, { maxErrors });
  return errors ? { errors: errors.map(shorten) } : { values: coerced };
}

function shorten(error: GraphQLError): GraphQLError {
  const { message, nodes = null, source = null, positions = null, path = null, extensions } = error;
  if (message.length <= maxMessageLength) return error;
  const text = `${message.slice(0, maxMessageLength)}…`;
  return new GraphQLError(text, { nodes, source, positions, path, extensions });
}
