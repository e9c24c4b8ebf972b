import type { ReachedBound } from '../live/quota.ts';
import type { UpstreamCapability } from '../upstream/upstream.ts';

/** Does the next live stream of a caller, with a filter that nobody follows, get a reader of its own? @param bound that is reached */
export function liveReaderCapability(bound: ReachedBound | null): UpstreamCapability {
  return { name: 'live:ownReader', available: bound === null, reason: bound && toReason(bound) };
}

function toReason({ of, max }: ReachedBound): string {
  const which =
    of === 'caller' ? `The ${max} readers that one caller may have are open` : `All ${max} readers are open`;
  return `${which}: another filter of liveEvents is served by the reader of everything, one of liveTransactions is refused.`;
}
