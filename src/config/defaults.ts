/** Every default, with its reason. */
export const defaults = {
  /** Loopback, so that an unconfigured gateway is not open to the network. The container image sets 0.0.0.0. */
  host: '127.0.0.1',
  /** The usual port of GraphQL servers in JavaScript; no ledger node uses it. */
  port: 4000,
  /** The sponsor refuses budgets from this size on; asking it would only cost a call. */
  maxGasBudgetExclusive: 2_000_000_000,
  /** The ledger's page sizes, so that the whole graph pages alike. */
  defaultPageSize: 20,
  maxPageSize: 50,
  /** Never stricter than the other limits: 300 selections can ask for 100 pages of one call each, and 20 calls are spare. */
  maxEventCalls: 120,
  /** The ledger's bound: 128 KiB of transaction, as base64. */
  maxTransactionPayloadBytes: 174_763,
  /**
   * Not configurable. Larger than any body that known ledgers accept: query, transaction and variables together. Small
   * enough that a few hundred hostile bodies at once fit in memory.
   */
  maxBodyBytes: 1_048_576,
  /**
   * Not configurable. Bytes that a client may send before its WebSocket is acknowledged: credentials fit many times over,
   * and until then no caller is known whom the memory could be counted against.
   */
  maxSocketGreetingBytes: 16_384,
  /** An idle WebSocket takes about 11 KB, so all together take about a hundred megabytes. */
  maxSockets: 10_000,
  /** Enough for a large office behind one address, and a small part of `maxSockets`. */
  maxSocketsPerAddress: 256,
  /** More than one web page asks at once; bounded because each may hold an answer until the client reads it. */
  maxSocketOperations: 100,
  /** An idle stream takes a few kilobytes, and WebSockets are as many. */
  maxStreams: 10_000,
  /** A page that shows a hundred things at once is a large one. */
  maxStreamsPerCaller: 100,
  /** A node is asked 16 times a second while nothing happens. */
  maxReaders: 32,
  /** More filters than that are cheaper to match here than to ask for one by one. */
  maxReadersPerCaller: 4,
  /** Nobody sees the difference to at once; a node is asked five times a second at most. */
  livePollMinMs: 200,
  /** What happens after a quiet time is told within it. */
  livePollMaxMs: 2_000,
  /** Some fifty thousand events. */
  liveReplayBytes: 67_108_864,
  /** Batches are refused: they hide how much one request asks for. */
  maxBatchSize: 0,
  /** Below the half minute after which many proxies, clients and people give up. */
  queryTimeoutMs: 15_000,
  /** The sponsor waits seconds for consensus, and a lost answer leaves the caller not knowing whether it paid. */
  mutationTimeoutMs: 30_000,
  /** Sees an upgrade of the ledger within a minute, at the cost of one introspection a minute. */
  schemaPollMs: 60_000,
  /** Some twenty thousand transactions with their effects. */
  immutableCacheBytes: 33_554_432,
  /** A page and those it links to are seen within it; a cache that nobody can empty is right again after it. */
  immutableCacheSeconds: 600,
  /** Ten operations a second: more than a busy page needs, less than a scraper wants. */
  rateLimitPerMinute: 600,
  /** The number of instances is unknown, so each grants the full limit and no caller is refused wrongly. */
  redisSharedBy: 1,
  workers: 1,
} as const;
