import { type Client, createClient } from 'graphql-ws';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const typeDefs = `
  type Query { chainIdentifier: String! bad: Int list(first: Int): [Query!]! nodes: [Query!]! }
  type Mutation { pay: Int }
  type Subscription { ticks: Int }
`;
const resolvers = {
  Query: {
    chainIdentifier: () => '4c78adac',
    bad: () => {
      throw new Error('the ledger says no');
    },
  },
  Mutation: { pay: () => 1 },
};

let ledger: ScriptedLedger;
let gateway: TestGateway;
let client: Client;

const url = (path = '/graphql') => `${gateway.url.replace('http', 'ws')}${path}`;

/** One operation over the socket: its results, and how it ended. */
async function run(query: string, variables?: Record<string, unknown>, by: Client = client) {
  const results: unknown[] = [];
  try {
    for await (const result of by.iterate(variables ? { query, variables } : { query })) results.push(result);
    return { results, refused: null };
  } catch (errors) {
    return { results, refused: errors as { message: string; extensions: Record<string, unknown> }[] };
  }
}

/** The response to an upgrade request: status and headers. */
function upgrade(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown> }>((resolve, reject) => {
    const socket = new WebSocket(url(path), 'graphql-transport-ws', { headers });
    let shown: Record<string, unknown> = {};
    socket.on('upgrade', (response) => {
      shown = response.headers;
    });
    socket.on('open', () => {
      socket.close();
      resolve({ status: 101, headers: shown });
    });
    socket.on('unexpected-response', (_, response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    });
    socket.on('error', reject);
  });
}

beforeEach(async () => {
  ledger = await startScriptedLedger(typeDefs, resolvers);
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, CORS_ORIGINS: 'https://dapp.example' });
  client = createClient({ url: url(), webSocketImpl: WebSocket, retryAttempts: 0, lazy: true });
});

afterEach(async () => {
  await client.dispose();
  await gateway.close();
  await ledger.close();
});

describe('operations over a WebSocket', () => {
  it('get the same responses as over HTTP', async () => {
    expect(await run('{ chainIdentifier gateway { networkProfile } }')).toEqual({
      results: [{ data: { chainIdentifier: '4c78adac', gateway: { networkProfile: 'ledger' } } }],
      refused: null,
    });
    expect((await run('mutation { pay }')).results).toEqual([{ data: { pay: 1 } }]);
    expect((await run('{ bad }')).results).toMatchObject([
      { data: { bad: null }, errors: [{ message: 'the ledger says no', path: ['bad'] }] },
    ]);
  });

  it.each([
    ['no GraphQL', '{', undefined, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', '{ nope }', undefined, 'GRAPHQL_VALIDATION_FAILED'],
    ['too deep', `${'{list'.repeat(21)}{chainIdentifier}${'}'.repeat(21)}`, undefined, 'BAD_USER_INPUT'],
    ['too many nodes', `{${'chainIdentifier '.repeat(301)}}`, undefined, 'BAD_USER_INPUT'],
    [
      'too many output nodes',
      'query ($n: Int) { list(first: $n) { nodes { chainIdentifier } } }',
      { n: 100_000 },
      'BAD_USER_INPUT',
    ],
    ['a thousand nested braces', '{a'.repeat(1_000) + '}'.repeat(1_000), undefined, 'BAD_USER_INPUT'],
  ])('%s is rejected with an error message, and the socket stays usable', async (_, query, variables, code) => {
    const { refused } = await run(query, variables);
    expect(refused).toHaveLength(1);
    expect(refused?.[0]?.extensions).toMatchObject({ code });
    expect(refused?.[0]?.extensions).not.toHaveProperty('http');
    expect((await run('{ chainIdentifier }')).refused).toBeNull();
  });

  it('return a result without data for a value of the wrong type', async () => {
    expect((await run('query ($a: Boolean!) { chainIdentifier @skip(if: $a) }', { a: 1 })).results).toMatchObject([
      { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] },
    ]);
  });

  it('show their usage if connection_init requests it under the header’s name', async () => {
    const asking = createClient({
      url: url(),
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams: { 'X-Ledger-Rpc-Show-Usage': 'true' },
    });
    expect((await run('{ chainIdentifier }', {}, asking)).results).toEqual([
      {
        data: { chainIdentifier: '4c78adac' },
        extensions: {
          usage: { inputNodes: 1, outputNodes: 1, depth: 1, variables: 0, fragments: 0, queryPayload: 19 },
        },
      },
    ]);
    await asking.dispose();
  });

  it('take the caller from connection_init, but not its address', async () => {
    await gateway.close();
    gateway = await createTestGateway({
      LEDGER_GRAPHQL_URL: ledger.url,
      TRUSTED_PROXIES: '127.0.0.1,::1',
    });
    const lying = createClient({
      url: url(),
      webSocketImpl: WebSocket,
      connectionParams: { 'X-Forwarded-For': '198.51.100.7', Origin: 'https://elsewhere.example' },
    });
    expect(await run('{ viewer { id } }', {}, lying)).toEqual({
      results: [{ data: { viewer: { id: expect.not.stringContaining('198.51.100.7') } } }],
      refused: null,
    });
    await lying.dispose();
  });

  it('are logged, one line each', async () => {
    await run('query Named { chainIdentifier }');
    expect(gateway.log.find((line) => line.msg === 'operation over a WebSocket')).toMatchObject({
      operations: [{ name: 'Named', type: 'query', errors: 0 }],
    });
  });
});

describe('the upgrade', () => {
  it.each([
    ['/graphql', {}, 101],
    ['/graphql/stable', {}, 101],
    ['/graphql/2026.11', {}, 101],
    ['/graphql/', {}, 101],
    ['/graphql/2020.1', {}, 421],
    ['/graphql/newest', {}, 400],
    ['/graphql', { 'x-ledger-rpc-version': '2020.1' }, 421],
    ['/graphql', { origin: 'https://dapp.example' }, 101],
    ['/graphql', { origin: 'https://evil.example' }, 403],
    ['/nope', {}, 404],
  ])('%s %j gets %i, with version and request id', async (path, headers, status) => {
    const answer = await upgrade(path, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'x-ledger-rpc-version': '2026.11.0-scripted',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('closes on a message over the limit', async () => {
    const closed = new Promise<number>((resolve) => {
      client.on('closed', (event) => resolve((event as { code: number }).code));
    });
    await run(`{ chainIdentifier } #${'x'.repeat(1_100_000)}`);
    expect(await closed).toBe(1009);
  });
});

describe('an endlessly nested message', () => {
  it('closes the connection, not the process', async () => {
    const closed = new Promise<number>((resolve) => {
      client.on('closed', (event) => resolve((event as { code: number }).code));
    });
    let nested: unknown = 1;
    for (let level = 0; level < 500; level += 1) nested = [nested];
    await run('{ chainIdentifier }', { nested });
    expect(await closed).toBe(4400);
    expect((await run('{ chainIdentifier }')).results).toHaveLength(1);
  });
});

describe('draining', () => {
  it('finishes operations in flight before it closes', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = await startScriptedLedger('type Query { slow: Int }', { Query: { slow: () => held.then(() => 7) } });
    const other = await createTestGateway({ LEDGER_GRAPHQL_URL: slow.url });
    const caller = createClient({
      url: `${other.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
    });
    const answer = run('{ slow }', {}, caller);
    await expect.poll(() => slow.requests.length).toBe(1);
    const closing = other.close();
    release();
    expect((await answer).results).toEqual([{ data: { slow: 7 } }]);
    await closing;
    await caller.dispose();
    await slow.close();
  });
});
