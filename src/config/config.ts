import type { Client } from './client.ts';
import type { ConfigValues } from './keys.ts';
import type { NetworkProfile } from './network-profile.ts';
import type { Secret } from './secret.ts';

/** The complete, checked configuration of a service. Only `parseConfig` builds one. */
export interface Config {
  /** Every setting by its name, on its own. What follows combines them, and is nearer to its use. */
  readonly settings: ConfigValues;
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly profile: NetworkProfile;
  readonly upstreams: Upstreams;
  readonly sponsorship: {
    readonly auth: 'forward' | 'token';
    /**
     * With a real sponsor: the token that the gateway sends; `null` in forward mode. On the embedded devnet, in both modes:
     * the token that its sponsor accepts; `null` = it makes one.
     */
    readonly token: Secret | null;
    readonly allowAnonymous: boolean;
    /** A gas budget must be below it. */
    readonly maxGasBudgetExclusive: number;
    /** What becomes of a transaction that does not fit its reservation, or cannot be read. */
    readonly preflight: 'enforce' | 'warn' | 'off';
    /** Keys of the ids that callers get for reservations: the first signs, all verify; `null` = made at start. */
    readonly leaseKeys: readonly Secret[] | null;
    /** Where token and keys are written, so that they can be read again; `null` for one without such a file. */
    readonly files: { readonly token: string | null; readonly leaseKeys: string | null };
  };
  /** Keys of the cursors of events and transactions: the first signs, all verify; `null` = made at start. */
  readonly cursorKeys: readonly Secret[] | null;
  /** Page sizes of events and transactions; the ledger decides those of its own connections. */
  readonly pages: { readonly defaultSize: number; readonly maxSize: number };
  readonly limits: {
    /** Limits of documents, named as in `serviceConfig`; `null` = the ledger's. */
    readonly documents: {
      readonly maxQueryDepth: number | null;
      readonly maxQueryNodes: number | null;
      readonly maxOutputNodes: number | null;
      readonly maxQueryPayloadSize: number | null;
      readonly maxTransactionPayloadSize: number | null;
    };
    /** `txBytes` and `userSig` together, in bytes of base64 text. */
    readonly maxTransactionPayloadBytes: number;
    /** Whole request body, in bytes. */
    readonly maxBodyBytes: number;
    /** Calls that all pages of events and transactions of one operation may take together. */
    readonly maxEventCalls: number;
    /** Operations in one batched request; 0 = arrays are refused. */
    readonly maxBatchSize: number;
    readonly sockets: {
      /** WebSockets at once; 0 = none. */
      readonly max: number;
      readonly maxPerAddress: number;
      /** Operations under way on one WebSocket. */
      readonly maxOperations: number;
      /** Bytes that a client may send before its WebSocket is acknowledged. */
      readonly maxGreetingBytes: number;
    };
  };
  readonly live: {
    /** Who tells when it is worth asking an upstream. */
    readonly source: 'auto' | 'graphql' | 'poll' | 'websocket';
    /** Streams of this process at once. */
    readonly maxStreams: number;
    readonly maxStreamsPerCaller: number;
    /** Queries that are read at once, beside the one for everything. */
    readonly maxReaders: number;
    /** Of one caller among them. */
    readonly maxReadersPerCaller: number;
    /** Between two looks at an upstream, in milliseconds: while something happens, and when nothing has for a while. */
    readonly pollMinMs: number;
    readonly pollMaxMs: number;
    /** What all readers together keep for those who come back, or are slow. */
    readonly replayBytes: number;
  };
  readonly timeouts: { readonly queryMs: number; readonly mutationMs: number };
  /** Clients with an API key; `null` = API keys are not looked at. */
  readonly clients: readonly Client[] | null;
  /** Where they are written, so that it can be read again; `null` without such a file. */
  readonly clientsFile: string | null;
  /** Whose JWTs make somebody known; `null` = nobody's. */
  readonly jwt: JwtRules | null;
  readonly rateLimit: {
    /** Attempts a minute of one caller; 0 = no limit. */
    readonly perMinute: number;
    readonly cost: 'request' | 'usage';
    /** The Redis in which several instances count together; `null` = this process counts alone. */
    readonly redis: { readonly url: Secret; readonly sharedBy: number } | null;
  };
  /** Addresses and CIDR ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** `'*'` or the list of allowed origins. Never with credentials. */
  readonly corsOrigins: '*' | readonly string[];
  readonly graphiql: boolean;
  readonly introspection: boolean;
  /** Processes that serve; `auto` = one for each core. Whoever embeds a gateway serves in one process, whatever this says. */
  readonly workers: number | 'auto';
  /** How long it serves on after a signal to stop, in milliseconds; `null`: the signal decides. */
  readonly drainMs: number | null;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  readonly schema: {
    /** 0 = the ledger is not asked again after its first answer. */
    readonly pollMs: number;
    readonly cacheFile: string | null;
  };
  /** Answers of the ledger's that never change: how much memory they take, 0 = none are kept, and for how long. */
  readonly immutableReads: { readonly maxBytes: number; readonly lifeMs: number };
  /** Settings that were set but have no effect in this version; the log names them at start. */
  readonly notInForce: readonly string[];
}

/** Whose JWTs are good, and what for. */
export interface JwtRules {
  /** Where the issuer publishes its keys. */
  readonly keysUrl: string;
  readonly issuer: string;
  readonly audience: string;
  /** The claim that lists scopes; `null` = whichever is usual. */
  readonly scopesClaim: string | null;
  /** For each holder, as for a client with a key; see `Client`. */
  readonly gasPerDay: number | null;
  readonly moveCalls: readonly string[] | null;
}

export type Upstreams =
  /** The embedded simulated network, on loopback. */
  | { readonly kind: 'devnet' }
  /** Addresses by the setting that holds each; an upstream whose setting is not among them is not configured. */
  | { readonly kind: 'remote'; readonly addresses: Readonly<Record<string, string>> };
