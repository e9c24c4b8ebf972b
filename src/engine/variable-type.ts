import {
  type DocumentNode,
  type GraphQLInputType,
  GraphQLNonNull,
  type GraphQLSchema,
  GraphQLString,
  isInputType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';

/** For documents in which no variable is used as a text in place of its declared type. */
export const noTexts: ReadonlySet<string> = new Set();

const requiredText = new GraphQLNonNull(GraphQLString);

/**
 * The type that a variable's value must have: the declared one, but String if our own schema takes the variable as an id.
 * @param texts names of the variables that are declared with a scalar of the ledger, and used where we take a String
 * @returns `undefined` if the schema has no such input type
 */
export function variableType(
  schema: GraphQLSchema,
  { variable, type: node }: VariableDefinitionNode,
  texts: ReadonlySet<string>,
): GraphQLInputType | undefined {
  if (texts.has(variable.name.value)) return node.kind === Kind.NON_NULL_TYPE ? requiredText : GraphQLString;
  const type = typeFromAST(schema, node);
  return isInputType(type) ? type : undefined;
}

/** Declares these variables as String, for a schema that does not know the ledger's scalars. */
export function declareTexts(document: DocumentNode, texts: ReadonlySet<string>): DocumentNode {
  if (texts.size === 0) return document;
  const named = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: GraphQLString.name } } as const;
  const declare = (definition: VariableDefinitionNode): VariableDefinitionNode => {
    if (!texts.has(definition.variable.name.value)) return definition;
    const { type } = definition;
    return { ...definition, type: type.kind === Kind.NON_NULL_TYPE ? { ...type, type: named } : named };
  };
  const definitions = document.definitions.map((each) =>
    each.kind === Kind.OPERATION_DEFINITION
      ? ({ ...each, variableDefinitions: each.variableDefinitions?.map(declare) } as OperationDefinitionNode)
      : each,
  );
  return { ...document, definitions };
}
