import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, graphql } from 'graphql';

/** A ledger with an unmodified Sui schema, over real HTTP. Every id exists. */
export interface SuiLedger extends AsyncDisposable {
  readonly url: string;
  /** Documents received, without introspection and limits. */
  readonly asked: string[];
}

/**
 * @param version of Sui's schema, as the SDKs name it; `newest` is that of the current SDK
 * @param prefix of a fork's scalar and header
 */
export async function startSuiLedger(version: '2024.1' | '2024.4' | 'newest', prefix = 'Sui'): Promise<SuiLedger> {
  const file =
    version === 'newest'
      ? '../../node_modules/@mysten/sui-v2/src/graphql/generated/schema.graphql'
      : `../../node_modules/@mysten/sui/src/graphql/generated/${version}/schema.graphql`;
  const sdl = readFileSync(new URL(file, import.meta.url), 'utf8');
  const schema = buildSchema(sdl.replaceAll('SuiAddress', `${prefix}Address`));
  const versionHeader = `x-${prefix.toLowerCase()}-rpc-version`;
  const found = (ids: Readonly<Record<string, unknown>>) => ids;
  const rootValue = {
    chainIdentifier: '35834a8a',
    serviceConfig: {
      maxQueryNodes: 300,
      maxQueryDepth: 20,
      maxOutputNodes: 1_000_000,
      maxQueryPayloadSize: 5_000,
      requestTimeoutMs: 9_000,
      queryTimeoutMs: 9_000,
      mutationTimeoutMs: 74_000,
      defaultPageSize: 20,
      maxPageSize: 50,
      availableVersions: ['2024.4'],
    },
    address: found,
    object: found,
    transactionBlock: found,
    transaction: found,
  };
  const asked: string[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { query, variables } = JSON.parse(Buffer.concat(chunks).toString());
      if (!/__schema|^\{serviceConfig/.test(query)) asked.push(query);
      void graphql({ schema, source: query, rootValue, variableValues: variables ?? null }).then((result) => {
        res.writeHead(200, { 'content-type': 'application/json', [versionHeader]: '2026.9.1-abc' });
        res.end(JSON.stringify(result));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    asked,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
