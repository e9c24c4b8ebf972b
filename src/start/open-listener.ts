import { hash } from 'node:crypto';
import type { Admission } from '../callers/caller-gate.ts';
import { checkRpcVersion } from '../callers/check-rpc-version.ts';
import { createSocketQuota } from '../callers/socket-quota.ts';
import type { Config } from '../config/config.ts';
import { gatewayVersion } from '../config/gateway-version.ts';
import { usageHeadersOf, versionHeadersOf } from '../config/network-profile.ts';
import type { Limits } from '../documents/cost/limits.ts';
import type { TrustedDocuments } from '../documents/trusted-documents.ts';
import { createMaskError } from '../errors/mask-error.ts';
import { showSourceHeader } from '../ledger/immutable/answer-notes.ts';
import type { ConnectedGraph } from '../ledger/ledger-upstream.ts';
import { createAdmitOperation } from '../operation/admit-operation.ts';
import { createOperationRunner } from '../operation/operation-runner.ts';
import { createRunPlan } from '../operation/run-plan.ts';
import { createCompression } from '../server/compression.ts';
import { createOpenEventStream } from '../server/event-stream.ts';
import { createCommonHeaders } from '../server/exchange.ts';
import { startListener, startMetricsServer } from '../server/listener.ts';
import { readDocs } from '../server/pages/docs-files.ts';
import { createGraphiqlPage, docsPath, sdlPath } from '../server/pages/graphiql-page.ts';
import type { ExampleSources } from '../server/pages/graphiql-tabs.ts';
import { createSendLanding, type LandingFacts } from '../server/pages/landing-page.ts';
import { createBytesInFlight } from '../server/read-body.ts';
import { createCheckVersion, type Readiness, toReadiness } from '../server/route.ts';
import { createLane } from '../server/serve-graphql.ts';
import { createSiteChecks } from '../server/site-checks.ts';
import { createSocketServer } from '../server/websocket/socket-server.ts';
import { createYogaTransport, graphqlPath } from '../server/yoga.ts';
import type { Telemetry } from '../telemetry/events.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { FairTurns } from '../upstream/fair-turns.ts';
import type { ConnectedUpstreams } from './connect-upstreams.ts';
import { type Siblings, workerShareOf } from './siblings.ts';
import type { WatchedSchema } from './watch-schema.ts';

export interface OpenListenerOptions {
  readonly config: Config;
  readonly admission: Pick<Admission, 'gate' | 'addresses'>;
  readonly schema: WatchedSchema;
  readonly trusted: TrustedDocuments;
  readonly graph: Pick<ConnectedGraph, 'forward' | 'raw'>;
  readonly turns: FairTurns;
  readonly upstreams: Pick<ConnectedUpstreams, 'health' | 'probe'>;
  readonly telemetry: Telemetry;
  readonly tracing: Tracing | null;
  readonly metricsPage: () => Promise<string>;
  readonly siblings: Siblings | null;
  readonly now: () => number;
}

export type OpenListener = Awaited<ReturnType<typeof openListener>>;

/** Request headers that change the response, for `Vary`, besides those of the network profile. */
const answerHeaders = ['accept', 'authorization', 'x-api-key', 'origin', showSourceHeader];
/** How long the last requests may exceed their own timeout while the gateway stops, in milliseconds. */
const drainMarginMs = 1_000;
/** How long a client may stop reading its response, in addition to the longest timeout, in milliseconds. */
const stallMarginMs = 10_000;
/** Milliseconds. Proxies close idle connections after 60 to 75 s; the gateway must close them later. */
const minIdleMs = 76_000;

/** Serves all transports over HTTP. Rejects when the address cannot be bound. */
export async function openListener(options: OpenListenerOptions) {
  const { config, admission, schema, telemetry, siblings, now } = options;
  const { port, profile, limits, timeouts, settings } = config;
  const { HOST: host, CORS_ORIGINS: corsOrigins } = settings;
  const transports = openTransports(options);
  const { version } = schema;
  const versionHeaders = versionHeadersOf(profile);
  const usageHeaders = usageHeadersOf(profile);
  const longestMs = Math.max(timeouts.queryMs, timeouts.mutationMs);
  const listening = startListener({
    host,
    port,
    graphqlPath,
    usageHeaders,
    vary: [
      ...answerHeaders,
      ...(settings.COMPRESSION === 'off' ? [] : ['accept-encoding']),
      ...versionHeaders,
      ...usageHeaders.map(({ name }) => name),
    ].join(', '),
    compression: createCompression(settings.COMPRESSION),
    checkVersion: createCheckVersion(versionHeaders, (path, header) =>
      checkRpcVersion({ path, header }, { build: version.current, available: schema.keeper.current.availableVersions }),
    ),
    maxBodyBytes: limits.maxBodyBytes,
    ...transports,
    stallMs: longestMs + stallMarginMs,
    idleMs: Math.max(longestMs + stallMarginMs, minIdleMs),
    stamps: createCommonHeaders({ versionHeaders, rpcVersion: version, corsOrigins }),
    site: createSiteChecks({ allowedHosts: settings.ALLOWED_HOSTS, host, corsOrigins }),
    addresses: admission.addresses,
    socketQuota: createSocketQuota({
      max: workerShareOf(settings.WEBSOCKET_MAX, siblings),
      maxPerAddress: settings.WEBSOCKET_MAX_PER_ADDRESS,
    }),
    graphiql: settings.GRAPHIQL
      ? createGraphiqlPage({
          schema: () => schema.keeper.current.schema,
          introspection: isSchemaShown(settings),
          usage: () => ({
            usageHeader: config.profile.headers.showUsage,
            limits: usageLimits(schema.keeper.current.limits),
          }),
          sources: () => exampleSources(options),
        })
      : null,
    sendLanding: createSendLanding(() => landingFacts(options)),
    // A worker that is replaced gets no new connections. Its successor is ready, so a load balancer must not avoid the gateway.
    readiness: (draining) => readiness(options, draining && !siblings?.isReplaced()),
    metricsPage: settings.METRICS_PORT === null ? options.metricsPage : null,
    telemetry,
    now,
  });
  const { url, announceDrain, stopAccepting, drain } = await listening.catch((error: unknown) => {
    throw toListenError(error, { name: 'PORT', host, port });
  });
  const close = async () => {
    await drain(longestMs + drainMarginMs);
    await transports.graphql.dispose();
  };
  const { bytesInFlight } = transports;
  return { url, graphqlUrl: url + graphqlPath, bytesInFlight, announceDrain, stopAccepting, close };
}

/**
 * In bytes. Credentials take far less. Before a WebSocket is acknowledged, the caller is unknown, so its memory cannot count
 * against it.
 */
const maxGreetingBytes = 16_384;

function openTransports(options: OpenListenerOptions) {
  const { config, admission, schema, trusted, graph, turns, telemetry, tracing } = options;
  const { keeper } = schema;
  const { limits, timeouts, settings } = config;
  const admit = createAdmitOperation({
    gate: admission.gate,
    keeper,
    cost: settings.RATE_LIMIT_COST,
    turns,
    trusted,
    policy: settings.TRUSTED_DOCUMENTS_POLICY,
    onUntrusted: ({ id }, text, operation) =>
      telemetry.documentUntrusted({ caller: id, hash: hash('sha256', text), operation }),
    longestMs: Math.max(timeouts.queryMs, timeouts.mutationMs),
  });
  const maskError = createMaskError(telemetry.errorMasked);
  const runner = createOperationRunner({
    timeouts,
    turns,
    charge: admit.charge,
    maskError,
    runPlan: createRunPlan(graph.forward, turns),
    ledger: graph.raw,
  });
  const life = { admit, runner };
  const bytesInFlight = createBytesInFlight(limits.maxBodyBytes);

  const yoga = createYogaTransport({ ...life, maxBatchSize: settings.BATCH_MAX, keeper, turns, maskError });
  const sockets = createSocketServer({
    ...life,
    maskError,
    addresses: admission.addresses,
    turns,
    maxMessageBytes: limits.maxBodyBytes,
    bytesInFlight,
    maxGreetingBytes,
    maxOperations: settings.WEBSOCKET_MAX_OPERATIONS,
    usageHeaders: usageHeadersOf(config.profile),
    onOperation: telemetry.socketOperationEnded,
    tracing,
  });
  return {
    graphql: yoga,
    lane: createLane(life),
    openEventStream: createOpenEventStream(runner),
    sockets,
    admit,
    admitCaller: admission.gate.admit,
    turns,
    bytesInFlight,
    tracing,
  };
}

/** Serves `/metrics` on a port of its own; `null` without `METRICS_PORT`. Rejects when the address cannot be bound. */
export async function openMetricsServer(
  { settings: { HOST: host, METRICS_PORT: port } }: Pick<Config, 'settings'>,
  metricsPage: () => Promise<string>,
): Promise<{ readonly close: () => Promise<void> } | null> {
  if (port === null) return null;
  return startMetricsServer(host, port, metricsPage).catch((error: unknown) => {
    throw toListenError(error, { name: 'METRICS_PORT', host, port });
  });
}

/**
 * Milliseconds that health and the status page wait for probes: enough for an upstream that answers or refuses connections. With
 * one that hangs, they show what is known.
 */
const maxProbeWaitMs = 100;

/** Probes no upstream while draining: the answer is 503 anyway. */
async function readiness({ upstreams, schema, siblings }: OpenListenerOptions, draining: boolean): Promise<Readiness> {
  if (!draining) await upstreams.probe(maxProbeWaitMs);
  return toReadiness({
    draining,
    schemaOrigin: schema.keeper.current.origin,
    schemaFaults: schema.keeper.faults,
    workers: siblings && { serving: siblings.serving(), of: siblings.shared.workers },
    upstreams: upstreams.health(),
  });
}

/** Probes upstreams as `/health/ready` does, and no more often. */
async function landingFacts({ config, schema, upstreams }: OpenListenerOptions): Promise<LandingFacts> {
  const { GRAPHIQL: hasGraphiql, METRICS_PORT: metricsPort } = config.settings;
  const [docs] = await Promise.all([hasGraphiql ? readDocs() : [], upstreams.probe(maxProbeWaitMs)]);
  const { limits } = schema.keeper.current;
  return {
    gatewayVersion,
    rpcVersion: schema.version.current,
    network: config.profile.name,
    isSimulated: config.upstreams.kind === 'devnet',
    upstreams: upstreams.health().map(({ name, health }) => ({
      name,
      state: health?.state ?? 'not_configured',
      detail: health?.detail ?? null,
    })),
    limits: shownLimits.map((name) => ({ name, value: limits[name] })),
    graphqlPath,
    hasGraphiql,
    sdlPath: hasGraphiql && isSchemaShown(config.settings) ? sdlPath : null,
    metricsPath: metricsPort === null ? '/metrics' : null,
    docs: docs.map(({ name, title }) => ({ path: docsPath + name, title })),
  };
}

/** May every visitor see the schema? */
function isSchemaShown({ INTROSPECTION: isOn, TRUSTED_DOCUMENTS_POLICY: policy }: Config['settings']): boolean {
  return isOn && policy !== 'only';
}

function exampleSources({ upstreams }: OpenListenerOptions): ExampleSources {
  const find = (name: string) => upstreams.health().find((each) => each.name === name && each.health !== null);
  const events = find('events');
  return {
    events: events ? (events.readsGraph ? 'the ledger’s GraphQL' : 'JSON-RPC') : null,
    hasSponsor: find('sponsor') !== undefined,
  };
}

function usageLimits(limits: Limits): Readonly<Record<string, number>> {
  return {
    inputNodes: limits.maxQueryNodes,
    outputNodes: limits.maxOutputNodes,
    depth: limits.maxQueryDepth,
    queryPayload: limits.maxQueryPayloadSize,
  };
}

/** The limits that queries exceed most often. */
const shownLimits = ['maxQueryDepth', 'maxQueryNodes', 'maxOutputNodes', 'maxQueryPayloadSize', 'maxPageSize'] as const;

/** Names the setting to change when an address cannot be bound. */
function toListenError(
  error: unknown,
  { name, host, port }: { readonly name: string; readonly host: string; readonly port: number },
): unknown {
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EADDRINUSE':
      return new Error(`${name}: ${port} is in use on ${host} (${code})`, { cause: error });
    case 'EACCES':
      return new Error(`${name}: this user may not listen on ${port} (${code})`, { cause: error });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Error(`HOST: ${host} is not an address of this machine (${code})`, { cause: error });
    default:
      return error;
  }
}
