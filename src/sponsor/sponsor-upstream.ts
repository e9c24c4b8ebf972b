import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { configKeys } from '../config/keys.ts';
import type { Secret } from '../config/secret.ts';
import { bearerToken, signingSecret } from '../config/value-types.ts';
import type { TransactionFinder } from '../ledger/find-transaction.ts';
import type { GasPriceReader } from '../ledger/gas-price.ts';
import type { TransactionSimulator } from '../ledger/simulate-transaction.ts';
import { outlineTransaction } from '../transactions/outline-transaction.ts';
import type { UpstreamConnection } from '../upstream/connect-upstream.ts';
import type { OwnFieldsUpstream, UpstreamHost } from '../upstream/upstream.ts';
import { toExecutionPace } from './execution/execution-order.ts';
import { createExecutions, watchOverdueExecutions } from './execution/executions.ts';
import { openLeaseKeys } from './leases.ts';
import { createPolicyHook, createServiceDecider, type PolicyDecider } from './policy-hook.ts';
import { createSponsorAuthorization, createSponsorClient, type SponsorClient } from './sponsor-client.ts';
import { createSponsorResolvers, mustSimulate } from './sponsor-resolvers.ts';
import { readVersion, sponsorEndpoints, toSponsorAnswer } from './sponsor-response.ts';
import type { SponsorshipStore } from './store/decide.ts';

const tokenSetting = 'SPONSOR_TOKEN';

/** Monotonic, so that no correction of the wall clock keeps a version or an execution waiting. */
const clock = () => performance.now();

/** Fields of `sponsor` that call the sponsor once per operation, however often they are selected. */
const reads = ['health', 'version'];

export interface SponsorHost extends UpstreamHost {
  readonly sponsorshipStore: SponsorshipStore;
  readonly transactions: TransactionFinder;
  readonly simulate: TransactionSimulator;
  readonly gasPrice: GasPriceReader;
  /** Of programs that embed the gateway. Left out: none. */
  readonly deciders?: readonly PolicyDecider[];
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
    const { config, now, sponsorshipStore: store, transactions: ledger, simulate, gasPrice, telemetry } = host;
    const { sponsorship, limits, timeouts } = config;
    const { mutationMs } = timeouts;
    const isStoreNeeded = sponsorship.auth === 'token';
    const audit = telemetry.sponsorship;
    const opened = connection && open(connection, host);
    const leases = connection && isStoreNeeded ? await openLeaseKeys(host) : null;
    const pace = toExecutionPace(mutationMs);
    const fault = telemetry.errorMasked;
    const world = { store, isStoreNeeded, audit, fault, ledger, now, clock, pace };
    const executions = createExecutions(world);
    const service = connection && openPolicyService(host);
    const deciders = [...(service ? [service] : []), ...(host.deciders ?? [])];
    const isOpen = sponsorship.hook?.isOpen ?? false;
    const hook = connection && deciders.length > 0 ? createPolicyHook({ deciders, isOpen, now }) : null;
    const recovery = connection && watchOverdueExecutions(world);
    const resolvers = createSponsorResolvers({
      client: opened?.client ?? null,
      authorization: opened?.authorization,
      sponsorship,
      limits,
      mutationMs,
      services: { leases: leases?.keys ?? null, store, isStoreNeeded, executions, simulate, gasPrice, hook, audit },
      transactionForms: config.profile.sponsor.transactionForms,
      doubted: telemetry.transactionDoubted,
      now,
    });
    return {
      resolvers,
      version: opened?.version,
      probe: connection
        ? (timeoutMs) => connection.call({ method: 'GET', path: connection.path, timeoutMs })
        : undefined,
      async close() {
        recovery?.close();
        await executions.close();
        await leases?.close();
      },
    };
  },

  callsOf({ operation, name, selects, readArguments }, { sponsorship, profile, clients: listed = null }) {
    if (operation === 'mutation') {
      // Gas price and simulation by the ledger, then the reservation.
      if (name === 'sponsorTransaction') return { calls: 3 };
      if (name !== 'executeTx') return { calls: 1 };
      const read = () =>
        outlineTransaction(Buffer.from(String(readArguments().txBytes), 'base64'), profile.sponsor.transactionForms);
      // The policy of a client may bound what only a simulation tells.
      const { clients, policies } = listed ?? { clients: [], policies: [] };
      const isBounded = [...clients, ...policies].some(({ policy }) => policy.gas.storage !== null);
      return { calls: isBounded || mustSimulate(sponsorship, read) ? 2 : 1 };
    }
    // The store answers `reservation`.
    return name === 'sponsor' ? { calls: 0, shared: reads.filter(selects) } : { calls: 0 };
  },
};

function open({ call, path, complain }: UpstreamConnection, { config, telemetry, watchSecret }: UpstreamHost) {
  const { sponsorship, timeouts, profile } = config;
  const authorization = createSponsorAuthorization(sponsorship);
  // The embedded sponsor keeps the token that it was started with.
  if (sponsorship.auth === 'token' && config.upstreams.kind !== 'devnet') {
    const { adopt } = authorization;
    watchSecret({ setting: `${tokenSetting}_FILE`, type: bearerToken, adopt });
  }
  const version = watchSponsorVersion({ call, path, authorization: authorization.own, clock });
  const { requestTypeKey } = profile.sponsor;
  const tokenChanged = (isRejected: boolean) => {
    if (isRejected) telemetry.sponsorTokenRefused(tokenSetting);
    else telemetry.sponsorTokenAccepted(tokenSetting);
    complain(isRejected ? `it does not take the token of ${tokenSetting}` : null);
  };
  const client = createSponsorClient({
    call,
    path,
    requestTypeKey,
    timeouts,
    observe: telemetry.sponsorObserved,
    tokenChanged: sponsorship.auth === 'token' ? tokenChanged : undefined,
  });
  return { client: version.observe(client), version: version.latest, authorization };
}

function openPolicyService({ config, watchSecret, now }: UpstreamHost): PolicyDecider | null {
  const { hook } = config.sponsorship;
  if (!hook) return null;
  let { secret } = hook;
  const adopt = (next: Secret) => {
    secret = next;
  };
  watchSecret({ setting: 'SPONSOR_POLICY_SECRET_FILE', type: signingSecret, adopt });
  return createServiceDecider(hook.url, () => secret, now);
}

export interface SponsorVersionOptions extends Pick<UpstreamConnection, 'call' | 'path'> {
  readonly clock: () => number;
  /** The gateway's own header, if it has one. */
  readonly authorization: () => Secret | null;
}

/** How long `latest` waits for a first version. */
const timeoutMs = 1_000;
/** A known version is fetched again after this time. */
const freshMs = 60_000;
/** A sponsor that did not answer is called again after this time. */
const retryMs = 2_000;

/** Caches the sponsor's version: one call per minute at most, however many clients query it. */
export function watchSponsorVersion(options: SponsorVersionOptions) {
  const { call, authorization, clock } = options;
  const { method, path } = sponsorEndpoints.version;
  let current: string | null = null;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let calledAtMs = Number.NEGATIVE_INFINITY;
  let inFlight: Promise<unknown> = Promise.resolve();

  const keep = (version: string | null): void => {
    if (version === null) return;
    current = version;
    readAtMs = clock();
  };
  const fetchVersion = async (): Promise<void> => {
    const own = authorization()?.reveal();
    const headers = { accept: 'application/json, text/plain', ...(own === undefined ? {} : { authorization: own }) };
    const request = { method, path: options.path.replace(/\/+$/, '') + path, headers, timeoutMs };
    // A failure needs no handling here: the upstream's health reports it.
    const response = await call(request).catch(() => null);
    if (response) keep(readVersion(toSponsorAnswer(response)));
  };

  return {
    /** The last known version, fetched again if it is old; `null` if the sponsor did not answer in time. Never rejects. */
    async latest(): Promise<string | null> {
      if (clock() - readAtMs >= freshMs && clock() - calledAtMs >= retryMs) {
        calledAtMs = clock();
        inFlight = fetchVersion();
      }
      if (current === null) await Promise.race([inFlight, pause(timeoutMs, undefined, { ref: false })]);
      return current;
    },
    /** Wraps a client: the versions that it reads update the known version and save a call. */
    observe: (client: SponsorClient): SponsorClient => ({
      ...client,
      version(own, cancellation) {
        const version = client.version(own, cancellation);
        // `latest` waits for this call instead of making another one.
        calledAtMs = clock();
        inFlight = version.then(keep, () => {});
        return version;
      },
    }),
  };
}
