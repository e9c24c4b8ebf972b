import type { Config } from '../config/config.ts';
import type { AddressSetting } from '../config/config-key.ts';
import type { Secret } from '../config/secret.ts';
import type { ValueType } from '../config/value-types.ts';
import type { Telemetry } from '../telemetry/events.ts';
import type { UpstreamConnection } from './connect-upstream.ts';

/**
 * A service behind the gateway, as far as the gateway itself knows one: whoever connects, watches, estimates or describes
 * the upstreams gets a list of these. Each room exports one, and nobody else knows its name.
 */
export interface Upstream {
  /**
   * - `graph`: the service whose own schema is the base of the graph. There is one; its answers are passed on as they are.
   * - `own fields`: fields of this gateway that ask the service, and that exist whether it can be reached or not.
   */
  readonly role: 'graph' | 'own fields';
  /** As clients see it in `gateway { upstreams }`, `/health/ready` and `extensions.upstream`. */
  readonly name: string;
  /** The setting that holds its address. Unset: the upstream is not configured. */
  readonly setting: AddressSetting;
  /** Where the embedded network plays it; `null` where it does not. */
  readonly addressOnDevnet: ((devnet: DevnetAddresses) => string) | null;
  /** Bytes of the largest answer that is read of it. Left out: as many as the introspection of a large ledger may have. */
  readonly maxAnswerBytes?: number;
}

/** Does the upstream have an address, be it the embedded network's? */
export function isConfigured(
  { setting, addressOnDevnet }: Upstream,
  { upstreams }: Pick<Config, 'upstreams'>,
): boolean {
  return upstreams.kind === 'devnet' ? addressOnDevnet !== null : Object.hasOwn(upstreams.addresses, setting.name);
}

/** Where the embedded network serves each of its faces. */
export interface DevnetAddresses {
  readonly graphqlUrl: string;
  readonly sponsorUrl: string;
  readonly rpcUrl: string;
}

/** What is known of an upstream that may be connected, beside how its calls went. */
export interface ConnectedUpstream {
  /** Which version it runs; `null` where it does not say. Left out: it never says. */
  readonly version?: (() => string | Promise<string | null>) | undefined;
  /**
   * The cheapest call that shows it answers, taking at most so many milliseconds; its outcome is seen by the health of the
   * connection. Left out: it is heard of only when somebody asks it something.
   */
  readonly probe?: ((timeoutMs: number) => Promise<unknown>) | undefined;
}

/**
 * Fields of this gateway that ask another service.
 * @typeParam Host what the gateway must lend to it
 */
export interface OwnFieldsUpstream<Host extends UpstreamHost = never> extends Upstream {
  readonly role: 'own fields';
  /** SDL of its part of the graph: extends `Query` and `Mutation`, and uses the scalars of the gateway's own part. */
  readonly typeDefs: () => string;
  /**
   * Makes its resolvers. Sends nothing yet.
   * @param connection `null` where it is not configured: its fields then say `NOT_CONFIGURED` and name the setting
   */
  readonly connect: (
    connection: UpstreamConnection | null,
    host: Host,
  ) => ConnectedOwnFields | Promise<ConnectedOwnFields>;
  /** Calls that one of its root fields takes where it is configured; `null` where it asks nobody and answers nothing. */
  readonly callsOf: (field: RootField, config: Pick<Config, 'pages'>) => FieldCalls | null;
}

export interface ConnectedOwnFields extends ConnectedUpstream {
  /** For each field of its types that needs one, as `makeExecutableSchema` takes them. */
  readonly resolvers: object;
  /**
   * Parts of its fields that are there on some networks only, or at some moments, for `gateway { capabilities }`.
   * @param caller whose rate limit counts
   */
  readonly capabilities?: (caller: string) => readonly UpstreamCapability[];
  /** Brings what goes on by itself to its end, such as streams: the gateway is stopping. Must not throw. */
  readonly stop?: () => void;
  /** Ends what was opened beside the connection. */
  readonly close?: () => unknown;
}

export interface UpstreamCapability {
  /** For example `eventFilter:moveEventType`. */
  readonly name: string;
  readonly available: boolean;
  /** Why it is not available; `null` when it is. */
  readonly reason: string | null;
}

/** A secret that is written in a file. */
export interface SecretInFile<Value> {
  /** The setting that names the file. */
  readonly setting: string;
  readonly path: string | null;
  readonly type: ValueType<Value>;
  /** Told of each text that differs from the one before and has no mistake. */
  readonly adopt: (value: Value) => void;
}

/** What the gateway lends to every upstream; some need more. */
export interface UpstreamHost {
  /** With the credentials in force: on the embedded network its own. */
  readonly config: Config;
  readonly telemetry: Telemetry;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Reads a secret again whenever its file changes, and puts it in force. One without a file never does. */
  readonly watchSecret: <Value>(watched: SecretInFile<Value>) => void;
  /**
   * Has all instances that share a store use one secret.
   * @param name of the secret in the store
   * @param own offered to the others
   * @param adopt told of each secret that is to be used from now on; never, where there is no store
   * @returns how to stop it, once the store has been asked or has had its chance to answer
   */
  readonly shareSecret: (name: string, own: Secret, adopt: (secret: Secret) => void) => Promise<() => void>;
}

/** A root field of an operation that is estimated and not run. */
export interface RootField {
  readonly operation: 'query' | 'mutation';
  readonly name: string;
  /**
   * The arguments as they would be executed.
   * @throws GraphQLError where only execution can refuse them, such as a variable in a `@oneOf` input
   */
  readonly readArguments: () => Readonly<Record<string, unknown>>;
  /** Is a field of this name selected anywhere beneath? */
  readonly selects: (name: string) => boolean;
}

export interface FieldCalls {
  /** Those that it makes for itself. */
  readonly calls: number;
  /** Names of those that are made once in an operation, however many of the upstream's fields want them. */
  readonly shared?: readonly string[];
}
