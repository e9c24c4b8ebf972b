import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import { rootFieldNames, takePart, variablesOf } from '../documents/plan-operation.ts';
import { collectFields, fragmentsOf } from '../documents/selections.ts';
import { createCoerceVariables, declareTexts, noTexts } from '../engine/coerce-variables.ts';
import { metaFields } from '../engine/compile-fields.ts';
import { compileOperation } from '../engine/compile-operation.ts';
import { createExecuteStitched, type ExecuteStitched } from '../engine/execute-stitched.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { CreateOperationJoins } from '../graph/joins/operation-joins.ts';
import { exceedsLength } from '../json/json-size.ts';
import type { OperationContext } from '../upstream/operation-context.ts';

interface ExecuteHereOptions {
  readonly schema: GraphQLSchema;
  /** Our own part of it, with its resolvers. */
  readonly ownSchema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | null;
  /** Variables declared with a scalar of the ledger and used as a String. Left out: none. */
  readonly texts?: ReadonlySet<string>;
  /** `null` for an operation without joins. */
  readonly joins: CreateOperationJoins | null;
}

/** Executes one operation of a document any number of times, compiled or stitched. Rejects as `execute` of graphql-js does. */
export type ExecuteHere = (
  variables: Readonly<Record<string, unknown>>,
  context: OperationContext,
) => ExecutionResult | Promise<ExecutionResult>;

/** Compiles a plain operation whose root fields are all our own, or introspection; any other is executed as a whole each time. */
export function createExecuteHere(options: ExecuteHereOptions): ExecuteHere {
  const { schema, ownSchema, document, operationName, texts = noTexts } = options;
  const compiled = compileOwn(options);
  if (compiled) return compiled;
  const operation = operationIn(document, operationName);
  const toExecute = (part: DocumentNode) =>
    createExecuteStitched(schema, schema === ownSchema ? declareTexts(part, texts) : part, operationName);
  const execute = splitIntrospection(options, operation, toExecute) ?? toExecute(document);
  return withCoercion(options, operation, boundAnswer(execute, true));
}

/** Wraps an execution so that it coerces the variables first. */
function withCoercion(
  { schema, texts = noTexts }: ExecuteHereOptions,
  operation: OperationDefinitionNode,
  execute: ExecuteHere,
): ExecuteHere {
  const coerce = createCoerceVariables(schema, operation, () => operation, texts);
  return (sent, context) => {
    const { errors, values } = coerce(sent);
    return errors ? { errors } : execute(values, context);
  };
}

/**
 * Executes a query with introspection beside other fields: the introspection compiled, in a third of the 20 ms that graphql-js
 * takes for a large schema, and the other fields concurrently. `null` for any other operation.
 */
function splitIntrospection(
  { schema, ownSchema, document, operationName }: ExecuteHereOptions,
  operation: OperationDefinitionNode,
  toExecute: (part: DocumentNode) => ExecuteStitched,
): ExecuteStitched | null {
  const fragments = fragmentsOf(document);
  const root = schema.getQueryType();
  const isMeta = (name: string) => metaFields.has(name);
  if (!root || operation.operation !== 'query' || ![...rootFieldNames(operation, fragments)].some(isMeta)) return null;
  const meta = takePart(operation, fragments, isMeta).document;
  const metaOperation = operationIn(meta, operationName);
  const run = compileOperation({
    schema: ownSchema,
    shownSchema: schema,
    operation: metaOperation,
    fragments: fragmentsOf(meta),
  });
  if (!run) return null;
  const others = takePart(operation, fragments, (name) => !isMeta(name));
  const executeOthers = toExecute(others.document);
  return async (variables, context) => {
    const [shown, rest] = await Promise.all([
      run({ variables, context }),
      executeOthers(variablesOf(others, variables), context),
    ]);
    if (!shown.data || !rest.data) return rest;
    const keys = collectFields(root, [operation.selectionSet], { schema, fragments, variables }).keys();
    const errors = [...(rest.errors ?? []), ...(shown.errors ?? [])];
    return { data: mergeData(shown.data, rest.data, keys), ...(errors.length > 0 ? { errors } : {}) };
  };
}

/** `null` for an operation that is not plain, or has root fields of the ledger. */
export function compileOwn(options: ExecuteHereOptions): ExecuteHere | null {
  const { schema, ownSchema, document, operationName, joins } = options;
  const operation = operationIn(document, operationName);
  const fragments = fragmentsOf(document);
  const operationJoins = joins?.(operation, fragments);
  const run = compileOperation({
    schema: ownSchema,
    shownSchema: schema,
    operation,
    fragments,
    ...(operationJoins ? { joinOf: operationJoins.joinOf } : {}),
  });
  if (!run) return null;
  const execute: ExecuteHere = (variables, context) =>
    run({ variables, context, answerJoins: operationJoins?.answer(variables, context) ?? null });
  return withCoercion(options, operation, boundAnswer(execute, joins !== null || operation.operation === 'mutation'));
}

function operationIn(document: DocumentNode, name: string | null): OperationDefinitionNode {
  const operation = getOperationAST(document, name);
  if (!operation) throw new Error('a document without its operation is executed');
  return operation;
}

/** Puts root keys in the client's order. If the data of one part is null, all data is. */
export function mergeData(
  some: ExecutionResult['data'],
  others: ExecutionResult['data'],
  keys: Iterable<string>,
): Record<string, unknown> | null {
  if (!some || !others) return null;
  const data: Record<string, unknown> = Object.create(null);
  for (const key of keys) data[key] = Object.hasOwn(some, key) ? some[key] : others[key];
  return data;
}

/**
 * Maximum characters of a response. A client can select one upstream value under hundreds of aliases for each of 50 items;
 * writing that would block the event loop, and JavaScript strings end at half a gigabyte.
 */
const maxAnswerCharacters = 16 * 1024 * 1024;
/**
 * Maximum characters of one result of a stream. The largest event has a tenth of it, the largest transaction with its effects
 * less than half.
 */
const maxItemCharacters = 4 * 1024 * 1024;
/** An operation that read fewer bytes from upstreams stays below the maximum, even with 300 aliases for every field. */
const harmlessBytes = maxAnswerCharacters / 300;

type Execute = (
  variables: Readonly<Record<string, unknown>>,
  context: OperationContext,
  rootValue?: unknown,
) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Rejects responses that would be too long, before they are written.
 * @param isAlwaysMeasured for responses that may hold more than upstreams have just sent: cached values and joins
 */
function boundAnswer(execute: Execute, isAlwaysMeasured: boolean): Execute {
  return bound(execute, maxAnswerCharacters, isAlwaysMeasured ? 0 : harmlessBytes);
}

/** Rejects results of a stream that would be too long. A stream may deliver many per second. */
export function boundItemAnswer(execute: Execute): Execute {
  return bound(execute, maxItemCharacters, 0);
}

/** @param leastBytes responses to operations that read less are not measured */
function bound(execute: Execute, most: number, leastBytes: number): Execute {
  return (variables, context, rootValue) => {
    const check = (result: ExecutionResult): ExecutionResult => {
      if (leastBytes > 0 && context.cancellation.bytesRead < leastBytes) return result;
      return exceedsLength(result.data, most) ? tooLong(most) : result;
    };
    const result = execute(variables, context, rootValue);
    return result instanceof Promise ? result.then(check) : check(result);
  };
}

function tooLong(most: number): ExecutionResult {
  const message = `The answer would be longer than ${most} characters: ask for less, or for the same under fewer names. What a mutation did is done.`;
  return { data: null, errors: [gatewayError('PAYLOAD_TOO_LARGE', message)] };
}
