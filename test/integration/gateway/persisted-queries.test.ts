import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const chain = '{ chainIdentifier }';
const extensions = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } };
const notSupported = {
  message: 'PersistedQueryNotSupported',
  extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' },
};

let ledger: ScriptedLedger;
let gateway: TestGateway;

beforeAll(async () => {
  ledger = await startScriptedLedger('type Query { chainIdentifier: String! }', {
    Query: { chainIdentifier: () => '4c78adac' },
  });
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, BATCH_MAX: '3', RATE_LIMIT_PER_MINUTE: '1000' });
});

afterAll(async () => {
  await gateway?.close();
  await ledger?.close();
});

const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const get = (parameters: Record<string, string>) => fetch(`${gateway.url}/graphql?${new URLSearchParams(parameters)}`);

describe('a document sent only as a hash is rejected with the message that makes clients send its text:', () => {
  it.each<[name: string, ask: () => Promise<Response>, status: number]>([
    ['by POST', () => post({ operationName: 'Chain', variables: {}, extensions }), 200],
    ['with an empty text', () => post({ query: '', extensions }), 200],
    ['by GET', () => get({ operationName: 'Chain', variables: '{}', extensions: JSON.stringify(extensions) }), 200],
    ['to a strict client', () => post({ extensions }, { accept: 'application/graphql-response+json' }), 400],
  ])('%s', async (_name, ask, status) => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ errors: [notSupported] });
  });

  it('in one entry of a batch, while the others are served', async () => {
    const answer = await post([{ query: chain }, { extensions }]);
    expect(await answer.json()).toEqual([{ data: { chainIdentifier: '4c78adac' } }, { errors: [notSupported] }]);
  });

  it('and counts like any other attempt', async () => {
    const remaining = async () => {
      const left = (await post({ extensions })).headers.get('ratelimit');
      return Number(/r=(\d+)/.exec(left ?? '')?.[1]);
    };
    const before = await remaining();
    expect(await remaining()).toBe(before - 1);
  });
});

it.each([
  ['POST', () => post({ query: chain, extensions })],
  ['GET', () => get({ query: chain, extensions: JSON.stringify(extensions) })],
])('a hash beside the text changes nothing, by %s', async (_method, ask) => {
  expect(await (await ask()).json()).toEqual({ data: { chainIdentifier: '4c78adac' } });
});

it('a request without text and hash gets an error about the missing text', async () => {
  const { errors } = (await (await post({ extensions: {} })).json()) as { errors: { message: string }[] };
  expect(errors[0]?.message).toMatch(/query/);
});
