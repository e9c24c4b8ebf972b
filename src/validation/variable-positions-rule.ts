import {
  type FragmentDefinitionNode,
  GraphQLNonNull,
  isInputType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  type ValidationContext,
  type ValidationRule,
  VariablesInAllowedPositionRule,
} from 'graphql';
import { findIdUses, type IdInputs } from '../planning/id-variables.ts';

/**
 * The specification's rule that a variable has the type of the place it stands in; but a place for an id of the ledger is
 * taken to have the ledger's own type where the variable is declared with it.
 */
export function createVariablePositionsRule(idInputs: IdInputs): ValidationRule {
  return (context) => {
    const fragments = new Map<string, FragmentDefinitionNode>();
    for (const each of context.getDocument().definitions)
      if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);

    const getRecursiveVariableUsages = (operation: OperationDefinitionNode) => {
      const usages = context.getRecursiveVariableUsages(operation);
      const uses = findIdUses(operation, fragments, context.getSchema(), idInputs);
      if (uses.size === 0) return usages;
      return usages.map((usage) => {
        const declared = uses.has(usage.node) ? declaredType(operation, usage.node.name.value, context) : null;
        return declared
          ? { ...usage, type: isNonNullType(usage.type) ? new GraphQLNonNull(declared) : declared }
          : usage;
      });
    };
    return VariablesInAllowedPositionRule(
      Object.create(context, {
        getRecursiveVariableUsages: { value: getRecursiveVariableUsages },
      }) as ValidationContext,
    );
  };
}

/** The scalar that a variable is declared with, whether it may be null or not. */
function declaredType({ variableDefinitions = [] }: OperationDefinitionNode, name: string, context: ValidationContext) {
  const node = variableDefinitions.find(({ variable }) => variable.name.value === name)?.type;
  const named = node?.kind === Kind.NON_NULL_TYPE ? node.type : node;
  const type = named?.kind === Kind.NAMED_TYPE ? context.getSchema().getType(named.name.value) : undefined;
  return isInputType(type) ? type : null;
}
