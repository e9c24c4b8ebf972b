import {
  GraphQLNonNull,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  type ValidationContext,
  type ValidationRule,
  VariablesInAllowedPositionRule,
} from 'graphql';
import { findIdPlaces, type IdInputs, type IdPlaces, idVariables } from '../plan/id-variables.ts';

/**
 * The specification's rule that a variable must have the type of the place where it is used, with one exception: where our
 * schema takes an id of the ledger as a String, the variable may be declared with the ledger's own scalar.
 */
export function createVariablePositionsRule(idInputs: IdInputs): ValidationRule {
  return (context) => {
    const schema = context.getSchema();
    // Found once for the document, because many operations may use one large fragment.
    let places: IdPlaces | null = null;

    const getRecursiveVariableUsages = (operation: OperationDefinitionNode) => {
      const usages = context.getRecursiveVariableUsages(operation);
      const declared = idVariables(operation, idInputs);
      if (declared.size === 0) return usages;
      places ??= findIdPlaces(context.getDocument().definitions, schema, idInputs);
      const found = places;
      return usages.map((usage) => {
        const scalar = declared.get(usage.node.name.value);
        const type = scalar !== undefined && found.get(usage.node)?.has(scalar) ? schema.getType(scalar) : undefined;
        if (!isInputType(type)) return usage;
        return { ...usage, type: isNonNullType(usage.type) ? new GraphQLNonNull(type) : type };
      });
    };
    return VariablesInAllowedPositionRule(
      Object.create(context, {
        getRecursiveVariableUsages: { value: getRecursiveVariableUsages },
      }) as ValidationContext,
    );
  };
}
