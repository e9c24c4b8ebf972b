/** Every default number, with its reason. Bytes, milliseconds and counts are named so. */
export const defaults = {
  /** Loopback: a gateway that has not been configured is nobody else's business. The container image says 0.0.0.0. */
  host: '127.0.0.1',
  /** What GraphQL servers of this ecosystem listen on; not one of the ports of a ledger node. */
  port: 4000,
  /** The sponsor refuses a budget of this size and above; asking it would only cost a call. */
  maxGasBudgetExclusive: 2_000_000_000,
  /** The ledger's own page sizes, so that both halves of the graph page alike. Its nodes cut longer pages silently. */
  defaultPageSize: 20,
  maxPageSize: 50,
  /** A hundred pages, as many as three hundred selections can ask for, and the spare calls: what fits the other limits fits this. */
  maxEventCalls: 120,
  /** The ledger's own bound: 128 KiB of transaction, as base64. */
  maxTransactionPayloadBytes: 174_763,
  /**
   * Fixed, not configurable: above the query and transaction maxima of every known ledger together, with their
   * variables, and small enough that a few hundred hostile bodies at once fit in memory.
   */
  maxBodyBytes: 1_048_576,
  /**
   * Fixed, not configurable: what a WebSocket may send before it was acknowledged, in bytes. Credentials fit in many times
   * over, and what is not read yet is nobody's.
   */
  maxSocketGreetingBytes: 16_384,
  /** An idle one holds some 11 KB, its large greeting read and gone: together a hundred megabytes. */
  maxSockets: 10_000,
  /** A large office behind one address has them; nobody alone can take a notable part of all. */
  maxSocketsPerAddress: 256,
  /** More than a page has fields on screen; each may hold an answer until its client reads. */
  maxSocketOperations: 100,
  /** Arrays are refused: a batch hides how much one request asks for. */
  maxBatchSize: 0,
  /** Below the half minute after which browsers, proxies and people give up. */
  queryTimeoutMs: 15_000,
  /** Consensus takes seconds, and the sponsor waits for it; a lost answer here is dear. */
  mutationTimeoutMs: 30_000,
  /** An upgrade of the ledger is seen within a minute; one introspection a minute is no load. */
  schemaPollMs: 60_000,
  /** Ten operations a second for a whole minute: more than a busy page, less than a scraper. */
  rateLimitPerMinute: 600,
  /** Nothing is known of the fleet, so nobody is refused for an instance that may not exist. */
  redisSharedBy: 1,
  workers: 1,
} as const;
