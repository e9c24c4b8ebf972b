import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ScriptedLedger, startScriptedLedger } from '../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';

let ledger: ScriptedLedger;
let gateway: TestGateway;
let executed = 0;

beforeAll(async () => {
  ledger = await startScriptedLedger('type Query { a: Int } type Mutation { pay: Int }', {
    Query: { a: () => 1 },
    Mutation: { pay: () => ++executed },
  });
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
});
afterAll(async () => {
  await gateway?.close();
  await ledger?.close();
});

const post = async (query: string, headers: Record<string, string>, path = '/graphql') => {
  const body = JSON.stringify({ query });
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};

const contentTypes = [
  'application/json ; charset=utf-8',
  'Application/JSON',
  'APPLICATION/JSON;CHARSET="UTF-8"',
  'application/json\t;charset=utf-8',
  'application/json;',
  'application/json; charset=latin1',
  'application/json; charset="utf-16"',
  'application/json, text/plain',
  'application/graphql+json ;a=b',
  'application/graphql',
  'text/plain',
  'application/jsonx',
];

it.each(contentTypes)('every executed operation gets a response with its status: %s', async (contentType) => {
  const query = `mutation { pay } # ${contentType}`;
  for (const _sight of ['first', 'second', 'third']) {
    const before = executed;
    const { status, text } = await post(query, { 'content-type': contentType });
    const { data, errors } = JSON.parse(text);
    if (executed > before) expect([status, data, errors]).toEqual([200, { pay: executed }, undefined]);
    else expect([status, data, errors[0].extensions.code]).toEqual([415, undefined, 'BAD_REQUEST']);
  }
  // The next plain request finds the document in memory, if it was read.
  expect((await post(query, {})).status).toBe(200);
  const before = executed;
  const { status } = await post(query, { 'content-type': contentType });
  expect(status === 200).toBe(executed > before);
});

it.each([
  ['application/json', 200],
  ['Application/JSON ; Q=1', 200],
  ['application/json;charset=latin1', 406],
  ['application/json;charset=latin1, application/graphql-response+json ; q=0.5', 200],
  ['application/json;q=0, text/html', 406],
  ['text/html', 406],
  ['text/event-stream', 200],
] as const)('every executed operation gets a response of an accepted type: %s', async (accept, expected) => {
  const query = `mutation { pay } # accept ${accept}`;
  for (const _sight of ['first', 'second', 'third']) {
    const before = executed;
    const { status, text } = await post(query, { accept });
    expect(status).toBe(expected);
    expect(executed - before).toBe(expected === 200 ? 1 : 0);
    expect(text).toContain(expected === 200 ? `"pay":${executed}` : 'BAD_REQUEST');
  }
});

it('rejections have the type that the client accepts, from every part of the server', async () => {
  const strict = { accept: 'application/graphql-response+json' };
  const type = 'application/graphql-response+json; charset=utf-8';
  const refused = [
    await post('{a}', { ...strict, 'content-type': 'text/plain' }),
    await post('{a}', { ...strict, 'content-encoding': 'gzip' }),
    await post('{a}', { ...strict, 'x-ledger-rpc-version': '1999.1' }),
    await post('{a}', strict, '/nowhere'),
    await post('{a', strict),
    await post(`{a} # ${'x'.repeat(1_100_000)}`, strict),
  ];
  expect(refused.map(({ status }) => status)).toEqual([415, 415, 421, 404, 400, 413]);
  expect(refused.map((each) => each.type)).toEqual(refused.map(() => type));
  const plain = await post('{a}', { accept: 'image/png' });
  expect([plain.status, plain.type]).toEqual([406, 'application/json; charset=utf-8']);
});
