import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RecordingUpstream, recordUpstream } from '../support/recording-upstream.ts';
import { type GraphqlDevnet, startGraphqlDevnet } from '../support/start-graphql-devnet.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

let devnet: GraphqlDevnet;
let ledger: RecordingUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  devnet = await startGraphqlDevnet();
  ledger = await recordUpstream(devnet.devnet.graphqlUrl);
  gateway = await createTestGateway({
    LEDGER_GRAPHQL_URL: ledger.url,
    LEDGER_RPC_URL: devnet.devnet.rpcUrl,
    REQUEST_TIMEOUT_MS: '60000',
  });
});

afterAll(async () => {
  await gateway?.close();
  for (const each of [ledger, devnet]) await each?.[Symbol.asyncDispose]();
});

it('a split operation stops its ledger call when its client disconnects, also at first sight', async () => {
  for (const sight of ['first', 'second']) {
    const calls = { open: 0, left: 0 };
    ledger.intercept = ({ body }, res) => {
      if (!body.includes('chainIdentifier')) return false;
      calls.open += 1;
      res.on('close', () => {
        calls.left += 1;
      });
      return true;
    };
    const client = new AbortController();
    const asked = fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ chainIdentifier gateway { networkProfile } }' }),
      signal: client.signal,
    }).catch(() => 'left');
    await until(() => calls.open === 1, 'the call');
    client.abort();
    expect(await asked, sight).toBe('left');
    // Long before it would have ended by itself.
    await until(() => calls.left === 1, 'its end');
  }
});
