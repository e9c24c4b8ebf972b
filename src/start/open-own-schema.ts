import type { GraphQLSchema } from 'graphql';
import type { RateLimiter } from '../callers/rate-limiter.ts';
import type { Config } from '../config/config.ts';
import { gatewayVersion } from '../config/gateway-version.ts';
import { createOwnFieldCalls } from '../estimate/count-upstream-calls.ts';
import { createEstimateResolvers } from '../estimate/estimate-resolvers.ts';
import { createGatewayResolvers } from '../graph/gateway-fields/gateway-resolvers.ts';
import { createViewerResolvers } from '../graph/gateway-fields/viewer-resolvers.ts';
import { createOwnSchema } from '../graph/own-schema.ts';
import type { FairTurns } from '../operation/fair-turns.ts';
import type { SponsorshipStore } from '../sponsor/store/sponsorship-store.ts';
import type { OwnFieldsUpstream } from '../upstream/upstream.ts';
import type { Upstreams } from './connect-upstreams.ts';
import type { LedgerNews } from './watch-schema.ts';

export interface OwnSchemaOptions {
  readonly config: Config;
  /** Those whose fields are ours. */
  readonly ownFields: readonly OwnFieldsUpstream[];
  readonly upstreams: Pick<Upstreams, 'resolvers' | 'facts' | 'probe' | 'capabilities'>;
  readonly limiter: RateLimiter;
  readonly store: SponsorshipStore;
  readonly turns: FairTurns;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** The part of the graph that is not the ledger's, served by what is connected. */
export function openOwnSchema(options: OwnSchemaOptions, { version, generation }: LedgerNews): GraphQLSchema {
  const { config, ownFields, upstreams, limiter, store, turns, now } = options;
  return createOwnSchema(ownFields, [
    ...upstreams.resolvers,
    createGatewayResolvers({
      version: gatewayVersion,
      profile: config.profile,
      rpcVersion: version,
      upstreams: upstreams.facts,
      probe: upstreams.probe,
      missingJoins: () => generation()?.missingJoins ?? new Map(),
      capabilities: upstreams.capabilities,
    }),
    createViewerResolvers({ limiter, store, now }),
    createEstimateResolvers({
      current: generation,
      ownFieldCalls: createOwnFieldCalls(ownFields, config),
      cost: config.rateLimit.cost,
      turns,
    }),
  ]);
}
