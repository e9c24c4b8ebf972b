import {
  boolean,
  type ConfigTable,
  encodingList,
  filePath,
  fraction,
  host,
  hosts,
  integer,
  networks,
  oneOf,
  origins,
  secretFilePath,
  signingKeys,
  workerCount,
} from './value-types.ts';

export const listenerKeys = {
  HOST: {
    type: host,
    // Loopback, so that an unconfigured gateway is not open to the network. The container image sets 0.0.0.0.
    fallback: '127.0.0.1',
    description:
      'The address to listen on. The default is reachable from this machine only; `0.0.0.0` means every IPv4 interface.',
  },
  PORT: {
    type: integer(0, 65_535),
    // The usual port of GraphQL servers in JavaScript; ledger nodes do not use it.
    fallback: 4000,
    description: 'The TCP port to listen on. `0`: any free port, which the log names.',
  },
  CORS_ORIGINS: {
    type: origins,
    fallback: '*',
    description:
      'Web origins whose pages may read responses; `*` allows every origin. With a list, POST requests and WebSockets of other origins get 403, except those of the gateway’s own page at an IP address, `localhost` or a name in `ALLOWED_HOSTS`. Responses never allow browsers to add cookies or other stored credentials.',
  },
  ALLOWED_HOSTS: {
    type: hosts,
    fallbackText: 'names of this machine if `HOST` is a loopback address, else any name',
    description:
      'Host names by which clients may address the gateway, besides `localhost` and IP addresses. Others get 403, because [a web page can resolve its own name](http.md#hosts-and-origins) to the gateway’s address. Set it behind a proxy that keeps the client’s Host header, if the gateway listens on loopback. `*`: any name.',
  },
  TRUSTED_PROXIES: {
    type: networks,
    description: 'Proxies whose `X-Forwarded-For` header identifies the client address. Unset: the header is ignored.',
  },
  COMPRESSION: {
    type: encodingList,
    fallback: 'off',
    description:
      'How the gateway [compresses](http.md#compression) responses to queries of 8 KiB and more, for clients that accept it. A proxy in front of the gateway compresses better.',
  },
  GRAPHIQL: {
    type: boolean,
    fallback: true,
    description: 'Whether browsers that open `/graphql` get GraphiQL, which loads nothing from other servers.',
  },
  INTROSPECTION: {
    type: boolean,
    fallback: true,
    description:
      'Whether clients may read the schema. When `false`, GraphiQL has no documentation and code generators need a schema file.',
  },
  FEDERATION: {
    type: boolean,
    fallback: false,
    description:
      'Whether the gateway is a Federation 2 subgraph: it adds `_entities` and, with `INTROSPECTION=true`, `_service { sdl }` to the graph. `ledger-gateway schema print --federation` prints the SDL in any case. See docs/federation.md.',
  },
} as const satisfies ConfigTable;

export const operationKeys = {
  CONFIG_FILE: {
    type: filePath,
    description:
      'A JSON or YAML file with any of these keys at its top level, except this one. The environment overrides the file; an unknown key in the file is a mistake.',
  },
  LOG_LEVEL: {
    type: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    fallback: 'info',
    description:
      'The lowest severity that is logged. Logs go to standard output, one JSON object per line; request lines may be written up to 0.1 s late. Lines of sponsored transactions that were sent, and of their outcomes, are always written.',
  },
  SCHEMA_POLL_MS: {
    type: integer(0, 86_400_000, 'milliseconds'),
    // Notices an upgrade of the ledger within a minute, at the cost of one introspection per minute.
    fallback: 60_000,
    description: 'Interval at which the gateway polls the ledger’s schema. `0`: only until the first success.',
  },
  SCHEMA_CACHE_FILE: {
    type: filePath,
    description:
      'A file in which the gateway stores the ledger’s last valid schema and limits, and with which it starts if the ledger is unavailable: sponsor and event fields work, and ledger fields fail with `UPSTREAM_UNAVAILABLE`. Unset: the ledger’s part of the graph is missing until the ledger answers.',
  },
  IMMUTABLE_CACHE_BYTES: {
    type: integer(0, 4_294_967_296, 'bytes'),
    // About 20,000 transactions with their effects.
    fallback: 33_554_432,
    description:
      'Memory for [immutable reads](immutable-reads.md), which are answered without a ledger call. `0`: no caching, neither here nor in HTTP caches.',
  },
  IMMUTABLE_CACHE_SECONDS: {
    type: integer(1, 604_800, 'seconds'),
    // Covers a page and the pages that it links to, and limits how long an HTTP cache may be wrong.
    fallback: 600,
    description: 'How long immutable reads are reused, here and in HTTP caches.',
  },
  CURSOR_KEYS: {
    type: signingKeys,
    description:
      'Keys that sign cursors, separated by commas: the first signs, all verify. Unset: a key in Redis, or derived from `LEASE_KEYS`, or else in [a file](live-events.md#cursor-keys), which other machines do not have.',
  },
  CURSOR_KEYS_FILE: {
    type: secretFilePath,
    holds: 'CURSOR_KEYS',
    description: 'A file with `CURSOR_KEYS`. Setting both is a mistake.',
  },
  METRICS_PORT: {
    type: integer(0, 65_535),
    description:
      'A separate port for `/metrics`, on the address of `HOST`. Protect it: the page has no credentials. Unset: the main port serves the page to programs on this machine that address it by a loopback name, without an Origin header.',
  },
  TRACE_RATIO: {
    type: fraction,
    fallback: 0.01,
    description:
      'Share of the requests that are traced with OpenTelemetry, from 0 to 1, once an SDK was loaded with `--import` (docs/tracing.md). A request with a `traceparent` header is traced if the header says so.',
  },
  TRACE_UPSTREAMS: {
    type: boolean,
    fallback: false,
    description: 'Whether calls to upstreams of traced requests carry a `traceparent` header.',
  },
  DRAIN_MS: {
    type: integer(0, 600_000, 'milliseconds'),
    description:
      'How long the gateway keeps serving after a stop signal, while `/health/ready` returns 503 so that load balancers send no new requests. Then it stops listening. Unset: 5000 after SIGTERM, and 0 at a terminal or after another signal.',
  },
  WORKERS: {
    type: workerCount,
    fallback: 1,
    description:
      'Number of processes that serve one address. They share rate limits and cursor keys. `auto`: one per available CPU core. With a sponsor, including the embedded one, several processes need `REDIS_URL`: without it, a number above 1 is a mistake, and `auto` means 1.',
  },
  WORKER_MAX_RSS_BYTES: {
    type: integer(64 * 1024 * 1024, 1024 ** 4, 'bytes'),
    description:
      'Resident memory above which a worker is [replaced](operations.md#several-processes). Unset: never. Has no effect with `WORKERS=1`.',
  },
} as const satisfies ConfigTable;
