import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  isNonNullType,
  type OperationDefinitionNode,
  type ResponsePath,
} from 'graphql';
import type { PlainScope } from './collect-plain-fields.ts';
import { type ExecutionState, failPlace, type JoinField } from './execution-state.ts';

/** The document that is compiled, and what its resolvers are told. */
export interface CompileScope extends PlainScope {
  readonly operation: OperationDefinitionNode;
  /** All fragments of the document, in the form resolvers get them. */
  readonly fragmentsByName: Readonly<Record<string, FragmentDefinitionNode>>;
  /** For a field that the schema lacks: how it is joined, or `null` if it is not a join. */
  readonly joinOf: (parent: GraphQLObjectType, nodes: readonly FieldNode[]) => JoinField | null;
  /** How many more fields may be compiled: fragments within fragments can expand without limit. */
  readonly budget: { fields: number };
  /** Counts the joins that were compiled. */
  readonly found: { joins: number };
}

/** A selected field: what errors and resolvers are told of it. */
export interface FieldPlace {
  readonly parent: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  readonly key: string;
  readonly nodes: readonly FieldNode[];
  readonly scope: CompileScope;
}

/**
 * The default resolver of graphql-js.
 * @param args `null` if the field takes none
 */
export function readProperty(
  place: FieldPlace,
  source: unknown,
  args: Record<string, unknown> | null,
  prev: ResponsePath | undefined,
  state: ExecutionState,
): unknown {
  if (!isObject(source)) return undefined;
  const property = source[place.field.name];
  if (typeof property !== 'function') return property;
  return property.call(source, args ?? {}, state.context, toInfo(place, toPath(place, prev), state));
}

/** `Type.field`, as error messages write it. */
export function toCoordinate({ parent, field }: FieldPlace): string {
  return `${parent.name}.${field.name}`;
}

export function toPath({ key, parent }: FieldPlace, prev: ResponsePath | undefined): ResponsePath {
  return { prev, key, typename: parent.name };
}

/** Records an error and gives null, or throws it with its path if the field may not be null. */
export function failField(raw: unknown, { nodes, field }: FieldPlace, path: ResponsePath, state: ExecutionState): null {
  return failPlace(raw, nodes, path, isNonNullType(field.type), state);
}

export function toInfo(
  { parent, field, nodes, scope }: FieldPlace,
  path: ResponsePath,
  { variables }: ExecutionState,
): GraphQLResolveInfo {
  return {
    fieldName: field.name,
    fieldNodes: nodes,
    returnType: field.type,
    parentType: parent,
    path,
    schema: scope.schema,
    fragments: scope.fragmentsByName,
    rootValue: undefined,
    operation: scope.operation,
    variableValues: variables as Record<string, unknown>,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
