import type { ExecutionResult, FragmentDefinitionNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { compileOperation } from '../engine/compile-operation.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { CreateOperationJoins } from '../graph/joins/operation-joins.ts';
import { completeInTurns, type TakeTurn } from '../json/complete-in-turns.ts';
import { exceedsLength, exceedsLengthInSteps } from '../json/json-size.ts';
import { pieceCharacters } from '../json/parse-in-pieces.ts';
import { sharedTurns } from '../upstream/fair-turns.ts';
import type { OperationContext } from '../upstream/operation-context.ts';

interface ExecuteOwnOptions {
  /** Our own part of the graph, with its resolvers. */
  readonly ownSchema: GraphQLSchema;
  /** The whole graph, for introspection. */
  readonly schema: GraphQLSchema;
  /** Has root fields of ours only. */
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** `null` for an operation without joins. */
  readonly joins: CreateOperationJoins | null;
}

/**
 * Executes our part of an operation any number of times. Rejects as `execute` of graphql-js does.
 * @param variables coerced, with declared defaults filled in
 * @param rootValue an item of a stream; left out for queries and mutations
 */
export type ExecuteOwn = (
  variables: Readonly<Record<string, unknown>>,
  context: OperationContext,
  rootValue?: unknown,
) => ExecutionResult | Promise<ExecutionResult>;

/** Compiles our part of an operation. Rejects responses, and results of a stream, that would be too long. */
export function createExecuteOwn({ ownSchema, schema, operation, fragments, joins }: ExecuteOwnOptions): ExecuteOwn {
  const run = compileOperation({
    schema: ownSchema,
    shownSchema: schema,
    operation,
    fragments,
    joins: joins ? () => joins(operation, fragments) : undefined,
  });
  const execute: ExecuteOwn = (variables, context, rootValue) => run({ variables, context, rootValue });
  if (operation.operation === 'subscription') return bound(execute, maxItemCharacters, 0);
  // It may hold more than upstreams have just sent: joins, and what a mutation reports.
  const isAlwaysMeasured = joins !== null || operation.operation === 'mutation';
  return bound(execute, maxAnswerCharacters, isAlwaysMeasured ? 0 : harmlessBytes);
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

/** @param leastBytes responses to operations that read less are not measured */
function bound(execute: ExecuteOwn, most: number, leastBytes: number): ExecuteOwn {
  return (variables, context, rootValue) => {
    const takeTurn: TakeTurn = (work) => sharedTurns.runNext(context.caller.rate.key, null, work);
    const check = (result: ExecutionResult): ExecutionResult | Promise<ExecutionResult> => {
      if (leastBytes > 0 && context.cancellation.bytesRead < leastBytes) return result;
      if (!exceedsLength(result.data, pieceCharacters)) return result;
      const measured = completeInTurns(exceedsLengthInSteps(result.data, most, pieceCharacters), takeTurn);
      return measured.then((isTooLong) => (isTooLong ? tooLong(most) : result));
    };
    const result = execute(variables, context, rootValue);
    return result instanceof Promise ? result.then(check) : check(result);
  };
}

function tooLong(most: number): ExecutionResult {
  const message = `The answer would be longer than ${most} characters: ask for less, or for the same under fewer names. What a mutation did is done.`;
  return { data: null, errors: [gatewayError('PAYLOAD_TOO_LARGE', message)] };
}
