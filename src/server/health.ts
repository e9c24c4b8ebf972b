import type { Upstream } from '../upstream/upstream.ts';
import type { UpstreamHealth } from '../upstream/upstream-health.ts';

export interface ReadinessFacts {
  readonly draining: boolean;
  /** Where the ledger's part of the schema came from. */
  readonly schemaOrigin: 'ledger' | 'cache' | 'none';
  /** How many of its worker processes serve; `null` = the gateway is a single process. */
  readonly workers: { readonly serving: number; readonly of: number } | null;
  /** `health` is `null` if the upstream is not configured. */
  readonly upstreams: readonly (Pick<Upstream, 'name' | 'role'> & { readonly health: UpstreamHealth | null })[];
}

export interface Readiness {
  readonly status: 200 | 503;
  readonly body: object;
}

/** Ready means: not draining, and at least one upstream can be used. The ledger can be used only once its schema is known. */
export function toReadiness({ draining, schemaOrigin, workers, upstreams }: ReadinessFacts): Readiness {
  const serves = upstreams.some(
    ({ role, health }) =>
      health !== null && health.state !== 'down' && (role === 'own fields' || schemaOrigin !== 'none'),
  );
  const ready = !draining && serves;
  return {
    status: ready ? 200 : 503,
    body: {
      status: draining ? 'draining' : ready ? 'ready' : 'unready',
      schema: schemaOrigin,
      ...(workers && { workers }),
      upstreams: Object.fromEntries(upstreams.map(({ name, health }) => [name, describe(health)])),
    },
  };
}

function describe(health: UpstreamHealth | null): object {
  if (!health) return { state: 'not_configured' };
  const { state, lastSeenMs, detail } = health;
  return {
    state,
    lastSeenAt: lastSeenMs === null ? null : new Date(lastSeenMs).toISOString(),
    ...(detail ? { detail } : {}),
  };
}
