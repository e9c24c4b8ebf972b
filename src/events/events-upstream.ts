import { readFileSync } from 'node:fs';
import { configKeys } from '../config/keys.ts';
import { countPageCalls } from '../documents/cost/measure-document.ts';
import type { LedgerPush } from '../ledger/ledger-push.ts';
import { systemClock } from '../live/clock.ts';
import type { Fleet } from '../live/fleet/fleet.ts';
import type { StreamQuota } from '../live/quota.ts';
import type { OwnFieldsUpstream, UpstreamHost } from '../upstream/upstream.ts';
import { eventFilterCapabilities } from './capabilities.ts';
import { openCursorKeys } from './cursor-keys.ts';
import { createEventsClient, createRequireClient } from './events-client.ts';
import { createEventsResolvers } from './events-resolvers.ts';
import { createEventWatches } from './feed/event-watches.ts';
import { createLiveEvents } from './live-events.ts';

const setting = { name: 'LEDGER_RPC_URL', key: configKeys.LEDGER_RPC_URL } as const;

const schemaFiles = ['events', 'live'].map((name) => new URL(`../../schema/${name}.graphql`, import.meta.url));

/** Readers of live streams retry after so many milliseconds rather than wait longer for a response. */
const longestPollMs = 5_000;

/** The cheapest request that every node answers. */
const newestTransaction = { filter: null, options: {}, cursor: null, limit: 1, descending: true } as const;

/** Services for live streams, beside those of every upstream. */
export interface EventsHost extends UpstreamHost {
  /** Counts live streams of all upstreams. */
  readonly streamQuota: StreamQuota;
  /** Processes that share readers; `null` = each process reads for itself. */
  readonly liveFleet: Pick<Fleet, 'join'> | null;
  readonly ledgerPush: LedgerPush;
}

/** The ledger's JSON-RPC endpoint: its events and transactions in the ledger's own order, page by page. */
export const eventsUpstream: OwnFieldsUpstream<EventsHost> = {
  role: 'own fields',
  name: 'events',
  setting,
  addressOnDevnet: ({ rpcUrl }) => rpcUrl,
  typeDefs: () => schemaFiles.map((file) => readFileSync(file, 'utf8')).join('\n'),

  async connect(connection, { config, shareSecret, streamQuota, liveFleet, ledgerPush, telemetry }) {
    const { profile, pages, timeouts } = config;
    const { methods } = profile.events;
    const connect = (timeoutMs: number) =>
      connection && createEventsClient({ call: connection.call, path: connection.path, methods, timeoutMs });
    const client = connect(timeouts.queryMs);
    const { keys, close } = await openCursorKeys(config.cursorKeys, shareSecret);
    const { live: options, upstreams } = config;
    const given = upstreams.kind === 'remote' ? upstreams.addresses.LEDGER_RPC_WS_URL : undefined;
    const watches = createEventWatches({
      source: options.source,
      profile,
      push: ledgerPush,
      rpcSocketUrl: given ?? connection?.socketUrl ?? null,
      clock: systemClock,
    });
    const live = createLiveEvents({
      config,
      streamQuota,
      watches,
      client: createRequireClient(connect(Math.min(timeouts.queryMs, longestPollMs)), setting.name),
      cursorKeys: keys,
      fleet: liveFleet,
      address: config.upstreams.kind === 'remote' ? (config.upstreams.addresses[setting.name] ?? null) : null,
      onPageTaken: telemetry.livePageTaken,
      onStall: telemetry.liveStalled,
    });
    const queries = createEventsResolvers({ client, missingSetting: setting.name, profile, pages, cursorKeys: keys });
    const configured = { events: client !== null, missingSetting: setting.name };
    const filterCapabilities = eventFilterCapabilities(profile, configured);
    return {
      resolvers: { ...queries, ...live.resolvers },
      capabilities: (caller) => (client ? [...filterCapabilities, live.capability(caller)] : filterCapabilities),
      probe: connection
        ? async (timeoutMs) => connect(timeoutMs)?.queryTransactionBlocks(newestTransaction)
        : undefined,
      stop: live.stop,
      close: () => {
        live.close();
        watches.close();
        close();
      },
    };
  },

  callsOf({ readArguments }, { pages }) {
    // A page whose arguments are rejected, or that is empty anyway, needs no upstream call.
    const calls = countPageCalls(readArguments(), pages);
    return calls > 0 ? { calls } : null;
  },
};
