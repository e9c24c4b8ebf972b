import {
  type ArgumentNode,
  type ASTVisitor,
  GraphQLError,
  type GraphQLInputType,
  Kind,
  type ValidationContext,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { valueFault } from './value-fault.ts';

/** An argument whose value is known only with the request's variables. */
export interface ArgumentUse {
  readonly node: ArgumentNode;
  /** Names of the variables in it. */
  readonly variables: readonly string[];
  readonly type: GraphQLInputType;
}

/** A validation rule: refuses literal values that do not fit, and collects the arguments that variables decide. */
export function createValuesRule(uses: ArgumentUse[]) {
  return function ValuesRule(context: ValidationContext): ASTVisitor {
    return {
      Argument(node) {
        const definition = context.getArgument();
        if (!definition) return;
        const variables = variablesIn(node.value);
        if (variables.length > 0) uses.push({ node, variables, type: definition.type });
        else report(context, node, definition.type);
      },
    };
  };
}

/**
 * Rejects values that do not fit, for an argument that variables decide.
 * @param variables of the operation that runs, defaults included; arguments of other operations are not checked
 */
export function checkArgumentUse(
  use: ArgumentUse,
  variables: Readonly<Record<string, unknown>>,
): GraphQLError | undefined {
  if (!use.variables.every((name) => Object.hasOwn(variables, name))) return undefined;
  const value = valueFromASTUntyped(use.node.value, variables);
  const fault = valueFault(use.type, value, use.node.name.value);
  return fault === undefined ? undefined : invalidValue(fault, use.node);
}

function report(context: ValidationContext, node: ArgumentNode, type: GraphQLInputType): void {
  const fault = valueFault(type, valueFromASTUntyped(node.value), node.name.value);
  if (fault !== undefined) context.reportError(invalidValue(fault, node));
}

function invalidValue(fault: string, node: ArgumentNode): GraphQLError {
  return new GraphQLError(`Invalid value for argument ${fault}`, { nodes: node });
}

function variablesIn(value: ValueNode): readonly string[] {
  if (value.kind === Kind.VARIABLE) return [value.name.value];
  if (value.kind === Kind.LIST) return value.values.flatMap(variablesIn);
  return value.kind === Kind.OBJECT ? value.fields.flatMap((field) => variablesIn(field.value)) : [];
}
