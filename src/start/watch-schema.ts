import { GraphQLError, type GraphQLSchema } from 'graphql';
import type { Config } from '../config/config.ts';
import { compareSchemas, type SchemaChange } from '../graph/compare-schemas.ts';
import type { Generation } from '../graph/generation.ts';
import { createSchemaCache } from '../graph/schema-cache.ts';
import { type SchemaKeeper, startSchemaKeeper } from '../graph/schema-keeper.ts';
import { immutableFields } from '../ledger/immutable/immutable-fields.ts';
import { createImmutableReads, type ImmutableReads } from '../ledger/immutable/immutable-reads.ts';
import type { ConnectedGraph } from '../ledger/ledger-upstream.ts';
import { unknownRpcVersion } from '../ledger/rpc-version.ts';
import { createPrepareOperation } from '../operation/prepare-operation.ts';
import type { PreparedOperation, ServedGeneration } from '../operation/prepared-operation.ts';
import type { SchemaFacts, Telemetry } from '../telemetry/events.ts';
import { describeLedger } from './log-ready.ts';
import { checkConfiguredNetwork } from './recognise-network.ts';
import type { Siblings } from './siblings.ts';

export interface LedgerState {
  /** The ledger's full build version, as last seen. */
  readonly version: () => string;
  /** The generation in force; `undefined` before the first read of the ledger's schema. */
  readonly generation: () => ServedGeneration | undefined;
  /** Why the ledger's newest schema is not in force, or not all of it; empty if it is. */
  readonly faults: () => readonly string[];
}

export interface WatchSchemaOptions {
  readonly config: Config;
  readonly graph: Pick<
    ConnectedGraph,
    'execute' | 'rpcVersion' | 'version' | 'watchVersion' | 'useSchema' | 'streams' | 'inForce' | 'readNetwork'
  >;
  readonly telemetry: Telemetry;
  /** Prevents new callers from sharing reads in flight, when the caches are cleared. */
  readonly outdateReads: () => void;
  readonly siblings: Siblings | null;
  /** Builds the gateway's own part of the graph, whose fields describe the ledger's part. */
  readonly toOwnSchema: (news: LedgerState) => GraphQLSchema;
  /** Called after a new schema came into force, but not for the first one. */
  readonly onReplaced: () => void;
  /** Called if the ledger belongs to another network than assumed; `null` if the network was known at start. */
  readonly onOtherNetwork: (() => void) | null;
  readonly now: () => number;
}

export interface WatchedSchema {
  readonly keeper: SchemaKeeper<PreparedOperation>;
  readonly version: ConnectedGraph['rpcVersion'];
}

/**
 * Reads the ledger's schema, and reads it again when the version in the ledger's response headers changes.
 * @throws SchemaCollisionError when the ledger's schema and ours have a name in common
 */
export async function watchSchema(options: WatchSchemaOptions): Promise<WatchedSchema> {
  const { config, graph, telemetry, siblings, toOwnSchema, onOtherNetwork } = options;
  const reads = openImmutableReads(options);
  let keeper: SchemaKeeper<PreparedOperation> | undefined;
  let changedMeanwhile = false;
  graph.watchVersion((version, previous) => {
    if (previous === unknownRpcVersion) telemetry.versionSeen(version);
    else telemetry.versionChanged(version, previous);
    if (keeper) void keeper.refresh();
    // The first version seen while the first schema is read belongs to that schema; a second one may not.
    else changedMeanwhile = previous !== unknownRpcVersion;
  });
  const { version } = graph;
  const { SCHEMA_CACHE_FILE: cacheFile, SCHEMA_POLL_MS: pollMs } = config.settings;
  keeper = await startSchemaKeeper({
    prepareOn: (graphOf) => createPrepareOperation(graphOf, reads, graph.streams.open),
    ownSchema: toOwnSchema({ version, generation: () => keeper?.current, faults: () => keeper?.faults ?? [] }),
    execute: graph.execute,
    names: config.profile.joins,
    config,
    cache: cacheFile === null ? null : createSchemaCache(cacheFile, telemetry.schemaCacheFailed),
    // Workers poll in turn, together as often as a single process would.
    pollMs: siblings ? 0 : pollMs,
    events: {
      replaced: (generation, previous) => {
        checkConfiguredNetwork(config, generation.schema, telemetry, onOtherNetwork);
        telemetry.schemaReplaced(toReplacedSchema(previous, generation));
        siblings?.schemaReplaced(`${generation.fingerprint} from ${generation.origin}`);
        // Cached reads belong to the previous schema and would never be found again.
        reads?.clear();
        if (keeper) options.onReplaced();
      },
      refused: (error, isServed) => (isServed ? telemetry.schemaPartlyServed(error) : telemetry.schemaRefused(error)),
      unavailable: (error) => telemetry.schemaUnavailable({ ...describeLedger(config), ...toReason(error) }),
    },
  });
  // Until the ledger answers, the graph has only the gateway's own fields.
  graph.useSchema(() => (keeper && keeper.current.origin !== 'none' ? keeper.current.schema : null));
  // What was read belongs to another network, or to the same one before it was reset.
  graph.inForce.onNewEra(() => {
    reads?.clear();
    options.outdateReads();
    void keeper?.refresh();
  });
  if (changedMeanwhile) void keeper.refresh();
  siblings?.onSchemaCheck(() => void keeper?.refresh());
  return { keeper, version: graph.rpcVersion };
}

/** The log line of a new schema and, unless it is the first one, of how the graph changed. */
interface ReplacedSchema extends SchemaFacts {
  /** The joins that left the graph, with the reasons. */
  readonly lostJoins?: readonly string[];
  readonly dangerous?: number;
  readonly safe?: number;
  /** The first changes, breaking ones first. */
  readonly changes?: readonly string[];
}

/** The log has the first changes; `schema check` lists all. */
const maxLoggedChanges = 10;

function toReplacedSchema(before: Generation | null, after: Generation): ReplacedSchema {
  const { origin, fingerprint } = after;
  if (!before || before.schema === after.schema) return { origin, fingerprint };
  const lost = [...after.missingJoins].filter(([name]) => !before.missingJoins.has(name));
  const changes = compareSchemas(before.schema, after.schema);
  const countOf = (wanted: SchemaChange['kind']) => changes.filter(({ kind }) => kind === wanted).length;
  return {
    origin,
    fingerprint,
    ...(lost.length > 0 && { lostJoins: lost.map(([name, reason]) => `${name}: ${reason}`) }),
    breaking: countOf('breaking'),
    dangerous: countOf('dangerous'),
    safe: countOf('safe'),
    changes: changes.slice(0, maxLoggedChanges).map(({ kind, text }) => `${kind}: ${text}`),
  };
}

/** Cache of immutable reads; `null` if it is turned off. */
function openImmutableReads({ config, graph, outdateReads, now }: WatchSchemaOptions): ImmutableReads | null {
  const { IMMUTABLE_CACHE_BYTES: maxBytes, IMMUTABLE_CACHE_SECONDS: lifeSeconds } = config.settings;
  if (maxBytes === 0) return null;
  return createImmutableReads({
    maxBytes,
    lifeMs: lifeSeconds * 1_000,
    tables: config.profile.immutableFields.map((name) => immutableFields[name]),
    version: graph.version,
    readNetworkId: graph.readNetwork,
    onClear: outdateReads,
    now,
  });
}

/** The cause in one line; only faults of the gateway need the stack. */
function toReason(error: unknown): { readonly reason: string; readonly err?: unknown } {
  if (error instanceof GraphQLError) return { reason: error.originalError?.message ?? error.message };
  return { reason: error instanceof Error ? error.message : 'unknown', err: error };
}
