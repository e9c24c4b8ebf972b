import type { ASTNode, GraphQLError } from 'graphql';
import { gatewayError } from '../../../errors/gateway-error.ts';

/**
 * Refuses a document that is over a bound or uses what is not offered. `node`: where the fault is, if it has one
 * place.
 */
export function limitRefusal(message: string, node?: ASTNode): GraphQLError {
  return gatewayError('BAD_USER_INPUT', message, {}, node ? { nodes: node } : {});
}
