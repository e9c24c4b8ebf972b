import { type DocumentNode, type GraphQLError, getOperationAST, type OperationDefinitionNode } from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';

/** Longest name that is repeated, in characters. */
const maxShown = 100;

/** The operation that a request means, or why there is none, as the ledger says it. */
export function findOperation(
  document: DocumentNode,
  operationName: string | null | undefined,
): OperationDefinitionNode | GraphQLError {
  const operation = getOperationAST(document, operationName);
  if (operation) return operation;
  if (operationName === null || operationName === undefined) {
    return gatewayError('GRAPHQL_VALIDATION_FAILED', 'Operation name required in request.');
  }
  const shown = operationName.length > maxShown ? `${operationName.slice(0, maxShown)}…` : operationName;
  return gatewayError('GRAPHQL_VALIDATION_FAILED', `Unknown operation named "${shown}"`);
}
