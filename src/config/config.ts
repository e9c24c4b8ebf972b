import type { ClientsFile } from './client.ts';
import type { TrustedDocument } from './document-manifest.ts';
import type { ConfigValues } from './keys.ts';
import type { NetworkProfile } from './network-profile.ts';
import type { Secret } from './secret.ts';

/** `DRAIN_MS` after SIGTERM, unless set. Load balancers check readiness every few seconds. */
export const usualDrainMs = 5_000;

/** The complete, checked configuration of a gateway. Only `parseConfig` builds one. */
export interface Config {
  /** Every setting by its name. The other members combine settings in the form in which they are used. */
  readonly settings: ConfigValues;
  /** Port to listen on; 0 = any free port. */
  readonly port: number;
  /** With `NETWORK_PROFILE=auto`: the profile `ledger`, until the start recognises the network. */
  readonly profile: NetworkProfile;
  readonly upstreams: Upstreams;
  readonly sponsorship: {
    readonly auth: 'forward' | 'token';
    /**
     * With a real sponsor: the token that the gateway sends; `null` in forward mode. On the embedded network, in both modes:
     * the token that its sponsor accepts; `null` = a random one.
     */
    readonly token: Secret | null;
    readonly allowAnonymous: boolean;
    /** Reservations of all callers that have neither expired nor been executed; `null` = no bound. */
    readonly maxOpenReservations: number | null;
    /** A gas budget must be below this. */
    readonly maxGasBudgetExclusive: number;
    /** How to treat a transaction that does not match its reservation, or cannot be parsed. */
    readonly preflight: 'enforce' | 'warn' | 'off';
    /** Does the ledger simulate transactions that cannot be parsed? */
    readonly unreadable: 'refuse' | 'dry-run';
    /** Does the ledger simulate every transaction? */
    readonly dryRun: 'off' | 'failing' | 'strict';
    /** A service of the operator that decides about each transaction; `null` = none. `isOpen`: without an answer, it may be sent. */
    readonly hook: { readonly url: string; readonly secret: Secret; readonly isOpen: boolean } | null;
    /** Does the sponsor get the request's id and the client's? */
    readonly sendsCaller: boolean;
    /** The folder of the journal of the sponsorship store; `null` = the store is in memory or in Redis. */
    readonly journal: string | null;
  };
  /** Secrets from which the keys of cursors are derived: the first signs, all verify; `null` = created at the start. */
  readonly cursorKeys: readonly Secret[] | null;
  /** Page sizes of events and transactions; the ledger sets those of its own connections. */
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
  };
  readonly timeouts: { readonly queryMs: number; readonly mutationMs: number };
  /** Clients with an API key, and policies; `null` = API keys are not used. */
  readonly clients: ClientsFile | null;
  /** Documents that clients may request by id; `null` = none. */
  readonly trustedDocuments: readonly TrustedDocument[] | null;
  /** Accepted JWTs; `null` = none. */
  readonly jwt: JwtRules | null;
  /** The Redis in which several instances count together; `null` = this instance counts alone. */
  readonly redis: { readonly url: Secret; readonly sharedBy: number } | null;
  /** Addresses and CIDR ranges of proxies whose `X-Forwarded-For` is used. */
  readonly trustedProxies: readonly string[];
  /** What the `OTEL_*` variables say; `null` = none is set, so nobody expects spans. */
  readonly spans: { readonly serviceName: string; readonly hasCollector: boolean } | null;
  /** Variables of the environment that look like settings of the gateway, and are none. */
  readonly unknownVariables: readonly string[];
}

export interface JwtRules {
  readonly keysUrl: string;
  readonly issuer: string;
  readonly audience: string;
  /** The claim that lists scopes; `null` = `scope`, `scopes` or `scp`. */
  readonly scopesClaim: string | null;
  /** Gas per UTC day of one subject, in the smallest unit, unless its policy says otherwise; `null` = no budget. */
  readonly gasPerDay: number | null;
  /** Gas per UTC day of all subjects together, whatever their policies; `null` = no budget. */
  readonly gasPerDayInAll: number | null;
  /** As `Policy.moveCalls`, for subjects without a policy. */
  readonly moveCalls: readonly string[] | null;
}

export type Upstreams =
  /** The embedded simulated network, on loopback. */
  | { readonly kind: 'devnet' }
  /** Addresses by setting, at least one each; an upstream without an address is not configured. */
  | { readonly kind: 'remote'; readonly addresses: Readonly<Record<string, readonly string[]>> };

/** Does a restart invalidate cursors of events that the network still has? With Redis, the cursor key survives. */
export function losesCursors({ upstreams, settings, cursorKeys, redis }: Config): boolean {
  if (upstreams.kind === 'devnet' || cursorKeys !== null || redis !== null) return false;
  return settings.EVENTS_SOURCE !== 'rpc' || upstreams.addresses.LEDGER_RPC_URL !== undefined;
}
