import type { AddressSetting } from './address-setting.ts';
import { checkSettings, type Settings, toSponsorAuth } from './check-settings.ts';
import type { Config, Upstreams } from './config.ts';
import { ConfigError } from './config-error.ts';
import { defaults } from './defaults.ts';
import { type ConfigKeyName, type ConfigValues, configKeyNames, configKeys, isConfigKeyName } from './keys.ts';
import { networkProfiles } from './network-profile.ts';
import { parseNetworkProfile } from './parse-network-profile.ts';
import { parseAddresses, parseValues } from './parse-values.ts';
import { readClients } from './read-clients.ts';
import { type ReadFile, readSettings } from './read-settings.ts';
import { Secret } from './secret.ts';

export interface ConfigSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads the configuration file and the files that hold secrets, as UTF-8. May throw. */
  readonly readFile: ReadFile;
}

/**
 * Turns environment and configuration file into a checked configuration.
 * @param addressSettings those of the upstreams there are; the table of settings need not have them
 * @throws ConfigError with every mistake there is; nothing else
 */
export function parseConfig({ env, readFile }: ConfigSource, addressSettings: readonly AddressSetting[] = []): Config {
  const further = addressSettings.filter(({ name }) => !isConfigKeyName(name));
  const raw = readSettings(env, readFile, further);
  const parsed = parseValues(raw.texts, readFile);
  const { addresses, mistakes: furtherMistakes } = parseAddresses(further, raw.texts);
  const clients = readClients(raw.texts.get('CLIENTS_FILE'), readFile);
  const broken = new Set([...raw.mistakes, ...parsed.mistakes, ...furtherMistakes].map(({ key }) => key));
  const isSet = (name: string) => raw.texts.has(name) || broken.has(name);
  const settings: Settings = { values: parsed.values, isSet, further };
  const profile = parseNetworkProfile(
    networkProfiles[parsed.values.NETWORK_PROFILE],
    parsed.values.PROFILE_OVERRIDES ?? {},
  );

  // Skip the checks between settings if the file is unreadable, since it is unknown what was set; and do not report a
  // second mistake for one key.
  const beside = broken.has('CONFIG_FILE') ? [] : checkSettings(settings).filter(({ key }) => !broken.has(key));
  const mistakes = [
    ...raw.mistakes,
    ...parsed.mistakes,
    ...furtherMistakes,
    ...clients.mistakes,
    ...beside,
    ...('mistakes' in profile ? profile.mistakes : []),
  ];
  if (mistakes.length > 0 || 'mistakes' in profile) throw new ConfigError(mistakes);
  return { ...toConfig(settings, addresses), profile: profile.profile, clients: clients.clients };
}

function toConfig(
  settings: Settings,
  furtherAddresses: Readonly<Record<string, string>>,
): Omit<Config, 'profile' | 'clients'> {
  const { values } = settings;
  return {
    host: values.HOST,
    port: values.PORT,
    upstreams: toUpstreams(values, furtherAddresses),
    sponsorship: toSponsorship(settings),
    pages: {
      defaultSize: values.LIMIT_DEFAULT_PAGE_SIZE ?? Math.min(defaults.defaultPageSize, values.LIMIT_MAX_PAGE_SIZE),
      maxSize: values.LIMIT_MAX_PAGE_SIZE,
    },
    cursorKeys: values.CURSOR_KEYS,
    limits: {
      documents: {
        maxQueryDepth: values.LIMIT_MAX_QUERY_DEPTH,
        maxQueryNodes: values.LIMIT_MAX_QUERY_NODES,
        maxOutputNodes: values.LIMIT_MAX_OUTPUT_NODES,
        maxQueryPayloadSize: values.LIMIT_MAX_QUERY_PAYLOAD_SIZE,
        maxTransactionPayloadSize: values.LIMIT_MAX_TRANSACTION_PAYLOAD_SIZE,
      },
      maxTransactionPayloadBytes: values.LIMIT_MAX_TRANSACTION_PAYLOAD_SIZE ?? defaults.maxTransactionPayloadBytes,
      maxBodyBytes: defaults.maxBodyBytes,
      maxEventCalls: values.LIMIT_MAX_EVENT_CALLS,
      maxBatchSize: values.BATCH_MAX,
      sockets: {
        max: values.WEBSOCKET_MAX,
        maxPerAddress: values.WEBSOCKET_MAX_PER_ADDRESS,
        maxOperations: values.WEBSOCKET_MAX_OPERATIONS,
        maxGreetingBytes: defaults.maxSocketGreetingBytes,
      },
    },
    live: {
      source: values.LIVE_SOURCE,
      maxStreams: values.LIVE_MAX_STREAMS,
      maxStreamsPerCaller: values.LIVE_MAX_STREAMS_PER_CALLER,
      maxReaders: values.LIVE_MAX_READERS,
      maxReadersPerCaller: values.LIVE_MAX_READERS_PER_CALLER,
      pollMinMs: Math.min(values.LIVE_POLL_MIN_MS, values.LIVE_POLL_MAX_MS),
      pollMaxMs: values.LIVE_POLL_MAX_MS,
      replayBytes: values.LIVE_REPLAY_BYTES,
    },
    timeouts: { queryMs: values.REQUEST_TIMEOUT_MS, mutationMs: values.MUTATION_TIMEOUT_MS },
    rateLimit: {
      perMinute: values.RATE_LIMIT_PER_MINUTE,
      cost: values.RATE_LIMIT_COST,
      redis: values.REDIS_URL === null ? null : { url: new Secret(values.REDIS_URL), sharedBy: values.REDIS_SHARED_BY },
    },
    trustedProxies: values.TRUSTED_PROXIES ?? [],
    corsOrigins: values.CORS_ORIGINS,
    graphiql: values.GRAPHIQL,
    introspection: values.INTROSPECTION,
    workers: values.WORKERS,
    drainMs: values.DRAIN_MS,
    logLevel: values.LOG_LEVEL,
    schema: { pollMs: values.SCHEMA_POLL_MS, cacheFile: values.SCHEMA_CACHE_FILE },
    immutableReads: { maxBytes: values.IMMUTABLE_CACHE_BYTES, lifeMs: values.IMMUTABLE_CACHE_SECONDS * 1_000 },
    clientsFile: values.CLIENTS_FILE,
    jwt: toJwtRules(values),
    notInForce: configKeyNames.filter((name) => settings.isSet(name) && configKeys[name].inForce === false),
  };
}

function toJwtRules(values: ConfigValues): Config['jwt'] {
  const { JWT_JWKS_URL: keysUrl, JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = values;
  if (keysUrl === null || issuer === null || audience === null) return null;
  const { JWT_SCOPES_CLAIM: scopesClaim, JWT_GAS_PER_DAY: gasPerDay, JWT_MOVE_CALLS: moveCalls } = values;
  return { keysUrl, issuer, audience, scopesClaim, gasPerDay, moveCalls };
}

/** Settings of the table that hold addresses of upstreams. */
const addressNames = [
  'LEDGER_GRAPHQL_URL',
  'LEDGER_GRAPHQL_WS_URL',
  'LEDGER_RPC_URL',
  'LEDGER_RPC_WS_URL',
  'SPONSOR_URL',
] as const satisfies readonly ConfigKeyName[];

function toUpstreams(values: ConfigValues, further: Readonly<Record<string, string>>): Upstreams {
  if (values.LEDGER_GRAPHQL_URL === null) return { kind: 'devnet' };
  const given = addressNames.flatMap((name) => (values[name] === null ? [] : [[name, values[name]]]));
  return { kind: 'remote', addresses: { ...Object.fromEntries(given), ...further } };
}

function toSponsorship(settings: Settings): Config['sponsorship'] {
  const { values } = settings;
  const isEmbedded = values.LEDGER_GRAPHQL_URL === null;
  const auth = toSponsorAuth(settings);
  return {
    auth,
    token: auth === 'token' || isEmbedded ? values.SPONSOR_TOKEN : null,
    allowAnonymous: values.SPONSOR_ALLOW_ANONYMOUS ?? isEmbedded,
    maxGasBudgetExclusive: values.SPONSOR_MAX_GAS_BUDGET,
    preflight: values.SPONSOR_PREFLIGHT ?? (auth === 'token' ? 'enforce' : 'warn'),
    leaseKeys: values.LEASE_KEYS,
    files: { token: values.SPONSOR_TOKEN_FILE, leaseKeys: values.LEASE_KEYS_FILE },
  };
}
