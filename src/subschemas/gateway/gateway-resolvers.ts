import type { NetworkProfile } from '../../config/network-profile.ts';
import type { UpstreamName } from '../../errors/gateway-error.ts';
import type { GatewayCapability, GatewayUpstream, GatewayUpstreamState, Resolvers } from '../../generated/local.ts';
import { joinName, joins } from '../../joins/joins.ts';
import type { UpstreamHealth } from '../../transport/upstream-health.ts';

/** A configured upstream, or the key that would configure it. */
export type UpstreamFacts =
  | { readonly health: () => UpstreamHealth; readonly version?: (() => string | Promise<string | null>) | undefined }
  | { readonly setting: string };

/** What the gateway can tell about itself at any moment. */
export interface GatewayFacts {
  readonly version: string;
  readonly profile: NetworkProfile;
  readonly rpcVersion: () => string;
  readonly upstreams: ReadonlyMap<UpstreamName, UpstreamFacts>;
  readonly missingJoins: () => ReadonlyMap<string, string>;
  readonly eventFilters: readonly GatewayCapability[];
}

const states: Readonly<Record<UpstreamHealth['state'], GatewayUpstreamState>> = {
  unknown: 'UP',
  up: 'UP',
  degraded: 'DEGRADED',
  down: 'DOWN',
};

/** Resolvers of `Query.gateway`. They read what is already known, and ask no upstream but for a version not known. */
export function createGatewayResolvers(facts: GatewayFacts): Resolvers {
  return {
    Query: {
      gateway: () => ({
        version: facts.version,
        networkProfile: facts.profile.name,
        rpcVersion: facts.rpcVersion(),
        upstreams: [...facts.upstreams].map(toGatewayUpstream),
        capabilities: [...toJoinCapabilities(facts.missingJoins()), ...facts.eventFilters],
      }),
    },
    GatewayUpstream: {
      version({ name }) {
        const upstream = facts.upstreams.get(name as UpstreamName);
        return upstream && 'version' in upstream ? (upstream.version?.() ?? null) : null;
      },
    },
  };
}

function toGatewayUpstream([name, upstream]: readonly [UpstreamName, UpstreamFacts]): GatewayUpstream {
  if ('setting' in upstream) {
    const detail = `Set ${upstream.setting} to configure it.`;
    return { name, configured: false, state: 'NOT_CONFIGURED', lastSeenAt: null, detail };
  }
  const { state, lastSeenMs, detail } = upstream.health();
  return {
    name,
    configured: true,
    state: states[state],
    lastSeenAt: lastSeenMs === null ? null : new Date(lastSeenMs).toISOString(),
    detail: state === 'unknown' ? 'It has not been asked yet.' : detail,
  };
}

function toJoinCapabilities(missing: ReadonlyMap<string, string>): GatewayCapability[] {
  return joins.map((join) => {
    const name = joinName(join);
    const reason = missing.get(name) ?? null;
    return { name, available: reason === null, reason };
  });
}
