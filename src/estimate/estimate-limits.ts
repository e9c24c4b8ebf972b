import type { PreparedDocument } from '../documents/prepared-document.ts';
import type { EstimateLimit } from '../generated/own.ts';
import { queryPart, transactionPayload } from '../limits/check-variables.ts';
import { type EventPages, mostEventCalls } from '../limits/event-pages.ts';
import type { LimitName, Limits } from '../limits/limits.ts';
import type { Usage } from '../limits/usage.ts';
import type { Variables } from '../limits/variables.ts';

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
    ...eventLimits(size.eventPages, variables, limits),
  ];
}

/**
 * Only for documents that have such pages: this limit is not one of the ledger, and would confuse beside its limits.
 */
function eventLimits(pages: EventPages, variables: Variables, { events }: Limits): readonly EstimateLimit[] {
  if (!events || pages.length === 0) return [];
  const used = mostEventCalls(pages, variables, events);
  return [{ name: 'maxEventCalls', max: events.maxCalls, used, exceeded: used > events.maxCalls }];
}
