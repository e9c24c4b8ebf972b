import { type RateCost, toPoints } from '../callers/caller-gate.ts';
import { queryPart, transactionPayload } from '../documents/admit-document.ts';
import { type CalledPages, mostCalls } from '../documents/cost/called-pages.ts';
import type { LimitName, Limits } from '../documents/cost/limits.ts';
import type { Variables } from '../documents/cost/output-cost.ts';
import { maxCount, type Usage } from '../documents/cost/usage.ts';
import { toShownPlan } from '../documents/plan/plan-operation.ts';
import { fieldsAsked, type PreparedDocument } from '../documents/prepared-document.ts';
import type { Estimate, EstimateLimit } from '../generated/own.ts';
import type { Generation } from '../graph/generation.ts';
import { type CallCounting, countUpstreamCalls } from './count-upstream-calls.ts';
import type { JudgedRequest, Judgement } from './judge-operation.ts';

export interface EstimateFacts {
  readonly cost: RateCost;
  readonly calls: CallCounting;
}

/** The largest `Int` of GraphQL. Fragments within fragments exceed it within a few hundred bytes. */
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

/** Each limit in force, and how much of it a document uses: 0 if it was not counted. */
export function toEstimateLimits(
  prepared: PreparedDocument,
  usage: Usage,
  variables: Variables,
  limits: Limits,
): readonly EstimateLimit[] {
  const toLimit = (name: LimitName, used: number, isExceeded = used > limits[name]): EstimateLimit => ({
    name,
    max: limits[name],
    used,
    exceeded: isExceeded,
  });
  const counted = [
    toLimit('maxQueryDepth', usage.depth),
    toLimit('maxQueryNodes', usage.inputNodes),
    toLimit('maxOutputNodes', usage.outputNodes),
  ];
  if (prepared.kind === 'unreadable') {
    // The share of transactions is known only after parsing, so both allowances apply together to an unreadable text.
    const allowed = limits.maxQueryPayloadSize + limits.maxTransactionPayloadSize;
    const isTooLong = usage.queryPayload > allowed;
    return [
      ...counted,
      toLimit('maxQueryPayloadSize', usage.queryPayload, isTooLong),
      toLimit('maxTransactionPayloadSize', 0),
    ];
  }
  const { size } = prepared;
  return [
    ...counted,
    toLimit('maxQueryPayloadSize', queryPart(size)),
    toLimit('maxTransactionPayloadSize', transactionPayload(size, variables)),
    ...calledPageLimits(size.calledPages, variables, limits),
  ];
}

/** Listed only for documents with such pages: it is not a limit of the ledger. */
function calledPageLimits(
  pages: CalledPages,
  variables: Variables,
  { calledPages: bounds }: Limits,
): readonly EstimateLimit[] {
  if (!bounds || pages.length === 0) return [];
  const used = mostCalls(pages, variables, bounds);
  return [{ name: 'maxEventCalls', max: bounds.maxCalls, used, exceeded: used > bounds.maxCalls }];
}
