import { GraphQLError, type ValidationRule } from 'graphql';

/** The specification's rule against unused variables, with the ledger's message. */
export const UnusedVariablesRule: ValidationRule = (context) => ({
  OperationDefinition: {
    leave(operation) {
      const used = new Set(context.getRecursiveVariableUsages(operation).map(({ node }) => node.name.value));
      const by = operation.name ? ` by operation "${operation.name.value}"` : '';
      for (const definition of operation.variableDefinitions ?? []) {
        const name = definition.variable.name.value;
        if (used.has(name)) continue;
        context.reportError(new GraphQLError(`Variable "$${name}" is not used${by}`, { nodes: definition }));
      }
    },
  },
});
