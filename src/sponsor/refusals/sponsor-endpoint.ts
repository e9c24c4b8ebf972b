/** The names are also written to the log. */
export type SponsorEndpoint =
  | 'health'
  | 'version'
  | 'debugHealthCheck'
  | 'reserveGas'
  | 'executeTx'
  | 'reloadAccessController';

/** Where each lives below the sponsor's base path. */
export const sponsorEndpoints = {
  health: { method: 'GET', path: '/' },
  version: { method: 'GET', path: '/version' },
  debugHealthCheck: { method: 'POST', path: '/debug_health_check' },
  reserveGas: { method: 'POST', path: '/v1/reserve_gas' },
  executeTx: { method: 'POST', path: '/v1/execute_tx' },
  reloadAccessController: { method: 'GET', path: '/v1/reload_access_controller' },
} as const satisfies Record<SponsorEndpoint, { method: 'GET' | 'POST'; path: string }>;
