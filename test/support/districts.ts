export interface District {
  /** The district's purpose, printed in docs/architecture.md. */
  readonly purpose: string;
  /** Districts it may import, types included. An entry that no file uses must be removed. */
  readonly imports: readonly string[];
  /** Packages it may import; `@scope/*` and `package/*` are families. */
  readonly packages: readonly string[];
}

/** The folders of `src`, from the innermost to the outermost. A folder imports only folders above it. */
export const districts: Readonly<Record<string, District>> = {
  graphiql: {
    purpose: 'the GraphiQL page, in the browser',
    imports: [],
    packages: ['@graphiql/*', 'graphiql', 'graphiql/*', 'graphql', 'monaco-editor/*', 'react', 'react-dom/*'],
  },
  errors: { purpose: 'the catalogue of error codes; masking of unexpected errors', imports: [], packages: ['graphql'] },
  json: { purpose: 'JSON whose numbers keep their digits, and its bounds', imports: [], packages: [] },
  client: {
    purpose: 'the client for browsers and Node, exported as `ledger-gateway/client`; only types from elsewhere',
    imports: ['errors'],
    packages: [],
  },
  config: {
    purpose: 'configuration keys, network profiles, parsing; reports every mistake at once',
    imports: [],
    packages: ['yaml', 'zod'],
  },
  telemetry: {
    purpose: 'one function per observable event; metrics; traces; redaction',
    imports: ['errors', 'config'],
    packages: ['@opentelemetry/*', 'pino', 'pino-pretty'],
  },
  upstream: {
    purpose: 'one call or socket to any upstream: deadline, cancellation, sharing, health; the connection to Redis',
    imports: ['errors', 'json', 'config', 'telemetry'],
    packages: ['graphql', 'ioredis', 'undici', 'ws'],
  },
  callers: {
    purpose: 'identification of callers: credentials, addresses, rate limits, the requested version',
    imports: ['errors', 'config', 'upstream'],
    packages: ['ipaddr.js', 'jose', 'lru-cache', 'rate-limiter-flexible'],
  },
  documents: {
    purpose: 'everything that depends only on a document: cost, validity, plan; the store of prepared documents',
    imports: ['errors', 'json', 'config'],
    packages: ['graphql', 'graphql-depth-limit', 'lru-cache'],
  },
  transactions: {
    purpose: "transactions in the ledger's own encoding, and their digests",
    imports: [],
    packages: ['@mysten/bcs', '@noble/*', '@scure/base', 'hash-wasm/*'],
  },
  generated: { purpose: "resolver types of the gateway's own schema", imports: ['upstream'], packages: ['graphql'] },
  live: {
    purpose:
      'streams over pages that are polled: one reader, many subscribers; `fleet` shares a reader between processes',
    imports: ['errors', 'upstream'],
    packages: ['ioredis'],
  },
  ledger: {
    purpose: 'the ledger as an upstream: calls, answers as bytes, immutable reads, its values in one form',
    imports: ['errors', 'json', 'config', 'upstream', 'documents', 'live'],
    packages: ['@scure/base', 'graphql', 'lru-cache'],
  },
  engine: {
    purpose: 'compiled execution of our part of an operation',
    imports: ['errors', 'json', 'documents'],
    packages: ['graphql'],
  },
  sponsor: {
    purpose: 'the gas sponsor as an upstream: refusals, leases, preflight, reservation, execution, stores',
    imports: ['errors', 'json', 'config', 'telemetry', 'upstream', 'transactions', 'generated', 'ledger'],
    packages: ['graphql', 'ioredis', 'zod'],
  },
  events: {
    purpose: 'events and transactions, by JSON-RPC or the ledger’s GraphQL: queries, cursors, what live streams read',
    imports: [
      'errors',
      'json',
      'config',
      'telemetry',
      'upstream',
      'documents',
      'transactions',
      'generated',
      'live',
      'ledger',
    ],
    packages: ['graphql', 'zod'],
  },
  graph: {
    purpose: 'stitching, generations, the schema keeper; joins; the gateway’s fields about itself',
    imports: [
      'errors',
      'json',
      'config',
      'upstream',
      'callers',
      'documents',
      'generated',
      'ledger',
      'engine',
      'sponsor',
    ],
    packages: ['graphql', '@graphql-tools/*', 'dataloader'],
  },
  operation: {
    purpose: 'one operation from its parts to its response; subscriptions and their items',
    imports: ['errors', 'json', 'config', 'telemetry', 'upstream', 'callers', 'documents', 'ledger', 'engine', 'graph'],
    packages: ['graphql'],
  },
  estimate: {
    purpose: 'the cost and the rejection of an operation, without running it',
    imports: [
      'errors',
      'json',
      'config',
      'upstream',
      'callers',
      'documents',
      'generated',
      'ledger',
      'graph',
      'operation',
    ],
    packages: ['graphql'],
  },
  server: {
    purpose: 'node:http and all transports: bounds, headers, pages, lane, Yoga, WebSocket, event streams',
    imports: ['errors', 'json', 'config', 'telemetry', 'upstream', 'callers', 'documents', 'ledger', 'operation'],
    packages: ['graphql', 'graphql-yoga', 'ws'],
  },
  devnet: {
    purpose: 'the simulated network: state, execution, three interfaces',
    imports: ['transactions'],
    packages: ['graphql', 'ws', '@scure/base', '@mysten/bcs'],
  },
  start: {
    purpose: 'configuration → running service; `workers` are several processes as one gateway',
    imports: [
      'errors',
      'config',
      'telemetry',
      'upstream',
      'callers',
      'documents',
      'live',
      'ledger',
      'sponsor',
      'events',
      'graph',
      'operation',
      'estimate',
      'server',
      'devnet',
    ],
    packages: ['graphql'],
  },
  index: { purpose: 'the public API', imports: ['errors', 'config', 'telemetry', 'graph', 'start'], packages: [] },
  cli: {
    purpose: 'arguments, signals, exit codes',
    imports: ['client', 'config', 'telemetry', 'devnet', 'start'],
    packages: [],
  },
};
