import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema, getOperationAST } from 'graphql';
import type { OperationContext } from '../upstream/operation-context.ts';
import { restoreThen, withoutThen } from './then-alias.ts';
import { toExecutable } from './to-executable.ts';

/**
 * Executes an operation on the stitched schema. Rejects as `execute` of graphql-js does.
 * @param rootValue what the resolvers at the root are given, such as an item of a stream
 */
export type ExecuteStitched = (
  variables: Readonly<Record<string, unknown>>,
  context: OperationContext,
  rootValue?: unknown,
) => ExecutionResult | Promise<ExecutionResult>;

/** The most general plan, whose answer every other plan must give. What depends on the document alone is done once. */
export function createExecuteStitched(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null,
): ExecuteStitched {
  const operation = getOperationAST(document, operationName);
  const renamed = withoutThen(document);
  const asked = renamed ?? document;
  const executed = getOperationAST(asked, operationName);
  return (variables, contextValue, rootValue) => {
    const variableValues = operation ? toExecutable(schema, operation, variables) : variables;
    const result = execute({ schema, document: asked, operationName, variableValues, contextValue, rootValue });
    if (!renamed || !executed) return result;
    const toShown = (each: ExecutionResult) => restoreThen(each, renamed, executed);
    return result instanceof Promise ? result.then(toShown) : toShown(result);
  };
}
