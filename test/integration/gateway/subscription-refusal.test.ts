import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const errors = [
  {
    message: "The ledger's subscriptions are not carried by this version of the gateway.",
    extensions: { code: 'NOT_CONFIGURED', upstream: 'ledger' },
  },
];
const subscription = 'subscription { ticks }';

/** Not null and no error, which would look like an answer: nothing is executed, and the client is told so. */
describe('a subscription of the ledger’s, over HTTP', () => {
  const typeDefs = 'type Query { a: Int } type Subscription { ticks: Int }';
  let ledger: ScriptedLedger;
  let gateway: TestGateway;

  beforeAll(async () => {
    ledger = await startScriptedLedger(typeDefs);
    gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
  });
  afterAll(async () => {
    await gateway?.close();
    await ledger?.close();
  });

  const ask = (method: 'POST' | 'GET', accept: string) =>
    method === 'POST'
      ? fetch(`${gateway.url}/graphql`, {
          method,
          headers: { accept, 'content-type': 'application/json' },
          body: JSON.stringify({ query: subscription }),
        })
      : fetch(`${gateway.url}/graphql?${new URLSearchParams({ query: subscription })}`, { headers: { accept } });

  test.each([
    ['POST', 'application/json', 200],
    ['GET', 'application/json', 200],
    ['POST', 'application/graphql-response+json', 501],
    ['GET', 'application/graphql-response+json', 501],
  ] as const)('is refused: %s, %s', async (method, accept, status) => {
    const response = await ask(method, accept);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ errors });
  });

  test.each(['POST', 'GET'] as const)('is refused by the one event of a stream: %s', async (method) => {
    const response = await ask(method, 'text/event-stream');
    const events = (await response.text()).match(/^data: ?\{.*$/gm) ?? [];
    expect(events.map((event) => JSON.parse(event.slice(5)))).toEqual([{ errors }]);
  });

  test('never reaches the ledger', () => {
    expect(ledger.requests.filter(({ query }) => query.includes('ticks'))).toEqual([]);
  });
});
