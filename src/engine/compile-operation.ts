import {
  type ExecutionResult,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLSchema,
  getNamedType,
  type OperationDefinitionNode,
} from 'graphql';
import { selectsJoin, variablesIn } from '../documents/plan-operation.ts';
import { maxVariants } from '../documents/prepared-document.ts';
import { collectFields, walkSelections } from '../documents/selections.ts';
import {
  type CompiledField,
  type CompiledFields,
  type CompileScope,
  compileFields,
  executeFields,
  fieldOf,
} from './compile-fields.ts';
import { type AnswerJoins, addFailure, type Failures, isNulled, isPromise, type RunState } from './compile-value.ts';

export interface CompileOptions {
  readonly schema: GraphQLSchema;
  /** The schema that introspection shows. Left out: the same. */
  readonly shownSchema?: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Prepares the joins of the operation, once for each variant of it. Left out: it has none. */
  readonly joins?: (() => CompiledJoins) | undefined;
}

export interface CompiledJoins {
  /** For a field that the schema lacks: how it is joined, or `null` if it is not a join. */
  readonly joinOf: CompileScope['joinOf'];
  /** Creates the joins of one execution. */
  answer(variables: CompiledRequest['variables'], context: unknown): AnswerJoins;
}

export interface CompiledRequest {
  /** Coerced, with declared defaults filled in. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: unknown;
  /** Resolves the joins instead of the operation's own `answer`. */
  readonly answerJoins?: AnswerJoins;
  /** The object that has the root fields, such as an item of a stream. */
  readonly rootValue?: unknown;
}

/** An operation compiled to functions. Returns what `execute` of graphql-js returns, without a promise if nothing takes time. */
export type RunCompiled = (request: CompiledRequest) => ExecutionResult | Promise<ExecutionResult>;

/** Compiled fields that are kept of one operation. A larger one is compiled again for each request. */
const maxKeptFields = 1_000;

/**
 * Compiles an operation to functions that can run any number of times: once for each combination of values that its `@skip` and
 * `@include` get. The schema's object types must not have `isTypeOf`.
 */
export function compileOperation(options: CompileOptions): RunCompiled {
  const conditions = conditionsOf(options);
  const variants = new Map<string, RunCompiled>();
  let size = { fields: 0 };
  const drop = () => {
    variants.clear();
    size = { fields: 0 };
  };
  const dropLarge = () => {
    if (size.fields > maxKeptFields) drop();
  };
  return (request) => {
    const given = conditions.map((name) => [name, request.variables[name]] as const);
    const key = given.map(([, value]) => String(value)).join();
    let run = variants.get(key);
    if (!run) {
      if (variants.size === maxVariants) drop();
      run = compileVariant(options, Object.fromEntries(given), size);
      variants.set(key, run);
    }
    const result = run(request);
    if (isPromise(result)) return result.finally(dropLarge);
    dropLarge();
    return result;
  };
}

/** Names of the variables that directives take. */
function conditionsOf({ operation, fragments }: CompileOptions): readonly string[] {
  const names = new Set<string>();
  walkSelections(operation.selectionSet, fragments, ({ directives = [] }) => {
    for (const name of directives.flatMap(variablesIn)) names.add(name);
    return true;
  });
  return [...names];
}

function compileVariant(
  { schema, shownSchema = schema, operation, fragments, joins: prepareJoins }: CompileOptions,
  variables: Readonly<Record<string, unknown>>,
  size: CompileScope['size'],
): RunCompiled {
  const type = schema.getRootType(operation.operation);
  if (!type) throw new Error(`the schema has no root type for a ${operation.operation}`);
  const joins = prepareJoins?.();
  const scope: CompileScope = {
    schema,
    shownSchema,
    operation,
    fragments,
    variables,
    fragmentsByName: Object.assign(Object.create(null), Object.fromEntries(fragments)),
    joinOf: joins?.joinOf ?? (() => null),
    size,
  };
  const { list, newData } = compileFields(type, [operation.selectionSet], scope);
  const nodesByKey = collectFields(type, [operation.selectionSet], scope);
  const hasJoins = (key: string): boolean => {
    const nodes = nodesByKey.get(key) ?? [];
    const field = fieldOf(type, nodes, scope);
    if (!field) return nodes[0]?.name.value !== '__typename';
    const on = getNamedType(field.type);
    return selectsJoin(
      nodes.map(({ selectionSet }) => ({ selectionSet, on })),
      fragments,
      schema,
    );
  };
  const roots = { list: list.map((field) => (hasJoins(field.key) ? withJoins(field) : field)), newData };
  const isSerial = operation.operation === 'mutation';

  return ({ context, variables, answerJoins = joins?.answer(variables, context) ?? null, rootValue }) => {
    const failures: Failures = { errors: [], nulled: null };
    const state: RunState = { context, variables, answerJoins, failures, joins: [] };
    const respond = (data: Record<string, unknown> | null): ExecutionResult => {
      return failures.errors.length === 0 ? { data } : { errors: failures.errors, data };
    };
    const failed = (error: unknown) => {
      addFailure(failures, error as GraphQLError, undefined);
      return respond(null);
    };
    try {
      const data = isSerial
        ? executeSerially(roots, rootValue, state)
        : executeFields(roots, rootValue, undefined, state);
      return isPromise(data) ? data.then(respond, failed) : respond(data);
    } catch (error) {
      return failed(error);
    }
  };
}

/** Executes fields one after the other, each with everything below it, until a non-null one fails. */
function executeSerially(
  { list, newData }: CompiledFields,
  source: unknown,
  state: RunState,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  const add = (data: Record<string, unknown>, { key, execute }: CompiledField) => {
    const put = (value: unknown) => {
      data[key] = value;
      return data;
    };
    const value = execute(source, undefined, state, data);
    return isPromise(value) ? value.then(put) : put(value);
  };
  let done: Record<string, unknown> | Promise<Record<string, unknown>> = newData();
  for (const field of list) done = isPromise(done) ? done.then((data) => add(data, field)) : add(done, field);
  return done;
}

/** Executes a root field, and then the joins below it that no error has removed. */
function withJoins({ key, execute }: CompiledField): CompiledField {
  return {
    key,
    execute: (source, parent, shared, data) => {
      const { context, variables, answerJoins, failures } = shared;
      if (!answerJoins) throw new Error('an operation with joins is run without an answer to them');
      const answer = answerJoins();
      // Each member by its name: a spread costs as much as a field.
      const state: RunState = { context, variables, answerJoins, failures, joins: [] };
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

function putJoins(value: unknown, { joins, failures }: RunState, answer: ReturnType<AnswerJoins>): unknown {
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
