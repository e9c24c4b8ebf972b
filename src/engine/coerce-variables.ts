import {
  GraphQLError,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLList,
  GraphQLNonNull,
  type GraphQLSchema,
  GraphQLString,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isSpecifiedScalarType,
  Kind,
  type OperationDefinitionNode,
  print,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import { putVariable } from '../documents/cost/usage.ts';
import { lightError } from '../errors/light-error.ts';
import { ExactNumber } from '../json/exact-json.ts';
import { showValue } from '../json/show-value.ts';

/**
 * Errors of variables that are reported. Each shows the wrong value, so a large value with many mistakes would be written many
 * times.
 */
export const maxVariableErrors = 5;
const maxMessageLength = 500;

type Variables = Readonly<Record<string, unknown>>;

export type CoercedVariables =
  | { readonly errors: readonly GraphQLError[]; readonly values?: never }
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
      const extensions = cause instanceof GraphQLError ? cause.extensions : null;
      errors.push(lightError(shorten(toMessage(definition), maxMessageLength), { nodes: [definition], extensions }));
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

/** The path to a member of a value, linked from the member upwards. */
interface InputPath {
  readonly key: string | number;
  readonly above: InputPath | null;
}

/** Called for each mistake in a value. May throw to stop the coercion. */
type OnMistake = (path: InputPath | null, value: unknown, message: string, cause?: unknown) => void;

/** Characters of a value that an error message repeats. */
const maxShown = 200;

/**
 * Coerces a value by the rules of GraphQL. Visits each member once, and suggests no names for unknown ones, which would take
 * longer than all the rest.
 * @returns anything if there was a mistake
 */
type Coerce = (value: unknown, onMistake: OnMistake, path: InputPath | null) => unknown;

const coercions = new WeakMap<GraphQLInputType, Coerce>();

/** Compiles a type once: reading it for each value would take as long as all other work of a small request. */
function coercionOf(type: GraphQLInputType): Coerce {
  const known = coercions.get(type);
  if (known) return known;
  const made = isNonNullType(type)
    ? toRequiredCoercion(type, type.ofType)
    : isListType(type)
      ? toListCoercion(type)
      : isInputObjectType(type)
        ? toObjectCoercion(type)
        : toLeafCoercion(type);
  coercions.set(type, made);
  return made;
}

function toRequiredCoercion(type: GraphQLInputType, ofType: GraphQLInputType): Coerce {
  const coerce = coercionOf(ofType);
  return (value, onMistake, path) => {
    if (value !== null && value !== undefined) return coerce(value, onMistake, path);
    return onMistake(path, value, `Expected non-nullable type "${type}" not to be null.`);
  };
}

function toListCoercion(type: GraphQLList<GraphQLInputType>): Coerce {
  const coerce = coercionOf(type.ofType);
  return (value, onMistake, path) => {
    if (value === null || value === undefined) return null;
    // A bare value is a list of one.
    if (!Array.isArray(value)) return [coerce(value, onMistake, path)];
    return value.map((item: unknown, key) => coerce(item, onMistake, { key, above: path }));
  };
}

function toObjectCoercion(type: GraphQLInputObjectType): Coerce {
  // A type may contain itself, so compile its fields when the first value comes.
  let members: readonly (readonly [GraphQLInputField, Coerce])[] | null = null;
  return (value, onMistake, path) => {
    if (value === null || value === undefined) return null;
    if (typeof value !== 'object' || Array.isArray(value) || value instanceof ExactNumber) {
      return onMistake(path, value, `Expected type "${type.name}" to be an object.`);
    }
    const sent = value as Readonly<Record<string, unknown>>;
    const fields = type.getFields();
    members ??= Object.values(fields).map((field) => [field, coercionOf(field.type)] as const);
    const coerced: Record<string, unknown> = {};
    for (const [field, coerce] of members) {
      const { name, defaultValue } = field;
      const member = Object.hasOwn(sent, name) ? sent[name] : undefined;
      if (member !== undefined) putVariable(coerced, name, coerce(member, onMistake, { key: name, above: path }));
      else if (defaultValue !== undefined) putVariable(coerced, name, defaultValue);
      else if (isNonNullType(field.type))
        onMistake(path, value, `Field "${name}" of required type "${field.type}" was not provided.`);
    }
    for (const name in sent) {
      if (!Object.hasOwn(fields, name))
        onMistake(path, value, `Field "${shorten(name, maxShown)}" is not defined by type "${type.name}".`);
    }
    if (type.isOneOf) checkOneOf(coerced, type, value, onMistake, path);
    return coerced;
  };
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

function toLeafCoercion(type: GraphQLLeafType): Coerce {
  const isEnum = isEnumType(type);
  const isOwn = !isEnum && !isSpecifiedScalarType(type);
  return (sent, onMistake, path) => {
    if (sent === null || sent === undefined) return null;
    const value = sent instanceof ExactNumber && !isOwn ? toBuiltin(sent, type.name) : sent;
    // Built-in scalars and enums print the whole value into their message, which may be long.
    const isPlain = typeof value !== 'object' || typeof (value as { toJSON?: unknown }).toJSON === 'function';
    if (!isOwn && (!isPlain || (isEnum && typeof value === 'string' && value.length > maxShown))) {
      const shown = showValue(value, maxShown);
      return onMistake(path, value, `${isEnum ? 'Enum ' : ''}"${type.name}" cannot represent value: ${shown}`);
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
  };
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

function shorten(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

function toBuiltin(number: ExactNumber, typeName: string): string | number {
  return typeName === 'ID' && /^-?\d+$/.test(number.text) ? number.text : number.valueOf();
}
