import type { NetworkProfile } from '../../config/network-profile.ts';
import type { GatewayCapability, GatewayUpstream, GatewayUpstreamState, Resolvers } from '../../generated/own.ts';
import type { ConnectedUpstream, Upstream, UpstreamCapability } from '../../upstream/upstream.ts';
import type { UpstreamHealth } from '../../upstream/upstream-health.ts';
import { joinName, joins } from '../joins/joins.ts';

export interface UpstreamFacts extends Pick<Upstream, 'name' | 'setting'>, Pick<ConnectedUpstream, 'version'> {
  /** `null` if it is not configured. */
  readonly health: (() => UpstreamHealth) | null;
}

export interface GatewayFacts {
  readonly version: string;
  readonly profile: NetworkProfile;
  readonly rpcVersion: () => string;
  /** The upstreams in the order in which clients see them. */
  readonly upstreams: readonly UpstreamFacts[];
  /** Probes upstreams without a recent response, as for readiness. */
  readonly probe: () => Promise<void>;
  readonly missingJoins: () => ReadonlyMap<string, string>;
  /** Why the ledger's newest schema is not in force, or not all of it; empty if it is. */
  readonly schemaFaults: () => readonly string[];
  readonly capabilities: (caller: string) => readonly UpstreamCapability[];
}

const states: Readonly<Record<UpstreamHealth['state'], GatewayUpstreamState>> = {
  unknown: 'DEGRADED',
  up: 'UP',
  degraded: 'DEGRADED',
  down: 'DOWN',
};

/** Resolvers of `Query.gateway`. States are those of readiness and of the landing page, at most 2 s old. */
export function createGatewayResolvers(facts: GatewayFacts): Resolvers {
  const versions = new Map(facts.upstreams.map(({ name, version }) => [name, version]));
  return {
    Query: {
      gateway: (_parent, _args, { caller }) => ({
        version: facts.version,
        networkProfile: facts.profile.name,
        rpcVersion: facts.rpcVersion(),
        upstreams: [],
        capabilities: [
          ...toJoinCapabilities(facts.missingJoins()),
          ...toSchemaCapabilities(facts.schemaFaults()),
          ...facts.capabilities(caller.rate.key),
        ],
      }),
    },
    Gateway: {
      // A resolver of its own, because the probe may take time.
      upstreams: async () => {
        await facts.probe();
        return facts.upstreams.map(toGatewayUpstream);
      },
    },
    GatewayUpstream: {
      version: ({ name }) => versions.get(name)?.() ?? null,
    },
  };
}

function toGatewayUpstream({ name, setting, health }: UpstreamFacts): GatewayUpstream {
  if (!health) {
    const detail = `Set ${setting.name} to configure it.`;
    return { name, configured: false, state: 'NOT_CONFIGURED', lastSeenAt: null, detail };
  }
  const { state, lastSeenMs, detail } = health();
  return {
    name,
    configured: true,
    state: states[state],
    lastSeenAt: lastSeenMs === null ? null : new Date(lastSeenMs).toISOString(),
    detail: state === 'unknown' ? 'It has not answered yet.' : detail,
  };
}

/** Listed only while the ledger's schema has faults. */
function toSchemaCapabilities(faults: readonly string[]): GatewayCapability[] {
  return faults.length > 0 ? [{ name: 'ledgerSchema', available: false, reason: faults.join('\n') }] : [];
}

function toJoinCapabilities(missing: ReadonlyMap<string, string>): GatewayCapability[] {
  return joins.map((join) => {
    const name = joinName(join);
    const reason = missing.get(name) ?? null;
    return { name, available: reason === null, reason };
  });
}
