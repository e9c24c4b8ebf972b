import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

let ledger: ScriptedLedger;
let gateway: TestGateway;

beforeAll(async () => {
  ledger = await startScriptedLedger('type Query { a: Int } type Subscription { ticks: Int }', {
    Query: { a: () => 1 },
  });
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
});
afterAll(async () => {
  await gateway?.close();
  await ledger?.close();
});

const two = 'query A { a } query B { a }';

it.each([
  ['an unknown name', two, 'C', 'Unknown operation named "C"'],
  ['an empty name', two, '', 'Unknown operation named ""'],
  ['a name where there is one without', '{ a }', 'C', 'Unknown operation named "C"'],
  ['no name among several', two, undefined, 'Operation name required in request.'],
  ['an endless name', two, 'C'.repeat(100_000), `Unknown operation named "${'C'.repeat(100)}…"`],
])('%s is rejected in the ledger’s words, over every transport', async (_name, query, operationName, message) => {
  const error = { message, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } };
  const usage = { inputNodes: expect.any(Number) };
  const post = async (accept: string) => {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, 'x-ledger-rpc-show-usage': 'true' },
      body: JSON.stringify({ query, operationName }),
    });
    return { status: response.status, body: await response.json() };
  };
  for (const _sight of ['first', 'second']) {
    expect(await post('application/json')).toMatchObject({
      status: 200,
      body: { errors: [error], extensions: { usage } },
    });
    expect(await post('application/graphql-response+json')).toMatchObject({ status: 400, body: { errors: [error] } });
  }
  const estimate =
    'query ($query: String!, $name: String) { estimate(query: $query, operationName: $name) { refused reasons } }';
  const { data } = await gateway.query(estimate, { query, name: operationName });
  expect(data.estimate).toEqual({ refused: true, reasons: [message] });
});

it('an estimate reports that a ledger subscription is forwarded, with an unknown number of calls', async () => {
  const { data } = await gateway.query(
    '{ estimate(query: "subscription { ticks }") { refused reasons plan upstreamCalls } }',
  );
  expect(data.estimate).toEqual({ refused: false, reasons: [], plan: 'PASS_THROUGH', upstreamCalls: null });
});
