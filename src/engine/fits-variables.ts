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
  Kind,
  type OperationDefinitionNode,
  type TypeNode,
  type VariableDefinitionNode,
} from 'graphql';
import { ExactNumber } from '../json/exact-number.ts';
import { noTexts, variableType } from './coerce-variables.ts';

/** Is a value certainly valid? If not, graphql-js may still accept it. */
type Fits = (value: unknown) => boolean;
type InputObjects = Map<GraphQLInputObjectType, Fits>;

/** The checks of one schema's types, by type text as in `[ID!]`. Shared by all documents, of which there are many. */
interface KnownTypes {
  readonly named: Map<string, DeclaredType>;
  readonly inputObjects: InputObjects;
}

interface DeclaredType {
  readonly fits: Fits;
  readonly isNullable: boolean;
}

/** Holds only types that the schema has, since no document with other types is valid. */
const knownTypes = new WeakMap<GraphQLSchema, KnownTypes>();

/**
 * Returns a function that tells whether a request's variables are certainly valid, without coercing them. If it says
 * no, graphql-js has to decide: a bare value in place of a list, for example, is valid.
 */
export function createFitsVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  texts: ReadonlySet<string> = noTexts,
): (variables: Readonly<Record<string, unknown>>) => boolean {
  const known = knownTypes.get(schema) ?? { named: new Map(), inputObjects: new Map() };
  knownTypes.set(schema, known);
  return toFitsAll(
    variableDefinitions.map((definition) => {
      const name = definition.variable.name.value;
      const declared = toDeclaredType(schema, definition, texts, known);
      if (!declared) return { name, fits: () => false, mayBeAbsent: false };
      return { name, fits: declared.fits, mayBeAbsent: declared.isNullable || definition.defaultValue !== undefined };
    }),
  );
}

interface DeclaredVariable {
  readonly name: string;
  readonly fits: Fits;
  readonly mayBeAbsent: boolean;
}

/** A function of its own, so that the result does not hold the tree: functions of one scope hold all that any of them uses. */
function toFitsAll(declared: readonly DeclaredVariable[]): (variables: Readonly<Record<string, unknown>>) => boolean {
  return (variables) => {
    for (const { name, fits, mayBeAbsent } of declared) {
      if (!(Object.hasOwn(variables, name) ? fits(variables[name]) : mayBeAbsent)) return false;
    }
    return true;
  };
}

function toDeclaredType(
  schema: GraphQLSchema,
  definition: VariableDefinitionNode,
  texts: ReadonlySet<string>,
  { named, inputObjects }: KnownTypes,
): DeclaredType | null {
  const isText = texts.has(definition.variable.name.value);
  const name = typeText(definition.type);
  const known = isText ? undefined : named.get(name);
  if (known) return known;
  const type = variableType(schema, definition, texts);
  if (!type) return null;
  const made = { fits: toFits(type, inputObjects), isNullable: !isNonNullType(type) };
  if (!isText) named.set(name, made);
  return made;
}

function typeText(node: TypeNode): string {
  if (node.kind === Kind.NAMED_TYPE) return node.name.value;
  return node.kind === Kind.LIST_TYPE ? `[${typeText(node.type)}]` : `${typeText(node.type)}!`;
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
