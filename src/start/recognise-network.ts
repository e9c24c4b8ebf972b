import type { GraphQLSchema, IntrospectionQuery } from 'graphql';
import type { Config } from '../config/config.ts';
import { fitsNetwork, type HasCoordinate, parseNetworkProfile, recogniseNetwork } from '../config/network-profile.ts';
import { createSchemaCache } from '../graph/ledger-source.ts';
import { buildLedgerSchema, fetchLedgerIntrospection } from '../ledger/fetch-ledger-schema.ts';
import { createStreamQuota } from '../live/quota.ts';
import type { Telemetry } from '../telemetry/events.ts';
import { connectUpstream } from '../upstream/connect-upstream.ts';
import type { UpstreamList } from './upstreams.ts';

/** Milliseconds. A ledger that takes longer is recognised by its cached schema. */
const recognitionMs = 5_000;

/** The configuration with the profile of the network that the ledger belongs to, if the operator left that open. */
export async function recogniseConfiguredNetwork(
  config: Config,
  { graph }: UpstreamList,
  telemetry: Pick<Telemetry, 'networkRecognised' | 'networkUnknown' | 'schemaCacheFailed'>,
): Promise<Config> {
  const { upstreams, settings } = config;
  const url = upstreams.kind === 'remote' ? upstreams.addresses[graph.setting.name] : undefined;
  if (settings.NETWORK_PROFILE !== 'auto' || url === undefined) return config;
  const introspection = (await askLedger(url)) ?? (await readCache());
  if (!introspection) {
    telemetry.networkUnknown(config.profile.name);
    return config;
  }
  const recognised = recogniseNetwork(toHasCoordinate(buildLedgerSchema(introspection)));
  const parsed = parseNetworkProfile(recognised, settings.PROFILE_OVERRIDES ?? {});
  const profile = 'profile' in parsed ? parsed.profile : recognised;
  telemetry.networkRecognised(profile.name);
  return { ...config, profile };

  async function askLedger(address: string): Promise<IntrospectionQuery | null> {
    const connection = connectUpstream({ name: graph.name, url: address, now: Date.now });
    const timeouts = { ...config.timeouts, queryMs: Math.min(config.timeouts.queryMs, recognitionMs) };
    try {
      const quota = createStreamQuota({ max: 0, maxPerCaller: 0 });
      return await fetchLedgerIntrospection(graph.connect(connection, { ...config, timeouts }, quota).execute);
    } catch {
      return null;
    } finally {
      await connection.close();
    }
  }

  async function readCache(): Promise<IntrospectionQuery | null> {
    const { cacheFile } = config.schema;
    const cached = cacheFile === null ? null : await createSchemaCache(cacheFile, telemetry.schemaCacheFailed).read();
    return cached?.introspection ?? null;
  }
}

/** Logs a profile that does not fit the schema of a real ledger, with the one that does. */
export function checkConfiguredNetwork(
  { upstreams, profile }: Pick<Config, 'upstreams' | 'profile'>,
  schema: GraphQLSchema,
  telemetry: Pick<Telemetry, 'profileUnfit'>,
): void {
  const has = toHasCoordinate(schema);
  if (upstreams.kind === 'devnet' || fitsNetwork(profile, has)) return;
  telemetry.profileUnfit(profile.name, recogniseNetwork(has).name);
}

function toHasCoordinate(schema: GraphQLSchema): HasCoordinate {
  return (coordinate) => {
    const [typeName = '', fieldName] = coordinate.split('.');
    const type = typeName === 'Query' ? schema.getQueryType() : schema.getType(typeName);
    if (fieldName === undefined || !type) return Boolean(type);
    return 'getFields' in type && fieldName in type.getFields();
  };
}
