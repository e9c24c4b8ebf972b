import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedLedger, startScriptedLedger } from '../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';

let ledger: ScriptedLedger;
let gateway: TestGateway;

beforeAll(async () => {
  ledger = await startScriptedLedger('type Query { chainIdentifier: String! }', {
    Query: { chainIdentifier: () => '4c78adac' },
  });
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
});

afterAll(async () => {
  await gateway?.close();
  await ledger?.close();
});

describe('the GraphQL over HTTP specification', () => {
  for (const audit of serverAudits({ url: () => `${gateway.url}/graphql`, fetchFn: fetch })) {
    it(`${audit.id}: ${audit.name}`, async () => {
      const result = await audit.fn();
      expect('reason' in result ? result.reason : 'ok').toBe('ok');
    });
  }
});
