import type { GraphQLSchema } from 'graphql';
import type { Config } from '../config/config.ts';
import { configKeys } from '../config/keys.ts';
import type { StreamQuota } from '../live/quota.ts';
import type { UpstreamConnection } from '../upstream/connect-upstream.ts';
import type { ConnectedUpstream, DevnetAddresses, Upstream } from '../upstream/upstream.ts';
import { createTransactionFinder, type TransactionFinder } from './find-transaction.ts';
import {
  createForwardToLedger,
  createLedgerExecutor,
  type ForwardToLedger,
  type LedgerExecutor,
} from './ledger-executor.ts';
import { createLedgerPush, type LedgerPush } from './ledger-push.ts';
import { createLedgerStreams, type LedgerStreams } from './ledger-streams.ts';
import { createRawLedger, type RawLedger } from './raw-ledger.ts';
import { createRpcVersion, type RpcVersion } from './rpc-version.ts';

/** The service whose schema the graph is based on, and the ways to ask it. */
export interface GraphUpstream extends Upstream {
  readonly role: 'graph';
  /** Never `null`: the embedded network always has a ledger. */
  readonly addressOnDevnet: (devnet: DevnetAddresses) => string;
  /** Makes the ways to ask it. Sends nothing yet. */
  readonly connect: (
    connection: UpstreamConnection,
    config: Pick<Config, 'profile' | 'timeouts' | 'upstreams'>,
    places: StreamQuota,
  ) => ConnectedGraph;
}

export interface ConnectedGraph extends ConnectedUpstream {
  readonly rpcVersion: Pick<RpcVersion, 'current'>;
  /** The version in its last answer. */
  readonly version: () => string;
  /** Calls `tell` whenever its answers report another version than before. Only the last caller is told. */
  readonly watchVersion: (tell: (version: string, previous: string) => void) => void;
  readonly probe: (timeoutMs: number) => Promise<unknown>;
  /** For documents that the gateway writes. */
  readonly execute: LedgerExecutor;
  /** For documents passed on unchanged, with their answers parsed. */
  readonly forward: ForwardToLedger;
  /** For documents passed on unchanged, with their answers passed on unparsed. */
  readonly raw: RawLedger;
  /** For subscriptions passed on unchanged. */
  readonly streams: LedgerStreams;
  readonly push: LedgerPush;
  readonly transactions: TransactionFinder;
  /** Tells which schema is in force; `null` while there is none. Only the last one that was given is asked. */
  readonly useSchema: (inForce: () => GraphQLSchema | null) => void;
}

/** Longest that the look for a transaction may take, in milliseconds: it is looked for again. */
const findingMs = 3_000;

/** A GraphQL server answers this without reading any data. */
const cheapestQuery = JSON.stringify({ query: '{__typename}' });

/** The ledger's GraphQL service. Its schema is read from it, and read again when it reports another version. */
export const ledgerUpstream: GraphUpstream = {
  role: 'graph',
  name: 'ledger',
  setting: { name: 'LEDGER_GRAPHQL_URL', key: configKeys.LEDGER_GRAPHQL_URL },
  addressOnDevnet: ({ graphqlUrl }) => graphqlUrl,

  connect({ call, rawCall, path, socketUrl }, { profile, timeouts, upstreams }, places) {
    let tellVersion = (_version: string, _previous: string) => {};
    const version = createRpcVersion((current, previous) => tellVersion(current, previous));
    let schemaInForce: () => GraphQLSchema | null = () => null;
    const options = { call, path, versionHeader: profile.headers.version, version, timeouts };
    const given = upstreams.kind === 'remote' ? upstreams.addresses.LEDGER_GRAPHQL_WS_URL : undefined;
    const url = given ?? withPath(socketUrl, profile.subscriptions.path);
    const headers = { 'content-type': 'application/json' };
    return {
      rpcVersion: version,
      version: () => version.current,
      watchVersion: (tell) => {
        tellVersion = tell;
      },
      probe: (timeoutMs) => call({ method: 'POST', path, headers, body: cheapestQuery, timeoutMs }),
      execute: createLedgerExecutor(options),
      forward: createForwardToLedger(options),
      raw: createRawLedger({ ...options, rawCall }),
      streams: createLedgerStreams({ url, places }),
      push: createLedgerPush({ url, schema: () => schemaInForce() }),
      transactions: createTransactionFinder({
        execute: createLedgerExecutor({
          ...options,
          timeouts: { ...timeouts, queryMs: Math.min(timeouts.queryMs, findingMs) },
        }),
        names: profile.joins.transaction,
        schema: () => schemaInForce(),
      }),
      useSchema: (inForce) => {
        schemaInForce = inForce;
      },
    };
  },
};

/** @param path what follows that of the address, or nothing */
function withPath(url: string, path: string): string {
  const address = new URL(url);
  address.pathname = address.pathname.replace(/\/$/, '') + path;
  return address.href;
}
