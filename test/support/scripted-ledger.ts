import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { IResolvers } from '@graphql-tools/utils';
import { type GraphQLSchema, graphql } from 'graphql';

export interface ScriptedLedger extends AsyncDisposable {
  readonly url: string;
  /** All GraphQL request bodies received, oldest first, without introspection. */
  readonly requests: { readonly query: string; readonly variables?: Record<string, unknown> }[];
  /** Request headers in the same order. */
  readonly headers: Record<string, string | string[] | undefined>[];
  /** Handles the next requests; `undefined` restores the default. */
  override:
    | ((query: string) => { status: number; body: string; type?: string } | 'hang' | 'reset' | undefined)
    | undefined;
  version: string;
  schema: GraphQLSchema;
  close(): Promise<void>;
}

/** A small GraphQL server over real HTTP whose schema, responses and failures a test controls. */
export async function startScriptedLedger(
  typeDefs: string,
  resolvers: IResolvers = {},
  port = 0,
): Promise<ScriptedLedger> {
  const server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as {
        query: string;
        variables?: Record<string, unknown>;
      };
      const introspection = body.query.includes('__schema');
      if (!introspection) {
        ledger.requests.push(body);
        ledger.headers.push(req.headers);
      }
      const scripted = ledger.override?.(body.query);
      if (scripted === 'hang') return;
      if (scripted === 'reset') {
        req.socket.destroy();
        return;
      }
      if (scripted) {
        res.writeHead(scripted.status, { 'content-type': scripted.type ?? 'application/json' }).end(scripted.body);
        return;
      }
      void graphql({ schema: ledger.schema, source: body.query, variableValues: body.variables ?? null }).then(
        (result) => {
          res.writeHead(200, { 'content-type': 'application/json', 'x-ledger-rpc-version': ledger.version });
          res.end(JSON.stringify({ data: null, ...result }));
        },
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const ledger: ScriptedLedger = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    requests: [],
    headers: [],
    override: undefined,
    version: '2026.11.0-scripted',
    schema: makeExecutableSchema({ typeDefs, resolvers }),
    close,
    [Symbol.asyncDispose]: close,
  };
  return ledger;
}
