import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  type ResponsePath,
  type SelectionSetNode,
} from 'graphql';
import { collectPlainFields, type PlainScope } from './collect-plain-fields.ts';
import { compileArguments } from './compile-arguments.ts';
import { type CompleteValue, compileValue } from './compile-value.ts';
import { type ExecutionState, failPlace, isPromise, type JoinField } from './execution-state.ts';

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

/**
 * Resolves a field of an object and completes its value; a promise where that takes time.
 * @throws the error, with its place, of a field that may not be null
 */
export type ExecuteField = (source: unknown, parent: ResponsePath | undefined, state: ExecutionState) => unknown;

export interface CompiledField {
  readonly key: string;
  readonly execute: ExecuteField;
}

interface CompiledJoin {
  readonly key: string;
  readonly field: JoinField;
  readonly completeKey: CompleteValue;
}

interface CompiledFields {
  /** In the order of the answer. A join has a place among them, where it leaves a null. */
  readonly fields: readonly CompiledField[];
  readonly joins: readonly CompiledJoin[];
}

/** The fields selected on an object type; `null` where any of them, or below, is not plain. */
export function compileFields(
  type: GraphQLObjectType,
  selectionSets: readonly (SelectionSetNode | undefined)[],
  scope: CompileScope,
): CompiledFields | null {
  const collected = collectPlainFields(type, selectionSets, scope);
  if (!collected) return null;
  const fields: CompiledField[] = [];
  const joins: CompiledJoin[] = [];
  for (const [key, nodes] of collected) {
    const name = nodes[0]?.name.value ?? '';
    scope.budget.fields -= 1;
    // As a key of an object it would not be one.
    if (scope.budget.fields < 0 || key === '__proto__') return null;
    const definition = type.getFields()[name];
    const execute = definition
      ? compileField(type, definition, key, nodes, scope)
      : name === '__typename'
        ? () => type.name
        : compileJoin(type, key, nodes);
    if (!execute) return null;
    fields.push({ key, execute });
  }
  return { fields, joins };

  function compileJoin(parent: GraphQLObjectType, key: string, nodes: readonly FieldNode[]): ExecuteField | null {
    const field = scope.joinOf(parent, nodes);
    const completeKey = field && compileObject(parent, [field.key], scope);
    if (!completeKey) return null;
    joins.push({ key, field, completeKey });
    return () => null;
  }
}

function compileObject(
  type: GraphQLObjectType,
  selectionSets: readonly (SelectionSetNode | undefined)[],
  scope: CompileScope,
): CompleteValue | null {
  const compiled = type.isTypeOf ? null : compileFields(type, selectionSets, scope);
  if (!compiled) return null;
  const { fields, joins } = compiled;

  return (source, path, state) => {
    const data: Record<string, unknown> = {};
    let hasPromise = false;
    try {
      for (const { key, execute } of fields) {
        const value = execute(source, path, state);
        data[key] = value;
        hasPromise ||= isPromise(value);
      }
      for (const join of joins) {
        const note = (key: unknown) => noteJoin(join, type, key, data, path, state);
        const key = join.completeKey(source, path, state);
        const noted = isPromise(key) ? key.then(note) : note(key);
        data[join.key] = noted;
        hasPromise ||= isPromise(noted);
      }
    } catch (error) {
      if (!hasPromise) throw error;
      // Those under way are waited for, as the reference library does, and so heard if they fail as well.
      return settle(data).finally(() => {
        throw error;
      });
    }
    return hasPromise ? settle(data) : data;
  };
}

function noteJoin(
  { field, key: name }: CompiledJoin,
  parent: GraphQLObjectType,
  key: unknown,
  data: Record<string, unknown>,
  path: ResponsePath,
  { joins }: ExecutionState,
): null {
  const place = { prev: path, key: name, typename: parent.name };
  joins.push({ field, key: key as Record<string, unknown>, data, name, path: place });
  return null;
}

/** The same object, once all its values are there. */
export async function settle(data: Record<string, unknown>): Promise<Record<string, unknown>> {
  const values = await Promise.all(Object.values(data));
  for (const [index, key] of Object.keys(data).entries()) data[key] = values[index];
  return data;
}

function compileField(
  parent: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  key: string,
  nodes: readonly FieldNode[],
  scope: CompileScope,
): ExecuteField | null {
  const named = getNamedType(field.type);
  const below = nodes.map(({ selectionSet }) => selectionSet);
  const completeObject = isObjectType(named) ? compileObject(named, below, scope) : null;
  const [node] = nodes;
  if (!node || (!completeObject && !isLeafType(named))) return null;
  const complete = compileValue(field.type, { coordinate: `${parent.name}.${field.name}`, nodes }, completeObject);
  const readArguments = compileArguments(field, node);
  const isNonNull = isNonNullType(field.type);
  const { resolve } = field;

  const toPath = (prev: ResponsePath | undefined): ResponsePath => ({ prev, key, typename: parent.name });
  const toInfo = (path: ResponsePath, { variables }: ExecutionState): GraphQLResolveInfo => ({
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
  });

  /** What the reference library does where there is no resolver. */
  const resolveProperty = (source: unknown, path: ResponsePath, state: ExecutionState): unknown => {
    const args = readArguments(state.variables);
    if (!isObject(source)) return undefined;
    const property = source[field.name];
    if (typeof property !== 'function') return property;
    return property.call(source, args, state.context, toInfo(path, state));
  };

  const execute: ExecuteField = (source, prev, state) => {
    const path = toPath(prev);
    const fail = (raw: unknown) => failPlace(raw, nodes, path, isNonNull, state);
    try {
      const result: unknown = resolve
        ? resolve(source, readArguments(state.variables), state.context, toInfo(path, state))
        : resolveProperty(source, path, state);
      const completed = isPromise(result)
        ? result.then((resolved) => complete(resolved, path, state))
        : complete(result, path, state);
      return isPromise(completed) ? completed.then(undefined, fail) : completed;
    } catch (raw) {
      return fail(raw);
    }
  };
  return execute;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
