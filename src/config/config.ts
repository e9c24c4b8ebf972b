import type { NetworkProfile } from './network-profile.ts';
import type { Client } from './parse-clients.ts';
import type { Secret } from './secret.ts';

/** Everything the service needs to know, complete and checked. Built only by `parseConfig`. */
export interface Config {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly profile: NetworkProfile;
  readonly upstreams: Upstreams;
  readonly sponsorship: {
    readonly auth: 'forward' | 'token';
    /**
     * What the gateway sends to a real sponsor; `null` in forward mode. On the embedded devnet: what its sponsor accepts,
     * in both modes; `null` when none is given (it makes one).
     */
    readonly token: Secret | null;
    readonly allowAnonymous: boolean;
    /** A budget must be below it. */
    readonly maxGasBudgetExclusive: number;
  };
  /** What signs the cursors of our own connections: the first signs, all verify; `null` = made at start. */
  readonly cursorKeys: readonly Secret[] | null;
  /** Of our own connections; the ledger's page sizes are the ledger's. */
  readonly pages: { readonly defaultSize: number; readonly maxSize: number };
  readonly limits: {
    /** Bounds of documents, named as `serviceConfig` names them; `null` = the ledger's own. */
    readonly documents: {
      readonly maxQueryDepth: number | null;
      readonly maxQueryNodes: number | null;
      readonly maxOutputNodes: number | null;
      readonly maxQueryPayloadSize: number | null;
      readonly maxTransactionPayloadSize: number | null;
    };
    /** Base64 text of `txBytes` and `userSig`, in bytes. */
    readonly maxTransactionPayloadBytes: number;
    /** Whole request body, in bytes. */
    readonly maxBodyBytes: number;
    /** Calls that the pages of events and transactions of one operation may come to. */
    readonly maxEventCalls: number;
    /** Operations in one batched request; 0 = arrays are refused. */
    readonly maxBatchSize: number;
    readonly sockets: {
      /** WebSockets of this process at once; 0 = none. */
      readonly max: number;
      readonly maxPerAddress: number;
      /** Operations under way on one. */
      readonly maxOperations: number;
      /** What one may send before it is acknowledged, in bytes. */
      readonly maxGreetingBytes: number;
    };
  };
  readonly timeouts: { readonly queryMs: number; readonly mutationMs: number };
  /** Who has an API key; `null` when there are none to check. */
  readonly clients: readonly Client[] | null;
  readonly rateLimit: {
    /** Attempts a minute of one caller; 0 = no limit. */
    readonly perMinute: number;
    readonly cost: 'request' | 'usage';
    /** Where several instances count together; `null` = in this process. */
    readonly redis: { readonly url: Secret; readonly sharedBy: number } | null;
  };
  /** Addresses and CIDR ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** `'*'` or the list of allowed origins. Never with credentials. */
  readonly corsOrigins: '*' | readonly string[];
  readonly graphiql: boolean;
  readonly introspection: boolean;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  readonly schema: {
    /** 0 = never asked again after the first success. */
    readonly pollMs: number;
    readonly cacheFile: string | null;
  };
  /** Keys that were set and are checked, but whose feature this version does not have; said at start. */
  readonly notInForce: readonly string[];
}

export type Upstreams =
  /** The embedded simulated network: all three upstreams on loopback. */
  | { readonly kind: 'devnet' }
  | {
      readonly kind: 'remote';
      readonly ledger: { readonly graphqlUrl: string };
      readonly sponsor: { readonly url: string } | null;
      readonly events: { readonly rpcUrl: string; readonly wsUrl: string | null } | null;
    };
