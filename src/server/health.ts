import type { UpstreamHealth } from '../transport/upstream-health.ts';

export interface ReadinessFacts {
  readonly draining: boolean;
  /** Where the ledger's part of the schema came from. */
  readonly schemaOrigin: 'ledger' | 'cache' | 'none';
  /** `null` where an upstream is not configured. */
  readonly upstreams: Readonly<Record<string, UpstreamHealth | null>>;
}

export interface Readiness {
  readonly status: 200 | 503;
  readonly body: object;
}

/** Ready means: not draining, and the ledger or another upstream can serve something. */
export function toReadiness({ draining, schemaOrigin, upstreams }: ReadinessFacts): Readiness {
  const { ledger, ...others } = upstreams;
  const ledgerServes = schemaOrigin !== 'none' && ledger?.state !== 'down';
  const otherServes = Object.values(others).some((health) => health !== null && health.state !== 'down');
  const ready = !draining && (ledgerServes || otherServes);
  return {
    status: ready ? 200 : 503,
    body: {
      status: draining ? 'draining' : ready ? 'ready' : 'unready',
      schema: schemaOrigin,
      upstreams: Object.fromEntries(Object.entries(upstreams).map(([name, health]) => [name, describe(health)])),
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
