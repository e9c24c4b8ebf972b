import { GraphQLError } from 'graphql';

/** Refuses a value that cannot be read as a scalar or a cursor. The real service gives such refusals no code. */
export function parseFailure(typeName: string, reason: string): GraphQLError {
  return new GraphQLError(`Failed to parse "${typeName}": ${reason}`);
}

/** Refuses a value of another JSON kind than the scalar takes. */
export function kindFailure(typeName: string, value: unknown): GraphQLError {
  return new GraphQLError(`Expected input type "${typeName}", found ${JSON.stringify(value) ?? 'null'}.`);
}

/** Rejects an argument that is valid but cannot be served. */
export function inputRefusal(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}

/** Reports that the service itself failed. */
export function serviceFault(reason: string): GraphQLError {
  const message = `Internal error occurred while processing request: ${reason}`;
  return new GraphQLError(message, { extensions: { code: 'INTERNAL_SERVER_ERROR' } });
}

/** Parses one member of an input object, and names the object in whatever it throws. */
export function withinInput<Value>(inputName: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof GraphQLError) || error.extensions.code !== undefined) throw error;
    throw new GraphQLError(`${error.message} (occurred while parsing "${inputName}")`);
  }
}
