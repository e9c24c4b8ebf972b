import type { UpstreamFacts } from '../graph/gateway-fields/gateway-resolvers.ts';
import { createStreamQuota } from '../live/stream-quota.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { isBroken, newestOf } from '../upstream/choose-address.ts';
import {
  type AddressFacts,
  connectUpstream,
  maxConnectionsPerUpstream,
  type UpstreamConnection,
} from '../upstream/connect-upstream.ts';
import type { FairTurns } from '../upstream/fair-turns.ts';
import { createRoom } from '../upstream/quota.ts';
import { RecentWriters, type WriteCounter } from '../upstream/run-on.ts';
import type { AddressWatch } from '../upstream/spread-calls.ts';
import type { ConnectedOwnFields, ConnectedUpstream, Upstream, UpstreamCapability } from '../upstream/upstream.ts';
import { createProbes, type UpstreamHealth } from '../upstream/upstream-health.ts';
import { closeAll } from './close-all.ts';
import type { Network } from './open-network.ts';
import { type Siblings, workerShareOf } from './siblings.ts';
import { openAddedHeaders, toRejectionLog } from './upstream-credentials.ts';
import { type AllUpstreamsHost, allUpstreams, type UpstreamList } from './upstreams.ts';

export interface ConnectUpstreamsOptions {
  readonly list: UpstreamList;
  readonly network: Pick<Network, 'addressesOf'>;
  readonly host: Omit<
    AllUpstreamsHost,
    'transactions' | 'simulate' | 'gasPrice' | 'streamQuota' | 'ledgerPush' | 'ledgerReads'
  >;
  /** `null`: the gateway is a single process. */
  readonly siblings: Siblings | null;
  readonly turns: Pick<FairTurns, 'runQueued' | 'deliveries'>;
}

export type ConnectedUpstreams = Awaited<ReturnType<typeof connectUpstreams>>;

/** Bytes of large responses that are still arriving: more than the ledger's largest response, so that one is always allowed. */
const maxArrivingBytes = 96 * 1024 * 1024;

/** Creates one connection to each configured upstream. Sends nothing yet. */
export async function connectUpstreams({ list, network, host, siblings, turns }: ConnectUpstreamsOptions) {
  const gateway = { isStopping: false };
  const maxConnections = workerShareOf(maxConnectionsPerUpstream, siblings);
  const everyAddress = allUpstreams(list).map(network.addressesOf);
  const hasSeveral = everyAddress.some((urls) => (urls?.length ?? 0) > 1);
  const changes: WriteCounter = { count: 0, ...(hasSeveral && { writers: new RecentWriters() }) };
  const arrivals = createRoom(maxArrivingBytes);
  const connections = new Map<Upstream, UpstreamConnection>();
  for (const upstream of allUpstreams(list)) {
    const urls = network.addressesOf(upstream);
    if (urls === null) continue;
    const { maxAnswerBytes } = upstream;
    const connection = connectUpstream({
      name: upstream.name,
      urls,
      maxConnections,
      maxAnswerBytes,
      arrivals,
      now: host.now,
      gateway,
      headers: openAddedHeaders(host.config, upstream, host.watchSecret),
      onCallEnded: host.telemetry.upstreamCalled,
      onRejected: toRejectionLog(host.config, upstream, host.telemetry),
      changes,
      hedgeMs: host.config.settings.UPSTREAM_HEDGE_MS,
      onAddressEvent: watchAddresses(host, upstream.name),
    });
    connections.set(upstream, connection);
    host.metrics.gauge('ledger_gateway_upstream_up', () => toUp(connection.health()), [upstream.name]);
    showAddresses(host.metrics, upstream.name, connection.addresses);
  }
  const graphConnection = connections.get(list.graph);
  if (!graphConnection) throw new Error(`${list.graph.setting.name} is not set`);
  const { LIVE_MAX_STREAMS: max, LIVE_MAX_STREAMS_PER_CALLER: maxPerCaller } = host.config.settings;
  const streamQuota = createStreamQuota({ max, maxPerCaller });
  host.metrics.gauge('ledger_gateway_live_streams', () => streamQuota.count);
  const graph = list.graph.connect(graphConnection, host.config, streamQuota, turns);
  const { transactions, simulate, gasPrice, push: ledgerPush, reads: ledgerReads } = graph;
  const hostOfFields: AllUpstreamsHost = {
    ...host,
    streamQuota,
    ledgerPush,
    ledgerReads,
    transactions,
    simulate,
    gasPrice,
  };
  const ownFields: [Upstream, ConnectedOwnFields][] = [];
  const closeConnections = () => Promise.all([...connections.values()].map((connection) => connection.close()));
  const close = () =>
    closeAll([
      ...ownFields.map(
        ([, connected]) =>
          () =>
            connected.close?.(),
      ),
      closeConnections,
    ]);
  const outcomes = await Promise.allSettled(
    list.ownFields.map(async (upstream) => upstream.connect(connections.get(upstream) ?? null, hostOfFields)),
  );
  for (const [index, upstream] of list.ownFields.entries()) {
    const outcome = outcomes[index];
    if (outcome?.status === 'fulfilled') ownFields.push([upstream, outcome.value]);
  }
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) {
    await close().catch(() => {});
    throw failure.reason;
  }

  const all: readonly (readonly [Upstream, ConnectedUpstream])[] = [[list.graph, graph], ...ownFields];
  const healthOf = (upstream: Upstream, { readsGraph }: ConnectedUpstream) =>
    (readsGraph ? graphConnection : connections.get(upstream))?.health ?? null;
  const probes = all.flatMap(([upstream, { probe: ask, readsGraph }]) => {
    const connection = readsGraph ? null : connections.get(upstream);
    return connection && ask ? [{ health: connection.health, quietMs: connection.quietMs, ask }] : [];
  });
  return {
    graph,
    /** Resolvers of the gateway's own fields, for all upstreams. */
    resolvers: ownFields.map(([, { resolvers }]) => resolvers),
    capabilities: (caller: string): readonly UpstreamCapability[] =>
      ownFields.flatMap(([, { capabilities }]) => capabilities?.(caller) ?? []),
    facts: all.map(
      ([upstream, connected]): UpstreamFacts => ({
        name: upstream.name,
        setting: upstream.setting,
        health: healthOf(upstream, connected),
        version: connected.version,
      }),
    ),
    /** `health` is `null` for an upstream that is not configured. */
    health: () =>
      all.map(([upstream, connected]) => ({
        name: upstream.name,
        role: upstream.role,
        readsGraph: connected.readsGraph ?? false,
        health: healthOf(upstream, connected)?.() ?? null,
      })),
    /** Probes the upstreams without a recent call, and updates their `health`. */
    probe: createProbes(probes),
    /** The network or its schema has changed: new callers share no read in flight. */
    outdateReads: () => {
      changes.count += 1;
    },
    /** Ends streams and rejects new calls that cannot be cancelled, because they might not finish. */
    stop: () => {
      gateway.isStopping = true;
      graph.streams.stop();
      for (const [, connected] of ownFields) connected.stop?.();
    },
    close,
  };
}

/** The health as a gauge: 1 is up, 0 is not, NaN before the first call. */
function toUp({ state }: UpstreamHealth): number {
  if (state === 'unknown') return Number.NaN;
  return state === 'up' ? 1 : 0;
}

/** @returns the position of an address in the configuration, from 1: never the URL, which may contain credentials */
const toPosition = (index: number): string => String(index + 1);

function watchAddresses({ telemetry, metrics }: ConnectUpstreamsOptions['host'], upstream: string): AddressWatch {
  return {
    retried: () => metrics.ofUpstream('ledger_gateway_upstream_retries_total', upstream),
    refused: () => metrics.ofUpstream('ledger_gateway_upstream_refused_total', upstream),
    ejected(index) {
      metrics.ofUpstream('ledger_gateway_upstream_ejections_total', upstream);
      telemetry.addressEjected(upstream, toPosition(index));
    },
    otherNetwork: (index, chainIdentifier, expected) =>
      telemetry.addressOfOtherNetwork({ upstream, address: toPosition(index), chainIdentifier, expected }),
  };
}

function showAddresses(metrics: Pick<Metrics, 'gauge'>, upstream: string, addresses: readonly AddressFacts[]): void {
  const states = addresses.map(({ state }) => state);
  for (const [index, { state, calls }] of addresses.entries()) {
    const labels = [upstream, toPosition(index)];
    metrics.gauge('ledger_gateway_upstream_in_flight', () => calls.inFlight, labels);
    metrics.gauge('ledger_gateway_upstream_waiting', () => calls.waiting, labels);
    metrics.gauge('ledger_gateway_upstream_breaker_open', () => Number(isBroken(state)), labels);
    if (addresses.length === 1) continue;
    metrics.gauge('ledger_gateway_upstream_ejected', () => Number(state.isEjected || state.isOtherNetwork), labels);
    const behind = () => (newestOf(states, performance.now()) ?? Number.NaN) - (state.newest ?? Number.NaN);
    metrics.gauge('ledger_gateway_upstream_behind', behind, labels);
  }
}
