import { createHmac } from 'node:crypto';
import type { Client } from '../config/client.ts';
import { Secret } from '../config/secret.ts';
import type { MetricValues } from '../telemetry/metrics.ts';
import type { DevnetAddresses } from '../upstream/upstream.ts';

/** The simulated network that runs in another process of this gateway. */
export interface RunningNetwork extends DevnetAddresses {
  readonly sponsorToken: string;
}

/** Data that all processes of one gateway share, as plain values that can be sent between them. */
export interface Shared {
  /** How many of them serve. */
  readonly workers: number;
  /** `null` where the upstreams are real. */
  readonly network: RunningNetwork | null;
  /** The secrets that all of them need are derived from it. */
  readonly secret: string;
}

/** Facts about a serving worker. */
export interface WorkerFacts {
  /** Scheme, host and port. */
  readonly url: string;
  readonly graphqlUrl: string;
  /** Where its schema came from. */
  readonly schema: string;
}

/** The other workers of a gateway with several processes, as seen by one of them. */
export interface Siblings {
  readonly shared: Shared;
  /** How many serve at this moment, this one included. */
  readonly serving: () => number;
  /** Call it when this worker serves. */
  readonly ready: (facts: WorkerFacts) => void;
  /**
   * Call it with each schema that this worker adopted: the others then check the ledger's too.
   * @param schema identifies it
   */
  readonly schemaReplaced: (schema: string) => void;
  /** @param check called whenever it is this worker's turn to check the ledger's schema */
  readonly onSchemaCheck: (check: () => void) => void;
  /** @param read called for each heartbeat, which carries this worker's metrics to the primary */
  readonly onMetrics: (read: () => MetricValues) => void;
  /** The metrics of all workers, as one page. */
  readonly metricsPage: () => Promise<string>;
  /** @param adopt called with the clients whenever they change */
  readonly onClients: (adopt: (clients: readonly Client[]) => void) => void;
}

/** The secret of this name: the same in every worker and its replacements. */
export function deriveSecret({ secret }: Shared, name: string): Secret {
  return new Secret(createHmac('sha256', secret).update(name).digest('base64url'));
}

/** A worker's part of a bound on all workers together, rounded up. */
export function partOf(whole: number, siblings: Siblings | null): number {
  return Math.ceil(whole / (siblings?.shared.workers ?? 1));
}
