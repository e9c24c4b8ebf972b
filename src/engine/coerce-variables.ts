import {
  type DocumentNode,
  GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  GraphQLNonNull,
  type GraphQLSchema,
  GraphQLString,
  isEnumType,
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
import { ExactNumber, hasExactNumber } from '../json/exact-number.ts';
import { showValue } from '../json/show-value.ts';

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
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Variables,
  { maxErrors = maxVariableErrors, texts = noTexts }: CoerceOptions = {},
): CoercedVariables {
  const errors: GraphQLError[] = [];
  const values: Record<string, unknown> = {};
  const tell = (definition: VariableDefinitionNode, message: string, cause?: unknown): void => {
    if (errors.length === maxErrors) {
      errors.push(lightError('Too many errors processing variables, error limit reached. Execution aborted.'));
      throw enough;
    }
    const text = message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message;
    const extensions = cause instanceof GraphQLError ? cause.extensions : null;
    errors.push(lightError(text, { nodes: [definition], extensions }));
  };
  try {
    for (const definition of variableDefinitions) {
      const type = variableType(schema, definition, texts);
      // Validation allows input types only.
      if (!type) throw new Error(`variable $${definition.variable.name.value} is not of an input type`);
      coerceVariable(definition, type, variables, values, tell);
    }
  } catch (error) {
    if (error !== enough) throw error;
  }
  return errors.length > 0 ? { errors } : { values };
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
      return { name: definition.variable.name.value, type, hasDefault: definition.defaultValue !== undefined };
    }),
  );
}

interface DeclaredVariable {
  readonly name: string;
  readonly type: GraphQLInputType | undefined;
  readonly hasDefault: boolean;
}

/** A function of its own, so that the result does not hold the tree: closures of one scope hold all that any of them uses. */
function toFits(declared: readonly DeclaredVariable[]): (variables: Variables) => boolean {
  return (variables) => {
    try {
      for (const { name, type, hasDefault } of declared) {
        if (!type) return false;
        if (Object.hasOwn(variables, name)) coerceInput(variables[name], type, throwMisfit);
        else if (!hasDefault && isNonNullType(type)) return false;
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

type Tell = (definition: VariableDefinitionNode, message: string, cause?: unknown) => void;

function coerceVariable(
  definition: VariableDefinitionNode,
  type: GraphQLInputType,
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
  const coerced = coerceInput(value, type, (path, wrong, message, cause) => {
    const at = path ? ` at "${name}${showPath(path)}"` : '';
    if (shown === null || shownValue !== wrong) {
      shownValue = wrong;
      shown = showValue(wrong, maxShown);
    }
    tell(definition, `Variable "$${name}" got invalid value ${shown}${at}; ${message}`, cause);
  });
  putVariable(values, name, coerced);
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

/** The path to a member of a value, linked from the member upwards. */
interface InputPath {
  readonly key: string | number;
  readonly above: InputPath | null;
}

/** Called for each mistake. May throw to stop the coercion. */
type OnMistake = (path: InputPath | null, value: unknown, message: string, cause?: unknown) => void;

/** Characters of a value that an error message repeats. */
const maxShown = 200;

/**
 * Coerces a value by the rules of GraphQL. Visits each member once, and suggests no names for unknown ones, which would take
 * longer than all the rest.
 * @returns anything if there was a mistake
 */
function coerceInput(
  value: unknown,
  type: GraphQLInputType,
  onMistake: OnMistake,
  path: InputPath | null = null,
): unknown {
  if (isNonNullType(type)) {
    if (value !== null && value !== undefined) return coerceInput(value, type.ofType, onMistake, path);
    return onMistake(path, value, `Expected non-nullable type "${type}" not to be null.`);
  }
  if (value === null || value === undefined) return null;
  if (isListType(type)) {
    const { ofType } = type;
    // A bare value is a list of one.
    if (!Array.isArray(value)) return [coerceInput(value, ofType, onMistake, path)];
    return value.map((item: unknown, key) => coerceInput(item, ofType, onMistake, { key, above: path }));
  }
  return isInputObjectType(type)
    ? coerceObject(value, type, onMistake, path)
    : coerceLeaf(value, type, onMistake, path);
}

function coerceObject(
  value: unknown,
  type: GraphQLInputObjectType,
  onMistake: OnMistake,
  path: InputPath | null,
): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof ExactNumber) {
    return onMistake(path, value, `Expected type "${type.name}" to be an object.`);
  }
  const sent = value as Readonly<Record<string, unknown>>;
  const fields = type.getFields();
  // A field may be called `__proto__`.
  const coerced: Record<string, unknown> = Object.create(null);
  for (const { name, type: fieldType, defaultValue } of Object.values(fields)) {
    const member = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (member !== undefined) coerced[name] = coerceInput(member, fieldType, onMistake, { key: name, above: path });
    else if (defaultValue !== undefined) coerced[name] = defaultValue;
    else if (isNonNullType(fieldType))
      onMistake(path, value, `Field "${name}" of required type "${fieldType}" was not provided.`);
  }
  for (const name in sent) {
    if (!Object.hasOwn(fields, name))
      onMistake(path, value, `Field "${showName(name)}" is not defined by type "${type.name}".`);
  }
  if (type.isOneOf) checkOneOf(coerced, type, value, onMistake, path);
  return { ...coerced };
}

function checkOneOf(
  coerced: Readonly<Record<string, unknown>>,
  type: GraphQLInputObjectType,
  value: unknown,
  onMistake: OnMistake,
  path: InputPath | null,
): void {
  const [key = '', ...others] = Object.keys(coerced);
  if (key === '' || others.length > 0) {
    onMistake(path, value, `Exactly one key must be specified for OneOf type "${type.name}".`);
  }
  if (coerced[key] === null) onMistake({ key, above: path }, null, `Field "${key}" must be non-null.`);
}

function coerceLeaf(sent: unknown, type: GraphQLLeafType, onMistake: OnMistake, path: InputPath | null): unknown {
  const isOwn = isScalarType(type) && !isSpecifiedScalarType(type);
  const value = sent instanceof ExactNumber && !isOwn ? toBuiltin(sent, type.name) : sent;
  // Built-in scalars and enums print the whole value into their message, which may be long.
  const isPlain = typeof value !== 'object' || typeof (value as { toJSON?: unknown }).toJSON === 'function';
  if (!isOwn && (!isPlain || (isEnumType(type) && typeof value === 'string' && value.length > maxShown))) {
    const shown = showValue(value, maxShown);
    return onMistake(path, value, `${isEnumType(type) ? 'Enum ' : ''}"${type.name}" cannot represent value: ${shown}`);
  }
  let parsed: unknown;
  try {
    parsed = parseLeaf(type, value);
  } catch (error) {
    const message = error instanceof Error ? error.message : `Expected type "${type.name}".`;
    // Show the number as it was sent, not the double next to it.
    return onMistake(path, sent, value === sent ? message : message.replace(String(value), String(sent)), error);
  }
  return parsed === undefined ? onMistake(path, sent, `Expected type "${type.name}".`) : parsed;
}

/** Errors of wrong values get no stack: nothing reads it, and it costs more than all else of the refusal. */
function parseLeaf(type: GraphQLLeafType, value: unknown): unknown {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return isEnumType(type) ? type.parseValue(value, true) : type.parseValue(value);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function showName(name: string): string {
  return name.length > maxShown ? `${name.slice(0, maxShown)}…` : name;
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

/** Converts an exact number for a built-in type. */
function toBuiltin(number: ExactNumber, typeName: string): string | number {
  return typeName === 'ID' && /^-?\d+$/.test(number.text) ? number.text : number.valueOf();
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
