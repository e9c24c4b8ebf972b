import type { Config } from '../config/config.ts';
import type { Secret } from '../config/secret.ts';
import { createEventsClient, type EventsClient } from '../subschemas/events/create-events-client.ts';
import { type OpenSponsor, openSponsor } from '../subschemas/sponsor/open-sponsor.ts';
import type { Telemetry } from '../telemetry/events.ts';
import { connectUpstream, type UpstreamConnection } from '../transport/connect-upstream.ts';
import { askLedger, createProbes, type Probe } from '../transport/probe-upstreams.ts';
import type { UpstreamHealth } from '../transport/upstream-health.ts';
import type { Network } from './open-network.ts';

export interface ConnectUpstreamsOptions {
  readonly config: Config;
  readonly network: Network;
  readonly telemetry: Pick<Telemetry, 'sponsorObserved'>;
  readonly now: () => number;
}

/** What is connected; `null` where an upstream is not configured. */
export interface Upstreams {
  readonly ledger: UpstreamConnection;
  readonly sponsor: (OpenSponsor & { readonly health: () => UpstreamHealth; readonly token: Secret | null }) | null;
  readonly events: { readonly client: EventsClient; readonly health: () => UpstreamHealth } | null;
  health(): { readonly ledger: UpstreamHealth; readonly [upstream: string]: UpstreamHealth | null };
  /** Asks those that were not heard of lately; their `health` tells. */
  probe(): Promise<void>;
  /** Nothing that cannot be taken back is begun from now on: it might not come to its end. */
  stop(): void;
  close(): Promise<void>;
}

/** Makes the one connection to each upstream. Nothing is sent yet. */
export function connectUpstreams({ config, network, telemetry, now }: ConnectUpstreamsOptions): Upstreams {
  let isStopping = false;
  const connections: UpstreamConnection[] = [];
  const connect = (url: string): UpstreamConnection => {
    const connection = connectUpstream({ url, now, isStopping: () => isStopping });
    connections.push(connection);
    return connection;
  };
  const ledger = connect(network.ledgerUrl);
  const probes: Probe[] = [{ health: ledger.health, ask: askLedger(ledger.call, ledger.path) }];

  const toSponsor = ({ call, path, health }: UpstreamConnection) => {
    probes.push({ health, ask: (timeoutMs) => call({ method: 'GET', path, timeoutMs }) });
    const { token } = network;
    const opened = openSponsor({
      call,
      basePath: path,
      requestTypeKey: config.profile.sponsor.requestTypeKey,
      sponsorship: { ...config.sponsorship, token },
      timeouts: config.timeouts,
      observe: telemetry.sponsorObserved,
      now,
    });
    return { ...opened, health, token };
  };
  const toEvents = ({ call, path, health }: UpstreamConnection) => ({
    client: createEventsClient({
      call,
      path,
      methods: config.profile.events.methods,
      timeoutMs: config.timeouts.queryMs,
    }),
    health,
  });
  const sponsor = network.sponsorUrl === null ? null : toSponsor(connect(network.sponsorUrl));
  const events = network.rpcUrl === null ? null : toEvents(connect(network.rpcUrl));
  return {
    ledger,
    sponsor,
    events,
    health: () => ({
      ledger: ledger.health(),
      sponsor: sponsor?.health() ?? null,
      events: events?.health() ?? null,
    }),
    probe: createProbes(probes, now),
    stop: () => {
      isStopping = true;
    },
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}
