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
/** In characters; longer messages are cut. */
const maxMessageLength = 500;

type Variables = Readonly<Record<string, unknown>>;

export interface CoerceOptions {
  readonly maxErrors?: number | undefined;
  /** Variables declared with a scalar of the ledger and used as a String. */
  readonly texts?: ReadonlySet<string>;
}

export type CoercedVariables =
  | { readonly errors: readonly GraphQLError[] }
  | { readonly errors?: never; readonly values: Record<string, unknown> };

const enough = new Error('enough mistakes');

/**
 * Coerces the variables that were sent, or reports what is wrong with them in the words of graphql-js, without its suggestions.
 * Takes time linear in what was sent.
 */
export function coerceVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Variables,
  { maxErrors, texts }: CoerceOptions = {},
): CoercedVariables {
  return createCoerceVariables(schema, operation, texts)(variables, maxErrors);
}

/** The same for an operation that runs several times. */
export function createCoerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  texts: ReadonlySet<string> = noTexts,
): (variables: Variables, maxErrors?: number) => CoercedVariables {
  const declared = variableDefinitions.map((definition) => {
    const type = variableType(schema, definition, texts);
    // Validation allows input types only.
    if (!type) throw new Error(`variable $${definition.variable.name.value} is not of an input type`);
    return { definition, type, coerce: coercionOf(type) };
  });
  return (variables, maxErrors = maxVariableErrors) => {
    const errors: GraphQLError[] = [];
    const values: Record<string, unknown> = {};
    const tell: Tell = (definition, message, cause) => {
      if (errors.length === maxErrors) {
        errors.push(lightError('Too many errors processing variables, error limit reached. Execution aborted.'));
        throw enough;
      }
      const text = message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message;
      const extensions = cause instanceof GraphQLError ? cause.extensions : null;
      errors.push(lightError(text, { nodes: [definition], extensions }));
    };
    try {
      for (const each of declared) coerceVariable(each, variables, values, tell);
    } catch (error) {
      if (error !== enough) throw error;
    }
    return errors.length > 0 ? { errors } : { values };
  };
}

/** Thrown at the first mistake, where nobody reports it. */
const misfit = new Error('a variable does not fit');

/**
 * Returns a function that tells whether a request's variables fit, as `coerceVariables` would. It holds no syntax tree and
 * reports nothing, so it costs little.
 */
export function createFitsVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  texts: ReadonlySet<string> = noTexts,
): (variables: Variables) => boolean {
  return toFits(
    variableDefinitions.map((definition) => {
      const type = sharedType(schema, definition, texts);
      return {
        name: definition.variable.name.value,
        coerce: type ? coercionOf(type) : null,
        isRequired: isNonNullType(type) && definition.defaultValue === undefined,
      };
    }),
  );
}

interface DeclaredVariable {
  readonly name: string;
  /** `null` if the schema has no such input type. */
  readonly coerce: Coerce | null;
  readonly isRequired: boolean;
}

/** A function of its own, so that the result does not hold the tree: closures of one scope hold all that any of them uses. */
function toFits(declared: readonly DeclaredVariable[]): (variables: Variables) => boolean {
  return (variables) => {
    try {
      for (const { name, coerce, isRequired } of declared) {
        if (!coerce) return false;
        if (Object.hasOwn(variables, name)) coerce(variables[name], throwMisfit, null);
        else if (isRequired) return false;
      }
      return true;
    } catch (error) {
      if (error === misfit) return false;
      throw error;
    }
  };
}

function throwMisfit(): never {
  throw misfit;
}

/** Types of declared variables by their text, such as `[ID!]`: shared by the many documents of one schema. */
const sharedTypes = new WeakMap<GraphQLSchema, Map<string, GraphQLInputType>>();

function sharedType(schema: GraphQLSchema, definition: VariableDefinitionNode, texts: ReadonlySet<string>) {
  const types = sharedTypes.get(schema) ?? new Map<string, GraphQLInputType>();
  sharedTypes.set(schema, types);
  const type = variableType(schema, definition, texts);
  if (!type) return undefined;
  const shared = types.get(String(type)) ?? type;
  types.set(String(type), shared);
  return shared;
}

interface KnownVariable {
  readonly definition: VariableDefinitionNode;
  readonly type: GraphQLInputType;
  readonly coerce: Coerce;
}

type Tell = (definition: VariableDefinitionNode, message: string, cause?: unknown) => void;

function coerceVariable(
  { definition, type, coerce }: KnownVariable,
  sent: Variables,
  values: Record<string, unknown>,
  tell: Tell,
): void {
  const name = definition.variable.name.value;
  if (!Object.hasOwn(sent, name)) {
    if (definition.defaultValue) putVariable(values, name, valueFromAST(definition.defaultValue, type));
    else if (isNonNullType(type))
      tell(definition, `Variable "$${name}" of required type "${print(definition.type)}" was not provided.`);
    return;
  }
  const value = sent[name];
  if (value === null && isNonNullType(type)) {
    tell(definition, `Variable "$${name}" of non-null type "${print(definition.type)}" must not be null.`);
    return;
  }
  // Mistakes of one object follow one another: print the object once for all of them.
  let shownValue: unknown;
  let shown: string | null = null;
  const report: OnMistake = (path, wrong, message, cause) => {
    const at = path ? ` at "${name}${showPath(path)}"` : '';
    if (shown === null || shownValue !== wrong) {
      shownValue = wrong;
      shown = showValue(wrong, maxShown);
    }
    tell(definition, `Variable "$${name}" got invalid value ${shown}${at}; ${message}`, cause);
  };
  putVariable(values, name, coerce(value, report, null));
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
 * @returns `undefined` if the schema has no such input type
 */
function variableType(
  schema: GraphQLSchema,
  { variable, type: node }: VariableDefinitionNode,
  texts: ReadonlySet<string>,
): GraphQLInputType | undefined {
  if (texts.has(variable.name.value)) return node.kind === Kind.NON_NULL_TYPE ? requiredText : GraphQLString;
  const type = typeFromAST(schema, node);
  return isInputType(type) ? type : undefined;
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
