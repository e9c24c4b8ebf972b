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

/** What there is to compile, and what its fields are resolved with. */
export interface CompileScope extends PlainScope {
  readonly operation: OperationDefinitionNode;
  /** All of the document, as resolvers are told. */
  readonly fragmentsByName: Readonly<Record<string, FragmentDefinitionNode>>;
  /** A field that the schema has not; `null` for one that nobody knows. */
  readonly joinOf: (parent: GraphQLObjectType, nodes: readonly FieldNode[]) => JoinField | null;
  /** Fields that may still be compiled: fragments within fragments expand without measure. */
  readonly budget: { fields: number };
}

/** A field where it is selected: what errors and resolvers are told of it. */
export interface FieldPlace {
  readonly parent: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  readonly key: string;
  readonly nodes: readonly FieldNode[];
  readonly scope: CompileScope;
}

/**
 * What the reference library does where there is no resolver.
 * @param args `null` where the field takes none
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

/** As errors call it. */
export function toCoordinate({ parent, field }: FieldPlace): string {
  return `${parent.name}.${field.name}`;
}

export function toPath({ key, parent }: FieldPlace, prev: ResponsePath | undefined): ResponsePath {
  return { prev, key, typename: parent.name };
}

/** What an error makes of the field: null, or the error with its place where there may be none. */
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
