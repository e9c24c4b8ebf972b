import type { ASTNode, GraphQLError } from 'graphql';
import { gatewayError } from '../../../errors/gateway-error.ts';

/** A document that is over a bound, or uses what is not offered; located at a node where there is one to blame. */
export function limitRefusal(message: string, node?: ASTNode): GraphQLError {
  return gatewayError('BAD_USER_INPUT', message, {}, node ? { nodes: node } : {});
}
