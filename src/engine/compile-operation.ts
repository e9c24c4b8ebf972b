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
  type AnswerJoins,
  addFailure,
  type ExecutionState,
  type Failures,
  isNulled,
  isPromise,
  type JoinField,
} from './compile-value.ts';

export interface CompileOptions {
  readonly schema: GraphQLSchema;
  /** The schema that introspection shows. Left out: the same. */
  readonly shownSchema?: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** For a field that the schema lacks: how it is joined, or `null` if it is not a join. */
  readonly joinOf?: (parent: GraphQLObjectType, nodes: readonly FieldNode[]) => JoinField | null;
}

export interface CompiledRequest {
  /** Coerced, with declared defaults filled in. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: unknown;
  /** Resolves the joins. Required if the operation has joins. */
  readonly answerJoins?: AnswerJoins | null;
}

/** An operation compiled to functions. Returns what `execute` of graphql-js returns, without a promise if nothing takes time. */
export type RunCompiled = (request: CompiledRequest) => ExecutionResult | Promise<ExecutionResult>;

/** Larger operations are not worth the memory: running them takes long anyway. */
const maxCompiledFields = 1_000;

/**
 * Compiles an operation to functions that can run any number of times. `null` for subscriptions, directives, abstract types,
 * and fields of another owner that are not joins.
 */
export function compileOperation(options: CompileOptions): RunCompiled | null {
  const { schema, shownSchema = schema, operation, fragments, joinOf = () => null } = options;
  const type = schema.getRootType(operation.operation);
  if (!type || operation.operation === 'subscription') return null;
  const fields = compileFields(type, [operation.selectionSet], {
    schema,
    shownSchema,
    operation,
    fragments,
    fragmentsByName: Object.assign(Object.create(null), Object.fromEntries(fragments)),
    joinOf,
    budget: { fields: maxCompiledFields },
    found: { joins: 0 },
  });
  if (!fields) return null;
  const roots = fields.map((field) => (field.hasJoins ? withJoins(field) : field));
  const isSerial = operation.operation === 'mutation';

  return ({ context, variables, answerJoins = null }) => {
    const failures: Failures = { errors: [], nulled: null };
    const state: ExecutionState = { context, variables, answerJoins, failures, joins: [] };
    const failed = (error: unknown) => {
      addFailure(failures, error as GraphQLError, undefined);
      return respond(null, failures);
    };
    try {
      const data = isSerial ? executeSerially(roots, state) : executeFields(roots, undefined, undefined, state);
      return isPromise(data) ? data.then((done) => respond(done, failures), failed) : respond(data, failures);
    } catch (error) {
      return failed(error);
    }
  };
}

function respond(data: Record<string, unknown> | null, { errors }: Failures): ExecutionResult {
  return errors.length === 0 ? { data } : { errors, data };
}

/** Executes fields one after the other, each with everything below it, until a non-null one fails. */
function executeSerially(
  fields: readonly CompiledField[],
  state: ExecutionState,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  const add = (data: Record<string, unknown>, { key, execute }: CompiledField) => {
    const put = (value: unknown) => {
      data[key] = value;
      return data;
    };
    const value = execute(undefined, undefined, state, data);
    return isPromise(value) ? value.then(put) : put(value);
  };
  let done: Record<string, unknown> | Promise<Record<string, unknown>> = {};
  for (const field of fields) done = isPromise(done) ? done.then((data) => add(data, field)) : add(done, field);
  return done;
}

/** Executes a root field, and then the joins below it that no error has removed. */
function withJoins({ key, hasJoins, execute }: CompiledField): CompiledField {
  return {
    key,
    hasJoins,
    execute: (source, parent, shared, data) => {
      const { context, variables, answerJoins, failures } = shared;
      if (!answerJoins) throw new Error('an operation with joins is run without an answer to them');
      const answer = answerJoins();
      // Each member by its name: a spread costs as much as a field.
      const state: ExecutionState = { context, variables, answerJoins, failures, joins: [] };
      const fail = (error: unknown): never => {
        void answer([]);
        throw error;
      };
      try {
        const value = execute(source, parent, state, data);
        return isPromise(value)
          ? value.then((done) => putJoins(done, state, answer), fail)
          : putJoins(value, state, answer);
      } catch (error) {
        return fail(error);
      }
    },
  };
}

function putJoins(value: unknown, { joins, failures }: ExecutionState, answer: ReturnType<AnswerJoins>): unknown {
  const points = joins.filter(({ path }) => !isNulled(failures, path));
  const answered = answer(points);
  if (points.length === 0) return value;
  return answered.then((outcomes) => {
    let completed = value;
    for (const [index, { data, name, path }] of points.entries()) {
      const outcome = outcomes[index];
      if (!outcome) throw new Error(`a join has no answer: ${name}`);
      // The root field itself may be a join.
      if (path.prev === undefined) completed = outcome.value;
      else data[name] = outcome.value;
      if (outcome.errors.length > 0 && !isNulled(failures, path)) failures.errors.push(...outcome.errors);
    }
    return completed;
  });
}
