import { GraphQLError } from 'graphql';
import { gatewayError } from '../../../errors/gateway-error.ts';

/** A value no scalar or cursor can be read from. The real service gives such refusals no code. */
export function parseFailure(typeName: string, reason: string): GraphQLError {
  return new GraphQLError(`Failed to parse "${typeName}": ${reason}`);
}

/** A value of another JSON kind than the scalar takes. */
export function kindFailure(typeName: string, value: unknown): GraphQLError {
  return new GraphQLError(`Expected input type "${typeName}", found ${JSON.stringify(value) ?? 'null'}.`);
}

/** An argument that reads well and still cannot be served. */
export function inputRefusal(message: string): GraphQLError {
  return gatewayError('BAD_USER_INPUT', message);
}

/** The service could not do what it should have. */
export function serviceFault(reason: string): GraphQLError {
  return gatewayError('INTERNAL_SERVER_ERROR', `Internal error occurred while processing request: ${reason}`);
}

/** Runs a parse of one member of an input object, naming the object in what it throws. */
export function withinInput<Value>(inputName: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof GraphQLError) || error.extensions.code !== undefined) throw error;
    throw new GraphQLError(`${error.message} (occurred while parsing "${inputName}")`);
  }
}
