import type { Client } from '../config/client.ts';
import type { NetworkProfileName } from '../config/network-profile.ts';
import type { Policy } from '../config/policy.ts';
import type { Secret } from '../config/secret.ts';
import type { DevnetOptions } from '../devnet/start-devnet.ts';

/** What the arguments of the program ask for. */
export type Command =
  | {
      readonly name: 'serve';
      /** Settings given as options, by name, in the form of the environment. */
      readonly settings: Readonly<Record<string, string>>;
    }
  /** Serve as a worker process started by a primary. */
  | { readonly name: 'worker' }
  | {
      readonly name: 'devnet';
      /** The network whose wire names it uses. */
      readonly profile: NetworkProfileName;
      readonly sponsorToken: Secret | null;
      readonly options: Omit<DevnetOptions, 'sponsorToken' | 'dialect'>;
    }
  | {
      readonly name: 'schema print';
      /** Print the graph over the configured ledger as a Federation 2 subgraph. */
      readonly isFederation: boolean;
    }
  | {
      readonly name: 'schema pull';
      /** The file to write; `null` = standard output. */
      readonly file: string | null;
      /** The whole graph instead of the ledger's schema only. */
      readonly isGateway: boolean;
    }
  | {
      readonly name: 'schema check';
      readonly file: string;
      /** The file has the whole graph instead of the ledger's schema only. */
      readonly isGateway: boolean;
    }
  | { readonly name: 'config check' }
  | { readonly name: 'config schema' }
  | {
      readonly name: 'keys new';
      readonly id: string;
      readonly scopes: Client['scopes'];
      /** Attempts a minute; `null`: the default limit. */
      readonly perMinute: number | null;
      /** `null`: valid for every web origin. */
      readonly origins: Client['origins'];
      /** Gas in the smallest unit of the gas coin, per UTC day; `null`: no budget. */
      readonly gasPerDay: Policy['gas']['perDay'];
      /** `null`: its transactions may call any function. */
      readonly moveCalls: Policy['moveCalls'];
    }
  | {
      readonly name: 'tail';
      /** Endpoint of a gateway. */
      readonly url: string;
      /** `null`: all. */
      readonly filter: Readonly<Record<string, unknown>> | null;
      readonly isTransactions: boolean;
      /** A cursor; `null`: the one of the state file, or else now. */
      readonly after: string | null;
      /** Keeps the cursor of the last printed line. */
      readonly stateFile: string | null;
      /** Holds an API key. */
      readonly keyFile: string | null;
    }
  | {
      readonly name: 'policy check';
      /** Id of a client, or name of a policy. */
      readonly client: string;
      /** The transaction in base64. */
      readonly tx: string;
    }
  | {
      readonly name: 'audit';
      /** Log files; `-` or none = standard input. */
      readonly files: readonly string[];
      readonly isJson: boolean;
    }
  | {
      readonly name: 'explain';
      /** Path of the file; `-` = standard input. */
      readonly file: string;
      readonly variables: Readonly<Record<string, unknown>>;
      /** `null`: the file contains only one operation. */
      readonly operationName: string | null;
      readonly isJson: boolean;
    }
  | {
      readonly name: 'explain manifest';
      readonly file: string;
      /** Values by name, for all documents. */
      readonly variables: Readonly<Record<string, unknown>>;
      readonly isJson: boolean;
    }
  | {
      readonly name: 'help';
      /** `null`: about all commands. */
      readonly command: string | null;
    }
  | { readonly name: 'version' };

export interface UsageError {
  readonly name: 'usage error';
  /** What is wrong with the arguments, in one line. */
  readonly message: string;
}
