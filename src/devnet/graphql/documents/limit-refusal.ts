import { type ASTNode, GraphQLError } from 'graphql';

/**
 * Rejects a document that exceeds a limit or uses an unsupported feature. `node`: the position of the fault, if it has one.
 */
export function limitRefusal(message: string, node?: ASTNode): GraphQLError {
  return new GraphQLError(message, { nodes: node ?? null, extensions: { code: 'BAD_USER_INPUT' } });
}
