import { readFileSync } from 'node:fs';
import { configKeys } from '../config/keys.ts';
import { countPageCalls } from '../documents/cost/called-pages.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { createPerSchema } from '../ledger/fetch-ledger-schema.ts';
import type { LedgerPush } from '../ledger/ledger-streams.ts';
import type { LedgerReads } from '../ledger/ledger-upstream.ts';
import { systemClock } from '../live/clock.ts';
import type { Fleet } from '../live/fleet/fleet.ts';
import type { StreamQuota } from '../live/stream-quota.ts';
import type { Turns } from '../upstream/fair-turns.ts';
import type { OwnFieldsUpstream, UpstreamHost } from '../upstream/upstream.ts';
import { filterCapabilities } from './capabilities.ts';
import { createEventWatches } from './event-watches.ts';
import { createEventsResolvers } from './events-resolvers.ts';
import { createFilterSupport } from './filter-support.ts';
import { createGraphqlSources, findMissingName, ledgerEventFilters } from './graphql-sources.ts';
import { createLiveEvents } from './live-events.ts';
import { createEventsClient, createRpcSources } from './rpc-sources.ts';
import { openCursorKeys } from './signed-cursor.ts';
import { type EventSources, toTimestampMs } from './source.ts';
import { createCheckpointTimes } from './time-range-source.ts';

const setting = { name: 'LEDGER_RPC_URL', key: configKeys.LEDGER_RPC_URL } as const;

const schemaFiles = ['events', 'live'].map((name) => new URL(`../../schema/${name}.graphql`, import.meta.url));

/** Readers of live streams retry after this many milliseconds instead of waiting longer for a response. */
const longestPollMs = 5_000;

/** An address whose newest transaction is older than that of another one by this much is not used: about 20 checkpoints. */
const maxBehindMs = 5_000;

/** The cheapest request that every node answers. */
const newestTransaction = { filter: null, options: {}, cursor: null, limit: 1, descending: true } as const;

/** Services for live streams, besides those of every upstream. */
export interface EventsHost extends UpstreamHost {
  readonly streamQuota: StreamQuota;
  readonly turns: Turns;
  /** Processes that share readers; `null` = each process reads for itself. */
  readonly liveFleet: Pick<Fleet, 'join'> | null;
  readonly ledgerPush: LedgerPush;
  readonly ledgerReads: LedgerReads;
}

/** The ledger's JSON-RPC endpoint: its events and transactions in the ledger's own order, page by page. */
export const eventsUpstream: OwnFieldsUpstream<EventsHost> = {
  role: 'own fields',
  name: 'events',
  setting,
  addressOnDevnet: ({ rpcUrl }) => rpcUrl,
  typeDefs: () => schemaFiles.map((file) => readFileSync(file, 'utf8')).join('\n'),

  async connect(
    connection,
    { config, shareSecret, streamQuota, turns, liveFleet, ledgerPush, ledgerReads, telemetry, metrics, now },
  ) {
    const { profile, pages, timeouts } = config;
    const names = profile.events;
    const connect = (timeoutMs: number, isLenient = false) =>
      connection && createEventsClient({ call: connection.call, path: connection.path, names, timeoutMs, isLenient });
    const { EVENTS_SOURCE: chosen, LIVE_SOURCE: liveSource } = config.settings;
    // The embedded network has JSON-RPC under every profile, and a schema of its own.
    const prefersGraphql = profile.eventsSource === 'graphql' && config.upstreams.kind === 'remote';
    const isGraphql = chosen === 'graphql' || (chosen === 'auto' && (!connection || prefersGraphql));
    const source = isGraphql ? 'graphql' : 'rpc';
    const findMissingInSchema = createPerSchema(ledgerReads.schema, (schema) => findMissingName(schema, profile));
    /** Why there is no upstream with events; `null` = there is one. */
    const whyNone = () => {
      if (!isGraphql) return connection ? null : `${setting.name} is not set`;
      const missing = findMissingInSchema();
      return missing && `the ledger's GraphQL has other events than this gateway reads (${missing})`;
    };
    const support = createFilterSupport(profile.events, now);
    ledgerReads.onNewEra(support.forget);
    /** May events whose filter JSON-RPC rejects be read from the ledger's GraphQL? */
    const hasOther = () => chosen === 'auto' && findMissingInSchema() === null;
    const openSources = (timeoutMs: number, isLive: boolean): (() => EventSources) => {
      const client = connect(timeoutMs, isLive);
      const execute = ledgerReads.within(timeoutMs);
      const times = createCheckpointTimes(execute, profile.history, ledgerReads.report);
      const graphql = createGraphqlSources({ execute, profile, times, isLive, now });
      const other = () => (hasOther() ? graphql : null);
      const rpc = client && createRpcSources(client, profile, support, other);
      const sources = isGraphql ? graphql : rpc;
      return () => {
        const reason = whyNone();
        if (sources && reason === null) return sources;
        const message = `This gateway has no events upstream: ${reason}.`;
        throw gatewayError('NOT_CONFIGURED', message, { upstream: 'events', setting: setting.name });
      };
    };
    const { keys, close } = await openCursorKeys(config.cursorKeys, shareSecret);
    const { upstreams } = config;
    connection?.follow?.({
      readNewest: async (call, timeoutMs) => {
        const client = createEventsClient({ call, path: '/', names, timeoutMs });
        const [newest] = (await client.queryTransactionBlocks(newestTransaction)).data;
        // A node without any data is behind every other.
        return { newest: newest ? toTimestampMs(newest.timestampMs) : 0, network: null };
      },
      maxBehind: maxBehindMs,
      leastOf: ({ least = null }) => least,
    });
    const configuredUrls = upstreams.kind === 'remote' ? upstreams.addresses.LEDGER_RPC_WS_URL : undefined;
    const watches = createEventWatches({
      source: liveSource,
      profile,
      push: ledgerPush,
      rpcSockets:
        isGraphql || !connection
          ? null
          : { urls: configuredUrls ?? connection.socketUrls, headers: connection.headers },
      telemetry,
    });
    const filtersOfLedger = ledgerEventFilters(profile);
    const filters = () => (isGraphql ? filtersOfLedger : hasOther() ? profile.events.filters : support.filters());
    const live = createLiveEvents({
      config,
      streamQuota,
      turns,
      watches,
      sources: openSources(Math.min(timeouts.queryMs, longestPollMs), true),
      filters,
      cursorKeys: keys,
      fleet: liveFleet,
      source,
      addresses:
        upstreams.kind === 'remote' ? (upstreams.addresses[isGraphql ? 'LEDGER_GRAPHQL_URL' : setting.name] ?? []) : [],
      onFaultyPageAccepted: telemetry.livePageTaken,
      metrics,
      now,
      clock: systemClock,
      onStall: telemetry.liveStalled,
    });
    const queries = createEventsResolvers({ sources: openSources(timeouts.queryMs, false), pages, cursorKeys: keys });
    return {
      resolvers: { ...queries, ...live.resolvers },
      readsGraph: isGraphql,
      capabilities(caller) {
        const reason = whyNone();
        const offered = filterCapabilities(profile, source, reason, filters());
        return reason === null ? [...offered, live.capability(caller)] : offered;
      },
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

  mayReadGraph: ({ EVENTS_SOURCE }) => EVENTS_SOURCE !== 'rpc',

  callsOf({ readArguments }, { pages }) {
    // A page whose arguments are rejected, or that is empty anyway, needs no upstream call.
    const calls = countPageCalls(readArguments(), pages);
    return calls > 0 ? { calls } : null;
  },
};
