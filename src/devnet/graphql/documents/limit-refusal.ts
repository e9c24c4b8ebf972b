import { type ASTNode, GraphQLError } from 'graphql';

/**
 * Refuses a document that is over a bound or uses what is not offered. `node`: where the fault is, if it has one
 * place.
 */
export function limitRefusal(message: string, node?: ASTNode): GraphQLError {
  return new GraphQLError(message, { nodes: node ?? null, extensions: { code: 'BAD_USER_INPUT' } });
}
