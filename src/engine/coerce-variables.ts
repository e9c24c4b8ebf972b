import {
  type DocumentNode,
  GraphQLError,
  type GraphQLInputType,
  GraphQLNonNull,
  type GraphQLSchema,
  GraphQLString,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  type OperationDefinitionNode,
  print,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import { putVariable } from '../documents/plan-operation.ts';
import { lightError } from '../errors/light-error.ts';
import { ExactNumber, hasExactNumber } from '../json/exact-json.ts';
import { showValue } from '../json/show-value.ts';
import { type Coerce, coercionOf, type InputPath, maxShown, type OnMistake, toBuiltin } from './coerce-input.ts';

/**
 * Errors of variables that are reported. Each shows the wrong value, so a large value with many mistakes would be written many
 * times.
 */
export const maxVariableErrors = 5;
/** Maximum characters of a message; longer messages are cut. */
const maxMessageLength = 500;

type Variables = Readonly<Record<string, unknown>>;

export type CoercedVariables =
  | { readonly errors: readonly GraphQLError[] }
  | { readonly errors?: never; readonly values: Record<string, unknown> };

const enough = new Error('enough mistakes');

/** Coerces the variables of one operation, or reports their mistakes. */
export type CoerceVariables = (variables: Variables) => CoercedVariables;

/**
 * Coerces variables and reports mistakes with the messages of graphql-js, but without its suggestions ("Did you mean …"). Takes
 * time linear in the size of the variables.
 * @param read reads the operation again, to report a mistake: the result does not keep the syntax tree
 * @param texts variables declared with a scalar of the ledger and used as a String
 */
export function createCoerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  read: () => OperationDefinitionNode,
  texts: ReadonlySet<string> = noTexts,
): CoerceVariables {
  const declared = variableDefinitions.map((definition): DeclaredVariable => {
    const type = sharedType(schema, definition, texts);
    const { defaultValue } = definition;
    return {
      name: definition.variable.name.value,
      coerce: coercionOf(type),
      isRequired: isNonNullType(type),
      defaultValue: defaultValue && valueFromAST(defaultValue, type),
    };
  });
  return toCoerceVariables(declared, () => read().variableDefinitions ?? []);
}

interface DeclaredVariable {
  readonly name: string;
  readonly coerce: Coerce;
  readonly isRequired: boolean;
  /** Default of the variable; `undefined` if it has none. */
  readonly defaultValue: unknown;
}

/** A function of its own, so that the result does not hold the tree: closures of one scope hold all that any of them uses. */
function toCoerceVariables(
  declared: readonly DeclaredVariable[],
  readDefinitions: () => readonly VariableDefinitionNode[],
): CoerceVariables {
  return (variables) => {
    const values: Record<string, unknown> = {};
    let errors: GraphQLError[] | undefined;
    let index = 0;
    const addMistake = (toMessage: (definition: VariableDefinitionNode) => string, cause?: unknown): void => {
      errors ??= [];
      if (errors.length === maxVariableErrors) {
        errors.push(lightError('Too many errors processing variables, error limit reached. Execution aborted.'));
        throw enough;
      }
      const definition = readDefinitions()[index] as VariableDefinitionNode;
      const message = toMessage(definition);
      const text = message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message;
      const extensions = cause instanceof GraphQLError ? cause.extensions : null;
      errors.push(lightError(text, { nodes: [definition], extensions }));
    };
    // Mistakes of one object follow one another: print the object once for all of them.
    let shownValue: unknown;
    let shown: string | null = null;
    const report: OnMistake = (path, wrong, message, cause) => {
      if (shown === null || shownValue !== wrong) {
        shownValue = wrong;
        shown = showValue(wrong, maxShown);
      }
      addMistake(({ variable }) => {
        const at = path ? ` at "${variable.name.value}${showPath(path)}"` : '';
        return `Variable "$${variable.name.value}" got invalid value ${shown}${at}; ${message}`;
      }, cause);
    };
    try {
      for (; index < declared.length; index += 1) {
        const { name, coerce, isRequired, defaultValue } = declared[index] as DeclaredVariable;
        if (Object.hasOwn(variables, name)) {
          if (isRequired && variables[name] === null)
            addMistake(({ type }) => `Variable "$${name}" of non-null type "${print(type)}" must not be null.`);
          else putVariable(values, name, coerce(variables[name], report, null));
        } else if (defaultValue !== undefined) putVariable(values, name, defaultValue);
        else if (isRequired)
          addMistake(({ type }) => `Variable "$${name}" of required type "${print(type)}" was not provided.`);
      }
    } catch (error) {
      if (error !== enough) throw error;
    }
    return errors ? { errors } : { values };
  };
}

/** Types of declared variables by their text, such as `[ID!]`: shared by the many documents of one schema. */
const sharedTypes = new WeakMap<GraphQLSchema, Map<string, GraphQLInputType>>();

function sharedType(schema: GraphQLSchema, definition: VariableDefinitionNode, texts: ReadonlySet<string>) {
  const types = sharedTypes.get(schema) ?? new Map<string, GraphQLInputType>();
  sharedTypes.set(schema, types);
  const type = variableType(schema, definition, texts);
  const shared = types.get(String(type)) ?? type;
  types.set(String(type), shared);
  return shared;
}

function showPath(path: InputPath): string {
  const text = typeof path.key === 'number' ? `[${path.key}]` : `.${path.key}`;
  return path.above ? `${showPath(path.above)}${text}` : text;
}

/** For documents without variables that are declared with a scalar of the ledger and used as a String. */
export const noTexts: ReadonlySet<string> = new Set();

const requiredText = new GraphQLNonNull(GraphQLString);

/**
 * The type of a variable's value: the declared one, or String where our schema takes an id.
 * @param texts variables declared with a scalar of the ledger and used as a String
 * @throws if the schema has no such input type, which validation rejects
 */
function variableType(
  schema: GraphQLSchema,
  { variable, type: node }: VariableDefinitionNode,
  texts: ReadonlySet<string>,
): GraphQLInputType {
  if (texts.has(variable.name.value)) return node.kind === Kind.NON_NULL_TYPE ? requiredText : GraphQLString;
  const type = typeFromAST(schema, node);
  if (isInputType(type)) return type;
  throw new Error(`variable $${variable.name.value} is not of an input type`);
}

/** Declares these variables as String, for a schema without the ledger's scalars. */
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

/**
 * Variables in the form that `execute` of graphql-js can coerce: exact numbers stay where a scalar of the graph takes them, and
 * are converted for built-in types.
 */
export function toExecutable(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Variables,
): Variables {
  if (!hasExactNumber(variables)) return variables;
  const executable: Record<string, unknown> = { ...variables };
  for (const { variable, type: node } of variableDefinitions) {
    const name = variable.name.value;
    const type = typeFromAST(schema, node);
    if (Object.hasOwn(variables, name) && isInputType(type)) executable[name] = convert(type, variables[name]);
  }
  return executable;
}

function convert(type: GraphQLInputType, value: unknown): unknown {
  if (isNonNullType(type)) return convert(type.ofType, value);
  if (isListType(type)) {
    return Array.isArray(value) ? value.map((each) => convert(type.ofType, each)) : convert(type.ofType, value);
  }
  if (isScalarType(type) && !isSpecifiedScalarType(type)) return value;
  if (value instanceof ExactNumber) return toBuiltin(value, type.name);
  if (!isInputObjectType(type) || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = type.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      return [name, field ? convert(field.type, each) : each];
    }),
  );
}
