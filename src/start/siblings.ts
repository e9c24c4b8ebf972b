import { createHmac } from 'node:crypto';
import { Secret } from '../config/secret.ts';
import type { MetricValues } from '../telemetry/metrics.ts';
import type { DevnetAddresses } from '../upstream/upstream.ts';
import type { ReloadedLists } from './watch-lists.ts';

/** The simulated network, running in another process of this gateway. */
export interface RunningNetwork extends DevnetAddresses {
  readonly sponsorToken: string;
}

/** Data that all processes of one gateway share, as plain values that can be sent between processes. */
export interface Shared {
  readonly workers: number;
  /** `null` where the upstreams are real. */
  readonly network: RunningNetwork | null;
  readonly secret: string;
}

export interface WorkerFacts {
  /** URL of the worker: scheme, host and port. */
  readonly url: string;
  readonly graphqlUrl: string;
  /** Where the worker's schema came from. */
  readonly schema: string;
}

/** The other workers of a gateway with several processes, as one worker sees them. */
export interface Siblings {
  readonly shared: Shared;
  /** Number of workers that serve now, including this one. */
  readonly serving: () => number;
  readonly ready: (facts: WorkerFacts) => void;
  /** Another worker serves in place of this one, which must stop. */
  readonly isReplaced: () => boolean;
  /**
   * Call with each schema that this worker adopted: the other workers then check the ledger's schema too.
   * @param schema identifies it
   */
  readonly schemaReplaced: (schema: string) => void;
  /** @param check called when it is this worker's turn to poll the ledger's schema */
  readonly onSchemaCheck: (check: () => void) => void;
  /** @param read called for each heartbeat, which carries this worker's metrics to the primary */
  readonly onMetrics: (read: () => MetricValues) => void;
  /** The metrics of all workers, as one page. */
  readonly metricsPage: () => Promise<string>;
  /** @param adopt called with the lists that were reloaded */
  readonly onLists: (adopt: (lists: ReloadedLists) => void) => void;
}

/** The secret of this name: the same in every worker and its replacements. */
export function deriveSecret({ secret }: Shared, name: string): Secret {
  return new Secret(createHmac('sha256', secret).update(name).digest('base64url'));
}

/** A worker's share of a limit on all workers together, rounded up. */
export function workerShareOf(whole: number, siblings: Siblings | null): number {
  return Math.ceil(whole / (siblings?.shared.workers ?? 1));
}
