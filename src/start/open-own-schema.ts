import type { GraphQLSchema } from 'graphql';
import type { RateLimiter } from '../admission/rate-limiter.ts';
import type { Config } from '../config/config.ts';
import { gatewayVersion } from '../config/gateway-version.ts';
import type { UpstreamName } from '../errors/gateway-error.ts';
import { createEstimateResolvers } from '../estimate/estimate-resolvers.ts';
import { createLocalSchema } from '../graph/own-schema.ts';
import { createEventsResolvers } from '../subschemas/events/create-events-resolvers.ts';
import type { CursorKeys } from '../subschemas/events/cursor-keys.ts';
import { eventFilterCapabilities } from '../subschemas/events/event-filter-capabilities.ts';
import { createGatewayResolvers, type UpstreamFacts } from '../subschemas/gateway/gateway-resolvers.ts';
import { createViewerResolvers } from '../subschemas/gateway/viewer-resolvers.ts';
import { createSponsorResolvers } from '../subschemas/sponsor/create-sponsor-resolvers.ts';
import { requireSharedStore } from '../subschemas/sponsor/require-shared-store.ts';
import type { Upstreams } from './connect-upstreams.ts';
import type { LedgerNews } from './watch-schema.ts';

export interface OwnSchemaOptions {
  readonly config: Config;
  readonly upstreams: Upstreams;
  readonly limiter: RateLimiter;
  readonly cursorKeys: CursorKeys;
  readonly now: () => number;
}

/** The settings that would configure what is missing. */
const sponsorSetting = 'SPONSOR_URL';
const eventsSetting = 'LEDGER_RPC_URL';

/** The part of the graph that is not the ledger's, served by what is connected. */
export function openOwnSchema(options: OwnSchemaOptions, news: LedgerNews): GraphQLSchema {
  const { config, upstreams, limiter, cursorKeys } = options;
  return createLocalSchema([
    sponsorResolvers(options),
    createEventsResolvers({
      client: upstreams.events?.client ?? null,
      missingSetting: eventsSetting,
      profile: config.profile,
      pages: config.pages,
      cursorKeys,
    }),
    gatewayResolvers(options, news),
    createViewerResolvers(limiter),
    createEstimateResolvers({
      current: news.generation,
      configured: { sponsor: upstreams.sponsor !== null, events: upstreams.events !== null },
      pages: config.pages,
      cost: config.rateLimit.cost,
    }),
  ]);
}

function sponsorResolvers({ config, upstreams: { sponsor }, limiter, now }: OwnSchemaOptions) {
  const resolvers = createSponsorResolvers({
    client: sponsor?.client ?? null,
    sponsorship: { ...config.sponsorship, token: sponsor?.token ?? null },
    limits: config.limits,
    now,
  });
  // Callers who hold the sponsor's token are the sponsor's to count.
  const demandsStore = config.rateLimit.redis !== null && config.sponsorship.auth === 'token';
  return demandsStore ? requireSharedStore(resolvers, () => limiter.isShared()) : resolvers;
}

function gatewayResolvers({ config, upstreams }: OwnSchemaOptions, { version, generation }: LedgerNews) {
  const { ledger, sponsor, events } = upstreams;
  return createGatewayResolvers({
    version: gatewayVersion,
    profile: config.profile,
    rpcVersion: version,
    upstreams: new Map<UpstreamName, UpstreamFacts>([
      ['ledger', { health: ledger.health, version }],
      ['sponsor', sponsor ?? { setting: sponsorSetting }],
      ['events', events ? { health: events.health } : { setting: eventsSetting }],
    ]),
    missingJoins: () => generation()?.missingJoins ?? new Map(),
    eventFilters: eventFilterCapabilities(config.profile, { events: events !== null, missingSetting: eventsSetting }),
  });
}
