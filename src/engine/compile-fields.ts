import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type ResponsePath,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { collectPlainFields, type SelectionScope } from '../documents/selections.ts';
import {
  type CompleteObject,
  compileValue,
  completeLeaf,
  type ExecutionState,
  failPosition,
  isPromise,
  type JoinField,
  toPresent,
} from './compile-value.ts';

/**
 * Resolves a field of an object and completes its value; returns a promise if that takes time.
 * @param data the object of the response that receives the value
 * @throws the error of a non-null field, with its path
 */
export type ExecuteField = (
  source: unknown,
  parent: ResponsePath | undefined,
  state: ExecutionState,
  data: Record<string, unknown>,
) => unknown;

export interface CompiledField {
  readonly key: string;
  readonly hasJoins: boolean;
  readonly execute: ExecuteField;
}

/**
 * The fields selected on an object type, in the order of the response; `null` if one of them, or one below, cannot be compiled.
 */
export function compileFields(
  type: GraphQLObjectType,
  selectionSets: readonly (SelectionSetNode | undefined)[],
  scope: CompileScope,
): readonly CompiledField[] | null {
  const collected = collectPlainFields(type, selectionSets, scope);
  if (!collected) return null;
  const fields: CompiledField[] = [];
  for (const [key, nodes] of collected) {
    const { joins } = scope.found;
    scope.budget.fields -= 1;
    // Assigning `__proto__` would change the object's prototype instead of adding a key.
    if (scope.budget.fields < 0 || key === '__proto__') return null;
    const name = nodes[0]?.name.value ?? '';
    const definition =
      type.getFields()[name] ?? (type === scope.schema.getQueryType() ? metaFields.get(name) : undefined);
    const execute = definition
      ? compileField(type, definition, key, nodes, scope)
      : name === '__typename'
        ? () => type.name
        : compileJoin(type, key, nodes, scope);
    if (!execute) return null;
    fields.push({ key, hasJoins: scope.found.joins > joins, execute });
  }
  return fields;
}

/** Root fields of introspection, which no type lists. */
export const metaFields: ReadonlyMap<string, GraphQLField<unknown, unknown>> = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef].map((field) => [field.name, field]),
);

function compileObject(
  type: GraphQLObjectType,
  selectionSets: readonly (SelectionSetNode | undefined)[],
  scope: CompileScope,
): CompleteObject | null {
  const fields = type.isTypeOf ? null : compileFields(type, selectionSets, scope);
  return fields && ((source, path, state) => executeFields(fields, source, path, state));
}

/** Executes all fields of an object concurrently. */
export function executeFields(
  fields: readonly CompiledField[],
  source: unknown,
  path: ResponsePath | undefined,
  state: ExecutionState,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  const data: Record<string, unknown> = {};
  let isPending = false;
  try {
    for (const { key, execute } of fields) {
      const value = execute(source, path, state, data);
      data[key] = value;
      isPending ||= isPromise(value);
    }
  } catch (error) {
    if (!isPending) throw error;
    // Wait for running fields, as graphql-js does, so that none of their failures is unhandled.
    return settle(data).finally(() => {
      throw error;
    });
  }
  return isPending ? settle(data) : data;
}

/** Reads the join's key, and puts null in its place until the value is known. */
function compileJoin(
  parent: GraphQLObjectType,
  name: string,
  nodes: readonly FieldNode[],
  scope: CompileScope,
): ExecuteField | null {
  const field = scope.joinOf(parent, nodes);
  const completeKey = field && compileObject(parent, [field.key], scope);
  if (!completeKey) return null;
  scope.found.joins += 1;
  return (source, prev, state, data) => {
    const note = (key: Record<string, unknown>) => {
      state.joins.push({ field, key, data, name, path: { prev, key: name, typename: parent.name } });
      return null;
    };
    const key = completeKey(source, prev, state);
    return isPromise(key) ? key.then(note) : note(key);
  };
}

async function settle(data: Record<string, unknown>): Promise<Record<string, unknown>> {
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
  const selected: SelectedField = { parent, field, key, nodes, scope };
  const nullable = isNonNullType(field.type) ? field.type.ofType : field.type;
  if (isLeafType(nullable) && !field.resolve && field.args.length === 0) return compileProperty(selected, nullable);
  const named = getNamedType(field.type);
  const below = nodes.map(({ selectionSet }) => selectionSet);
  const completeObject = isObjectType(named) ? compileObject(named, below, scope) : null;
  const [node] = nodes;
  if (!node || (!completeObject && !isLeafType(named))) return null;
  const complete = compileValue(field.type, { coordinate: toCoordinate(selected), nodes }, completeObject);
  const readArguments = compileArguments(field, node);
  const { resolve } = field;

  return (source, prev, state) => {
    const path = toPath(selected, prev);
    try {
      const args = readArguments(state.variables);
      const result: unknown = resolve
        ? resolve(source, args, state.context, toInfo(selected, path, state))
        : readProperty(selected, source, args, prev, state);
      const completed = isPromise(result)
        ? result.then((resolved) => complete(resolved, path, state))
        : complete(result, path, state);
      return isPromise(completed)
        ? completed.then(undefined, (raw) => failField(raw, selected, path, state))
        : completed;
    } catch (raw) {
      return failField(raw, selected, path, state);
    }
  };
}

/** The most frequent kind of field: a leaf without resolver or arguments. Needs its path only if it fails. */
function compileProperty(selected: SelectedField, type: GraphQLLeafType): ExecuteField {
  const complete = (value: unknown): unknown => {
    const completed = completeLeaf(type, value);
    return completed === null && isNonNullType(selected.field.type)
      ? toPresent(null, toCoordinate(selected))
      : completed;
  };
  return (source, prev, state) => {
    try {
      const value = readProperty(selected, source, null, prev, state);
      if (!isPromise(value)) return complete(value);
      return value.then(complete).then(undefined, (raw) => failField(raw, selected, toPath(selected, prev), state));
    } catch (raw) {
      return failField(raw, selected, toPath(selected, prev), state);
    }
  };
}

export interface CompileScope extends Omit<SelectionScope, 'variables'> {
  readonly operation: OperationDefinitionNode;
  readonly shownSchema: GraphQLSchema;
  /** All fragments of the document, as resolvers get them. */
  readonly fragmentsByName: Readonly<Record<string, FragmentDefinitionNode>>;
  /** For a field that the schema lacks: how it is joined, or `null` if it is not a join. */
  readonly joinOf: (parent: GraphQLObjectType, nodes: readonly FieldNode[]) => JoinField | null;
  /** Fields that may still be compiled: fragments within fragments can expand without limit. */
  readonly budget: { fields: number };
  readonly found: { joins: number };
}

export interface SelectedField {
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
function readProperty(
  selected: SelectedField,
  source: unknown,
  args: Record<string, unknown> | null,
  prev: ResponsePath | undefined,
  state: ExecutionState,
): unknown {
  if (!isObject(source)) return undefined;
  const property = source[selected.field.name];
  if (typeof property !== 'function') return property;
  return property.call(source, args ?? {}, state.context, toInfo(selected, toPath(selected, prev), state));
}

/** `Type.field`, as error messages write it. */
function toCoordinate({ parent, field }: SelectedField): string {
  return `${parent.name}.${field.name}`;
}

function toPath({ key, parent }: SelectedField, prev: ResponsePath | undefined): ResponsePath {
  return { prev, key, typename: parent.name };
}

/** Records an error and returns null; throws it with its path if the field is non-null. */
function failField(raw: unknown, { nodes, field }: SelectedField, path: ResponsePath, state: ExecutionState): null {
  return failPosition(raw, nodes, path, isNonNullType(field.type), state);
}

function toInfo(
  { parent, field, nodes, scope }: SelectedField,
  path: ResponsePath,
  { variables }: ExecutionState,
): GraphQLResolveInfo {
  const isIntrospection = parent.name.startsWith('__') || field.name.startsWith('__');
  return {
    fieldName: field.name,
    fieldNodes: nodes,
    returnType: field.type,
    parentType: parent,
    path,
    schema: isIntrospection ? scope.shownSchema : scope.schema,
    fragments: scope.fragmentsByName,
    rootValue: undefined,
    operation: scope.operation,
    variableValues: variables as Record<string, unknown>,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Arguments of a field for the variables of a request. @throws GraphQLError as `getArgumentValues` does */
export type ReadArguments = (variables: Readonly<Record<string, unknown>>) => Record<string, unknown>;

const readNothing: ReadArguments = () => ({});

/** Reads literals once, and leaves mistakes, lists and objects to graphql-js: a resolver may change lists and objects. */
export function compileArguments(field: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
  if (field.args.length === 0) return readNothing;
  const readAll: ReadArguments = (variables) => getArgumentValues(field, node, variables);
  const fixed: Record<string, unknown> = {};
  const given: { readonly argument: GraphQLArgument; readonly variable: string }[] = [];
  for (const argument of field.args) {
    const value = node.arguments?.find(({ name }) => name.value === argument.name)?.value;
    if (value?.kind === Kind.LIST || value?.kind === Kind.OBJECT) return readAll;
    if (value?.kind === Kind.VARIABLE) {
      given.push({ argument, variable: value.name.value });
      // Keeps the schema's order of arguments.
      fixed[argument.name] = undefined;
    } else {
      try {
        Object.assign(fixed, getArgumentValues({ ...field, args: [argument] }, node));
      } catch {
        return readAll;
      }
    }
  }
  return (variables) => {
    const values = { ...fixed };
    for (const { argument, variable } of given) {
      const value = Object.hasOwn(variables, variable) ? variables[variable] : argument.defaultValue;
      if (isNonNullType(argument.type) && (value === null || value === undefined)) return readAll(variables);
      if (value === undefined) delete values[argument.name];
      else values[argument.name] = value;
    }
    return values;
  };
}
