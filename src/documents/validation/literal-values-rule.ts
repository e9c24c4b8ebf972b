import {
  type ASTVisitor,
  GraphQLError,
  getNamedType,
  isInputObjectType,
  type ValidationContext,
  ValuesOfCorrectTypeRule,
} from 'graphql';

/** A path is shown up to here; whoever nests values deeper finds the place by its line. */
const maxShownNames = 8;

/**
 * The specification's rule about literal values, whose errors also name the argument, or the variable whose default it is:
 * "Int cannot represent …" alone leaves a client to count columns. Names are those of the schema, which is kept anyway: one
 * cut from the text would keep the whole text in memory.
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
        // A field that its type does not have is told of the whole object, by its name.
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
