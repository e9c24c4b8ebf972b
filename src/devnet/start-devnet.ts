import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DevnetFace } from './faces.ts';
import { createDevnetAccounts, type DevnetAccounts } from './genesis/accounts.ts';
import { createActivity } from './genesis/activity.ts';
import { createDevnetContracts, type DevnetContracts } from './genesis/contracts.ts';
import type { GenesisOptions } from './genesis/genesis-options.ts';
import type { PayloadRule } from './graphql/documents/prepared-document.ts';
import { createGraphqlFace, type LedgerHeaders } from './graphql/graphql-face.ts';
import type { GraphqlLimits, ServedFeature } from './graphql/graphql-limits.ts';
import { networkNames } from './graphql/network-names.ts';
import { type DevnetListener, listen } from './hosting/listen.ts';
import type { Mounts } from './hosting/mount-faces.ts';
import type { EventDialect } from './rpc/event-filter.ts';
import { createRpcFace } from './rpc/rpc-face.ts';
import { createSponsorFace, type SponsorFace } from './sponsor/sponsor-face.ts';
import { startCheckpointClock } from './state/checkpoint-clock.ts';
import type { HistoryRetention } from './state/kept-history.ts';
import { createDeferredLedger, createLedger, defaultSeed } from './state/ledger.ts';
import type { Clock, Ledger } from './state/ledger-state.ts';
import { createNetworkTime } from './state/network-time.ts';
import { createDevnetSigner } from './transactions/devnet-signer.ts';

/** The wire format of the network that a devnet simulates. */
export interface NetworkDialect {
  readonly headers: LedgerHeaders;
  readonly timeRange: EventDialect;
  /** The network profile whose names the GraphQL schema has, if they differ from the ledger's: `iota`, `sui`, `sui-legacy`. */
  readonly schema: string;
  /** Prefix of the JSON-RPC methods, such as `iotax`; `null`: any known one. */
  readonly rpcPrefix: string | null;
}

export interface DevnetOptions {
  /** The sponsor's bearer token. */
  readonly sponsorToken: string;
  /** Same seed and same `startMs` (or clock): same history, same digests. Default 1. */
  readonly seed?: number;
  /**
   * When the network's time begins, in milliseconds since the Unix epoch: its history ends just before. From then on its
   * time moves by one interval with every tick of the checkpoint clock, so that what comes after is the same each time
   * as well. Default: the system's time.
   */
  readonly startMs?: number;
  /** Milliseconds since the Unix epoch, for the sponsor, and for the ledger where there is no `startMs`. Default: the system's. */
  readonly clock?: Clock;
  /** Default 127.0.0.1. The devnet does not authenticate callers, and its coins have no value. */
  readonly host?: string;
  /** One port for all three interfaces; 0 = any free port. Left out: each interface has a port of its own. */
  readonly port?: number;
  /** Gives each interface a port of its own. Default: unless `port` is given. */
  readonly separateSockets?: boolean;
  /**
   * Time between checkpoints, milliseconds. Default 500; 0 = checkpoints close on `tick`, or by `checkpointPerTransaction`.
   */
  readonly checkpointIntervalMs?: number;
  /** Close a checkpoint with every transaction that is executed; the network's time then moves by a second each. Default false. */
  readonly checkpointPerTransaction?: boolean;
  /** Checkpoints of the clock between two transactions of the devnet's users. Default 4; 0 = none. */
  readonly activityEveryCheckpoints?: number;
  /**
   * Wire format of the simulated network. Default: that of the profile `ledger`, and methods with any known prefix.
   */
  readonly dialect?: NetworkDialect;
  /**
   * Starts faster and writes the history later: at the first read, or by `writeHistory` between other work. Default false.
   */
  readonly isHistoryDeferred?: boolean;
  /** How much history there is at the start. */
  readonly genesis?: Partial<GenesisOptions>;
  /** Checkpoints behind the newest at which live objects can still be read. */
  readonly availableCheckpoints?: number;
  /** How much history is kept. Default 7200 checkpoints, 128 MiB at most. */
  readonly retention?: Partial<HistoryRetention>;
  /** Limits and page sizes of the GraphQL face that differ from the defaults. */
  readonly limits?: Partial<GraphqlLimits>;
  /** Groups of fields the GraphQL face serves. */
  readonly features?: readonly ServedFeature[];
  /** What the GraphQL face's query allowance counts: the query text (default) or the whole body. */
  readonly payloadRule?: PayloadRule;
}

export interface Devnet extends AsyncDisposable {
  readonly graphqlUrl: string;
  readonly sponsorUrl: string;
  readonly rpcUrl: string;
  readonly rpcWsUrl: string;
  readonly ledger: Ledger;
  readonly sponsor: Omit<SponsorFace, keyof DevnetFace>;
  /** Writes a deferred history, in short turns of the event loop. Resolves at the end of the history. */
  writeHistory(): Promise<void>;
  /** Sends a transaction of one of the devnet's users, for the next checkpoint. */
  act(): void;
  /** Performs one interval of the checkpoint clock now: a user may act, and a checkpoint closes. */
  tick(): void;
  /** Ends every connection, then resolves. */
  close(): Promise<void>;
}

/** A simulated network: one ledger in memory behind its GraphQL, sponsor and JSON-RPC faces. */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { seed = defaultSeed, startMs, clock = Date.now, host = '127.0.0.1', port = 0 } = options;
  const {
    checkpointIntervalMs = 500,
    checkpointPerTransaction = false,
    activityEveryCheckpoints = 4,
    separateSockets = options.port === undefined,
  } = options;
  const { genesis, availableCheckpoints, retention } = options;

  const accounts = createDevnetAccounts(seed);
  const contracts = createDevnetContracts(seed);
  const time = createNetworkTime(startMs === undefined ? clock : { startMs });
  const ledgerOptions = {
    seed,
    clock: time.now,
    ...(genesis && { genesis }),
    ...(availableCheckpoints !== undefined && { availableCheckpoints }),
    ...(retention && { retention }),
  };
  const deferred = options.isHistoryDeferred ? createDeferredLedger(ledgerOptions) : null;
  const written = deferred?.ledger ?? createLedger(ledgerOptions);
  const activity = createActivity({ ledger: written, accounts, contracts, seed, sequenceSeed: seed + 1 });

  const checkpoints = startCheckpointClock({
    ledger: written,
    intervalMs: checkpointIntervalMs,
    ...(deferred && { hasHistory: deferred.hasHistory }),
    onInterval: () => time.pass(checkpointIntervalMs),
    ...(activityEveryCheckpoints > 0 && { activity: { ...activity, everyCheckpoints: activityEveryCheckpoints } }),
  });
  const closeOne = () => {
    checkpoints.close();
    time.pass(singleCheckpointMs);
  };
  const ledger = checkpointPerTransaction ? withCheckpointPerTransaction(written, closeOne) : written;

  const faces = createFaces(ledger, accounts, contracts, options);
  const { sponsor } = faces;
  const listening = separateSockets ? listenApart(faces, host) : listenTogether(faces, host, port);
  listening.catch(() => checkpoints.stop());
  const { listeners, ...urls } = await listening;
  let isClosed = false;
  const writeHistory = async () => {
    while (!isClosed && deferred?.writeHistoryFor(historyTurnMs)) await nextTurn();
  };
  const close = async () => {
    isClosed = true;
    checkpoints.stop();
    await Promise.all([...Object.values(faces), ...listeners].map((closable) => closable.close()));
  };
  return {
    ...urls,
    ledger,
    sponsor,
    writeHistory,
    act: () => {
      const { bytes, signatures } = activity.next();
      ledger.execute(bytes, signatures());
    },
    tick: checkpoints.tick,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** How long one turn writes history, in milliseconds: short enough that requests are served meanwhile. */
const historyTurnMs = 5;

/** Milliseconds by which time advances when a checkpoint closes outside the clock's intervals. */
const singleCheckpointMs = 1_000;

/** The same ledger, but it closes a checkpoint after every transaction that is executed for the first time. */
function withCheckpointPerTransaction(ledger: Ledger, close: () => void): Ledger {
  return {
    ...ledger,
    execute: (bytes, signatures) => {
      const outcome = ledger.execute(bytes, signatures);
      if (outcome.kind === 'executed' && !outcome.replayed) close();
      return outcome;
    },
  };
}

interface Faces {
  readonly graphql: DevnetFace;
  readonly sponsor: SponsorFace;
  readonly rpc: DevnetFace;
}

function createFaces(
  ledger: Ledger,
  accounts: DevnetAccounts,
  contracts: DevnetContracts,
  { limits, features, payloadRule, dialect, clock = Date.now, sponsorToken }: DevnetOptions,
): Faces {
  return {
    graphql: createGraphqlFace({
      ledger,
      signer: createDevnetSigner({ accounts, contracts, gasPrice: ledger.referenceGasPrice }),
      findStruct: contracts.describeStruct,
      ...(limits && { limits }),
      ...(features && { features }),
      ...(payloadRule && { payloadRule }),
      ...(dialect && { headers: dialect.headers, names: networkNames[dialect.schema] ?? null }),
    }),
    sponsor: createSponsorFace({ ledger, clock, sponsor: accounts.sponsor, token: sponsorToken }),
    rpc: createRpcFace({ ledger, dialect: dialect?.timeRange, prefix: dialect?.rpcPrefix }),
  };
}

interface Listening extends Pick<Devnet, 'graphqlUrl' | 'sponsorUrl' | 'rpcUrl' | 'rpcWsUrl'> {
  readonly listeners: readonly DevnetListener[];
}

async function listenTogether({ graphql, sponsor, rpc }: Faces, host: string, port: number): Promise<Listening> {
  const mounts: Mounts = { '/graphql': graphql, '/sponsor': sponsor, '/rpc': rpc };
  const listener = await listen(mounts, host, port);
  const { authority } = listener;
  return {
    graphqlUrl: `http://${authority}/graphql`,
    sponsorUrl: `http://${authority}/sponsor`,
    rpcUrl: `http://${authority}/rpc`,
    rpcWsUrl: `ws://${authority}/rpc`,
    listeners: [listener],
  };
}

async function listenApart({ graphql, sponsor, rpc }: Faces, host: string): Promise<Listening> {
  const [forGraphql, forSponsor, forRpc] = await Promise.all([
    listen({ '/graphql': graphql }, host, 0),
    listen({ '/': sponsor }, host, 0),
    listen({ '/': rpc }, host, 0),
  ]);
  return {
    graphqlUrl: `http://${forGraphql.authority}/graphql`,
    sponsorUrl: `http://${forSponsor.authority}`,
    rpcUrl: `http://${forRpc.authority}`,
    rpcWsUrl: `ws://${forRpc.authority}`,
    listeners: [forGraphql, forSponsor, forRpc],
  };
}
