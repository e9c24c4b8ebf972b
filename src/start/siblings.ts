import { createHmac } from 'node:crypto';
import type { Client } from '../config/client.ts';
import { Secret } from '../config/secret.ts';
import type { DevnetAddresses } from '../upstream/upstream.ts';

/** The simulated network that runs in another process of this gateway. */
export interface RunningNetwork extends DevnetAddresses {
  readonly sponsorToken: string;
}

/** What the processes of one gateway have in common, as plain data that travels between them. */
export interface Shared {
  /** How many of them serve. */
  readonly workers: number;
  /** `null` where the upstreams are real. */
  readonly network: RunningNetwork | null;
  /** What the secrets that all of them need are derived from. */
  readonly secret: string;
}

/** What is known of a worker that serves. */
export interface WorkerFacts {
  /** Scheme, host and port. */
  readonly url: string;
  readonly graphqlUrl: string;
  /** Where its schema came from. */
  readonly schema: string;
}

/** The other workers of a gateway that serves in several processes, as one of them knows them. */
export interface Siblings {
  readonly shared: Shared;
  /** How many serve at this moment, this one included. */
  readonly serving: () => number;
  /** To be told when this one serves. */
  readonly ready: (facts: WorkerFacts) => void;
  /**
   * To be told of each schema that this one adopted: the others then look at the ledger's too.
   * @param schema what tells it from others
   */
  readonly schemaReplaced: (schema: string) => void;
  /** @param look called whenever it is this one's turn to look at the ledger's schema */
  readonly onTurnToLook: (look: () => void) => void;
  /** @param adopt called with the clients whenever others are in force than at the beginning */
  readonly onClients: (adopt: (clients: readonly Client[]) => void) => void;
}

/** The secret of this name: the same in every worker, and in one that takes the place of another. */
export function deriveSecret({ secret }: Shared, name: string): Secret {
  return new Secret(createHmac('sha256', secret).update(name).digest('base64url'));
}

/** A worker's part of what all of them may have together, rounded up. */
export function partOf(whole: number, siblings: Siblings | null): number {
  return Math.ceil(whole / (siblings?.shared.workers ?? 1));
}
