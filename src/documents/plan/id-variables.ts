import {
  type DefinitionNode,
  type GraphQLSchema,
  getNamedType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  type VariableNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/**
 * Our inputs that take an id of the ledger, as `Type.member`, with the ledger's scalars for such an id. The inputs are of type
 * String, but a variable may also be declared with such a scalar, so that one variable serves the fields of both.
 */
export type IdInputs = ReadonlyMap<string, ReadonlySet<string>>;

/** Variables used where an id is taken, and the scalars that they may be declared with there. */
export type IdPlaces = ReadonlyMap<VariableNode, ReadonlySet<string>>;

/** Finds the variables used as ids. Visits each node once. */
export function findIdPlaces(
  definitions: readonly DefinitionNode[],
  schema: GraphQLSchema,
  idInputs: IdInputs,
): IdPlaces {
  const places = new Map<VariableNode, ReadonlySet<string>>();
  const typeInfo = new TypeInfo(schema);
  const look = visitWithTypeInfo(typeInfo, {
    ObjectField({ name, value }) {
      if (value.kind !== Kind.VARIABLE) return;
      const taken = idInputs.get(`${getNamedType(typeInfo.getParentInputType())?.name}.${name.value}`);
      if (taken) places.set(value, taken);
    },
  });
  for (const each of definitions) visit(each, look);
  return places;
}

/**
 * The variables of an operation that are declared with one of the ledger's scalars for ids, by name. A variable whose default
 * is not a string is left out: the default could not be read as a String.
 */
export function idVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  idInputs: IdInputs,
): ReadonlyMap<string, string> {
  const scalars = new Set([...idInputs.values()].flatMap((taken) => [...taken]));
  const declared = new Map<string, string>();
  for (const { variable, type, defaultValue } of variableDefinitions) {
    const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
    if (named.kind !== Kind.NAMED_TYPE || !scalars.has(named.name.value)) continue;
    if (defaultValue && defaultValue.kind !== Kind.STRING && defaultValue.kind !== Kind.NULL) continue;
    declared.set(variable.name.value, named.name.value);
  }
  return declared;
}

const none: ReadonlySet<string> = new Set();

/** Names of the variables that an operation declares with a scalar of the ledger and uses where we take a String. */
export function findTextVariables(
  operation: OperationDefinitionNode,
  fragments: readonly DefinitionNode[],
  schema: GraphQLSchema,
  idInputs: IdInputs,
): ReadonlySet<string> {
  const declared = idVariables(operation, idInputs);
  if (declared.size === 0) return none;
  const texts = new Set<string>();
  for (const [{ name }, scalars] of findIdPlaces([operation, ...fragments], schema, idInputs)) {
    if (scalars.has(declared.get(name.value) ?? '')) texts.add(name.value);
  }
  return texts;
}
