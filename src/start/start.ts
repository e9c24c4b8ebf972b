import { setTimeout as delay } from 'node:timers/promises';
import { openAdmission } from '../callers/caller-gate.ts';
import type { Config } from '../config/config.ts';
import type { TrustedDocument } from '../config/document-manifest.ts';
import { gatewayVersion } from '../config/gateway-version.ts';
import { createTrustedDocuments, maxRegisteredBytes } from '../documents/trusted-documents.ts';
import { createOwnFieldCalls } from '../estimate/count-upstream-calls.ts';
import { createEstimateResolvers, type EstimateRequest } from '../estimate/estimate-operation.ts';
import {
  createExplanation,
  createManifestExplanation,
  type Explanation,
  type ManifestExplanation,
} from '../estimate/explain-operation.ts';
import { createGatewayResolvers } from '../graph/gateway-fields/gateway-resolvers.ts';
import { createViewerResolvers } from '../graph/gateway-fields/viewer-resolvers.ts';
import { createOwnSchema } from '../graph/own-schema.ts';
import { createPrepareIntrospection, createPrepareTrusted } from '../operation/prepare-ahead.ts';
import { toGasBudgets, watchGasBudgets } from '../sponsor/gas-budgets.ts';
import { createTelemetry, type Telemetry } from '../telemetry/events.ts';
import { budgetPositions, documentUses } from '../telemetry/metric-table.ts';
import { Metrics, toMetricsPage, watchLoopDelay } from '../telemetry/metrics.ts';
import { isSdkLoaded } from '../telemetry/trace.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { sharedTurns as turns } from '../upstream/fair-turns.ts';
import { createRoom } from '../upstream/quota.ts';
import { type Closer, closeAll } from './close-all.ts';
import { connectUpstreams } from './connect-upstreams.ts';
import type { GatewayOptions, RunningGateway } from './embedding.ts';
import { logReady } from './log-ready.ts';
import { type OpenListener, openListener, openMetricsServer } from './open-listener.ts';
import { type Network, openNetwork } from './open-network.ts';
import { observeWith, toDeciders, withPluginFields } from './plugins.ts';
import { recogniseConfiguredNetwork, withCachedNetwork } from './recognise-network.ts';
import { createShareSecret, openLiveFleet, openSponsorshipStore } from './shared-stores.ts';
import type { Siblings } from './siblings.ts';
import { type UpstreamList, upstreamList } from './upstreams.ts';
import { type ReloadedLists, watchLists } from './watch-lists.ts';
import { type LedgerState, watchSchema } from './watch-schema.ts';
import { watchSecrets } from './watch-secrets.ts';
import { deferred } from './workers/deferred.ts';

export type { EstimateRequest as ExplainRequest, Explanation, ManifestExplanation };

export interface StartOptions extends GatewayOptions {
  readonly config: Config;
  /** The other processes of this gateway. Left out: the gateway is a single process. */
  readonly siblings?: Siblings;
  /** Upstreams that are being started already. Left out: those of `config`. */
  readonly network?: Promise<Network>;
}

/**
 * Starts the service from a configuration: connects the upstreams, reads the ledger's schema, opens the listener.
 * @throws SchemaCollisionError when the ledger's schema and ours have a name in common
 */
export function startGateway(options: StartOptions): Promise<RunningGateway> {
  return startGatewayOver(withPluginFields(options.plugins), options);
}

/** Like `startGateway`, with another list of upstreams. The configuration must have been read with the same list. */
export async function startGatewayOver(list: UpstreamList, options: StartOptions): Promise<RunningGateway> {
  const opened: Closer[] = [];
  try {
    const { announceDrain, stopAccepting, ...gateway } = await open(list, options, (closer) => opened.unshift(closer));
    let closing: Promise<void> | undefined;
    const drain = async (drainMs: number) => {
      // The successor of this worker gets the new connections.
      if (options.siblings?.isReplaced()) await stopAccepting();
      else announceDrain();
      if (drainMs > 0) await delay(drainMs);
      await closeAll(opened);
    };
    const close = (drainMs = 0) => {
      closing ??= drain(drainMs);
      return closing;
    };
    return { ...gateway, close, [Symbol.asyncDispose]: () => close() };
  } catch (error) {
    // A closer may fail for the same reason, and must not hide it.
    await closeAll(opened).catch(() => {});
    throw error;
  }
}

/** Opens each part after the parts it needs. `defer` registers a close function; they run in reverse order. */
async function open(
  list: UpstreamList,
  { config: configured, logger, now = Date.now, siblings: others, network: opening, plugins = [] }: StartOptions,
  defer: (closer: Closer) => void,
): Promise<
  Pick<RunningGateway, 'url' | 'reload' | 'assumedWrongNetwork'> & Pick<OpenListener, 'announceDrain' | 'stopAccepting'>
> {
  const siblings = others ?? null;
  const metrics = new Metrics();
  const telemetry = observeWith(createTelemetry(logger, metrics), plugins);
  defer(watchLoopDelay(metrics));
  const tracing = await openTracing(configured, telemetry);
  defer(() => tracing?.flush());
  // Parts that failed to open need no closing; the caller gets the error from the promise itself.
  const deferClosing = (opening: Promise<{ close(): unknown }>) => {
    const settled = opening.catch(() => null);
    defer(async () => (await settled)?.close());
  };

  const recognised = await recogniseConfiguredNetwork(configured, list, telemetry);
  const config = recognised ?? configured;
  const otherNetwork = deferred<void>();
  const onOtherNetwork = recognised ? null : otherNetwork.resolve;
  const running = await (opening ?? openNetwork(config, siblings?.shared.network));
  const network = { ...running, config: { ...running.config, profile: config.profile } };
  defer(() => network.close());
  if (network.running && !siblings) telemetry.networkSimulated(config.profile.name);

  const outage = { began: telemetry.sharedCountsLost, ended: telemetry.sharedCountsBack };
  const { signingKeysLost: lost, signingKeysBack: back, signingKeysReplaced: replaced } = telemetry;
  const signingKeys = { lost, back, replaced };
  // In parallel with the stores: each may wait for Redis.
  const openingAdmission = openAdmission({ config, workers: siblings?.shared.workers ?? 1, now, outage, signingKeys });
  const limiting = openingAdmission.then(({ limiter }) => limiter);
  deferClosing(limiting);
  const sponsorshipStore = await openSponsorshipStore({
    redis: config.redis,
    journal: config.sponsorship.journal,
    telemetry,
    now,
  });
  defer(() => sponsorshipStore.close());
  const liveFleet = await openLiveFleet({ config: network.config, telemetry });
  defer(() => liveFleet?.close());
  const secrets = watchSecrets({ telemetry, settings: config.settings });
  defer(secrets.stop);
  const host = {
    config: network.config,
    telemetry,
    metrics,
    now,
    sponsorshipStore,
    liveFleet,
    deciders: toDeciders(plugins, telemetry),
    watchSecret: secrets.watch,
    shareSecret: createShareSecret(config.redis, siblings),
    turns: turns.deliveries,
  };
  const connecting = connectUpstreams({ list, network, host, siblings, turns });
  deferClosing(connecting);
  const [admission, upstreams] = await Promise.all([openingAdmission, connecting]);
  const { limiter } = admission;

  const { graph, outdateReads } = upstreams;
  /** With the clients in force. */
  const inForce = { ...config };
  const toOwnSchema = ({ version, generation, faults }: LedgerState) =>
    createOwnSchema(list.ownFields, [
      ...upstreams.resolvers,
      createGatewayResolvers({
        version: gatewayVersion,
        profile: config.profile,
        rpcVersion: version,
        upstreams: upstreams.facts,
        probe: upstreams.probe,
        missingJoins: () => generation()?.missingJoins ?? new Map(),
        schemaFaults: faults,
        capabilities: upstreams.capabilities,
      }),
      createViewerResolvers({ limiter, store: sponsorshipStore, now }),
      createEstimateResolvers({
        current: generation,
        ownFieldCalls: createOwnFieldCalls(list.ownFields, inForce),
        cost: config.settings.RATE_LIMIT_COST,
        turns,
      }),
    ]);
  const trusted = createTrustedDocuments({
    documents: config.trustedDocuments,
    automatic: config.settings.AUTOMATIC_PERSISTED_QUERIES ? createRoom(maxRegisteredBytes) : null,
  });
  const ahead = { generation: () => schema.keeper.current, turns, telemetry };
  const preparing = createPrepareTrusted(trusted, ahead);
  defer(preparing.stop);
  const introspecting = createPrepareIntrospection(ahead);
  defer(introspecting.stop);
  const prepareGeneration = () => {
    preparing.start();
    if (config.settings.INTROSPECTION) introspecting.start();
  };
  const schema = await watchSchema({
    config,
    graph,
    outdateReads,
    telemetry,
    siblings,
    toOwnSchema,
    onReplaced: () => prepareGeneration(),
    onOtherNetwork,
    now,
  });
  defer(() => schema.keeper.stop());

  siblings?.onMetrics(() => metrics.read());
  for (const use of documentUses)
    metrics.gauge('ledger_gateway_documents', () => schema.keeper.current.documents.sizes[use], [use]);
  const budgets = watchGasBudgets({ config: inForce, store: sponsorshipStore, now });
  defer(budgets.stop);
  for (const [index, position] of budgetPositions.entries())
    metrics.gauge('ledger_gateway_gas_budget_used_ratio', () => budgets.shareOf(index), [position]);
  const budgetClients = () => toGasBudgets(inForce).map(({ client }) => client);
  const metricsPage = siblings?.metricsPage ?? (async () => toMetricsPage(metrics.read(), budgetClients()));
  // Before the port is open, so that the first response of /health/ready is 200.
  await network.hasHistory;
  const listener = await openListener({
    config,
    admission,
    schema,
    trusted,
    graph,
    turns,
    upstreams,
    telemetry,
    tracing,
    metricsPage,
    siblings,
    now,
  });
  defer(() => listener.close());
  metrics.gauge('ledger_gateway_body_bytes', () => listener.bytesInFlight.bytes);
  // With several processes, the primary serves the metrics port for all.
  const metricsServer = siblings ? null : await openMetricsServer(config, metricsPage);
  defer(() => metricsServer?.close());
  defer(() => upstreams.stop());
  // Before streams end, because their clients reconnect at once, and this instance must refuse the connection. Before mutations
  // are rejected, because proxies have sent some that they cannot send to another instance.
  defer(() => listener.stopAccepting());

  const adopt = ({ clients, documents }: ReloadedLists) => {
    if (clients) {
      admission.replaceClients(clients);
      inForce.clients = clients;
    }
    if (!documents) return;
    trusted.replace(documents);
    preparing.start();
  };
  prepareGeneration();
  siblings?.onLists(adopt);
  // With several processes, the primary watches the files for all.
  const watched = siblings ? null : watchLists(config, { adopt, telemetry });
  defer(() => watched?.stop());

  const { url, graphqlUrl } = listener;
  const { origin } = schema.keeper.current;
  // With several processes, the primary logs readiness once, when all workers are ready.
  if (siblings) siblings.ready({ url, graphqlUrl, schema: origin });
  else logReady(telemetry, config, { graphqlUrl, schema: origin });
  return {
    url,
    announceDrain: listener.announceDrain,
    stopAccepting: listener.stopAccepting,
    assumedWrongNetwork: otherNetwork.promise,
    async reload() {
      await watched?.reload();
      await secrets.reload();
    },
  };
}

/** @returns `null` if no OpenTelemetry SDK works */
async function openTracing({ settings, spans }: Config, telemetry: Telemetry): Promise<Tracing | null> {
  const { TRACE_RATIO: ratio, TRACE_UPSTREAMS: sendsContext } = settings;
  if (spans?.hasCollector && !isSdkLoaded())
    (await import('../telemetry/export-spans.ts')).exportSpans(spans.serviceName);
  const opened = isSdkLoaded()
    ? (await import('../telemetry/tracing.ts')).openTracing({ ratio, sendsContext, random: Math.random })
    : null;
  if (!opened && spans) telemetry.tracingIdle();
  return opened;
}

/**
 * Explains what a gateway of this configuration would do with an operation, without an upstream call.
 * @throws SchemaCollisionError when the cached schema cannot be served
 */
export async function explainOperation(request: EstimateRequest, config: Config): Promise<Explanation> {
  // The explanation itself reports a cache that cannot be read.
  const recognised = await withCachedNetwork(config, () => {});
  return createExplanation(request, recognised ?? config, upstreamList.ownFields);
}

/**
 * Prices every operation of a manifest, without an upstream call.
 * @param variables values by name, for all documents
 * @throws SchemaCollisionError when the cached schema cannot be served
 */
export async function explainManifest(
  documents: readonly TrustedDocument[],
  variables: EstimateRequest['variables'],
  config: Config,
): Promise<ManifestExplanation> {
  const recognised = await withCachedNetwork(config, () => {});
  return createManifestExplanation(documents, variables, recognised ?? config, upstreamList.ownFields);
}
