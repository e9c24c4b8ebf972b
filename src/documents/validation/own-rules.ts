import {
  type ASTVisitor,
  GraphQLError,
  GraphQLNonNull,
  getNamedType,
  isInputObjectType,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  type ValidationContext,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  VariablesInAllowedPositionRule,
} from 'graphql';
import { findIdPlaces, type IdInputs, type IdPlaces, idVariables } from '../plan/id-variables.ts';

/**
 * Prefix of the gateway's own aliases, under which joins read their keys. GraphQL reserves names that begin with two
 * underscores, so clients have no reason to use it.
 */
export const reservedAliasPrefix = '__join';

/** Rejects aliases of clients that could replace the gateway's own. */
export const ReservedAliasRule: ValidationRule = (context) => ({
  Field(node) {
    if (!node.alias?.value.startsWith(reservedAliasPrefix)) return;
    const message = `The alias "${node.alias.value}" is reserved: choose one that does not begin with "${reservedAliasPrefix}".`;
    context.reportError(new GraphQLError(message, { nodes: node }));
  },
});

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

/** Names of a path that are shown; the line number tells the rest. */
const maxShownNames = 8;

/**
 * The specification's rule about literal values, with messages that also name the argument, or the variable whose default it
 * is. Names come from the schema: a name cut from the text would keep the whole text in memory.
 */
export function LiteralValuesRule(context: ValidationContext): ASTVisitor {
  let argument: string | null = null;
  let variable: string | null = null;
  const below: string[] = [];

  const reportError = (error: GraphQLError): void => {
    const { message, nodes = null, originalError = null, extensions } = error;
    const path = argument === null ? null : [argument, ...below].slice(0, maxShownNames).join('.');
    const about = path === null ? `Variable "$${variable}"` : `Argument "${path}"`;
    const facts = path === null ? extensions : { ...extensions, argument: path };
    context.reportError(new GraphQLError(`${about}: ${message}`, { nodes, originalError, extensions: facts }));
  };
  const { ObjectField: checkField, ...checks } = ValuesOfCorrectTypeRule(
    Object.create(context, { reportError: { value: reportError } }),
  ) as ASTVisitor & { readonly ObjectField: (...visited: unknown[]) => unknown };

  return {
    ...checks,
    VariableDefinition(node) {
      variable = node.variable.name.value;
    },
    Argument: {
      enter() {
        argument = context.getArgument()?.name ?? null;
      },
      leave() {
        argument = null;
      },
    },
    ObjectField: {
      enter(node, ...more) {
        // An unknown field is reported on the whole object, by its name.
        checkField(node, ...more);
        const type = getNamedType(context.getParentInputType());
        below.push((isInputObjectType(type) && type.getFields()[node.name.value]?.name) || '?');
      },
      leave() {
        below.pop();
      },
    },
  };
}

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
