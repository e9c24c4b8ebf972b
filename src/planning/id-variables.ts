import {
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  type VariableNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { usedFragments } from './plan-operation.ts';

/**
 * Own inputs that take an id of the upstream, as `Type.member`, and the upstream's scalars for such an id. They are texts,
 * but a variable for one may also be declared with such a scalar, so that one variable serves the fields of both.
 */
export type IdInputs = ReadonlyMap<string, ReadonlySet<string>>;

const none: ReadonlySet<VariableNode> = new Set();

/** Where an operation puts variables that are declared with a scalar of the upstream in place of a text. */
export function findIdUses(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  schema: GraphQLSchema,
  idInputs: IdInputs,
): ReadonlySet<VariableNode> {
  const declared = declaredScalars(operation, new Set([...idInputs.values()].flatMap((scalars) => [...scalars])));
  if (declared.size === 0) return none;
  const uses = new Set<VariableNode>();
  const typeInfo = new TypeInfo(schema);
  const look = visitWithTypeInfo(typeInfo, {
    ObjectField({ name, value }) {
      if (value.kind !== Kind.VARIABLE) return;
      const taken = idInputs.get(`${getNamedType(typeInfo.getParentInputType())?.name}.${name.value}`);
      const scalar = declared.get(value.name.value);
      if (scalar !== undefined && taken?.has(scalar)) uses.add(value);
    },
  });
  for (const each of [operation, ...usedFragments(operation.selectionSet, fragments)]) visit(each, look);
  return uses;
}

/** The variables that are declared with one of these scalars, by name. A default that is no text makes no text of it. */
function declaredScalars(
  { variableDefinitions = [] }: OperationDefinitionNode,
  scalars: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const declared = new Map<string, string>();
  for (const { variable, type, defaultValue } of variableDefinitions) {
    const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
    if (named.kind !== Kind.NAMED_TYPE || !scalars.has(named.name.value)) continue;
    if (defaultValue && defaultValue.kind !== Kind.STRING && defaultValue.kind !== Kind.NULL) continue;
    declared.set(variable.name.value, named.name.value);
  }
  return declared;
}
