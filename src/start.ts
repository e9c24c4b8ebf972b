import { randomBytes } from 'node:crypto';
import { openAdmission } from './admission/open-admission.ts';
import { checkRpcVersion } from './admission/rpc-version.ts';
import type { Config } from './config/config.ts';
import { gatewayVersion } from './config/gateway-version.ts';
import { networkProfiles } from './config/network-profile.ts';
import { Secret } from './config/secret.ts';
import { isUsageAsked } from './documents/show-usage.ts';
import type { UpstreamName } from './errors/gateway-error.ts';
import { createMaskError } from './errors/mask-error.ts';
import { createEstimateResolvers } from './estimate/estimate-resolvers.ts';
import { createLocalSchema } from './graph/own-schema.ts';
import { createSchemaCache } from './graph/schema-cache.ts';
import { type SchemaKeeper, startSchemaKeeper } from './graph/schema-keeper.ts';
import { createAdmitOperation } from './operation/admit-operation.ts';
import { createOpenOperation } from './operation/open-operation.ts';
import { createRunPlan } from './operation/run-plan.ts';
import { createGraphiqlPage } from './server/graphiql-page.ts';
import { toReadiness } from './server/health.ts';
import { createLane } from './server/lane.ts';
import { startListener } from './server/listener.ts';
import { createSocketPlaces } from './server/socket-places.ts';
import { createStamps } from './server/stamp-response.ts';
import { createLaneOperations } from './shells/lane/lane-operations.ts';
import { createSocketOperations } from './shells/websocket/socket-operations.ts';
import { createSocketServer } from './shells/websocket/socket-server.ts';
import { renderGraphiqlPage } from './shells/yoga/render-graphiql.ts';
import { createGateway, graphqlPath } from './shells/yoga/yoga-shell.ts';
import { openCursorKeys } from './start/open-cursor-keys.ts';
import { createEventsClient } from './subschemas/events/create-events-client.ts';
import { createEventsResolvers } from './subschemas/events/create-events-resolvers.ts';
import { eventFilterCapabilities } from './subschemas/events/event-filter-capabilities.ts';
import {
  createGatewayResolvers,
  type GatewayFacts,
  type UpstreamFacts,
} from './subschemas/gateway/gateway-resolvers.ts';
import { createViewerResolvers } from './subschemas/gateway/viewer-resolvers.ts';
import { createForwardToLedger } from './subschemas/ledger/forward-to-ledger.ts';
import { createLedgerExecutor } from './subschemas/ledger/ledger-executor.ts';
import { createRawLedger } from './subschemas/ledger/raw-ledger.ts';
import { createRpcVersion, unknownRpcVersion } from './subschemas/ledger/rpc-version.ts';
import { createSponsorResolvers } from './subschemas/sponsor/create-sponsor-resolvers.ts';
import { openSponsor } from './subschemas/sponsor/open-sponsor.ts';
import { requireSharedStore } from './subschemas/sponsor/require-shared-store.ts';
import type { Logger } from './telemetry/create-logger.ts';
import { connectUpstream } from './transport/connect-upstream.ts';
import { askLedger, createProbes, type Probe } from './transport/probe-upstreams.ts';

export { type Explanation, explainOperation } from './estimate/explain-operation.ts';
export type { JudgedRequest as ExplainRequest } from './estimate/judge-operation.ts';

export interface StartOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Milliseconds since the Unix epoch; tests pass their own. */
  readonly now?: () => number;
}

export interface RunningGateway extends AsyncDisposable {
  /** Scheme, host and port. */
  readonly url: string;
  /** Stops accepting, finishes what runs, closes what it opened. Safe to call twice. */
  close(): Promise<void>;
}

/** The version header of the contract; a network's own name for it is sent besides. */
const contractVersionHeader = networkProfiles.ledger.headers.version;
/** Request headers by which answers differ, besides those that a network names. */
const answerHeaders = ['accept', 'accept-encoding', 'authorization', 'x-api-key', 'origin'];
/** What the last requests may take beyond their own deadline when draining, in milliseconds. */
const drainMarginMs = 1_000;
/** What a client may do nothing for beyond that, before it is taken for gone, in milliseconds. */
const stallMarginMs = 10_000;

/** Addresses and credentials in force, whoever provides them. */
interface Network {
  readonly ledgerUrl: string;
  readonly sponsorUrl: string | null;
  readonly rpcUrl: string | null;
  readonly token: Secret | null;
  close(): Promise<void>;
}

/**
 * From configuration to a running service: connects the upstreams, reads the ledger's schema, opens the listener.
 * @throws SchemaCollisionError when the ledger's schema and ours have a name in common
 */
export async function startGateway(options: StartOptions): Promise<RunningGateway> {
  const opened: Closer[] = [];
  const closeAll = async () => {
    for (let closer = opened.pop(); closer; closer = opened.pop()) await closer();
  };
  try {
    const url = await open(options, (closer) => opened.push(closer));
    let closing: Promise<void> | undefined;
    const close = () => {
      closing ??= closeAll();
      return closing;
    };
    return { url, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

type Closer = () => unknown;

/** Opens everything in the order of need; what must be closed is handed to `defer`, and closed in reverse. */
async function open(
  { config, logger, now = Date.now }: StartOptions,
  defer: (closer: Closer) => void,
): Promise<string> {
  const network = await openNetwork(config, logger);
  defer(() => network.close());

  // Beside what follows: Redis may take a while to answer.
  const openingKeys = openCursorKeys(config);
  defer(async () => (await openingKeys).close());

  const { gate, addresses, limiter } = await openAdmission({
    config,
    now,
    outage: {
      began: (reason) => logger.warn({ reason }, 'the shared counts are away: each instance counts callers for itself'),
      ended: () => logger.info('the shared counts are back'),
    },
  });
  defer(() => limiter.close());

  let isStopping = false;
  const connect = (url: string) => {
    const upstream = connectUpstream({ url, now, isStopping: () => isStopping });
    defer(() => upstream.close());
    return upstream;
  };
  const ledger = connect(network.ledgerUrl);
  const sponsor = network.sponsorUrl === null ? null : connect(network.sponsorUrl);
  const events = network.rpcUrl === null ? null : connect(network.rpcUrl);

  let keeper: SchemaKeeper | undefined;
  let changedMeanwhile = false;
  const rpcVersion = createRpcVersion((version, previous) => {
    logger.info({ version, previous }, 'the ledger reports another version');
    if (keeper) void keeper.refresh();
    // While the first schema is read: the first version is that schema's, another one may not be.
    else changedMeanwhile = previous !== unknownRpcVersion;
  });
  const ledgerOptions = {
    call: ledger.call,
    path: ledger.path,
    versionHeader: config.profile.headers.version,
    version: rpcVersion,
    timeouts: config.timeouts,
  };
  const execute = createLedgerExecutor(ledgerOptions);
  const openedSponsor =
    sponsor &&
    openSponsor({
      call: sponsor.call,
      basePath: sponsor.path,
      requestTypeKey: config.profile.sponsor.requestTypeKey,
      sponsorship: { ...config.sponsorship, token: network.token },
      timeouts: config.timeouts,
      observe: (observation) => logger.warn(observation, 'the sponsor answered something that clients are not shown'),
      now,
    });
  const eventsClient =
    events &&
    createEventsClient({
      call: events.call,
      path: events.path,
      methods: config.profile.events.methods,
      timeoutMs: config.timeouts.queryMs,
    });

  const facts: GatewayFacts = {
    version: gatewayVersion,
    profile: config.profile,
    rpcVersion: () => rpcVersion.current,
    upstreams: new Map<UpstreamName, UpstreamFacts>([
      ['ledger', { health: ledger.health, version: () => rpcVersion.current }],
      ['sponsor', sponsor ? { health: sponsor.health, version: openedSponsor?.version } : { setting: 'SPONSOR_URL' }],
      ['events', events ?? { setting: 'LEDGER_RPC_URL' }],
    ]),
    missingJoins: () => keeper?.current.missingJoins ?? new Map(),
    eventFilters: eventFilterCapabilities(config.profile, {
      events: events !== null,
      missingSetting: 'LEDGER_RPC_URL',
    }),
  };
  const sponsorship = createSponsorResolvers({
    client: openedSponsor?.client ?? null,
    sponsorship: { ...config.sponsorship, token: network.token },
    limits: config.limits,
    now,
  });
  // Callers who hold the sponsor's token are the sponsor's to count.
  const demandsStore = config.rateLimit.redis !== null && config.sponsorship.auth === 'token';
  const local = createLocalSchema([
    demandsStore ? requireSharedStore(sponsorship, () => limiter.isShared()) : sponsorship,
    createEventsResolvers({
      client: eventsClient,
      missingSetting: 'LEDGER_RPC_URL',
      profile: config.profile,
      pages: config.pages,
      cursorKeys: (await openingKeys).keys,
    }),
    createGatewayResolvers(facts),
    createViewerResolvers(limiter),
    createEstimateResolvers({
      current: () => keeper?.current,
      configured: { sponsor: sponsor !== null, events: events !== null },
      pages: config.pages,
      cost: config.rateLimit.cost,
    }),
  ]);

  keeper = await startSchemaKeeper({
    local,
    execute,
    names: config.profile.joins,
    config,
    cache:
      config.schema.cacheFile === null
        ? null
        : createSchemaCache(config.schema.cacheFile, (err) => logger.warn({ err }, 'the schema cache failed')),
    pollMs: config.schema.pollMs,
    events: {
      replaced: ({ origin, fingerprint }) => logger.info({ origin, fingerprint }, 'a new schema is in force'),
      refused: (err) =>
        logger.error(
          { err, collisions: err.collisions },
          "the ledger's new schema is refused; the old one stays in force",
        ),
      unavailable: (err) => logger.warn({ err }, "the ledger's schema cannot be read; the ledger is asked again"),
    },
  });
  const schema = keeper;
  if (changedMeanwhile) void schema.refresh();
  defer(() => schema.stop());

  const devnet = config.upstreams.kind === 'devnet';
  const runPlan = createRunPlan(createForwardToLedger(ledgerOptions));
  const admit = createAdmitOperation({ gate, keeper, cost: config.rateLimit.cost });
  const onFault = (err: unknown, requestId: string | undefined) =>
    logger.error({ err, ...(requestId !== undefined && { requestId }) }, 'an unexpected error was masked');
  const maskError = createMaskError(onFault);
  const openOperation = createOpenOperation({ timeouts: config.timeouts, charge: admit.charge, maskError });
  const gateway = createGateway({
    maxBatchSize: config.limits.maxBatchSize,
    keeper,
    admit,
    openOperation,
    runPlan,
    maskError,
  });
  defer(() => gateway.dispose());

  const probes: Probe[] = [{ health: ledger.health, ask: askLedger(ledger.call, ledger.path) }];
  if (sponsor)
    probes.push({
      health: sponsor.health,
      ask: (timeoutMs) => sponsor.call({ method: 'GET', path: sponsor.path, timeoutMs }),
    });
  const probe = createProbes(probes, now);

  const versionHeaders = [...new Set([contractVersionHeader, config.profile.headers.version])];
  const usageHeaders = [...new Set([networkProfiles.ledger.headers.showUsage, config.profile.headers.showUsage])];
  const { corsOrigins } = config;
  const stamps = createStamps({ versionHeaders, rpcVersion: () => rpcVersion.current, corsOrigins });
  const longestMs = Math.max(config.timeouts.queryMs, config.timeouts.mutationMs);
  const sockets = createSocketServer({
    operations: createSocketOperations({ admit, openOperation, runPlan, maskError }),
    addresses,
    maxMessageBytes: config.limits.maxBodyBytes,
    maxGreetingBytes: config.limits.sockets.maxGreetingBytes,
    maxOperations: config.limits.sockets.maxOperations,
    usageHeaders,
    onOperation: (record) => logger.info(record, 'operation over a WebSocket'),
  });
  const listener = await startListener({
    host: config.host,
    port: config.port,
    graphqlPath,
    isUsageAsked: (headers) => usageHeaders.some((name) => isUsageAsked(headers[name])),
    vary: [...answerHeaders, ...versionHeaders, ...usageHeaders].join(', '),
    versionHeaders,
    checkVersion: (path, header) =>
      checkRpcVersion({ path, header }, { build: rpcVersion.current, available: schema.current.availableVersions }),
    maxBodyBytes: config.limits.maxBodyBytes,
    stallMs: longestMs + stallMarginMs,
    stamps,
    corsOrigins,
    sockets,
    addresses,
    places: createSocketPlaces(config.limits.sockets),
    enter: (server) => admit.enter(server),
    graphql: gateway,
    lane: createLane({
      operations: createLaneOperations({
        keeper,
        admit,
        openOperation,
        runPlan,
        ledger: createRawLedger({ ...ledgerOptions, rawCall: ledger.rawCall }),
      }),
      graphqlPath,
    }),
    graphiql: config.graphiql ? createGraphiqlPage(() => renderGraphiqlPage({ devnet })) : null,
    readiness: async (draining) => {
      if (!draining) await probe();
      return toReadiness({
        draining,
        schemaOrigin: schema.current.origin,
        upstreams: { ledger: ledger.health(), sponsor: sponsor?.health() ?? null, events: events?.health() ?? null },
      });
    },
    onFault,
    onRequest: (record) => logger.info(record, 'request'),
    now,
  });
  defer(() => listener.drain(longestMs + drainMarginMs));
  // Closed in reverse: this is the first of all. What is begun now might not come to its end.
  defer(() => {
    isStopping = true;
  });

  logger.info(
    { url: listener.url + graphqlPath, devnet, schema: keeper.current.origin, profile: config.profile.name },
    'ready',
  );
  if (config.notInForce.length > 0)
    logger.warn({ keys: config.notInForce }, 'these settings are checked but have no effect in this version');

  return listener.url;
}

/** The configured upstreams, or an embedded network that plays all three. */
async function openNetwork({ upstreams, sponsorship, profile }: Config, logger: Logger): Promise<Network> {
  if (upstreams.kind === 'remote') {
    return {
      ledgerUrl: upstreams.ledger.graphqlUrl,
      sponsorUrl: upstreams.sponsor?.url ?? null,
      rpcUrl: upstreams.events?.rpcUrl ?? null,
      token: sponsorship.token,
      close: () => Promise.resolve(),
    };
  }
  const token = sponsorship.token ?? new Secret(randomBytes(24).toString('base64url'));
  // Loaded only where it runs: a gateway over real upstreams has no use for its code.
  const { startDevnet } = await import('./devnet/start-devnet.ts');
  const devnet = await startDevnet({
    sponsorToken: token.reveal(),
    dialect: { headers: profile.headers, timeRange: profile.events.timeRange },
  });
  logger.warn(
    { network: profile.name },
    'SIMULATED NETWORK: no LEDGER_GRAPHQL_URL is set, so the ledger, the sponsor and the events are an in-memory devnet',
  );
  return {
    ledgerUrl: devnet.graphqlUrl,
    sponsorUrl: devnet.sponsorUrl,
    rpcUrl: devnet.rpcUrl,
    token,
    close: () => devnet.close(),
  };
}
