import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLSchema,
  type GraphQLTypeResolver,
  getOperationAST,
  isCompositeType,
  isEnumType,
  isListType,
  isNonNullType,
  parse,
  subscribe,
  validate,
} from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { createDevnetAccounts } from '../../../src/devnet/genesis/accounts.ts';
import { createActivity } from '../../../src/devnet/genesis/activity.ts';
import { createDevnetContracts } from '../../../src/devnet/genesis/contracts.ts';
import type { GenesisOptions } from '../../../src/devnet/genesis/genesis-options.ts';
import { createLedger } from '../../../src/devnet/state/ledger.ts';
import type { Ledger } from '../../../src/devnet/state/ledger-state.ts';
import type { CheckpointRecord, EventRecord, TransactionRecord } from '../../../src/devnet/state/records.ts';

/** What one network does in its own way. */
export interface NetworkRules {
  readonly schema: GraphQLSchema;
  /** In front of `rpc-version` and `rpc-show-usage`. */
  readonly headerPrefix: string;
  /** Subscriptions over server-sent events at this path, or over WebSocket at several. */
  readonly subscriptions: { readonly sse: string } | { readonly webSocket: readonly string[] };
  /** Fields of the roots: values, or functions of the arguments. All other fields get made-up values. */
  readonly root: (ledger: Ledger, isShown: IsShown) => Readonly<Record<string, unknown>>;
  /** What resolvers of the schema get as their context, for each request. */
  readonly context?: (ledger: Ledger, isShown: IsShown) => unknown;
  /** The items that a subscription yields for transactions, and the checkpoint that it resumes after. */
  readonly stream: (ledger: Ledger, isShown: IsShown, field: string, args: StreamArguments) => NetworkStream;
  readonly checkLimits: (document: DocumentNode, request: NetworkRequest) => LimitCheck;
  readonly toInvalid: (error: GraphQLError) => GraphQLError;
  readonly serveRpc: (body: RpcRequest, ledger: Ledger, res: ServerResponse) => void;
}

/** Does the network show an event already? */
export type IsShown = (event: EventRecord) => boolean;

// biome-ignore lint/suspicious/noExplicitAny: of several schemas
export type StreamArguments = Readonly<Record<string, any>>;

export interface NetworkStream {
  readonly past: readonly unknown[];
  readonly next: (checkpoint: CheckpointRecord, transactions: readonly TransactionRecord[]) => readonly unknown[];
}

export interface NetworkRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
  /** Of the whole body. */
  readonly bytes: number;
}

export interface RpcRequest {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

export type LimitCheck = { readonly usage: object | null } | { readonly error: GraphQLError };

export interface MockedNetwork extends AsyncDisposable {
  readonly graphqlUrl: string;
  readonly rpcUrl: string;
  readonly schema: GraphQLSchema;
  /** The history that it serves. */
  readonly ledger: Ledger;
  /** Operations received, except introspection and the service's limits. */
  readonly requests: readonly NetworkRequest[];
  /** Subscriptions that are open. */
  readonly streams: number;
  /** Subscriptions deliver nothing while this is set; what they miss comes later. */
  isPaused: boolean;
  /** Subscriptions deliver each item twice. */
  isRepeating: boolean;
  /**
   * Executes transactions of the network's users and closes a checkpoint with them.
   * @param held how many of them, the first ones, have events that are not shown before `showHeld`
   */
  step(transactions?: number, held?: number): CheckpointRecord;
  /** Events that are not shown yet. */
  readonly held: readonly EventRecord[];
  /** Shows all events, the held ones behind newer ones; subscriptions deliver them now. */
  showHeld(): void;
  /** Breaks all connections of subscriptions. */
  drop(): void;
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
  ask(query: string, variables?: object, headers?: Record<string, string>): Promise<any>;
}

export interface NetworkHistory {
  /** Older checkpoints are dropped, with their transactions and events. */
  readonly keptCheckpoints?: number;
  /** When its history begins. */
  readonly startMs?: number;
  /** Networks with different seeds have no transaction in common. */
  readonly seed?: number;
}

/** A network with its published schema over real sockets, and a history of the simulated ledger. */
export async function startNetwork(
  rules: NetworkRules,
  { keptCheckpoints = 7_200, startMs = 1_800_000_000_000, seed = 7 }: NetworkHistory = {},
): Promise<MockedNetwork> {
  let now = startMs;
  const genesis: Partial<GenesisOptions> = { checkpoints: 60, checkpointsPerEpoch: 20 };
  const ledger = createLedger({ seed, clock: () => now, genesis, retention: { checkpoints: keptCheckpoints } });
  const accounts = createDevnetAccounts(seed);
  const activity = createActivity({
    ledger,
    accounts,
    contracts: createDevnetContracts(seed),
    seed,
    sequenceSeed: 99,
  });
  const { schema, headerPrefix, subscriptions, context = () => null } = rules;
  let held: readonly EventRecord[] = [];
  const isShown: IsShown = ({ txDigest, eventSeq }) =>
    !held.some((event) => event.txDigest === txDigest && event.eventSeq === eventSeq);
  const rootValue = rules.root(ledger, isShown);
  const requests: NetworkRequest[] = [];
  const open = new Set<() => void>();
  const followers = new Set<(checkpoint: CheckpointRecord, transactions: readonly TransactionRecord[]) => void>();
  const waiting = new Set<() => void>();

  const server = createServer((req, res) => {
    void readBody(req).then((body) => serve(req, res, body));
  });

  function serve(req: IncomingMessage, res: ServerResponse, body: string): void {
    res.setHeader(`${headerPrefix}-rpc-version`, '1.99.0-mocked');
    const path = new URL(req.url ?? '/', 'http://network').pathname;
    if (req.method !== 'POST') {
      res.writeHead(200, { 'content-type': 'text/html' }).end('<p>IDE</p>');
      return;
    }
    if (!path.startsWith('/graphql')) {
      rules.serveRpc(JSON.parse(body), ledger, res);
      return;
    }
    const isStream = 'sse' in subscriptions && path === subscriptions.sse;
    if (!isStream && req.headers['content-length'] === undefined) {
      res.writeHead(400, { 'content-type': 'text/plain' }).end('Header of type `content-length` was missing');
      return;
    }
    const parsed = JSON.parse(body);
    const request: NetworkRequest = {
      query: parsed.query,
      variables: parsed.variables ?? {},
      operationName: parsed.operationName ?? null,
      bytes: Buffer.byteLength(body),
    };
    if (!/__schema|^\{serviceConfig/.test(request.query)) requests.push(request);
    const prepared = prepare(request, isStream);
    if ('errors' in prepared) {
      send(res, { data: null, errors: prepared.errors.map((each) => each.toJSON()) });
      return;
    }
    if (isStream) {
      void serveEvents(res, prepared.document, request);
      return;
    }
    const isUsageAsked = req.headers[`${headerPrefix}-rpc-show-usage`] !== undefined;
    void run(prepared.document, request).then((result) =>
      send(res, { ...result, ...(isUsageAsked && prepared.usage && { extensions: { usage: prepared.usage } }) }),
    );
  }

  function prepare(request: NetworkRequest, isStream: boolean) {
    let document: DocumentNode;
    try {
      document = parse(request.query);
    } catch (error) {
      return { errors: [new GraphQLError(String(error), { extensions: { code: 'GRAPHQL_PARSE_FAILED' } })] };
    }
    const invalid = validate(schema, document);
    if (invalid.length > 0) return { errors: invalid.map(rules.toInvalid) };
    const isSubscription = getOperationAST(document, request.operationName)?.operation === 'subscription';
    if (isSubscription !== isStream)
      return { errors: [new GraphQLError('Subscriptions are not supported on this transport.')] };
    const check = rules.checkLimits(document, request);
    return 'error' in check ? { errors: [check.error] } : { document, usage: check.usage };
  }

  const resolvers = { fieldResolver: resolveField, typeResolver: toResolveType(schema) };
  const run = async (document: DocumentNode, { variables, operationName }: NetworkRequest): Promise<ExecutionResult> =>
    execute({
      schema,
      document,
      rootValue,
      contextValue: context(ledger, isShown),
      variableValues: variables,
      operationName,
      ...resolvers,
    });

  async function follow(
    document: DocumentNode,
    { variables, operationName }: Pick<NetworkRequest, 'variables' | 'operationName'>,
  ) {
    return subscribe({
      schema,
      document,
      variableValues: variables,
      operationName,
      contextValue: context(ledger, isShown),
      ...resolvers,
      subscribeFieldResolver: (_source, args, _context, { fieldName }) => follower(fieldName, args),
    });
  }

  function follower(field: string, args: StreamArguments): AsyncGenerator<unknown> {
    const { past, next } = rules.stream(ledger, isShown, field, args);
    const queue = [...past];
    let wake = () => {};
    let isOver = false;
    const end = () => {
      isOver = true;
      wake();
    };
    const onNews = (checkpoint: CheckpointRecord, transactions: readonly TransactionRecord[]) => {
      queue.push(...next(checkpoint, transactions).flatMap((item) => (network.isRepeating ? [item, item] : [item])));
      wake();
    };
    const unsubscribe = ledger.onCheckpoint(onNews);
    followers.add(onNews);
    open.add(end);
    return (async function* () {
      try {
        for (;;) {
          if (isOver) return;
          const item = network.isPaused ? undefined : queue.shift();
          if (item !== undefined) yield { [field]: item };
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
              waiting.add(resolve);
            });
        }
      } finally {
        unsubscribe();
        followers.delete(onNews);
        open.delete(end);
      }
    })();
  }

  async function serveEvents(res: ServerResponse, document: DocumentNode, request: NetworkRequest): Promise<void> {
    const events = await follow(document, request);
    if (!(Symbol.asyncIterator in events)) return send(res, { data: null, ...events });
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(':\n\n');
    const stop = () => void events.return(undefined);
    res.on('close', stop);
    for await (const result of events) res.write(`event: next\ndata: ${JSON.stringify(result)}\n\n`);
    res.end();
  }

  const sockets = new WebSocketServer({ noServer: true });
  useServer(
    {
      schema,
      execute: (args) => execute({ ...args, ...resolvers }),
      subscribe: (args) =>
        follow(args.document, {
          variables: args.variableValues ?? {},
          operationName: args.operationName ?? null,
        }) as never,
    },
    sockets,
  );
  server.on('upgrade', (req, socket, head) => {
    const path = new URL(req.url ?? '/', 'http://network').pathname;
    if (!('webSocket' in subscriptions && subscriptions.webSocket.includes(path))) {
      socket.end('HTTP/1.1 405 Method Not Allowed\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(req, socket, head, (client) => sockets.emit('connection', client, req));
  });

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let isPaused = false;
  const network: MockedNetwork = {
    graphqlUrl: `${origin}/graphql`,
    rpcUrl: `${origin}/`,
    schema,
    ledger,
    requests,
    get streams() {
      return open.size;
    },
    get isPaused() {
      return isPaused;
    },
    set isPaused(value) {
      isPaused = value;
      for (const wake of waiting) wake();
      waiting.clear();
    },
    isRepeating: false,
    get held() {
      return held;
    },
    showHeld() {
      const digests = new Set(held.map(({ txDigest }) => txDigest));
      held = [];
      const late = ledger.transactions.filter(({ digest }) => digests.has(digest));
      for (const onNews of followers) onNews(ledger.latestCheckpoint(), late);
    },
    step(transactions = 1, toHold = 0) {
      for (let count = 0; count < transactions; count += 1) {
        const { bytes, signatures } = activity.next();
        const outcome = ledger.execute(bytes, signatures());
        if (outcome.kind === 'refused') throw new Error(outcome.message);
        if (count < toHold) held = [...held, ...outcome.transaction.events];
      }
      now += 1000;
      return ledger.closeCheckpoint();
    },
    drop() {
      for (const client of sockets.clients) client.terminate();
      for (const end of open) end();
    },
    async ask(query, variables, headers = {}) {
      const body = JSON.stringify({ query, variables });
      const response = await fetch(`${origin}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      return response.json();
    },
    async [Symbol.asyncDispose]() {
      network.drop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return network;
}

function send(res: ServerResponse, answer: object): void {
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

async function readBody(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Identifies a made-up object: the way that leads to it. */
const way = Symbol('way');

export function isMadeUp(source: unknown): boolean {
  return typeof source === 'object' && source !== null && way in source;
}

export const resolveField: GraphQLFieldResolver<Record<PropertyKey, unknown> | undefined, unknown> = (
  source,
  args,
  _context,
  { fieldName, returnType },
) => {
  const known = source !== undefined && Object.hasOwn(source, fieldName) ? source[fieldName] : undefined;
  if (known !== undefined) return typeof known === 'function' ? known(args) : known;
  return makeUp(returnType, `${String(source?.[way] ?? '')}/${fieldName}${JSON.stringify(args)}`);
};

/** A value of the type, always the same for the same way. Never null. */
function makeUp(type: GraphQLOutputType, id: string): unknown {
  if (isNonNullType(type)) return makeUp(type.ofType, id);
  if (isListType(type)) return [makeUp(type.ofType, id)];
  if (isCompositeType(type)) return { [way]: id };
  const hash = hashOf(id);
  if (isEnumType(type)) return type.getValues()[hash % type.getValues().length]?.value;
  const scalars: Readonly<Record<string, unknown>> = {
    Int: hash % 1_000,
    UInt53: hash,
    Boolean: hash % 2 === 0,
    JSON: { value: hash },
    BigInt: String(hash),
    DateTime: new Date(hash * 100).toISOString(),
    Base64: Buffer.from(id).toString('base64'),
  };
  if (type.name.endsWith('Address')) return `0x${hash.toString(16).padStart(64, '0')}`;
  return Object.hasOwn(scalars, type.name) ? scalars[type.name] : `v${hash}`;
}

const toResolveType =
  (schema: GraphQLSchema): GraphQLTypeResolver<Record<PropertyKey, unknown>, unknown> =>
  (value, _context, _info, type) => {
    if (typeof value.__typename === 'string') return value.__typename;
    const possible = schema.getPossibleTypes(type);
    return possible[hashOf(String(value[way])) % possible.length]?.name;
  };

/** FNV-1a */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}
