import type { GraphQLSchema } from 'graphql';
import type { Config } from '../config/config.ts';
import { configKeys } from '../config/keys.ts';
import type { StreamQuota } from '../live/stream-quota.ts';
import type { UpstreamConnection } from '../upstream/connect-upstream.ts';
import type { FairTurns } from '../upstream/fair-turns.ts';
import type { NetworkInForce, NetworkReport } from '../upstream/network-in-force.ts';
import type { ConnectedUpstream, DevnetAddresses, Upstream } from '../upstream/upstream.ts';
import { createTransactionFinder, type TransactionFinder } from './find-transaction.ts';
import { createGasPriceReader, type GasPriceReader } from './gas-price.ts';
import {
  createForwardToLedger,
  createLedgerExecutor,
  type ForwardToLedger,
  type LedgerExecutor,
} from './ledger-executor.ts';
import { ledgerFreshness } from './ledger-freshness.ts';
import { createLedgerPush, createLedgerStreams, type LedgerPush, type LedgerStreams } from './ledger-streams.ts';
import { createRawLedger, type RawLedger } from './raw-ledger.ts';
import { createRpcVersion, type RpcVersion } from './rpc-version.ts';
import { createTransactionSimulator, type TransactionSimulator } from './simulate-transaction.ts';

/** Queries that the gateway writes for the ledger. */
export interface LedgerReads {
  /** @param timeoutMs of each query */
  readonly within: (timeoutMs: number) => LedgerExecutor;
  /** The schema in force; `null` before there is one. */
  readonly schema: () => GraphQLSchema | null;
  /**
   * Records what an answer says about the network. With several addresses, their comparison decides instead.
   * @returns the network's era
   */
  readonly report: (report: NetworkReport) => number;
  /** Calls back when what was read before is of another network. */
  readonly onNewEra: (begun: () => void) => void;
}

/** The service whose schema is the base of the graph. */
export interface GraphUpstream extends Upstream {
  readonly role: 'graph';
  /** Never `null`: the embedded network always has a ledger. */
  readonly addressOnDevnet: (devnet: DevnetAddresses) => string;
  /** Creates its clients. Sends nothing yet. */
  readonly connect: (
    connection: UpstreamConnection,
    config: Pick<Config, 'profile' | 'timeouts' | 'upstreams'>,
    places: StreamQuota,
    turns: Pick<FairTurns, 'runQueued' | 'deliveries'>,
  ) => ConnectedGraph;
}

export interface ConnectedGraph extends ConnectedUpstream {
  readonly rpcVersion: Pick<RpcVersion, 'current'>;
  /** The ledger's version in its last response. */
  readonly version: () => string;
  /** Calls `changed` when a response reports another version. Replaces an earlier `changed`. */
  readonly watchVersion: (changed: (version: string, previous: string) => void) => void;
  readonly probe: (timeoutMs: number) => Promise<unknown>;
  /** The network that the ledger serves. */
  readonly inForce: NetworkInForce;
  /** Asks the ledger for its network, and reports it to `inForce`. */
  readonly readNetwork: () => Promise<string | null>;
  /** Sends documents that the gateway writes. */
  readonly execute: LedgerExecutor;
  /** Sends forwarded documents whose responses are parsed. */
  readonly forward: ForwardToLedger;
  /** Sends forwarded documents whose responses are forwarded unparsed. */
  readonly raw: RawLedger;
  /** Opens forwarded subscriptions. */
  readonly streams: LedgerStreams;
  readonly push: LedgerPush;
  readonly reads: LedgerReads;
  readonly transactions: TransactionFinder;
  readonly simulate: TransactionSimulator;
  readonly gasPrice: GasPriceReader;
  /** Sets how to get the schema in force; `null` before there is one. */
  readonly useSchema: (inForce: () => GraphQLSchema | null) => void;
}

/** Timeout of one transaction lookup, in milliseconds. Callers retry. */
const findingMs = 3_000;
/** Timeout of a simulation, in milliseconds; at most a third of a mutation's, which must still be sent and looked up. */
const simulatingMs = 5_000;

/** A GraphQL server answers this query without reading any data. */
const cheapestQuery = JSON.stringify({ query: '{__typename}' });

export const ledgerUpstream: GraphUpstream = {
  role: 'graph',
  name: 'ledger',
  setting: { name: 'LEDGER_GRAPHQL_URL', key: configKeys.LEDGER_GRAPHQL_URL },
  addressOnDevnet: ({ graphqlUrl }) => graphqlUrl,

  connect(
    { call, rawCall, path, socketUrls, headers: added, mayUse, follow, inForce },
    { profile, timeouts, upstreams },
    places,
    turns,
  ) {
    let versionChanged = (_version: string, _previous: string) => {};
    const version = createRpcVersion((current, previous) => versionChanged(current, previous));
    let schemaInForce: () => GraphQLSchema | null = () => null;
    const transient = profile.transientErrors;
    const options = { rawCall, path, versionHeader: profile.headers.version, version, timeouts, transient };
    const raw = createRawLedger(options);
    const configured = upstreams.kind === 'remote' ? upstreams.addresses.LEDGER_GRAPHQL_WS_URL : undefined;
    const { transport, path: below } = profile.subscriptions;
    const urls =
      configured ?? socketUrls.map((url) => withPath(transport === 'sse' ? url.replace(/^ws/, 'http') : url, below));
    const addresses = { urls, mayUse: configured ? undefined : mayUse, headers: added };
    const freshness = ledgerFreshness(profile, () => schemaInForce());
    follow?.(freshness);
    const headers = { 'content-type': 'application/json' };
    const within = (timeoutMs: number) =>
      createLedgerExecutor(createRawLedger({ ...options, timeouts: { ...timeouts, queryMs: timeoutMs } }), turns);
    const simulating = within(Math.min(timeouts.queryMs, simulatingMs, Math.ceil(timeouts.mutationMs / 3)));
    const schema = () => schemaInForce();
    const onNewEra = (begun: () => void) => inForce.onNewEra(begun);
    return {
      rpcVersion: version,
      version: () => version.current,
      watchVersion: (changed) => {
        versionChanged = changed;
      },
      inForce,
      async readNetwork() {
        const report = await freshness.readNewest((request) => call({ ...request, path }), timeouts.queryMs);
        inForce.report(report);
        return report.network;
      },
      probe: (timeoutMs) => call({ method: 'POST', path, headers, body: cheapestQuery, timeoutMs }),
      execute: createLedgerExecutor(raw, turns),
      forward: createForwardToLedger(raw, turns),
      raw,
      streams: createLedgerStreams({ ...addresses, places, transient, turns: turns.deliveries }),
      push: createLedgerPush({ ...addresses, schema: () => schemaInForce() }),
      reads: {
        within,
        schema,
        report: (report) => (follow ? inForce.era : inForce.report(report)),
        onNewEra,
      },
      transactions: createTransactionFinder({
        execute: within(Math.min(timeouts.queryMs, findingMs)),
        names: profile.joins.transaction,
        schema,
      }),
      simulate: createTransactionSimulator({
        execute: simulating,
        names: profile.simulation,
        schema,
      }),
      gasPrice: createGasPriceReader({ execute: simulating, schema, onNewEra, clock: () => performance.now() }),
      useSchema: (inForce) => {
        schemaInForce = inForce;
      },
    };
  },
};

/** @param path appended to the path of the address; may be empty */
function withPath(url: string, path: string): string {
  const address = new URL(url);
  address.pathname = address.pathname.replace(/\/$/, '') + path;
  return address.href;
}
