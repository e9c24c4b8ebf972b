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
 * Own inputs that take an id of the upstream, as `Type.member`, and the upstream's scalars for such an id. They are texts,
 * but a variable for one may also be declared with such a scalar, so that one variable serves the fields of both.
 */
export type IdInputs = ReadonlyMap<string, ReadonlySet<string>>;

/** Variables that stand where an id is taken, and the scalars that they may be declared with there. */
export type IdPlaces = ReadonlyMap<VariableNode, ReadonlySet<string>>;

/** Finds the variables that stand for ids. Looks at each node once. */
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
 * The variables of an operation that are declared with one of the upstream's scalars for ids, by name. Not those with a
 * default that is no text: it would make no text of them.
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

/** Names of the variables that an operation declares with a scalar of the upstream and uses in place of a text. */
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
