import type { Config } from '../config/config.ts';
import type { Secret } from '../config/secret.ts';
import type { AddressSetting, ValueType } from '../config/value-types.ts';
import type { Telemetry } from '../telemetry/events.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { UpstreamConnection } from './connect-upstream.ts';

/** A service behind the gateway. Each upstream's district exports one; all other code receives them as a list. */
export interface Upstream {
  /**
   * - `graph`: the service whose schema is the base of the graph. There is one; its responses are forwarded.
   * - `own fields`: fields of this gateway that call the service. They exist even if it is unavailable.
   */
  readonly role: 'graph' | 'own fields';
  /** Name shown to clients, in `gateway { upstreams }`, `/health/ready` and `extensions.upstream`. */
  readonly name: string;
  /** The setting with the upstream's address. Unset: the upstream is not configured. */
  readonly setting: AddressSetting;
  /** The upstream's address on the embedded network; `null` if the network does not simulate it. */
  readonly addressOnDevnet: ((devnet: DevnetAddresses) => string) | null;
  /** Bytes of its largest response. Left out: enough for the introspection of a large ledger. */
  readonly maxAnswerBytes?: number;
}

/** Does the upstream have an address, configured or on the embedded network, or does it read through the graph's upstream? */
export function isConfigured(
  { setting, addressOnDevnet, mayReadGraph }: OwnFieldsUpstream,
  { upstreams, settings }: Pick<Config, 'upstreams' | 'settings'>,
): boolean {
  if (mayReadGraph?.(settings)) return true;
  return upstreams.kind === 'devnet' ? addressOnDevnet !== null : Object.hasOwn(upstreams.addresses, setting.name);
}

export interface DevnetAddresses {
  readonly graphqlUrl: string;
  readonly sponsorUrl: string;
  readonly rpcUrl: string;
}

/** What an upstream reports, besides the health of its calls. */
export interface ConnectedUpstream {
  /** The upstream's version; `null` if it reported none. Left out: it never does. */
  readonly version?: (() => string | Promise<string | null>) | undefined;
  /** Does it read through the graph's upstream instead of its own connection? Its health is then that of the graph. */
  readonly readsGraph?: boolean;
  /** Makes the cheapest call that shows whether it answers; the outcome appears in the health of the connection. */
  readonly probe?: ((timeoutMs: number) => Promise<unknown>) | undefined;
}

/** Fields of this gateway that call another service. @typeParam Host what the gateway must provide */
export interface OwnFieldsUpstream<Host extends UpstreamHost = never> extends Upstream {
  readonly role: 'own fields';
  /** SDL of its part of the graph: extends `Query` and `Mutation`, and uses the gateway's scalars. */
  readonly typeDefs: () => string;
  /**
   * Creates its resolvers. Sends nothing yet.
   * @param connection `null` if it is not configured: its fields then fail with `NOT_CONFIGURED`, which names the setting
   */
  readonly connect: (
    connection: UpstreamConnection | null,
    host: Host,
  ) => ConnectedOwnFields | Promise<ConnectedOwnFields>;
  /** Without an address, may it read through the graph's upstream? Left out: no. */
  readonly mayReadGraph?: (settings: Config['settings']) => boolean;
  /** Upstream calls of a root field; `null` if the field makes none. */
  readonly callsOf: (
    field: RootField,
    config: Pick<Config, 'pages' | 'sponsorship' | 'profile'> & Partial<Pick<Config, 'clients'>>,
  ) => FieldCalls | null;
}

export interface ConnectedOwnFields extends ConnectedUpstream {
  /** Resolvers in the form of `makeExecutableSchema`. */
  readonly resolvers: object;
  /**
   * Features that are not always available, for `gateway { capabilities }`.
   * @param caller key of the caller's rate limit
   */
  readonly capabilities?: (caller: string) => readonly UpstreamCapability[];
  /** Ends background work such as streams, because the gateway is stopping. Must not throw. */
  readonly stop?: () => void;
  /** Closes what it opened, except the connection. */
  readonly close?: () => unknown;
}

export interface UpstreamCapability {
  /** Name of the feature, for example `eventFilter:moveEventType`. */
  readonly name: string;
  readonly available: boolean;
  /** Why it is not available; `null` if it is. */
  readonly reason: string | null;
}

export interface SecretInFile<Value> {
  /** The setting with the path of the file. */
  readonly setting: string;
  readonly type: ValueType<Value>;
  /** Called with each valid change of the secret. */
  readonly adopt: (value: Value) => void;
}

/** What the gateway provides to every upstream; some upstreams need more. */
export interface UpstreamHost {
  /** On the embedded network: with the credentials of that network. */
  readonly config: Config;
  readonly telemetry: Telemetry;
  readonly metrics: Pick<Metrics, 'gauge' | 'add' | 'liveLag' | 'upstreamCall' | 'ofUpstream'>;
  readonly now: () => number;
  /** Reloads a secret when its file changes, if it has a file. */
  readonly watchSecret: <Value>(watched: SecretInFile<Value>) => void;
  /**
   * Makes all instances that share a store use one secret.
   * @param name of the secret in the store
   * @param own used if the store has none
   * @param adopt called with each new secret to use; never without a store
   * @returns stops it. Resolves after the store has answered, or its timeout
   */
  readonly shareSecret: (name: string, own: Secret, adopt: (secret: Secret) => void) => Promise<() => void>;
}

/** A root field of an operation that is estimated and not run. */
export interface RootField {
  readonly operation: 'query' | 'mutation';
  readonly name: string;
  /**
   * The arguments as they would be executed.
   * @throws GraphQLError if only execution can reject them, such as a variable in a `@oneOf` input
   */
  readonly readArguments: () => Readonly<Record<string, unknown>>;
  readonly selects: (name: string) => boolean;
}

export interface FieldCalls {
  /** Calls that this field makes alone. */
  readonly calls: number;
  /** Names of calls that an operation makes once for all its fields. */
  readonly shared?: readonly string[];
}
