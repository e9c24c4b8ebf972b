import { configKey } from './config-key.ts';
import { defaults } from './defaults.ts';
import { maxSpareCalls } from './event-calls.ts';
import { filePath, integer } from './value-kinds.ts';

const longestTimeoutMs = 600_000;
const upstreams = 'the ledger’s own';

export const limitKeys = {
  LIMIT_DEFAULT_PAGE_SIZE: configKey({
    group: 'Limits',
    kind: integer(1, 1000, 'items'),
    fallback: null,
    fallbackText: `\`${defaults.defaultPageSize}\`, or \`LIMIT_MAX_PAGE_SIZE\` if that is less`,
    description:
      'Page size of `queryEvents` and `queryTransactionBlocks` when neither `first` nor `last` is given. The ledger’s own connections keep the ledger’s.',
    inForce: true,
  }),
  LIMIT_MAX_PAGE_SIZE: configKey({
    group: 'Limits',
    kind: integer(1, 1000, 'items'),
    fallback: defaults.maxPageSize,
    description:
      'The largest `first` or `last` of the same two; more is refused. A node gives 50 at a time, so a page takes a call for each 50 begun; where a node gives less at a time, or stops early, a page may come out short and says that there is more.',
    inForce: true,
  }),
  LIMIT_MAX_EVENT_CALLS: configKey({
    group: 'Limits',
    kind: integer(maxSpareCalls + 1, 10_000, 'calls'),
    fallback: defaults.maxEventCalls,
    description:
      'The most calls to the JSON-RPC endpoint that the pages of one operation may come to, however many they are: one for each 50 items begun of each page, and 20 more for all together, for what a node leaves open. An operation that may come to more is refused before anybody is asked.',
    inForce: true,
  }),
  LIMIT_MAX_TRANSACTION_PAYLOAD_SIZE: configKey({
    group: 'Limits',
    kind: integer(1, 1_000_000, 'bytes of base64'),
    fallback: null,
    fallbackText: `${upstreams}, else \`${defaults.maxTransactionPayloadBytes}\``,
    description:
      'The largest transaction payload: the arguments of `executeTx`, and of the ledger’s `executeTransactionBlock`, `dryRunTransactionBlock`, `executeTransaction` and `simulateTransaction`. All `executeTx` of an operation share it, each counted with what it is given. More is refused before anybody is asked.',
    inForce: true,
  }),
  REQUEST_TIMEOUT_MS: configKey({
    group: 'Limits',
    kind: integer(1, longestTimeoutMs, 'milliseconds'),
    fallback: defaults.queryTimeoutMs,
    description: 'How long a query may take from end to end. Its calls to upstreams are then aborted.',
    inForce: true,
  }),
  MUTATION_TIMEOUT_MS: configKey({
    group: 'Limits',
    kind: integer(1, longestTimeoutMs, 'milliseconds'),
    fallback: defaults.mutationTimeoutMs,
    description:
      'How long a caller waits for a mutation, all its fields together. What has not begun by then is not begun. What was sent to an upstream is not cut: it goes on unheard for as long again at most, and how the sponsor ended it is logged.',
    inForce: true,
  }),
  BATCH_MAX: configKey({
    group: 'Limits',
    kind: integer(0, 100, 'operations'),
    fallback: defaults.maxBatchSize,
    description: 'How many operations one request may carry as an array. `0`: arrays are refused.',
    inForce: true,
  }),
  WEBSOCKET_MAX: configKey({
    group: 'Limits',
    kind: integer(0, 1_000_000, 'WebSockets'),
    fallback: defaults.maxSockets,
    description:
      'How many WebSockets there may be at once; more are refused with 503. `0`: none. Each of several workers takes its part of them, rounded up.',
    inForce: true,
  }),
  WEBSOCKET_MAX_PER_ADDRESS: configKey({
    group: 'Limits',
    kind: integer(1, 1_000_000, 'WebSockets'),
    fallback: defaults.maxSocketsPerAddress,
    description:
      'How many of them one client address may have (IPv6: one /64); more are refused with 429. Each of several workers counts its own. Behind a proxy that is not in `TRUSTED_PROXIES` all clients have its address.',
    inForce: true,
  }),
  WEBSOCKET_MAX_OPERATIONS: configKey({
    group: 'Limits',
    kind: integer(1, 10_000, 'operations'),
    fallback: defaults.maxSocketOperations,
    description:
      'How many operations one WebSocket, or one event stream that carries several, may have under way at once; more are refused, each by itself.',
    inForce: true,
  }),
  LIVE_MAX_STREAMS: configKey({
    group: 'Limits',
    kind: integer(0, 1_000_000, 'streams'),
    fallback: defaults.maxStreams,
    description:
      'How many live streams there may be at once, over WebSocket and as event streams; more are refused. `0`: none. Each of several workers counts its own.',
    inForce: true,
  }),
  LIVE_MAX_STREAMS_PER_CALLER: configKey({
    group: 'Limits',
    kind: integer(1, 1_000_000, 'streams'),
    fallback: defaults.maxStreamsPerCaller,
    description:
      'How many of them one caller may have: an API key, else a client address. A stream counts as one for each ten tests of its filter; event streams that carry several operations are counted apart from them, each as one. Each of several workers counts its own.',
    inForce: true,
  }),
  LIVE_MAX_READERS: configKey({
    group: 'Limits',
    kind: integer(0, 10_000, 'readers'),
    fallback: defaults.maxReaders,
    description:
      'How many queries the gateway reads for live streams at once, beside the one for everything. Streams with the same query share a reader. Beyond this, `liveEvents` with another filter is served by one reader of everything and filtered here, and `liveTransactions` with another filter is refused. Each of several workers counts its own.',
    inForce: true,
  }),
  LIVE_MAX_READERS_PER_CALLER: configKey({
    group: 'Limits',
    kind: integer(0, 10_000, 'readers'),
    fallback: defaults.maxReadersPerCaller,
    description: 'How many of these readers one caller may open; beyond this, the same happens.',
    inForce: true,
  }),
  LIVE_REPLAY_BYTES: configKey({
    group: 'Limits',
    kind: integer(65_536, 17_179_869_184, 'bytes'),
    fallback: defaults.liveReplayBytes,
    description:
      'How much of what live streams have read is kept in memory, all readers together, for clients that come back and for those that are slow. What is older is read from the node again.',
    inForce: true,
  }),
  LIMIT_MAX_QUERY_DEPTH: configKey({
    group: 'Limits',
    kind: integer(1, 1000, 'levels'),
    fallback: null,
    fallbackText: upstreams,
    description:
      'Deepest nesting of a query, as the ledger counts it; the stricter of this and the ledger’s own holds, here and for the limits below.',
    inForce: true,
  }),
  LIMIT_MAX_QUERY_NODES: configKey({
    group: 'Limits',
    kind: integer(1, 1_000_000, 'nodes'),
    fallback: null,
    fallbackText: upstreams,
    description: 'Most selections of a query, fragments expanded.',
    inForce: true,
  }),
  LIMIT_MAX_OUTPUT_NODES: configKey({
    group: 'Limits',
    kind: integer(1, 2_147_483_647, 'nodes'),
    fallback: null,
    fallbackText: upstreams,
    description: 'Most nodes that a query could answer by its page sizes.',
    inForce: true,
  }),
  LIMIT_MAX_QUERY_PAYLOAD_SIZE: configKey({
    group: 'Limits',
    kind: integer(1, 1_000_000, 'bytes'),
    fallback: null,
    fallbackText: upstreams,
    description: 'Longest query text, transaction payload not counted.',
    inForce: true,
  }),
  TRUSTED_DOCUMENTS_FILE: configKey({
    group: 'Limits',
    kind: filePath,
    fallback: null,
    description: 'The only documents that are served.',
    inForce: 'refused',
  }),
};
