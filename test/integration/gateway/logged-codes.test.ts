import { GraphQLError } from 'graphql';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

const typeDefs = 'type Query { chainIdentifier: String! bad: Int odd: Int list(first: Int): [Query!]! }';
const fail = (code: string) => () => {
  throw new GraphQLError('the ledger says no', { extensions: { code } });
};
const resolvers = {
  Query: { chainIdentifier: () => '4c78adac', bad: fail('RESOURCE_EXHAUSTED'), odd: fail('Bearer of news') },
};

let ledger: ScriptedLedger;
let gateway: TestGateway;

beforeAll(async () => {
  ledger = await startScriptedLedger(typeDefs, resolvers);
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, BATCH_MAX: '8', TRUSTED_PROXIES: '127.0.0.1' });
});
beforeEach(() => void gateway.log.splice(0));
afterAll(async () => {
  await gateway.close();
  await ledger.close();
});

/** The log line of a request, once it exists. */
async function lineOf(msg: string, of = gateway): Promise<Record<string, unknown>> {
  const find = () => of.log.find((line) => line.msg === msg);
  await until(() => find() !== undefined, `the line "${msg}"`);
  return find() ?? {};
}

let clients = 0;

/** Each request comes from another address, because one address gets one line a second for each kind. */
async function codesOf(path: string, request: RequestInit = {}, of = gateway): Promise<unknown> {
  clients += 1;
  const headers = { ...request.headers, 'x-forwarded-for': `203.0.113.${clients}` };
  await (await fetch(of.url + path, { ...request, headers })).text();
  return (await lineOf('request', of)).codes;
}

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const ask = (query: string, variables?: object) => post({ query, variables });

const deep = `{ ${'list { '.repeat(30)}chainIdentifier${' }'.repeat(30)} }`;

describe('the log line of a request', () => {
  it.each<[string, string, RequestInit, string[]]>([
    ['a path that leads nowhere', '/nothing', {}, ['BAD_REQUEST']],
    ['a version that is not served', '/graphql/2020.1', ask('{ chainIdentifier }'), ['UNSUPPORTED_RPC_VERSION']],
    ['a body that is no JSON', '/graphql', post('{'), ['BAD_REQUEST']],
    ['a body without a document', '/graphql', post({ query: 7 }), ['BAD_REQUEST']],
    ['a query string that is none', '/graphql?query={a}&variables={', {}, ['BAD_REQUEST']],
    ['a document that is no GraphQL', '/graphql', ask('{'), ['GRAPHQL_PARSE_FAILED']],
    ['an invalid document', '/graphql', ask('{ nothing }'), ['GRAPHQL_VALIDATION_FAILED']],
    ['a document over a limit', '/graphql', ask(deep), ['BAD_USER_INPUT']],
    [
      'a variable of another type',
      '/graphql',
      ask('query ($a: Int) { list(first: $a) { bad } }', { a: 'x' }),
      ['BAD_USER_INPUT'],
    ],
    ['an operation that fails', '/graphql', ask('{ bad gateway { version } }'), ['RESOURCE_EXHAUSTED']],
    ['a ledger’s code that is any text', '/graphql', ask('{ odd gateway { version } }'), []],
  ])('has the code of %s', async (_, path, request, codes) => {
    expect(await codesOf(path, request)).toEqual(codes.length === 0 ? undefined : codes);
  });

  it('has each code of a batch once, and those of other fields', async () => {
    const queries = ['{ bad gateway { version } }', '{ nothing }', '{ nothing }', '{', '{ chainIdentifier }'];
    const codes = await codesOf('/graphql', post(queries.map((query) => ({ query }))));
    expect([...(codes as string[])].sort()).toEqual([
      'GRAPHQL_PARSE_FAILED',
      'GRAPHQL_VALIDATION_FAILED',
      'RESOURCE_EXHAUSTED',
    ]);
    // In the order in which they ended.
    const { operations } = (await lineOf('request')) as { operations: { errors: number }[] };
    expect(operations.map(({ errors }) => errors).sort()).toEqual([0, 1]);
  });

  it('has the codes of operations that began in the lane, and none of those it completed', async () => {
    for (const [query, expected] of [
      ['{ bad }', { codes: ['RESOURCE_EXHAUSTED'], operations: [{ errors: 1 }] }],
      ['{ chainIdentifier }', { lane: true, operations: [{ errors: 0 }] }],
    ] as const) {
      await gateway.query(query);
      gateway.log.splice(0);
      await gateway.query(query);
      const line = await lineOf('request');
      expect(line).toMatchObject(expected);
      expect('codes' in line).toBe('codes' in expected);
    }
  });

  it('has the code of a caller over its rate limit', async () => {
    await using limited = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, RATE_LIMIT_PER_MINUTE: '1' });
    await limited.query('{ chainIdentifier }');
    await lineOf('request', limited);
    limited.log.splice(0);
    expect(await codesOf('/graphql', ask('{ chainIdentifier }'), limited)).toEqual(['RATE_LIMITED']);
  });

  it('has the code of a rejected WebSocket', async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/nothing`, 'graphql-transport-ws');
    socket.on('error', () => {});
    expect(await lineOf('request')).toMatchObject({ status: 404, codes: ['BAD_REQUEST'] });
  });
});

describe('the log line of an operation over a WebSocket', () => {
  it.each([
    ['{ chainIdentifier }', undefined, [{ errors: 0 }]],
    ['{ bad }', ['RESOURCE_EXHAUSTED'], [{ errors: 1 }]],
    ['{ nothing }', ['GRAPHQL_VALIDATION_FAILED'], []],
    ['{', ['GRAPHQL_PARSE_FAILED'], []],
    [deep, ['BAD_USER_INPUT'], []],
  ])('%# has its codes', async (query, codes, operations) => {
    const client = createClient({ url: `${gateway.url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket });
    const over = new Promise<void>((resolve) => {
      client.subscribe({ query }, { next() {}, error: () => resolve(), complete: resolve });
    });
    const line = await lineOf('operation over a WebSocket');
    expect(line).toMatchObject({ operations });
    expect(line.codes).toEqual(codes);
    await over;
    await client.dispose();
  });
});
