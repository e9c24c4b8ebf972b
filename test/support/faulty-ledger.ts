import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { graphql } from 'graphql';

/**
 * How the ledger sends a response: whole; held back; half, then held back; half, then the connection closes or is reset; or
 * the connection is reset before the response.
 */
export type Manner = 'whole' | 'held' | 'half' | 'closed-midway' | 'reset-midway' | 'reset';

/** A small ledger over real HTTP that fails as a test wants. */
export interface FaultyLedger extends AsyncDisposable {
  /** URL of its GraphQL endpoint. */
  readonly url: string;
  readonly port: number;
  /** How it sends the next responses. Introspection always succeeds. */
  manner: (query: string) => Manner;
  /** Requests held back now. */
  readonly waiting: number;
  /** Complete responses sent, without introspection. */
  readonly served: number;
  /** Requests that the client cancelled before their response. */
  readonly cutShort: number;
  /** Sends the responses held back. */
  release(): void;
}

const typeDefs = `
  type Query { chainIdentifier: String! epoch(id: Int): Epoch events(first: Int!, after: Int): [Event!]! length(text: String!): Int! }
  type Epoch { epochId: Int! }
  type Event { id: Int! json: String! }
  type Mutation { pay(amount: Int!): Int note(text: String!): Int }
`;

/** 300 events are about 300 KB. */
const eventJson = JSON.stringify({ text: 'x'.repeat(960) });

const resolvers = {
  Query: {
    chainIdentifier: () => '4c78adac',
    epoch: (_: unknown, { id }: { id?: number }) => ({ epochId: id ?? 7 }),
    events: (_: unknown, { first, after = 0 }: { first: number; after?: number }) =>
      Array.from({ length: first }, (_, index) => ({ id: after + index, json: eventJson })),
    length: (_: unknown, { text }: { text: string }) => text.length,
  },
  Mutation: {
    pay: (_: unknown, { amount }: { amount: number }) => amount,
    note: (_: unknown, { text }: { text: string }) => text.length,
  },
};

export async function startFaultyLedger(): Promise<FaultyLedger> {
  const schema = makeExecutableSchema({ typeDefs, resolvers });
  const heldBack = new Map<ServerResponse, () => void>();
  const counts = { served: 0, cutShort: 0 };

  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    res.on('error', () => {});
    req.on('error', () => {});
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { query, variables } = JSON.parse(Buffer.concat(chunks).toString());
      const isIntrospection = query.includes('__schema');
      res.on('close', () => {
        heldBack.delete(res);
        if (!res.writableFinished) counts.cutShort += 1;
        else if (!isIntrospection) counts.served += 1;
      });
      void graphql({ schema, source: query, variableValues: variables ?? null }).then((result) => {
        deliver(res, JSON.stringify(result), isIntrospection ? 'whole' : ledger.manner(query));
      });
    });
  });

  const deliver = (res: ServerResponse, text: string, manner: Manner): void => {
    if (res.destroyed) return;
    const { socket } = res;
    if (manner === 'reset') return void socket?.resetAndDestroy();
    const body = Buffer.from(text);
    if (manner !== 'held') res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    if (manner === 'whole') return void res.end(body);
    if (manner === 'held') {
      heldBack.set(res, () => deliver(res, text, 'whole'));
      return;
    }
    const middle = body.length >> 1;
    res.write(body.subarray(0, middle), () => {
      if (manner === 'closed-midway') socket?.destroy();
      else if (manner === 'reset-midway') socket?.resetAndDestroy();
      else heldBack.set(res, () => res.end(body.subarray(middle)));
    });
  };

  // Clients are told the timeout and close idle connections earlier, so tests wait less for the last connection to close.
  server.keepAliveTimeout = 2_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ledger: FaultyLedger = {
    url: `http://127.0.0.1:${port}/graphql`,
    port,
    manner: () => 'whole',
    get waiting() {
      return heldBack.size;
    },
    get served() {
      return counts.served;
    },
    get cutShort() {
      return counts.cutShort;
    },
    release() {
      for (const send of [...heldBack.values()]) send();
      heldBack.clear();
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  return ledger;
}
