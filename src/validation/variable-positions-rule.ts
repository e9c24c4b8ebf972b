import {
  GraphQLNonNull,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  type ValidationContext,
  type ValidationRule,
  VariablesInAllowedPositionRule,
} from 'graphql';
import { findIdPlaces, type IdInputs, type IdPlaces, idVariables } from '../planning/id-variables.ts';

/**
 * The specification's rule that a variable has the type of the place it stands in; but a place for an id of the ledger is
 * taken to have the ledger's own type where the variable is declared with it.
 */
export function createVariablePositionsRule(idInputs: IdInputs): ValidationRule {
  return (context) => {
    const schema = context.getSchema();
    // Once for the document: many operations may use one large fragment.
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
