import { introspectionPoints, type RateCost } from '../callers/caller-gate.ts';
import type { Variables } from '../documents/cost/usage.ts';
import { fieldsAsked, type ReadDocument } from '../documents/prepared-document.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Resolvers } from '../generated/own.ts';
import { isJoin } from '../graph/joins/joins.ts';
import { ExactNumber } from '../json/exact-json.ts';
import type { FairTurns } from '../operation/fair-turns.ts';
import type { PreparedOperation, ServedGeneration } from '../operation/prepared-operation.ts';
import { createPerOperation } from '../upstream/operation-context.ts';
import type { CallCounting } from './count-upstream-calls.ts';
import { judgeOperation, toEstimate } from './estimate-operation.ts';

export interface EstimateResolversOptions {
  /** `undefined` only before the first operation is served. */
  readonly current: () => ServedGeneration | undefined;
  readonly ownFieldCalls: CallCounting['ownFieldCalls'];
  readonly cost: RateCost;
  readonly turns: Pick<FairTurns, 'run'>;
}

/** Estimates in one operation: each parses and validates a whole document, the work of a request. */
export const maxEstimates = 10;
/** Characters of all documents in one operation together, each counted once, because the work grows with them. */
export const maxEstimatedLetters = 20_000;
const maxCountedLetters = 5_000;

interface Requested {
  estimates: number;
  letters: number;
  /** What was read of each document; `null` until its turn has come. */
  readonly documents: Map<
    string,
    { readonly generation: ServedGeneration; readonly read: ReadDocument<PreparedOperation> } | null
  >;
}

/** Resolvers of `Query.estimate`. They call no upstream and keep no documents. */
export function createEstimateResolvers({ current, ownFieldCalls, cost, turns }: EstimateResolversOptions) {
  const requestedBy = createPerOperation((): Requested => ({ estimates: 0, letters: 0, documents: new Map() }));

  return {
    Query: {
      async estimate(_, { query, variables, operationName }, context, info) {
        const requested = requestedBy(context);
        count(requested, query);
        check(requested);
        // The caller pays one point before the work, as for an operation, and the rest after it.
        const refusal = cost === 'usage' ? await context.charge?.(1) : null;
        if (refusal) throw refusal;
        const request = { query, variables: toVariables(variables), operationName: operationName ?? null };
        await null;
        // All estimates of the operation have been requested by now. Reject all of them if there are too many, before any work
        // is done.
        check(requested);
        const { caller, cancellation } = context;
        const client = { onGone: (giveUp: () => void) => void cancellation.onCancel(giveUp) };
        // Each waits for its own turn: ten in a row would block other callers.
        const { estimate, introspected } = await turns.run(caller.rate.key, client, () => {
          if (cancellation.cause) throw gatewayError('REQUEST_TIMEOUT', 'The request ended before the estimate.');
          const generation = current();
          if (!generation) throw new Error('an estimate was requested before there was a schema');
          const calls = { schema: generation.schema, ownSchema: info.schema, isJoin, ownFieldCalls };
          const known = requested.documents.get(query);
          const read = known?.generation === generation ? known.read : generation.documents.read(query);
          requested.documents.set(query, { generation, read });
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

function count(requested: Requested, query: string): void {
  requested.estimates += 1;
  if (requested.documents.has(query)) return;
  requested.documents.set(query, null);
  // A query for the schema takes as much work as a long one, however short it is.
  const isLong = query.length > maxCountedLetters || /__schema|__type\b/.test(query);
  requested.letters += isLong ? maxCountedLetters : query.length;
}

function check({ estimates, letters }: Requested): void {
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
