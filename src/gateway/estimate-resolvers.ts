import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RateCost } from '../admission/to-points.ts';
import type { Config } from '../config/config.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Resolvers } from '../generated/local.ts';
import { ExactNumber } from '../json/exact-number.ts';
import type { Variables } from '../limits/variables.ts';
import type { CallFacts } from '../planning/count-upstream-calls.ts';
import type { OperationContext } from '../subschemas/operation-context.ts';
import { toCallFacts } from './call-facts.ts';
import { toEstimate } from './estimate-operation.ts';
import type { Generation } from './generation.ts';
import { judgeOperation } from './judge-operation.ts';

export interface EstimateResolversOptions {
  /** The generation in force at the moment; there is one before the first operation is served. */
  readonly current: () => Generation | undefined;
  readonly configured: CallFacts['configured'];
  readonly pages: Config['pages'];
  /** What operations count for against the rate limit. */
  readonly cost: RateCost;
}

/** An estimate parses and validates a whole document; so many of them are as much work as one request may cause. */
export const maxEstimates = 10;

/** Resolvers of `Query.estimate`. They ask no upstream and keep nothing of what they are shown. */
export function createEstimateResolvers({ current, configured, pages, cost }: EstimateResolversOptions) {
  const counts = new WeakMap<OperationContext, number>();
  let queue: Promise<unknown> = Promise.resolve();

  /** One estimate in each turn of the event loop, whoever asks: many at once hold it no longer than one. */
  const takeTurn = (): Promise<unknown> => {
    queue = queue.then(() => nextTurn());
    return queue;
  };

  return {
    Query: {
      async estimate(_, { query, variables, operationName }, context, info) {
        const count = (counts.get(context) ?? 0) + 1;
        counts.set(context, count);
        checkCount(count);
        const request = { query, variables: toVariables(variables), operationName: operationName ?? null };
        await takeTurn();
        // By now the operation has asked for all that it asks for: with one too many, none is worked out.
        checkCount(counts.get(context) ?? count);
        if (context.cancellation.cause) throw gatewayError('REQUEST_TIMEOUT', 'The request ended before the estimate.');
        const generation = current();
        if (!generation) throw new Error('an estimate was asked for before there was a schema');
        const calls = toCallFacts({ schema: generation.schema, local: info.schema }, configured, pages);
        return toEstimate(judgeOperation(generation, request), request, generation, { cost, calls });
      },
    },
  } as const satisfies Resolvers;
}

function checkCount(count: number): void {
  if (count <= maxEstimates) return;
  throw gatewayError('BAD_USER_INPUT', `An operation may ask for at most ${maxEstimates} estimates.`);
}

function toVariables(value: unknown): Variables {
  if (value === null || value === undefined) return {};
  const plain: unknown = value instanceof ExactNumber ? value.valueOf() : value;
  if (typeof plain === 'object' && !Array.isArray(plain)) return plain as Variables;
  const got = Array.isArray(plain) ? 'a list' : `a ${typeof plain}`;
  throw gatewayError('BAD_USER_INPUT', `variables must be a JSON object; got ${got}.`, { argument: 'variables' });
}
