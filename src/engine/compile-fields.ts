import {
  defaultTypeResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isAbstractType,
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
import { collectFields, type SelectionScope } from '../documents/selections.ts';
import {
  type CompleteObject,
  compileValue,
  completeLeaf,
  failPosition,
  isPromise,
  type JoinField,
  type RunState,
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
  state: RunState,
  data: Record<string, unknown>,
) => unknown;

export interface CompiledField {
  readonly key: string;
  readonly execute: ExecuteField;
}

/** The fields selected on an object type, in the order of the response. */
export interface CompiledFields {
  readonly list: readonly CompiledField[];
  /** An empty object for their values. */
  readonly newData: () => Record<string, unknown>;
}

export function compileFields(
  type: GraphQLObjectType,
  selectionSets: readonly (SelectionSetNode | undefined)[],
  scope: CompileScope,
): CompiledFields {
  const list: CompiledField[] = [];
  const collected = collectFields(type, selectionSets, scope);
  for (const [key, nodes] of collected) {
    const execute = compileSelected(type, key, nodes, scope);
    if (execute) list.push({ key, execute });
  }
  scope.size.fields += list.length;
  // Assigning `__proto__` would change the prototype of an ordinary object. Others are slower.
  return { list, newData: collected.has('__proto__') ? () => Object.create(null) : () => ({}) };
}

/** `null` for a field that no schema has, which graphql-js ignores too. */
function compileSelected(
  type: GraphQLObjectType,
  key: string,
  nodes: readonly FieldNode[],
  scope: CompileScope,
): ExecuteField | null {
  const definition = fieldOf(type, nodes, scope);
  if (definition) return compileField(type, definition, key, nodes, scope);
  return nodes[0]?.name.value === '__typename' ? () => type.name : compileJoin(type, key, nodes, scope);
}

/** Definition of a selected field; `undefined` for a join and for `__typename`. */
export function fieldOf(
  type: GraphQLObjectType,
  [node]: readonly FieldNode[],
  { schema }: Pick<CompileScope, 'schema'>,
): GraphQLField<unknown, unknown> | undefined {
  const name = node?.name.value ?? '';
  return type.getFields()[name] ?? (type === schema.getQueryType() ? metaFields.get(name) : undefined);
}

/** Root fields of introspection, which no type lists. */
const metaFields: ReadonlyMap<string, GraphQLField<unknown, unknown>> = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef].map((field) => [field.name, field]),
);

/** Compiles the fields when the first object comes: fragments within fragments select more fields than any response has. */
function compileObject(
  type: GraphQLObjectType,
  selectionSets: readonly (SelectionSetNode | undefined)[],
  scope: CompileScope,
): CompleteObject {
  let fields: CompiledFields | null = null;
  return (source, path, state) => {
    fields ??= compileFields(type, selectionSets, scope);
    return executeFields(fields, source, path, state);
  };
}

/** For each type that an object may have, compiles the fields when the first object of the type comes. */
function compileAbstract(type: GraphQLAbstractType, selected: SelectedField): CompleteObject {
  const { nodes, scope } = selected;
  const resolveType = type.resolveType ?? defaultTypeResolver;
  const byName = new Map<string, CompleteObject>();
  const completeOf = (name: unknown): CompleteObject => {
    const known = byName.get(name as string);
    if (known) return known;
    const found = typeof name === 'string' ? scope.schema.getType(name) : undefined;
    if (!isObjectType(found) || !scope.schema.isSubType(type, found)) {
      throw new GraphQLError(messageOf(type, name, toCoordinate(selected)), { nodes });
    }
    const made = compileObject(found, selectionsBelow(nodes), scope);
    byName.set(found.name, made);
    return made;
  };
  return (source, path, state) => {
    const name: unknown = resolveType(source, state.context, toInfo(selected, path, state), type);
    return isPromise(name)
      ? name.then((resolved) => completeOf(resolved)(source, path, state))
      : completeOf(name)(source, path, state);
  };
}

/** As in graphql-js, where no type is named at all. */
function messageOf({ name }: GraphQLAbstractType, resolved: unknown, coordinate: string): string {
  return resolved === undefined || resolved === null
    ? `Abstract type "${name}" must resolve to an Object type at runtime for field "${coordinate}". Either the "${name}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`
    : `Abstract type "${name}" of field "${coordinate}" was resolved to ${String(resolved)}.`;
}

const selectionsBelow = (nodes: readonly FieldNode[]) => nodes.map(({ selectionSet }) => selectionSet);

/** Executes all fields of an object concurrently. */
export function executeFields(
  { list, newData }: CompiledFields,
  source: unknown,
  path: ResponsePath | undefined,
  state: RunState,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  const data = newData();
  let isPending = false;
  try {
    for (const { key, execute } of list) {
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
  if (!field) return null;
  const completeKey = compileObject(parent, [field.key], scope);
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
): ExecuteField {
  const selected: SelectedField = { parent, field, key, nodes, scope };
  const nullable = isNonNullType(field.type) ? field.type.ofType : field.type;
  if (isLeafType(nullable) && !field.resolve && field.args.length === 0) return compileProperty(selected, nullable);
  const named = getNamedType(field.type);
  const completeObject = isObjectType(named)
    ? compileObject(named, selectionsBelow(nodes), scope)
    : isAbstractType(named)
      ? compileAbstract(named, selected)
      : null;
  const complete = compileValue(field.type, { coordinate: toCoordinate(selected), nodes }, completeObject);
  const readArguments = compileArguments(field, nodes[0] as FieldNode);
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

/** What resolvers learn about the operation of their field. */
interface InfoScope {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly shownSchema: GraphQLSchema;
  /** All fragments of the document. */
  readonly fragmentsByName: Readonly<Record<string, FragmentDefinitionNode>>;
}

/** `variables` are those that `@skip` and `@include` take. */
export interface CompileScope extends SelectionScope, InfoScope {
  /** For a field that the schema lacks: how it is joined, or `null` if it is not a join. */
  readonly joinOf: (parent: GraphQLObjectType, nodes: readonly FieldNode[]) => JoinField | null;
  /** Counts the fields that were compiled so far. */
  readonly size: { fields: number };
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
  state: RunState,
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
function failField(raw: unknown, { nodes, field }: SelectedField, path: ResponsePath, state: RunState): null {
  return failPosition(raw, nodes, path, isNonNullType(field.type), state);
}

export function toInfo(
  { parent, field, nodes, scope }: Pick<SelectedField, 'parent' | 'field' | 'nodes'> & { readonly scope: InfoScope },
  path: ResponsePath | undefined,
  { variables }: Pick<RunState, 'variables'>,
): GraphQLResolveInfo {
  const isIntrospection = parent.name.startsWith('__') || field.name.startsWith('__');
  return {
    fieldName: field.name,
    fieldNodes: nodes,
    returnType: field.type,
    parentType: parent,
    path: path as ResponsePath,
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
