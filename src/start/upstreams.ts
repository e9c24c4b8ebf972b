import { type EventsHost, eventsUpstream } from '../events/events-upstream.ts';
import { type GraphUpstream, ledgerUpstream } from '../ledger/ledger-upstream.ts';
import { type SponsorHost, sponsorUpstream } from '../sponsor/sponsor-upstream.ts';
import type { OwnFieldsUpstream, Upstream } from '../upstream/upstream.ts';

export interface AllUpstreamsHost extends SponsorHost, EventsHost {}

export interface UpstreamList {
  readonly graph: GraphUpstream;
  readonly ownFields: readonly OwnFieldsUpstream<AllUpstreamsHost>[];
}

/** The only list of upstreams; all other code receives this list. Clients see the upstreams in this order. */
export const upstreamList: UpstreamList = { graph: ledgerUpstream, ownFields: [sponsorUpstream, eventsUpstream] };

export function allUpstreams({ graph, ownFields }: UpstreamList): readonly Upstream[] {
  return [graph, ...ownFields];
}
