import { type DocumentNode, GraphQLError, Kind, type OperationDefinitionNode, valueFromASTUntyped } from 'graphql';
import { operationsOf } from '../documents/fragments.ts';

/** Finds the operation that a request asks for. */
export function selectOperation(
  document: DocumentNode,
  operationName: string | null,
): OperationDefinitionNode | GraphQLError {
  const operations = operationsOf(document);
  if (operationName !== null) {
    const named = operations.find((operation) => operation.name?.value === operationName);
    return named ?? new GraphQLError(`Unknown operation named "${operationName}"`);
  }
  const [only, ...others] = operations;
  return only !== undefined && others.length === 0 ? only : new GraphQLError('Operation name required in request.');
}

/** The variables of an operation: as sent, else their defaults, else null if they are nullable. */
export function withDefaults(
  operation: OperationDefinitionNode,
  sent: Readonly<Record<string, unknown>>,
): Record<string, unknown> | GraphQLError {
  // A variable may be called `__proto__`.
  const variables: Record<string, unknown> = Object.create(null);
  for (const { variable, type, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    if (Object.hasOwn(sent, name)) variables[name] = sent[name];
    else if (defaultValue) variables[name] = valueFromASTUntyped(defaultValue);
    else if (type.kind === Kind.NON_NULL_TYPE) return new GraphQLError(`Variable ${name} is not defined.`);
    else variables[name] = null;
  }
  return variables;
}
