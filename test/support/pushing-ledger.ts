import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { graphql } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { type WebSocket, WebSocketServer } from 'ws';

export interface PushedEvent {
  readonly emittingModule: string;
  readonly json: unknown;
}

/** A ledger's GraphQL with subscriptions like those of real networks: a union with `Lagged`, few filters, no cursors. */
export interface PushingLedger extends AsyncDisposable {
  /** URL of its GraphQL over HTTP. */
  readonly url: string;
  /** Open WebSockets now. */
  readonly sockets: ReadonlySet<WebSocket>;
  /** WebSockets ever opened, and operations ever subscribed to. */
  readonly opened: number;
  /** Subscriptions received, oldest first, and how many are open. */
  readonly subscribed: readonly { readonly id: string; readonly query: string; readonly variables: unknown }[];
  readonly following: number;
  /** Headers of the last upgrade. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Sends an event to matching subscribers, or `Lagged` to all. */
  tell(...told: readonly (PushedEvent | { readonly count: number })[]): void;
  /** Ends all subscriptions, with `complete` or with an error as thrown by a resolver. */
  end(error?: Error): void;
  /** Breaks all connections. */
  cut(): void;
  /** Reject the next upgrade? */
  isRefusing: boolean;
  /** Stop sending anything, pings included? Connections stay open. */
  freeze(): void;
}

const typeDefs = /* GraphQL */ `
  scalar JSON
  type Query { chainIdentifier: String! }
  type MoveThing { module: String! json: JSON weight: Float }
  type Lagged { count: Int! }
  union EventSubscriptionPayload = MoveThing | Lagged
  input SubscriptionEventFilter { emittingModule: String }
  enum TransactionBlockKindInput { SYSTEM_TX PROGRAMMABLE_TX }
  input SubscriptionTransactionFilter { kind: TransactionBlockKindInput signingAddress: String function: String }
  type Subscription {
    events(startAfter: String, filter: SubscriptionEventFilter): EventSubscriptionPayload!
    transactions(startAfter: String, filter: SubscriptionTransactionFilter): EventSubscriptionPayload!
    maybe: Int
  }
`;

interface Follower {
  readonly module: string | null;
  readonly take: (told: object) => void;
  readonly end: (error?: Error) => void;
}

/** @param path of its WebSocket */
export async function startPushingLedger(path = '/graphql', port = 0): Promise<PushingLedger> {
  const followers = new Set<Follower>();
  const subscribe = (_: unknown, { filter }: { filter?: { emittingModule?: string } | null }) =>
    follow(followers, filter?.emittingModule ?? null);
  const resolve = (told: object) => told;
  const schema = makeExecutableSchema({
    typeDefs,
    resolvers: {
      Query: { chainIdentifier: () => 'pushing' },
      EventSubscriptionPayload: { __resolveType: (told: object) => ('count' in told ? 'Lagged' : 'MoveThing') },
      MoveThing: { module: ({ emittingModule }: PushedEvent) => emittingModule },
      Subscription: {
        events: { subscribe, resolve },
        transactions: { subscribe, resolve },
        maybe: { subscribe, resolve: () => 1 },
      },
    },
  });
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { query, variables } = JSON.parse(Buffer.concat(chunks).toString());
      void graphql({ schema, source: query, variableValues: variables }).then((result) => {
        res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
      });
    });
  });
  const webSockets = new WebSocketServer({
    server,
    path,
    verifyClient: () => !ledger.isRefusing,
  });
  const subscribed: { id: string; query: string; variables: unknown }[] = [];
  const cleanup = useServer(
    {
      schema,
      onSubscribe: (_, id, { query, variables }) => {
        subscribed.push({ id, query, variables });
      },
    },
    webSockets,
  );
  let opened = 0;
  let headers: PushingLedger['headers'] = {};
  webSockets.on('connection', (_, req) => {
    opened += 1;
    headers = req.headers;
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const ledger: PushingLedger = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    sockets: webSockets.clients,
    get opened() {
      return opened;
    },
    subscribed,
    get following() {
      return followers.size;
    },
    get headers() {
      return headers;
    },
    tell(...told) {
      for (const each of told) {
        for (const { module, take } of followers) {
          if (!('emittingModule' in each) || module === null || module === each.emittingModule) take(each);
        }
      }
    },
    end(error) {
      for (const { end } of followers) end(error);
    },
    cut() {
      for (const socket of webSockets.clients) socket.terminate();
    },
    isRefusing: false,
    freeze() {
      for (const socket of webSockets.clients) socket.pause();
    },
    async [Symbol.asyncDispose]() {
      ledger.cut();
      await cleanup.dispose();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  return ledger;
}

function follow(followers: Set<Follower>, module: string | null): AsyncIterableIterator<object> {
  const kept: object[] = [];
  let end: { readonly error: Error | undefined } | null = null;
  let wake = () => {};
  const follower: Follower = {
    module,
    take: (told) => {
      kept.push(told);
      wake();
    },
    end: (error) => {
      end = { error };
      followers.delete(follower);
      wake();
    },
  };
  followers.add(follower);
  return {
    async next() {
      while (kept.length === 0 && !end) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const value = kept.shift();
      if (value) return { done: false, value };
      if (end?.error) throw end.error;
      return { done: true, value: undefined };
    },
    async return() {
      follower.end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
