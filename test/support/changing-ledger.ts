import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, graphql, introspectionFromSchema } from 'graphql';

/** A ledger over real HTTP. A test changes the schema that it returns to introspection. */
export interface ChangingLedger extends AsyncDisposable {
  /** URL of its GraphQL endpoint. */
  readonly url: string;
  /** Replaces the field `generation<n-1>` of its types by `generation<n>`, and the root field `object` by `more`. */
  change(generation: number, more?: string): void;
  /** Changes the schema, and then the answer to introspection. */
  spoil(generation: number, change: (types: { name: string; fields?: unknown[] }[]) => void): void;
  /** Responses that are held back. */
  holds: (query: string) => boolean;
  /** Number of responses held back now. */
  readonly held: number;
  /** Sends the responses held back. */
  release(): void;
}

const object = 'object(address: LedgerAddress!, version: UInt53): Object';

const typeDefs = (generations: readonly number[], more = object) => {
  const changing = generations.map((number) => `generation${number}: Int`).join(' ');
  return `
    scalar UInt53
    scalar LedgerAddress
    type Query { epoch(id: Int): Epoch! ${more} }
    type Epoch { epochId: Int ${changing} }
    type Object { address: LedgerAddress! ${changing} }
  `;
};

const mostGenerations = 100;

export async function startChangingLedger(): Promise<ChangingLedger> {
  // Like a service under a rolling update, it also serves clients of the previous schema.
  const schema = buildSchema(typeDefs(Array.from({ length: mostGenerations }, (_, number) => number)));
  const fieldsOf = (known: object) => ({
    ...known,
    ...Object.fromEntries(Array.from({ length: mostGenerations }, (_, number) => [`generation${number}`, number])),
  });
  const rootValue = {
    epoch: ({ id }: { id?: number }) => fieldsOf({ epochId: id ?? 7 }),
    object: (known: object) => fieldsOf(known),
  };
  let introspection = '';
  const heldBack: (() => void)[] = [];

  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { query, variables } = JSON.parse(Buffer.concat(chunks).toString());
      if (query.includes('__schema')) return send(res, introspection);
      void graphql({ schema, source: query, rootValue, variableValues: variables ?? null }).then((result) => {
        const answer = () => send(res, JSON.stringify(result));
        if (ledger.holds(query)) heldBack.push(answer);
        else answer();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ledger: ChangingLedger = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    change(generation, more) {
      const data = introspectionFromSchema(buildSchema(typeDefs([generation], more)));
      introspection = JSON.stringify({ data });
    },
    spoil(generation, change) {
      const data = introspectionFromSchema(buildSchema(typeDefs([generation])));
      change(data.__schema.types as unknown as { name: string; fields?: unknown[] }[]);
      introspection = JSON.stringify({ data });
    },
    holds: () => false,
    get held() {
      return heldBack.length;
    },
    release() {
      for (const answer of heldBack.splice(0)) answer();
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  ledger.change(0);
  return ledger;
}

function send(res: ServerResponse, body: string): void {
  res.writeHead(200, { 'content-type': 'application/json' }).end(body);
}
