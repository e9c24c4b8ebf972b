export interface Room {
  /** Rooms it may import from, itself aside. `types of x`: only what the compiler erases. */
  readonly rooms: readonly string[];
  /** Packages it may import; `@scope/*` and `package/*` are families. */
  readonly packages: readonly string[];
}

/** What an upstream's room may know: itself, and what every call to an upstream needs. */
const subschema: Room = {
  rooms: [
    'errors',
    'config',
    'settings',
    'telemetry',
    'json',
    'transport',
    'limits',
    'operation-context',
    'types of generated',
    'types of upstream',
  ],
  packages: ['graphql', '@graphql-tools/*', 'zod', '@scure/base', '@noble/*'],
};

/** Rooms that every shell may ask. */
const belowShells = ['errors', 'config', 'json', 'limits', 'admission', 'operation-context', 'operation'];

/** Who may import whom, from what knows nothing of anybody to what joins everything: arrows point up this list only. */
export const house: Readonly<Record<string, Room>> = {
  errors: { rooms: [], packages: ['graphql'] },
  /** JSON whose numbers keep their digits, and the bounds of what is read as JSON. */
  json: { rooms: [], packages: [] },
  /** What is configured, as everybody may know it. */
  config: { rooms: [], packages: ['zod'] },
  /** How it is read: the settings there are, the files and the environment they are in, and what is said of mistakes. */
  settings: { rooms: ['config'], packages: ['zod', 'yaml'] },
  /** Pure: what the headers and targets of HTTP requests say. */
  http: { rooms: [], packages: [] },
  telemetry: { rooms: ['config'], packages: ['pino'] },
  /** One call to an upstream: deadline, cancelling, sharing. */
  transport: { rooms: ['errors'], packages: ['graphql', 'undici'] },
  limits: { rooms: ['errors', 'config', 'json'], packages: ['graphql', 'graphql-depth-limit'] },
  /** `src/subschemas/operation-context.ts`: what the shells hand to every upstream's room. */
  'operation-context': { rooms: ['config', 'types of transport'], packages: [] },
  generated: { rooms: ['types of operation-context'], packages: ['graphql'] },
  /** `src/subschemas/upstream.ts`: what each upstream's room exports, and what is lent to it. */
  upstream: { rooms: ['types of config', 'types of telemetry', 'types of transport', 'types of devnet'], packages: [] },
  /** Pure: what an operation's text decides. Knows no upstream by name. */
  planning: { rooms: ['errors', 'json', 'types of limits'], packages: ['graphql'] },
  /** The compiled engine, and the reference one beside it. */
  execution: {
    rooms: ['errors', 'json', 'planning', 'types of limits', 'types of operation-context'],
    packages: ['graphql', '@graphql-tools/utils'],
  },
  documents: { rooms: ['errors', 'config', 'limits', 'planning'], packages: ['graphql', 'lru-cache'] },
  admission: {
    rooms: ['errors', 'config', 'operation-context'],
    packages: ['rate-limiter-flexible', 'ioredis', 'ipaddr.js'],
  },
  /** What the ledger answers: where its data ends, what is put beside it, which of its errors is whose. */
  answers: { rooms: ['errors', 'json', 'limits', 'transport'], packages: ['graphql'] },
  'subschemas/ledger': { ...subschema, rooms: [...subschema.rooms, 'answers'] },
  'subschemas/sponsor': subschema,
  'subschemas/events': subschema,
  /** From our fields into the ledger. */
  joins: {
    rooms: [
      'errors',
      'json',
      'planning',
      'execution',
      'operation-context',
      'types of config',
      'types of limits',
      'types of transport',
      'types of subschemas/ledger',
    ],
    packages: ['graphql', '@graphql-tools/*', 'dataloader'],
  },
  /** The gateway about itself. */
  'subschemas/gateway': {
    rooms: [...subschema.rooms, 'joins', 'types of admission'],
    packages: ['graphql'],
  },
  /** One graph of all of them, and its generations. */
  graph: {
    rooms: [
      'errors',
      'config',
      'json',
      'limits',
      'planning',
      'documents',
      'joins',
      'operation-context',
      'answers',
      'subschemas/ledger',
      'types of upstream',
    ],
    packages: ['graphql', '@graphql-tools/*'],
  },
  /** The life of one operation, whichever shell it came through. */
  operation: {
    rooms: [
      'errors',
      'config',
      'json',
      'transport',
      'limits',
      'planning',
      'execution',
      'documents',
      'admission',
      'joins',
      'operation-context',
      'answers',
      'subschemas/ledger',
      'types of graph',
    ],
    packages: ['graphql'],
  },
  /** Judging and explaining without running. */
  estimate: {
    rooms: [
      'errors',
      'config',
      'json',
      'limits',
      'planning',
      'documents',
      'admission',
      'joins',
      'graph',
      'operation',
      'operation-context',
      'subschemas/ledger',
      'upstream',
      'types of generated',
    ],
    packages: ['graphql'],
  },
  'shells/lane': {
    rooms: [...belowShells, 'execution', 'documents', 'answers', 'subschemas/ledger', 'types of graph'],
    packages: ['graphql'],
  },
  'shells/yoga': {
    rooms: [...belowShells, 'types of graph'],
    packages: ['graphql', 'graphql-yoga', '@graphql-yoga/render-graphiql'],
  },
  'shells/websocket': {
    rooms: [...belowShells, 'documents', 'types of telemetry'],
    packages: ['graphql', 'ws', 'graphql-ws', 'graphql-ws/*'],
  },
  server: {
    rooms: [
      ...belowShells,
      'http',
      'documents',
      'telemetry',
      'types of transport',
      'types of upstream',
      'types of shells/lane',
      'types of shells/websocket',
    ],
    packages: [],
  },
  devnet: {
    rooms: ['generated', 'errors'],
    packages: ['graphql', '@graphql-tools/schema', 'ws', '@scure/base', '@noble/*', '@mysten/bcs'],
  },
  /** Composition root, public API and command line: they join what knows nothing of one another. */
  start: { rooms: ['every room'], packages: ['graphql'] },
  index: { rooms: ['every room'], packages: [] },
  cli: { rooms: ['config', 'settings', 'telemetry', 'errors', 'devnet', 'start'], packages: [] },
};
