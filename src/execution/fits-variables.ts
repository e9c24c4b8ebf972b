import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  isSpecifiedScalarType,
  type OperationDefinitionNode,
} from 'graphql';
import { ExactNumber } from '../json/exact-number.ts';
import { noTexts, variableType } from './variable-type.ts';

/** Is a value certainly valid? If not, graphql-js may still accept it. */
type Fits = (value: unknown) => boolean;
type InputObjects = Map<GraphQLInputObjectType, Fits>;

/**
 * Returns a function that tells whether a request's variables are certainly valid, without coercing them. If it says
 * no, graphql-js has to decide: a bare value in place of a list, for example, is valid.
 */
export function createFitsVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  texts: ReadonlySet<string> = noTexts,
): (variables: Readonly<Record<string, unknown>>) => boolean {
  const inputObjects: InputObjects = new Map();
  const declared = variableDefinitions.map((definition) => {
    const type = variableType(schema, definition, texts);
    return {
      name: definition.variable.name.value,
      fits: type ? toFits(type, inputObjects) : () => false,
      mayBeAbsent: type !== undefined && (definition.defaultValue !== undefined || !isNonNullType(type)),
    };
  });
  return (variables) => {
    for (const { name, fits, mayBeAbsent } of declared) {
      if (!(Object.hasOwn(variables, name) ? fits(variables[name]) : mayBeAbsent)) return false;
    }
    return true;
  };
}

function toFits(type: GraphQLInputType, inputObjects: InputObjects): Fits {
  if (isNonNullType(type)) {
    const fits = toFits(type.ofType, inputObjects);
    return (value) => value !== null && value !== undefined && fits(value);
  }
  if (isListType(type)) {
    const fits = toFits(type.ofType, inputObjects);
    return (value) => value === null || (Array.isArray(value) && value.every(fits));
  }
  if (isInputObjectType(type)) return toInputObjectFits(type, inputObjects);
  return (value) => value === null || isLeafValue(type, value);
}

function isLeafValue(type: GraphQLLeafType, value: unknown): boolean {
  // `parseValue` of an enum would search for similar names to suggest, even in a text of a megabyte.
  if (isEnumType(type)) return typeof value === 'string' && type.getValue(value) !== undefined;
  // `parseValue` of a built-in scalar would print the whole object into its message.
  if (typeof value === 'object' && isSpecifiedScalarType(type)) return false;
  try {
    return type.parseValue(value) !== undefined;
  } catch {
    return false;
  }
}

/** Types may contain themselves, so the fields of each are prepared only when a first value of it comes. */
function toInputObjectFits(type: GraphQLInputObjectType, inputObjects: InputObjects): Fits {
  const known = inputObjects.get(type);
  if (known) return known;
  let fields: Map<string, Fits> | undefined;
  let required: readonly string[] = [];
  const fits: Fits = (value) => {
    if (value === null) return true;
    if (typeof value !== 'object' || Array.isArray(value) || value instanceof ExactNumber) return false;
    if (!fields) {
      const all = Object.values(type.getFields());
      fields = new Map(all.map((field) => [field.name, toFits(field.type, inputObjects)]));
      required = all.filter(isRequiredInputField).map(({ name }) => name);
    }
    const given = value as Readonly<Record<string, unknown>>;
    const names = Object.keys(given);
    if (type.isOneOf && (names.length !== 1 || given[names[0] ?? ''] === null)) return false;
    for (const name of names) if (!fields.get(name)?.(given[name])) return false;
    return required.every((name) => given[name] !== undefined);
  };
  inputObjects.set(type, fits);
  return fits;
}
