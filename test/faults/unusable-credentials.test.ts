import { createClient } from 'graphql-ws';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type ScriptedLedger, startScriptedLedger } from '../support/scripted-ledger.ts';
import { type ScriptedSponsor, startScriptedSponsor } from '../support/scripted-sponsor.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';

let ledger: ScriptedLedger;
let sponsor: ScriptedSponsor;
let gateway: TestGateway;

beforeEach(async () => {
  ledger = await startScriptedLedger('type Query { chainIdentifier: String! }', {
    Query: { chainIdentifier: () => '4c78adac' },
  });
  sponsor = await startScriptedSponsor();
  sponsor.answer('/', { body: '"OK"' });
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, SPONSOR_URL: sponsor.origin });
});

afterEach(async () => {
  await gateway.close();
  await sponsor[Symbol.asyncDispose]();
  await ledger.close();
});

/** The result of one operation over a WebSocket, by a caller with such a credential. */
async function ask(query: string, authorization: string): Promise<unknown> {
  const url = `${gateway.url.replace('http', 'ws')}/graphql`;
  const connectionParams = { Authorization: authorization };
  const client = createClient({ url, webSocketImpl: WebSocket, retryAttempts: 0, connectionParams });
  try {
    for await (const result of client.iterate({ query })) return result;
    return undefined;
  } catch (refused) {
    return refused;
  } finally {
    await client.dispose();
  }
}

test.each(['Bearer a\r\nx-admin: yes', 'Bearer a\nb', 'Bearer \0', 'Bearer \u{1f600}', 'Bearer \u0100', 'Bearer \x7f'])(
  'the credential %j is rejected as the caller’s own fault, without a call to the sponsor',
  async (authorization) => {
    expect(await ask('{ sponsor { health } }', 'Bearer good')).toEqual({ data: { sponsor: { health: 'OK' } } });
    for (const query of ['{ sponsor { health } }', '{ chainIdentifier }']) {
      expect(await ask(query, authorization)).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    }
    expect(sponsor.requests).toHaveLength(1);
    const { data } = await gateway.query('{ gateway { upstreams { name state } } }');
    expect(data.gateway.upstreams).toContainEqual({ name: 'sponsor', state: 'UP' });
  },
);
