import { type RateCost, toPoints } from '../callers/caller-gate.ts';
import { maxCount, type Usage } from '../documents/cost/usage.ts';
import { toShownPlan } from '../documents/plan/plan-operation.ts';
import { fieldsAsked } from '../documents/prepared-document.ts';
import type { Estimate } from '../generated/own.ts';
import type { Generation } from '../graph/generation.ts';
import { type CallCounting, countUpstreamCalls } from './count-upstream-calls.ts';
import { toEstimateLimits } from './estimate-limits.ts';
import type { JudgedRequest, Judgement } from './judge-operation.ts';

export interface EstimateFacts {
  readonly cost: RateCost;
  readonly calls: CallCounting;
}

/** `Int` of GraphQL holds no more; fragments within fragments exceed it within a few hundred bytes. */
const maxInt = 2 ** 31 - 1;

export function toEstimate(
  { prepared, executable, usage: counted, ownMutations, errors, bound }: Judgement,
  { query, variables }: JudgedRequest,
  { limits }: Pick<Generation, 'limits'>,
  { cost, calls }: EstimateFacts,
): Estimate {
  const usage = counted ?? uncounted(query, variables);
  const fragments = executable?.fragments ?? new Map();
  return {
    usage: toEstimateUsage(usage),
    limits: toEstimateLimits(prepared, usage, variables, limits),
    refused: errors.length > 0,
    reasons: errors.map(({ message }) => message),
    plan: bound && toShownPlan(bound.plan),
    upstreamCalls: bound && countUpstreamCalls({ ...bound, fragments }, bound.plan, calls),
    ratePoints: toPoints({ usage: counted, ownMutations, introspectedFields: fieldsAsked(prepared) }, cost, limits),
  };
}

function uncounted(query: string, variables: object): Usage {
  return {
    inputNodes: 0,
    outputNodes: 0,
    depth: 0,
    variables: Object.keys(variables).length,
    fragments: 0,
    queryPayload: Buffer.byteLength(query),
  };
}

function toEstimateUsage(usage: Usage): Estimate['usage'] {
  const toInt = (count: number) => Math.min(count, maxInt);
  return {
    inputNodes: toInt(usage.inputNodes),
    outputNodes: Math.min(usage.outputNodes, maxCount),
    depth: toInt(usage.depth),
    variables: toInt(usage.variables),
    fragments: toInt(usage.fragments),
    queryPayload: toInt(usage.queryPayload),
  };
}
