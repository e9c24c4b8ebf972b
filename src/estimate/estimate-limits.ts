import { type CalledPages, mostCalls } from '../documents/cost/called-pages.ts';
import { queryPart, transactionPayload } from '../documents/cost/check-variables.ts';
import type { LimitName, Limits } from '../documents/cost/limits.ts';
import type { Usage } from '../documents/cost/usage.ts';
import type { Variables } from '../documents/cost/variables.ts';
import type { PreparedDocument } from '../documents/prepared-document.ts';
import type { EstimateLimit } from '../generated/own.ts';

/** Each limit in force, and how much of it a document uses: 0 where it was not counted. */
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
    // How much of a text are transactions is known only once it is parsed, so that an unreadable text is held to both
    // allowances together.
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

/**
 * Only for documents that have such pages: this limit is not one of the ledger, and would confuse beside its limits.
 */
function calledPageLimits(
  pages: CalledPages,
  variables: Variables,
  { calledPages: bounds }: Limits,
): readonly EstimateLimit[] {
  if (!bounds || pages.length === 0) return [];
  const used = mostCalls(pages, variables, bounds);
  return [{ name: 'maxEventCalls', max: bounds.maxCalls, used, exceeded: used > bounds.maxCalls }];
}
