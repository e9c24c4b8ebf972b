import { GraphQLError, type ValidationRule } from 'graphql';

/** What the specification says of variables that are not used, in the ledger's words. */
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
