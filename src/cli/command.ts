import type { Client } from '../config/client.ts';
import type { NetworkProfileName } from '../config/network-profile.ts';
import type { Secret } from '../config/secret.ts';

/** A parsed command with its options. */
export type Command =
  | { readonly name: 'serve' }
  /** Serve as one of several processes, started by a primary. */
  | { readonly name: 'worker' }
  | {
      readonly name: 'devnet';
      readonly host: string;
      /** One port for all three faces; 0 = any free one. */
      readonly port: number;
      /** `null`: the devnet's default. */
      readonly seed: number | null;
      readonly sponsorToken: Secret | null;
      /** The network whose wire names it uses. */
      readonly profile: NetworkProfileName;
      /** When the network's time begins, milliseconds since the Unix epoch; `null` = the system's time. */
      readonly startMs: number | null;
      /** 0 = a checkpoint closes only when a transaction is executed. */
      readonly checkpointIntervalMs: number | null;
      /** Checkpoints of history that are kept; `null`: the devnet's default. */
      readonly historyCheckpoints: number | null;
      /** Checkpoints behind the newest at which live objects can be read; `null`: the devnet's default. */
      readonly availableCheckpoints: number | null;
    }
  | {
      readonly name: 'schema print';
      /** Print the graph over the configured ledger as a Federation 2 subgraph. */
      readonly isFederation: boolean;
    }
  | { readonly name: 'config check' }
  | { readonly name: 'config schema' }
  | {
      readonly name: 'keys new';
      readonly id: string;
      readonly scopes: Client['scopes'];
      /** Attempts a minute; `null`: the limit that applies to everybody. */
      readonly perMinute: number | null;
      /** `null`: usable from any web origin. */
      readonly origins: Client['origins'];
      /** Of the smallest unit of the gas coin, in one UTC day; `null`: no budget. */
      readonly gasPerDay: Client['gasPerDay'];
      /** `null`: its transactions may call anything. */
      readonly moveCalls: Client['moveCalls'];
    }
  | {
      readonly name: 'explain';
      /** `-` = standard input. */
      readonly file: string;
      readonly variables: Readonly<Record<string, unknown>>;
      /** `null`: the file's only operation. */
      readonly operationName: string | null;
      readonly isJson: boolean;
    }
  | { readonly name: 'help' }
  | { readonly name: 'version' };

export interface UsageError {
  readonly name: 'usage error';
  /** One line. */
  readonly message: string;
}

/** Default values of the options of `devnet`. */
export const devnetDefaults = {
  host: '127.0.0.1',
  port: 4100,
  checkpointMs: 500,
  /** Default `--start-time` with `--seed`: digests depend on the time, so only a fixed start makes them repeat. */
  seededStart: '2026-01-01T00:00:00Z',
} as const;
