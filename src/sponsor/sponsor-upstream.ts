import { readFileSync } from 'node:fs';
import { configKeys } from '../config/keys.ts';
import { bearerToken } from '../config/value-types.ts';
import type { TransactionFinder } from '../ledger/find-transaction.ts';
import type { UpstreamConnection } from '../upstream/connect-upstream.ts';
import type { OwnFieldsUpstream, UpstreamHost } from '../upstream/upstream.ts';
import { type SponsorshipBooks, toSponsorExecutionWorld } from './execute-tx.ts';
import { createExecutions } from './execution/executions.ts';
import { watchOverdueExecutions } from './execution/overdue-executions.ts';
import { openLeaseKeys } from './leases/lease-keys.ts';
import { gatewayAuthorization } from './sponsor-authorization.ts';
import { createSponsorClient } from './sponsor-client.ts';
import { createSponsorResolvers } from './sponsor-resolvers.ts';
import type { SponsorshipStore } from './store/sponsorship-store.ts';
import { watchSponsorToken, watchSponsorVersion } from './watch-sponsor.ts';

const tokenSetting = 'SPONSOR_TOKEN';

/** Fields of `sponsor` that call the sponsor, once in an operation, however often they are selected. */
const reads = ['health', 'version'];

export interface SponsorHost extends UpstreamHost {
  readonly sponsorshipStore: SponsorshipStore;
  readonly transactions: TransactionFinder;
}

/** The gas sponsor: its status, and the mutations that reserve and spend gas. */
export const sponsorUpstream: OwnFieldsUpstream<SponsorHost> = {
  role: 'own fields',
  name: 'sponsor',
  setting: { name: 'SPONSOR_URL', key: configKeys.SPONSOR_URL },
  addressOnDevnet: ({ sponsorUrl }) => sponsorUrl,
  // More than twice the effects of the largest transaction.
  maxAnswerBytes: 4 * 1024 * 1024,
  typeDefs: () => readFileSync(new URL('../../schema/sponsor.graphql', import.meta.url), 'utf8'),

  async connect(connection, host) {
    const { config, now } = host;
    const { sponsorship, limits, timeouts } = config;
    const { mutationMs } = timeouts;
    const opened = connection && open(connection, host);
    const leases = connection && sponsorship.auth === 'token' ? await openLeaseKeys(host) : null;
    const client = opened?.client ?? null;
    const { sponsorshipStore: store, transactions, telemetry } = host;
    const isStoreNeeded = sponsorship.auth === 'token';
    const audit = telemetry.sponsorship;
    const world = toSponsorExecutionWorld({
      store,
      isStoreNeeded,
      audit,
      transactions,
      now,
      mutationMs,
    });
    const executions = createExecutions(world);
    const overdue = connection && watchOverdueExecutions(world);
    const books: SponsorshipBooks = {
      leases: leases?.keys ?? null,
      store,
      isStoreNeeded,
      executions,
      audit,
    };
    const resolvers = createSponsorResolvers({
      client,
      sponsorship,
      limits,
      mutationMs,
      ...(opened && { own: opened.own }),
      books,
      doubted: host.telemetry.transactionDoubted,
      now,
    });
    return {
      resolvers,
      version: opened?.version,
      probe: connection
        ? (timeoutMs) => connection.call({ method: 'GET', path: connection.path, timeoutMs })
        : undefined,
      async close() {
        overdue?.close();
        await executions.close();
        await leases?.close();
      },
    };
  },

  callsOf({ operation, name, selects }) {
    if (operation === 'mutation') return { calls: 1 };
    // `reservation` is answered from the store.
    return name === 'sponsor' ? { calls: 0, shared: reads.filter(selects) } : { calls: 0 };
  },
};

function open({ call, path, complain }: UpstreamConnection, { config, telemetry, now, watchSecret }: UpstreamHost) {
  const { sponsorship, timeouts, profile } = config;
  const own = gatewayAuthorization(sponsorship);
  // The embedded sponsor keeps the token that it was started with.
  if (sponsorship.auth === 'token' && config.upstreams.kind !== 'devnet') {
    const { adopt } = own;
    watchSecret({ setting: `${tokenSetting}_FILE`, path: sponsorship.files.token, type: bearerToken, adopt });
  }
  const watch = watchSponsorVersion({ call, basePath: path, authorization: own.header, now });
  const client = createSponsorClient({
    call,
    basePath: path,
    requestTypeKey: profile.sponsor.requestTypeKey,
    timeouts,
    observe: telemetry.sponsorObserved,
  });
  const heard = watch.listen(client);
  if (sponsorship.auth === 'forward') return { client: heard, version: watch.tell, own };
  const watched = watchSponsorToken(heard, {
    refused: () => {
      telemetry.sponsorTokenRefused(tokenSetting);
      complain(`it does not take the token of ${tokenSetting}`);
    },
    accepted: () => {
      telemetry.sponsorTokenAccepted(tokenSetting);
      complain(null);
    },
  });
  return { client: watched, version: watch.tell, own };
}
