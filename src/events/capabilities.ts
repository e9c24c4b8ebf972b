import { eventFilterMembers, type NetworkProfile } from '../config/network-profile.ts';
import type { ReachedBound } from '../live/quota.ts';
import type { UpstreamCapability } from '../upstream/upstream.ts';

/**
 * Which members of `EventQueryFilter` work here, in the order of the input type.
 * @param configured whether there is an events upstream at all
 */
export function eventFilterCapabilities(
  profile: NetworkProfile,
  configured: { readonly events: boolean; readonly missingSetting: string },
): readonly UpstreamCapability[] {
  return eventFilterMembers.map((member) => {
    const reason =
      profile.events.filters[member] === null
        ? `The nodes of network '${profile.name}' have no such filter.`
        : configured.events
          ? null
          : `No events upstream: ${configured.missingSetting} is not set.`;
    return { name: `eventFilter:${member}`, available: reason === null, reason };
  });
}

/** Does the next live stream of a caller with a new filter get a reader of its own? @param bound the one that is reached */
export function liveReaderCapability(bound: ReachedBound | null): UpstreamCapability {
  return { name: 'live:ownReader', available: bound === null, reason: bound && toReason(bound) };
}

function toReason({ of, max }: ReachedBound): string {
  const which =
    of === 'caller' ? `The ${max} readers that one caller may have are open` : `All ${max} readers are open`;
  return `${which}: another filter of liveEvents is served by the reader of everything, one of liveTransactions is refused.`;
}
