import { readFileSync } from 'node:fs';
import { configKeys } from '../../settings/keys.ts';
import type { OwnFieldsUpstream } from '../upstream.ts';
import { createSponsorResolvers } from './create-sponsor-resolvers.ts';
import { openSponsor } from './open-sponsor.ts';
import { requireSharedStore } from './require-shared-store.ts';

/** Fields of `sponsor` that ask it; each of them is one call in an operation, however often it is selected. */
const reads = ['health', 'version'];

/** The gas sponsoring service: what it says of itself, and the mutations that reserve its gas and spend it. */
export const sponsorUpstream: OwnFieldsUpstream = {
  role: 'own fields',
  name: 'sponsor',
  setting: { name: 'SPONSOR_URL', key: configKeys.SPONSOR_URL },
  addressOnDevnet: ({ sponsorUrl }) => sponsorUrl,
  typeDefs: () => readFileSync(new URL('../../../schema/sponsor.graphql', import.meta.url), 'utf8'),

  connect(connection, { config, telemetry, now, isCountShared }) {
    const { sponsorship, limits, timeouts, profile } = config;
    const opened =
      connection &&
      openSponsor({
        call: connection.call,
        basePath: connection.path,
        requestTypeKey: profile.sponsor.requestTypeKey,
        sponsorship,
        timeouts,
        observe: telemetry.sponsorObserved,
        now,
      });
    const resolvers = createSponsorResolvers({ client: opened?.client ?? null, sponsorship, limits, now });
    // Callers who hold the sponsor's token are the sponsor's to count.
    const demandsStore = config.rateLimit.redis !== null && sponsorship.auth === 'token';
    return {
      resolvers: demandsStore ? requireSharedStore(resolvers, isCountShared) : resolvers,
      version: opened?.version,
      probe: connection
        ? (timeoutMs) => connection.call({ method: 'GET', path: connection.path, timeoutMs })
        : undefined,
    };
  },

  callsOf({ operation, selects }) {
    return operation === 'mutation' ? { calls: 1 } : { calls: 0, shared: reads.filter(selects) };
  },
};
