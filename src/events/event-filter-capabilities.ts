import { eventFilterMembers, type NetworkProfile } from '../config/network-profile.ts';
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
