import { introspectionPoints, type RateCost } from '../callers/caller-gate.ts';
import type { Variables } from '../documents/cost/output-cost.ts';
import { fieldsAsked, type ReadDocument } from '../documents/prepared-document.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Resolvers } from '../generated/own.ts';
import { isJoin } from '../graph/joins/joins.ts';
import { ExactNumber } from '../json/exact-number.ts';
import type { FairTurns } from '../operation/fair-turns.ts';
import type { PreparedOperation, ServedGeneration } from '../operation/prepared-operation.ts';
import { createPerOperation } from '../upstream/operation-context.ts';
import type { CallCounting } from './count-upstream-calls.ts';
import { toEstimate } from './estimate-operation.ts';
import { judgeOperation } from './judge-operation.ts';

export interface EstimateResolversOptions {
  /** The generation in force; `undefined` only before the first operation is served. */
  readonly current: () => ServedGeneration | undefined;
  readonly ownFieldCalls: CallCounting['ownFieldCalls'];
  /** What operations cost against the rate limit. */
  readonly cost: RateCost;
  readonly turns: Pick<FairTurns, 'run'>;
}

/**
 * Estimates that one operation may ask for: each parses and validates a whole document, which is the work of a request.
 */
export const maxEstimates = 10;
/**
 * Letters that all documents of one operation may have together, each counted once, because the work grows with them.
 * Of a document, letters beyond the longest query do not count: they are transactions, which cost nothing to estimate.
 */
export const maxEstimatedLetters = 20_000;
const maxCountedLetters = 5_000;

interface Asked {
  estimates: number;
  letters: number;
  /** What was read of each document; `null` until its turn has come. */
  readonly documents: Map<
    string,
    { readonly generation: ServedGeneration; readonly read: ReadDocument<PreparedOperation> } | null
  >;
}

/** Resolvers of `Query.estimate`. They ask no upstream and keep nothing of the documents they are given. */
export function createEstimateResolvers({ current, ownFieldCalls, cost, turns }: EstimateResolversOptions) {
  const askedBy = createPerOperation((): Asked => ({ estimates: 0, letters: 0, documents: new Map() }));

  return {
    Query: {
      async estimate(_, { query, variables, operationName }, context, info) {
        const asked = askedBy(context);
        count(asked, query);
        check(asked);
        // The caller pays one point before the work, as for an operation; what the estimate costs beyond that is
        // charged after it.
        const refusal = cost === 'usage' ? await context.charge?.(1) : null;
        if (refusal) throw refusal;
        const request = { query, variables: toVariables(variables), operationName: operationName ?? null };
        await null;
        // All estimates of the operation have been asked for by now. If they are too many, all are refused before any
        // work is done.
        check(asked);
        const { caller, cancellation } = context;
        const client = { onGone: (giveUp: () => void) => void cancellation.onCancel(giveUp) };
        // Each is work of its own: ten in a row would hold up everybody else.
        const { estimate, introspected } = await turns.run(caller.rate.key, client, () => {
          if (cancellation.cause) throw gatewayError('REQUEST_TIMEOUT', 'The request ended before the estimate.');
          const generation = current();
          if (!generation) throw new Error('an estimate was asked for before there was a schema');
          const calls = { schema: generation.schema, ownSchema: info.schema, isJoin, ownFieldCalls };
          const known = asked.documents.get(query);
          const read = known?.generation === generation ? known.read : generation.documents.read(query);
          asked.documents.set(query, { generation, read });
          const judgement = judgeOperation(generation, request, read);
          return {
            estimate: toEstimate(judgement, request, generation, { cost, calls }),
            introspected: fieldsAsked(read.prepared),
          };
        });
        const points = cost === 'usage' ? estimate.ratePoints - 1 : introspectionPoints(introspected);
        if (points > 0) await context.charge?.(points, true);
        return estimate;
      },
    },
  } as const satisfies Resolvers;
}

function count(asked: Asked, query: string): void {
  asked.estimates += 1;
  if (asked.documents.has(query)) return;
  asked.documents.set(query, null);
  // A query for the schema takes as much work as a long one, however short its text.
  const isLong = query.length > maxCountedLetters || /__schema|__type\b/.test(query);
  asked.letters += isLong ? maxCountedLetters : query.length;
}

function check({ estimates, letters }: Asked): void {
  if (estimates > maxEstimates)
    throw gatewayError('BAD_USER_INPUT', `An operation may ask for at most ${maxEstimates} estimates.`);
  if (letters > maxEstimatedLetters)
    throw gatewayError(
      'BAD_USER_INPUT',
      `An operation may ask for estimates of ${maxEstimatedLetters} letters together.`,
    );
}

function toVariables(value: unknown): Variables {
  if (value === null || value === undefined) return {};
  const plain: unknown = value instanceof ExactNumber ? value.valueOf() : value;
  if (typeof plain === 'object' && !Array.isArray(plain)) return plain as Variables;
  const got = Array.isArray(plain) ? 'a list' : `a ${typeof plain}`;
  throw gatewayError('BAD_USER_INPUT', `variables must be a JSON object; got ${got}.`, { argument: 'variables' });
}
