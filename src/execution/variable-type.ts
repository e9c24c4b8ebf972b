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

/** Every variable is what it is declared as. */
export const noTexts: ReadonlySet<string> = new Set();

const requiredText = new GraphQLNonNull(GraphQLString);

/**
 * The type that a value of the variable has to have: its declared one; a text where the variable stands for an id of
 * ours, whatever the scalar of the ledger takes.
 * @param texts variables that are declared with a scalar of the ledger in place of a text
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

/** The document for a schema that does not know the ledger's scalars: with these variables declared as texts. */
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
