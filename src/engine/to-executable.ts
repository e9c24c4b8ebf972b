import {
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isScalarType,
  isSpecifiedScalarType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { ExactNumber, hasExactNumber } from '../json/exact-number.ts';

type Variables = Readonly<Record<string, unknown>>;

/**
 * Variables in the form that `execute` of graphql-js can coerce: exact numbers stay where a scalar of the graph takes
 * them, and elsewhere become what the built-in types mean.
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

/** The text or the double that a built-in type makes of an exact number. */
export function toBuiltin(number: ExactNumber, typeName: string): string | number {
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
