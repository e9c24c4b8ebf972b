import { documentPolicies } from './document-manifest.ts';
import { maxSpareCalls } from './event-calls.ts';
import {
  anyText,
  boolean,
  type ConfigTable,
  filePath,
  integer,
  moveCallTargets,
  oneOf,
  secretFilePath,
  secretUrl,
  urlWithoutCredentials,
} from './value-types.ts';

export const callerKeys = {
  CLIENTS_FILE: {
    type: filePath,
    description:
      'A JSON or YAML list of clients that have an API key: `id`, `hash` of the key, `scopes` out of `read`, `sponsor` and `admin` (default: `read`), `origins`, `documents`, `visitors`, and the limits of a [policy](callers.md#policies); or an object with `policies` by name, and `clients`. `ledger-gateway keys new` creates a key and its entry. Callers without a key may then only read, unless `SPONSOR_ALLOW_ANONYMOUS` lets them sponsor. The gateway reloads a changed file, and logs the mistakes of one that it rejects.',
  },
  JWT_JWKS_URL: {
    type: urlWithoutCredentials('http', 'https'),
    description:
      'The URL of the public keys (JWKS) that verify callers’ JWTs. Needs `JWT_ISSUER` and `JWT_AUDIENCE`. Use `https` unless you control the network in between: an attacker who can change the response can impersonate any caller.',
  },
  JWT_ISSUER: {
    type: anyText,
    description: 'The issuer that a JWT must name in `iss`; compared exactly.',
  },
  JWT_AUDIENCE: {
    type: anyText,
    description: 'The audience that a JWT must name in `aud`, alone or among others.',
  },
  JWT_SCOPES_CLAIM: {
    type: anyText,
    needs: 'JWT_JWKS_URL',
    fallbackText: '`scope`, else `scopes`, else `scp`',
    description:
      'The JWT claim that lists the caller’s scopes (`read`, `sponsor`, `admin`): a string with spaces, or a list. Unknown scopes are ignored; without the claim the caller may read.',
  },
  JWT_GAS_PER_DAY: {
    type: integer(1, 999_999_999_999_999, 'of the smallest unit of the gas coin'),
    needs: 'JWT_JWKS_URL',
    fallbackText: 'no budget',
    description: 'How much of the sponsor’s gas each JWT subject may use per UTC day.',
  },
  JWT_GAS_PER_DAY_IN_ALL: {
    type: integer(1, 999_999_999_999_999, 'of the smallest unit of the gas coin'),
    needs: 'JWT_JWKS_URL',
    fallbackText: 'no budget',
    description: 'How much of the sponsor’s gas all JWT subjects together may use per UTC day.',
  },
  JWT_MOVE_CALLS: {
    type: moveCallTargets,
    needs: 'JWT_JWKS_URL',
    fallbackText: 'anything',
    description: 'Packages, modules or functions that sponsored transactions of JWT callers may call.',
  },
  TRUSTED_DOCUMENTS_FILE: {
    type: filePath,
    description:
      'A JSON file with documents that clients request by id: an Apollo persisted query manifest, or an object of ids and texts as Relay, client-preset and gql.tada write it. See [trusted documents](trusted-documents.md).',
  },
  TRUSTED_DOCUMENTS_POLICY: {
    type: oneOf(...documentPolicies),
    needs: 'TRUSTED_DOCUMENTS_FILE',
    fallback: 'allow',
    description:
      'What callers may run besides the documents of `TRUSTED_DOCUMENTS_FILE`. `allow`: every document. `log`: every document, and the log names those that are not in the file. `only`: no other document, not even introspection. `documents` in `CLIENTS_FILE` sets it for one client.',
  },
  AUTOMATIC_PERSISTED_QUERIES: {
    type: boolean,
    fallback: false,
    description:
      'Whether clients may register documents by their hash, as Apollo’s automatic persisted queries do. It saves upload only.',
  },
  REDIS_URL: {
    type: secretUrl('redis', 'rediss'),
    description:
      'A Redis that several instances share, so that their limits count together and one instance reads live streams for all. While Redis is unavailable, each instance counts and reads for itself.',
  },
  REDIS_URL_FILE: {
    type: secretFilePath,
    holds: 'REDIS_URL',
    description: 'A file with `REDIS_URL`. The gateway reads it at the start. Setting both is a mistake.',
  },
  REDIS_SHARED_BY: {
    type: integer(1, 10_000, 'instances'),
    needs: 'REDIS_URL',
    // The number of instances is unknown, so each grants the full limit and no caller is rejected wrongly.
    fallback: 1,
    description:
      'Number of instances that share Redis. While Redis is unavailable, each instance grants a caller the limit divided by this number, rounded up.',
  },
  RATE_LIMIT_PER_MINUTE: {
    type: integer(0, 1_000_000_000, 'attempts a minute'),
    // Ten operations per second: more than a busy page needs, less than a scraper wants.
    fallback: 600,
    description:
      'Rate limit of one visitor: a JWT subject, or else a client address (IPv6: one /64), of each API key. `rate` in `CLIENTS_FILE` sets other limits, and limits all visitors of a key together. Rejected requests count as well. `0`: no limit.',
  },
  RATE_LIMIT_COST: {
    type: oneOf('request', 'usage'),
    fallback: 'request',
    description:
      'Points of one operation against the rate limit. `request`: 1. `usage`: 1 to 21, in proportion to its input and output nodes. Both add what [callers](callers.md#rate-limit) lists.',
  },
} as const satisfies ConfigTable;

const longestTimeoutMs = 600_000;
const ofTheLedger = 'the ledger’s own';

/** Defaults of settings that depend on another value. */
export const limitDefaults = {
  /** The ledger's page size, so that the whole graph pages alike. */
  pageSize: 20,
  /** The ledger's bound: 128 KiB of transaction, as base64. */
  transactionPayloadBytes: 174_763,
} as const;

export const limitKeys = {
  LIMIT_DEFAULT_PAGE_SIZE: {
    type: integer(1, 1000, 'items'),
    fallbackText: `\`${limitDefaults.pageSize}\`, or \`LIMIT_MAX_PAGE_SIZE\` if that is less`,
    description:
      'Page size of `queryEvents` and `queryTransactionBlocks` without `first` or `last`. The ledger sets the page sizes of its own connections.',
  },
  LIMIT_MAX_PAGE_SIZE: {
    type: integer(1, 1000, 'items'),
    // The ledger's default page limit.
    fallback: 50,
    description:
      'The largest `first` or `last` of `queryEvents` and `queryTransactionBlocks`; a larger one is rejected. A page takes one upstream call for every 50 items or part of them.',
  },
  LIMIT_MAX_EVENT_CALLS: {
    type: integer(maxSpareCalls + 1, 10_000, 'calls'),
    // Never stricter than the other limits: 300 selections can request 100 pages of one call each, and 20 calls are spare.
    fallback: 120,
    description:
      'Maximum JSON-RPC calls of one operation: one for every 50 items or part of them of each page, plus 20 spare calls for short responses. An operation that may need more is rejected without an upstream call.',
  },
  LIMIT_MAX_TRANSACTION_PAYLOAD_SIZE: {
    type: integer(1, 1_000_000, 'bytes of base64'),
    fallbackText: `${ofTheLedger}, else \`${limitDefaults.transactionPayloadBytes}\``,
    description:
      'The largest transaction payload: the arguments of `executeTx`, and of the ledger’s `executeTransactionBlock`, `dryRunTransactionBlock`, `executeTransaction` and `simulateTransaction`. All `executeTx` of an operation share it. A larger payload is rejected without an upstream call.',
  },
  REQUEST_TIMEOUT_MS: {
    type: integer(1, longestTimeoutMs, 'milliseconds'),
    // Below the 30 seconds after which many proxies, clients and people give up.
    fallback: 15_000,
    description: 'Timeout of a whole query. When it expires, the gateway cancels the upstream calls of the query.',
  },
  MUTATION_TIMEOUT_MS: {
    type: integer(1, longestTimeoutMs, 'milliseconds'),
    // The sponsor waits seconds for consensus, and after a lost response the caller does not know whether it paid.
    fallback: 30_000,
    description:
      'Timeout of a mutation with all its fields. Fields that have not begun by then are not sent. Calls already sent to an upstream continue for at most the same time again, and the log records the outcome of a sponsored execution.',
  },
  BATCH_MAX: {
    type: integer(0, 100, 'operations'),
    // Batches are rejected by default: one request could hide many operations.
    fallback: 0,
    description: 'Maximum operations in one batched request (a JSON array). `0`: batches are rejected.',
  },
  WEBSOCKET_MAX: {
    type: integer(0, 1_000_000, 'WebSockets'),
    // An idle WebSocket takes about 11 KB, so all together take about 110 MB.
    fallback: 10_000,
    description:
      'Maximum concurrent WebSockets; more are rejected with 503. `0`: none. The limit is divided among workers, rounded up.',
  },
  WEBSOCKET_MAX_PER_ADDRESS: {
    type: integer(1, 1_000_000, 'WebSockets'),
    // Enough for a large office behind one address, and a small part of `WEBSOCKET_MAX`.
    fallback: 256,
    description:
      'Maximum concurrent WebSockets of one client address (IPv6: one /64); more are rejected with 429. Each worker counts its own. Behind a proxy that is not in `TRUSTED_PROXIES`, all clients share the proxy’s address.',
  },
  WEBSOCKET_MAX_OPERATIONS: {
    type: integer(1, 10_000, 'operations'),
    // More than one web page needs. There is a limit, because each operation may hold a result until the client reads it.
    fallback: 100,
    description: 'Maximum concurrent operations on one WebSocket; more are rejected.',
  },
  LIVE_MAX_STREAMS: {
    type: integer(0, 1_000_000, 'streams'),
    // An idle stream takes a few kilobytes, and there may be as many streams as WebSockets.
    fallback: 10_000,
    description:
      'Maximum concurrent live streams, over WebSocket and as event streams; more are rejected. `0`: none. Each worker counts its own.',
  },
  LIVE_MAX_STREAMS_PER_CALLER: {
    type: integer(1, 1_000_000, 'streams'),
    // A page with a hundred live streams is a large one.
    fallback: 100,
    description:
      'Maximum concurrent live streams of one visitor: a JWT subject, or else a client address, of each API key. `streams` in `CLIENTS_FILE` sets others. A stream counts once for every ten tests of its filter, or part of them. Each worker counts its own.',
  },
  LIVE_MAX_READERS: {
    type: integer(0, 10_000, 'readers'),
    // All readers together poll a node 16 times a second while no events arrive.
    fallback: 32,
    description:
      'Maximum concurrent [readers](live-events.md#readers) of live streams, besides those of all events and of all transactions. Each worker counts its own.',
  },
  LIVE_MAX_READERS_PER_CALLER: {
    type: integer(0, 10_000, 'readers'),
    // For more filters, filtering in the gateway is cheaper than a query for each.
    fallback: 4,
    description:
      'Maximum concurrent readers of live streams that one visitor may start. `readers` in `CLIENTS_FILE` sets others. Above the limit, its new filters are treated as above `LIVE_MAX_READERS`.',
  },
  LIVE_REPLAY_BYTES: {
    type: integer(65_536, 17_179_869_184, 'bytes'),
    // 64 MiB: about 50,000 events.
    fallback: 67_108_864,
    description:
      'Memory for recent items of all live streams together, for subscribers that resume or read slowly. Older items are read from the node again.',
  },
  LIMIT_MAX_QUERY_DEPTH: {
    type: integer(1, 1000, 'levels'),
    fallbackText: ofTheLedger,
    description:
      'Maximum nesting of a query, as the ledger counts it. For this key and those below, the stricter of the configured and the ledger’s own limit applies.',
  },
  LIMIT_MAX_QUERY_NODES: {
    type: integer(1, 1_000_000, 'nodes'),
    fallbackText: ofTheLedger,
    description: 'Maximum selections of a query, with fragments expanded.',
  },
  LIMIT_MAX_OUTPUT_NODES: {
    type: integer(1, 2_147_483_647, 'nodes'),
    fallbackText: ofTheLedger,
    description: 'Maximum nodes that a query can return, by its page sizes.',
  },
  LIMIT_MAX_QUERY_PAYLOAD_SIZE: {
    type: integer(1, 1_000_000, 'bytes'),
    fallbackText: ofTheLedger,
    description: 'Maximum length of the query text, without transaction payloads.',
  },
} as const satisfies ConfigTable;
