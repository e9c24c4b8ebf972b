export interface Room {
  /**
   * Rooms it may import from, itself aside. `types of x`: only what the compiler erases. What none of its files imports
   * any more has to be taken out.
   */
  readonly rooms: readonly string[];
  /** Packages it may import; `@scope/*` and `package/*` are families. */
  readonly packages: readonly string[];
}

/** Who may import whom, from what knows nothing of anybody to what joins everything: arrows point up this list only. */
export const house: Readonly<Record<string, Room>> = {
  errors: { rooms: [], packages: ['graphql'] },
  /** JSON whose numbers keep their digits, and the bounds of what is read as JSON. */
  json: { rooms: [], packages: [] },
  /** What is configured, as everybody may know it. */
  config: { rooms: [], packages: [] },
  /** How it is read: the settings there are, the files and the environment they are in, and what is said of mistakes. */
  settings: { rooms: ['config'], packages: ['zod', 'yaml'] },
  /** Pure: what the headers and targets of HTTP requests say. */
  http: { rooms: [], packages: [] },
  /** Connections of clients: what is under way on each, which of them are cut, and how all come to their end. */
  connections: { rooms: [], packages: [] },
  /** Bodies of requests, and messages, as they come in: read whole, within bounds of each and of all together. */
  'request-bodies': { rooms: [], packages: [] },
  /** One connection to Redis that shows within a bounded time that Redis is away. */
  redis: { rooms: ['types of config'], packages: ['ioredis'] },
  telemetry: { rooms: ['config'], packages: ['pino', 'pino-pretty'] },
  /** One call to an upstream: deadline, cancelling, sharing. */
  transport: { rooms: ['errors'], packages: ['graphql', 'undici'] },
  /** One WebSocket to an upstream that pushes: bounded, watched, for many, and closed when nobody needs it. */
  'upstream-sockets': { rooms: ['json', 'transport'], packages: ['ws', 'graphql-ws/*'] },
  /** Time and chance, as tests replace them, and how long to wait before asking again. */
  timing: { rooms: ['types of transport'], packages: [] },
  limits: { rooms: ['errors', 'json', 'config'], packages: ['graphql', 'graphql-depth-limit'] },
  /** `src/subschemas/operation-context.ts`: what the shells hand to every upstream's room. */
  'operation-context': { rooms: ['types of config', 'types of transport'], packages: [] },
  /** What a transaction is, byte by byte: read strictly, and its digest. */
  'transaction-data': { rooms: [], packages: ['@mysten/bcs', '@noble/*', '@scure/base', 'hash-wasm/*'] },
  generated: { rooms: ['types of operation-context'], packages: ['graphql'] },
  /** What callers get for reserved coins: signed, and good for one of them. */
  'sponsorship/leases': { rooms: ['types of config'], packages: [] },
  /** What is remembered of sponsorship by all processes that serve as one gateway: fences, answers, gas budgets. */
  'sponsorship/store': { rooms: [], packages: [] },
  /** The same in Redis, for a fleet: each step a script. */
  'sponsorship/redis-store': { rooms: ['redis', 'sponsorship/store'], packages: ['ioredis'] },
  /** Names, addresses and types as ledgers write them, in one form; and what is said of those that are none. */
  'ledger-values': { rooms: ['errors'], packages: ['graphql', '@scure/base'] },
  /** Texts that only this gateway can have written. */
  cursors: { rooms: ['ledger-values', 'types of config'], packages: [] },
  /** What is kept of what goes on for ever, and those who follow it. */
  backlogs: { rooms: ['transport'], packages: [] },
  /** Streams over what is read by polling: one reader for many who follow. Knows no upstream. */
  live: { rooms: ['errors', 'transport', 'timing', 'backlogs', 'types of limits'], packages: [] },
  /** What the processes of a fleet read of an upstream together: who of them asks it, and what the others hear, through Redis. */
  'live-fleet': { rooms: ['types of live', 'types of timing', 'redis'], packages: ['ioredis'] },
  /** `src/subschemas/upstream.ts`: what each upstream's room exports, and what is lent to it. */
  upstream: {
    rooms: [
      'types of config',
      'types of telemetry',
      'types of transport',
      'types of devnet',
      'types of limits',
      'types of live',
      'types of sponsorship/store',
      'types of live-fleet',
    ],
    packages: [],
  },
  /** Pure: what an operation's text decides. Knows no upstream by name. */
  planning: { rooms: [], packages: ['graphql'] },
  /** The compiled engine, and graphql-js over the stitched graph beside it. */
  execution: {
    rooms: ['errors', 'json', 'planning', 'types of operation-context'],
    packages: ['graphql'],
  },
  /** Subscriptions: opened, and each of their items executed, whatever they are of. */
  streams: {
    rooms: ['json', 'execution', 'transport', 'types of operation-context'],
    packages: ['graphql'],
  },
  /** Is a document valid? In bounded time, and in one walk where it certainly is. */
  validation: { rooms: ['errors', 'limits', 'planning'], packages: ['graphql'] },
  documents: { rooms: ['types of errors', 'limits', 'validation'], packages: ['graphql', 'lru-cache'] },
  /** By what callers are known who bring a credential: keys of clients, signed tokens. */
  credentials: {
    rooms: ['config', 'types of operation-context'],
    packages: ['jose', 'lru-cache'],
  },
  admission: {
    rooms: ['errors', 'config', 'credentials', 'redis', 'types of operation-context'],
    packages: ['rate-limiter-flexible', 'ipaddr.js'],
  },
  /** What the ledger answers: where its data ends, what is put beside it, which of its errors is whose. */
  answers: { rooms: ['errors', 'json', 'transport', 'limits'], packages: ['graphql'] },
  /** Which of the ledger's answers never change, and what is kept of them. */
  immutable: {
    rooms: ['json', 'http', 'limits', 'types of config', 'types of answers'],
    packages: ['graphql', 'lru-cache'],
  },
  'subschemas/ledger': {
    rooms: [
      'errors',
      'json',
      'settings',
      'transport',
      'upstream-sockets',
      'limits',
      'answers',
      'types of config',
      'types of upstream',
    ],
    packages: ['graphql'],
  },
  /** Is a transaction what its reservation is for, and what its caller may do? */
  'sponsorship/preflight': { rooms: ['errors', 'transaction-data', 'sponsorship/leases'], packages: ['graphql'] },
  /** What the sponsor says, and what its refusals mean. */
  'subschemas/sponsor-answers': {
    rooms: ['errors', 'json', 'transport', 'types of config'],
    packages: ['graphql'],
  },
  /** One execution as a state machine, from its fence to its end; and all that are under way. */
  'sponsorship/execution': {
    rooms: [
      'subschemas/sponsor-answers',
      'errors',
      'transport',
      'types of telemetry',
      'types of upstream',
      'types of sponsorship/store',
    ],
    packages: ['graphql'],
  },
  /** From the wish for coins to a reservation: budget, key, sponsor, lease. */
  'sponsorship/reservation': {
    rooms: [
      'subschemas/sponsor-answers',
      'sponsorship/leases',
      'errors',
      'types of sponsorship/store',
      'types of transport',
    ],
    packages: ['graphql'],
  },
  'subschemas/sponsor': {
    rooms: [
      'sponsorship/reservation',
      'subschemas/sponsor-answers',
      'sponsorship/leases',
      'sponsorship/preflight',
      'sponsorship/execution',
      'types of sponsorship/store',
      'errors',
      'config',
      'settings',
      'transport',
      'types of telemetry',
      'operation-context',
      'transaction-data',
      'types of generated',
      'types of upstream',
    ],
    packages: ['graphql', 'zod'],
  },
  /** Which events a stream tells, and the queries of a node that they are read from. */
  'subschemas/event-feed': {
    rooms: [
      'json',
      'config',
      'ledger-values',
      'cursors',
      'live',
      'types of live-fleet',
      'streams',
      'types of transport',
      'types of operation-context',
      'types of generated',
    ],
    packages: ['graphql'],
  },
  /** Who tells a reader that it is worth asking: subscriptions of the ledger's, by what their filters can say. */
  'subschemas/event-watch': {
    rooms: [
      'live',
      'types of timing',
      'upstream-sockets',
      'types of config',
      'types of generated',
      'types of upstream',
    ],
    packages: [],
  },
  'subschemas/events': {
    rooms: [
      'subschemas/event-watch',
      'errors',
      'json',
      'config',
      'settings',
      'transport',
      'limits',
      'ledger-values',
      'cursors',
      'timing',
      'backlogs',
      'live',
      'types of live-fleet',
      'subschemas/event-feed',
      'operation-context',
      'types of generated',
      'types of upstream',
    ],
    packages: ['graphql', 'zod'],
  },
  /** From our fields into the ledger. */
  joins: {
    rooms: [
      'errors',
      'json',
      'planning',
      'execution',
      'types of config',
      'types of transport',
      'types of limits',
      'operation-context',
      'types of subschemas/ledger',
    ],
    packages: ['graphql', '@graphql-tools/*', 'dataloader'],
  },
  /** The gateway about itself. */
  'subschemas/gateway': {
    rooms: [
      'joins',
      'errors',
      'operation-context',
      'types of config',
      'types of transport',
      'types of generated',
      'types of upstream',
      'types of admission',
      'types of sponsorship/store',
    ],
    packages: [],
  },
  /** One graph of all of them, and its generations. */
  graph: {
    rooms: [
      'json',
      'limits',
      'planning',
      'documents',
      'answers',
      'subschemas/ledger',
      'joins',
      'types of config',
      'types of operation-context',
      'types of upstream',
    ],
    packages: ['graphql', '@graphql-tools/*'],
  },
  /** The life of one operation, whichever shell it came through. */
  operation: {
    rooms: [
      'errors',
      'json',
      'transport',
      'limits',
      'planning',
      'execution',
      'streams',
      'documents',
      'admission',
      'answers',
      'joins',
      'types of telemetry',
      'types of operation-context',
      'types of subschemas/ledger',
      'types of graph',
      'types of immutable',
    ],
    packages: ['graphql'],
  },
  /** Judging and explaining without running. */
  estimate: {
    rooms: [
      'errors',
      'json',
      'limits',
      'upstream',
      'planning',
      'admission',
      'subschemas/ledger',
      'joins',
      'graph',
      'operation',
      'types of config',
      'operation-context',
      'types of generated',
      'types of documents',
    ],
    packages: ['graphql'],
  },
  'shells/lane': {
    rooms: ['json', 'types of operation-context', 'types of operation'],
    packages: [],
  },
  /** What event streams have in common, and those that carry several operations. */
  'shells/event-streams': {
    rooms: ['errors', 'json', 'types of operation', 'types of operation-context', 'types of telemetry'],
    packages: ['graphql'],
  },
  'shells/yoga': {
    rooms: [
      'errors',
      'json',
      'limits',
      'streams',
      'operation',
      'shells/event-streams',
      'types of config',
      'types of operation-context',
    ],
    packages: ['graphql', 'graphql-yoga'],
  },
  'shells/websocket': {
    rooms: ['errors', 'json', 'limits', 'request-bodies', 'admission', 'types of telemetry', 'types of operation'],
    packages: ['graphql', 'ws', 'graphql-ws'],
  },
  /** Pages for people: GraphiQL, and what is shown at the root. */
  pages: { rooms: ['http'], packages: ['graphql', '@graphql-yoga/render-graphiql/*'] },
  server: {
    rooms: [
      'types of pages',
      'errors',
      'json',
      'limits',
      'http',
      'connections',
      'request-bodies',
      'telemetry',
      'admission',
      'immutable',
      'types of transport',
      'types of operation-context',
      'types of upstream',
      'types of operation',
      'types of shells/lane',
      'types of shells/event-streams',
      'types of shells/websocket',
    ],
    packages: [],
  },
  devnet: { rooms: ['errors', 'transaction-data'], packages: ['graphql', 'ws', '@scure/base', '@mysten/bcs'] },
  /** Composition root, public API and command line: they join what knows nothing of one another. */
  start: { rooms: ['every room'], packages: ['graphql'] },
  index: { rooms: ['every room'], packages: [] },
  /** Several processes as one gateway: who serves, who replaces those that end, what they share. */
  workers: {
    rooms: ['types of config', 'types of telemetry', 'admission', 'sponsorship/store', 'start'],
    packages: [],
  },
  cli: { rooms: ['config', 'settings', 'telemetry', 'devnet', 'start', 'workers'], packages: [] },
};
