import type {
  ExecutionResult,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLError,
  GraphQLObjectType,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import { type CompiledField, compileFields, executeFields } from './compile-fields.ts';
import {
  addFailure,
  type ExecutionState,
  type Failures,
  isNulled,
  isPromise,
  type JoinField,
  type JoinPoint,
} from './execution-state.ts';

export interface CompileOptions {
  /** The schema with its resolvers. */
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Says of a field that the schema has not how it is joined; `null` for one that it does not know either. */
  readonly joinOf?: (parent: GraphQLObjectType, nodes: readonly FieldNode[]) => JoinField | null;
}

export interface CompiledRequest {
  /** As the schema coerces them, declared defaults filled in. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: unknown;
  /**
   * Gives the values at the places of joins beneath one root field, in their order; never rejects. Needed where the
   * operation has joins.
   */
  readonly answerJoins?: (points: readonly JoinPoint[]) => Promise<readonly JoinOutcome[]>;
}

/** A value to be put in its place as it is, and the errors in it, with their paths in the whole answer. */
export interface JoinOutcome {
  readonly value: unknown;
  readonly errors: readonly GraphQLError[];
}

/** An operation as functions. Gives what the reference library's `execute` gives, at once where nothing takes time. */
export type RunCompiled = (request: CompiledRequest) => ExecutionResult | Promise<ExecutionResult>;

/** More than this is not worth the memory: such an operation takes long enough by itself. */
const maxCompiledFields = 1_000;

/**
 * Makes functions of an operation on a schema, to be run any number of times: all that its text decides is decided here.
 * `null` for one that is not plain: subscriptions, directives, abstract types, introspection, fields of somebody else.
 */
export function compileOperation(options: CompileOptions): RunCompiled | null {
  const { schema, operation, fragments, joinOf = () => null } = options;
  const type = schema.getRootType(operation.operation);
  if (!type || operation.operation === 'subscription') return null;
  const fields = compileFields(type, [operation.selectionSet], {
    schema,
    operation,
    fragments,
    fragmentsByName: Object.assign(Object.create(null), Object.fromEntries(fragments)),
    joinOf: (parent, nodes) => (parent === type ? null : joinOf(parent, nodes)),
    budget: { fields: maxCompiledFields },
  });
  if (!fields) return null;
  const execute = operation.operation === 'mutation' ? executeSerially : executeTogether;

  return (request) => {
    const failures: Failures = { errors: [], nulled: null };
    const failed = (error: unknown) => {
      addFailure(failures, error as GraphQLError, undefined);
      return respond(null, failures);
    };
    try {
      const data = execute(fields, request, failures);
      return isPromise(data) ? data.then((done) => respond(done, failures), failed) : respond(data, failures);
    } catch (error) {
      return failed(error);
    }
  };
}

function respond(data: unknown, { errors }: Failures): ExecutionResult {
  const result = data as Record<string, unknown> | null;
  return errors.length === 0 ? { data: result } : { errors, data: result };
}

function executeTogether(
  fields: readonly CompiledField[],
  request: CompiledRequest,
  failures: Failures,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  const roots = fields.map((field) => ({ key: field.key, execute: () => executeRoot(field, request, failures) }));
  return executeFields(roots, undefined, undefined, { ...request, failures, joins: [] });
}

/** One after the other, each with all that is below it, until one fails that may not be null. */
function executeSerially(
  fields: readonly CompiledField[],
  request: CompiledRequest,
  failures: Failures,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  const data: Record<string, unknown> = {};
  for (const [index, field] of fields.entries()) {
    const value = executeRoot(field, request, failures);
    if (isPromise(value)) return goOn(value, index);
    data[field.key] = value;
  }
  return data;

  async function goOn(first: Promise<unknown>, start: number): Promise<Record<string, unknown>> {
    for (const [offset, field] of fields.slice(start).entries())
      data[field.key] = await (offset === 0 ? first : executeRoot(field, request, failures));
    return data;
  }
}

/** A root field, and then the joins beneath it, once it is known what is left of them. */
function executeRoot({ execute }: CompiledField, request: CompiledRequest, failures: Failures): unknown {
  const joins: JoinPoint[] = [];
  const state: ExecutionState = { context: request.context, variables: request.variables, failures, joins };
  const value = execute(undefined, undefined, state, {});
  if (isPromise(value)) return value.then((done) => (joins.length > 0 ? putJoins(done, state, request) : done));
  return joins.length > 0 ? putJoins(value, state, request) : value;
}

async function putJoins(
  value: unknown,
  { joins, failures }: ExecutionState,
  { answerJoins }: CompiledRequest,
): Promise<unknown> {
  if (!answerJoins) throw new Error('an operation with joins is run without anybody to answer them');
  const points = joins.filter(({ path }) => !isNulled(failures, path));
  if (points.length === 0) return value;
  const outcomes = await answerJoins(points);
  for (const [index, { data, name, path }] of points.entries()) {
    const outcome = outcomes[index];
    if (!outcome) throw new Error(`a join has no answer: ${name}`);
    data[name] = outcome.value;
    if (outcome.errors.length > 0 && !isNulled(failures, path)) failures.errors.push(...outcome.errors);
  }
  return value;
}
