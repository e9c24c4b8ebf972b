import { type EventsHost, eventsUpstream } from '../events/events-upstream.ts';
import { type GraphUpstream, ledgerUpstream } from '../ledger/ledger-upstream.ts';
import { type SponsorHost, sponsorUpstream } from '../sponsor/sponsor-upstream.ts';
import type { OwnFieldsUpstream, Upstream } from '../upstream/upstream.ts';

/** Everything that the gateway provides to its upstreams. */
export interface LentHost extends SponsorHost, EventsHost {}

/** The upstreams of a gateway. */
export interface UpstreamList {
  readonly graph: GraphUpstream;
  readonly ownFields: readonly OwnFieldsUpstream<LentHost>[];
}

/** The only place that names the upstreams; everything else takes a list. Clients see them in this order. */
export const upstreamList: UpstreamList = { graph: ledgerUpstream, ownFields: [sponsorUpstream, eventsUpstream] };

export function allUpstreams({ graph, ownFields }: UpstreamList): readonly Upstream[] {
  return [graph, ...ownFields];
}
