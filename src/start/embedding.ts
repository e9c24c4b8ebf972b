import type { ConfigSource } from '../config/config-source.ts';
import type { LogWriter as Logger, LoggerOptions } from '../telemetry/log-writer.ts';

// The types of the library. They mention no package: the published files contain all packages that they use.

export type { ConfigSource, Logger, LoggerOptions };

/** A complete, checked configuration. Only `parseConfig` makes one. */
export interface Config {
  /** Every setting by its name, as parsed. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Port to listen on; 0 = any free port. */
  readonly port: number;
}

export interface GatewayOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Milliseconds since the Unix epoch; tests pass their own. */
  readonly now?: () => number;
  readonly plugins?: readonly Plugin[];
}

/** What a program adds to the gateway that it embeds. A member that is left out costs nothing. */
export interface Plugin {
  /** A service of yours with fields of its own. Pass the plugin to `parseConfig` too, which reads the service's address. */
  readonly fields?: OwnFieldsUpstream;
  /** Called with each operation that has ended, except subscriptions' items. */
  readonly onOperation?: (operation: EndedOperation) => void;
  /** Called with each HTTP call to an upstream that has ended. */
  readonly onUpstreamCall?: (call: EndedCall) => void;
  /**
   * Decides about each transaction, before coins are reserved by `sponsorTransaction` and before `executeTx` sends anything, within
   * 500 ms. If it throws, is late or returns anything else, nothing is sponsored. Of several, all must allow it.
   */
  readonly onSponsorship?: (transaction: SponsoredTransaction) => SponsorshipDecision | Promise<SponsorshipDecision>;
}

/** A service behind the gateway, and the fields that call it. */
export interface OwnFieldsUpstream {
  /** Shown to clients, in `gateway { upstreams }` and `extensions.upstream`. */
  readonly name: string;
  /** The setting with its address, such as `PRICES_URL`. Unset: the fields fail with `NOT_CONFIGURED`. */
  readonly setting: string;
  /** SDL that extends `Query`, and uses the gateway's scalars. */
  readonly typeDefs: string;
  /** Resolvers by type and field. A root field makes at most one call, as `estimate` says. @param call asks the service */
  readonly resolvers: (call: CallService) => Readonly<Record<string, Readonly<Record<string, FieldResolver>>>>;
}

/**
 * Makes one GET of the service, within the timeout of an operation. A failure has a code for clients.
 * @param path begins with a slash
 * @returns the body of a response with status 200
 */
export type CallService = (path: string, context: FieldContext) => Promise<string>;

/** Errors that it throws are masked, unless they are from `gatewayError`. */
// biome-ignore lint/suspicious/noExplicitAny: the schema decides what parents and arguments are
export type FieldResolver = (parent: any, args: any, context: FieldContext) => unknown;

export interface FieldContext {
  readonly requestId: string;
  readonly caller: { readonly id: string };
}

export interface EndedOperation {
  readonly requestId: string;
  /** As in the log: `client:web-app`, `address:203.0.113.9`. */
  readonly caller: string;
  readonly name: string | null;
  readonly type: string;
  readonly plan: string;
  /** Number of its errors. */
  readonly errors: number;
  /** Milliseconds of the request that it was part of. */
  readonly durationMs: number;
}

export interface EndedCall {
  readonly upstream: string;
  /** The HTTP status, or the kind of failure. */
  readonly outcome: number | string;
  readonly durationMs: number;
}

/** Clients get the message with `FORBIDDEN`. */
export type SponsorshipDecision = { readonly allow: true } | { readonly deny: { readonly message: string } };

export interface SponsoredTransaction {
  /** As in the log; `anonymous` without a credential. */
  readonly client: string;
  /** Identifies one visitor of the client. */
  readonly visitor: string;
  /** `null`: the gas is not filled in yet. */
  readonly digest: string | null;
  /** `null` in this and the next two: the gateway cannot parse the transaction. */
  readonly sender: string | null;
  readonly targets: readonly string[] | null;
  readonly commands: readonly string[] | null;
  /** `null`: not known yet. */
  readonly gasBudget: number | null;
}

export interface RunningGateway extends AsyncDisposable {
  /** Scheme, host and port. */
  readonly url: string;
  /**
   * Resolves if the gateway assumed a network at start, because it could not reach the ledger, and the ledger belongs to another
   * network. Close this gateway and start a new one to serve that network.
   */
  readonly assumedWrongNetwork: Promise<void>;
  /** Reloads the files of clients, trusted documents and secrets, and logs the result. */
  reload(): Promise<void>;
  /**
   * Keeps serving for `drainMs` (0) while readiness fails; then stops accepting, finishes running operations, and closes
   * everything it opened. Safe to call twice.
   */
  close(drainMs?: number): Promise<void>;
}
