import { type GraphQLSchema, type IntrospectionQuery, isScalarType } from 'graphql';
import type { Config } from '../config/config.ts';
import {
  type ForkedNetwork,
  fitsNetwork,
  type HasCoordinate,
  parseNetworkProfile,
  recogniseFork,
  recogniseNetwork,
} from '../config/network-profile.ts';
import { createSchemaCache } from '../graph/schema-cache.ts';
import { buildValidParts } from '../graph/valid-parts.ts';
import { fetchLedgerIntrospection } from '../ledger/fetch-ledger-schema.ts';
import { createStreamQuota } from '../live/stream-quota.ts';
import type { Telemetry } from '../telemetry/events.ts';
import { connectUpstream, type UpstreamConnection } from '../upstream/connect-upstream.ts';
import { sharedTurns } from '../upstream/fair-turns.ts';
import type { AnswerHeaders, RawListener } from '../upstream/raw-call.ts';
import { openAddedHeaders } from './upstream-credentials.ts';
import type { UpstreamList } from './upstreams.ts';

/** Milliseconds. If the ledger takes longer, its cached schema decides. */
const recognitionMs = 5_000;

/**
 * The configuration with the profile of the ledger's network, for `NETWORK_PROFILE=auto`. `null` if the network is unknown: the
 * ledger cannot be reached, and no schema is cached.
 */
export async function recogniseConfiguredNetwork(
  config: Config,
  list: UpstreamList,
  telemetry: Pick<Telemetry, 'networkRecognised' | 'networkUnknown' | 'networkResembles' | 'schemaCacheFailed'>,
): Promise<Config | null> {
  const urls = config.upstreams.kind === 'remote' ? config.upstreams.addresses[list.graph.setting.name] : undefined;
  if (config.settings.NETWORK_PROFILE !== 'auto' || urls === undefined) return config;
  const timeouts = { ...config.timeouts, queryMs: Math.min(config.timeouts.queryMs, recognitionMs) };
  let answered: AnswerHeaders | null = null;
  const observe = (headers: AnswerHeaders) => {
    answered = headers;
  };
  const introspection = await introspectLedger(list, urls, { ...config, timeouts }, observe).catch(() => null);
  const schema = introspection && buildValidParts(introspection).schema;
  const recognised = schema
    ? withNetworkOf(schema, config)
    : await withCachedNetwork(config, telemetry.schemaCacheFailed);
  const fork = schema && recogniseFork(toHasCoordinate(schema), scalarsOf(schema));
  if (fork) telemetry.networkResembles(toAdvice(fork, answered));
  else if (recognised) telemetry.networkRecognised(recognised.profile.name);
  else telemetry.networkUnknown(config.profile.name);
  return recognised;
}

/** What the log says about a network that the gateway does not know. */
export interface ForkAdvice {
  readonly scalar: string;
  /** The response header with its version; `null` if the ledger sends none of the expected name. */
  readonly header: string | null;
  readonly NETWORK_PROFILE: string;
  readonly PROFILE_OVERRIDES: string;
}

function toAdvice({ scalar, resembles, overrides }: ForkedNetwork, answered: AnswerHeaders | null): ForkAdvice {
  const name = overrides.headers.version;
  const header = answered?.get(name) === undefined ? null : name;
  return { scalar, header, NETWORK_PROFILE: resembles, PROFILE_OVERRIDES: JSON.stringify(overrides) };
}

function scalarsOf(schema: GraphQLSchema): readonly string[] {
  return Object.values(schema.getTypeMap())
    .filter(isScalarType)
    .map(({ name }) => name);
}

/** Introspects the ledger over a connection of its own. @param observe called with the headers of each response */
export async function introspectLedger(
  { graph }: UpstreamList,
  urls: readonly string[],
  config: Config,
  observe: (headers: AnswerHeaders) => void = () => {},
): Promise<IntrospectionQuery> {
  const connection = connectUpstream({
    name: graph.name,
    urls,
    headers: openAddedHeaders(config, graph),
    now: Date.now,
  });
  try {
    const quota = createStreamQuota({ max: 0, maxPerCaller: 0 });
    const rawCall: UpstreamConnection['rawCall'] = (request, listener) => {
      const answered: RawListener['answered'] = (response) => {
        observe(response.headers);
        listener.answered(response);
      };
      return connection.rawCall(request, { ...listener, answered });
    };
    return await fetchLedgerIntrospection(
      graph.connect({ ...connection, rawCall }, config, quota, sharedTurns).execute,
    );
  } finally {
    await connection.close();
  }
}

/** The configuration with the profile of the network that has this schema, for `NETWORK_PROFILE=auto`. */
export function withNetworkOf(schema: GraphQLSchema, config: Config): Config {
  const { upstreams, settings } = config;
  if (settings.NETWORK_PROFILE !== 'auto' || upstreams.kind === 'devnet') return config;
  const recognised = recogniseNetwork(toHasCoordinate(schema));
  const parsed = parseNetworkProfile(recognised, settings.PROFILE_OVERRIDES ?? {});
  return { ...config, profile: 'profile' in parsed ? parsed.profile : recognised };
}

/** The profile that fits the cached schema; `null` without a usable cache. */
export async function withCachedNetwork(config: Config, onFailure: (error: unknown) => void): Promise<Config | null> {
  const { SCHEMA_CACHE_FILE: cacheFile } = config.settings;
  const cached = cacheFile === null ? null : await createSchemaCache(cacheFile, onFailure).read();
  if (!cached) return null;
  try {
    const { schema } = buildValidParts(cached.introspection);
    if (!schema) throw new Error('no part of the cached schema is valid');
    return withNetworkOf(schema, config);
  } catch (error) {
    onFailure(error);
    return null;
  }
}

/**
 * Warns if the profile does not fit the ledger's schema, and names the profile that does.
 * @param onRecognised called instead if the profile was only assumed; `null` if it was configured or recognised
 */
export function checkConfiguredNetwork(
  { upstreams, profile }: Pick<Config, 'upstreams' | 'profile'>,
  schema: GraphQLSchema,
  telemetry: Pick<Telemetry, 'profileUnfit' | 'networkRecognised'>,
  onRecognised: (() => void) | null,
): void {
  const has = toHasCoordinate(schema);
  if (upstreams.kind === 'devnet' || fitsNetwork(profile, has)) return;
  const { name } = recogniseNetwork(has);
  if (onRecognised) {
    telemetry.networkRecognised(name);
    onRecognised();
  } else telemetry.profileUnfit(profile.name, name);
}

function toHasCoordinate(schema: GraphQLSchema): HasCoordinate {
  return (coordinate) => {
    const [typeName = '', fieldName] = coordinate.split('.');
    const type = typeName === 'Query' ? schema.getQueryType() : schema.getType(typeName);
    if (fieldName === undefined || !type) return Boolean(type);
    return 'getFields' in type && fieldName in type.getFields();
  };
}
