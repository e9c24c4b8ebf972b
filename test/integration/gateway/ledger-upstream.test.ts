import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const typeDefs = `
  scalar UInt53
  type Query {
    chainIdentifier: String!
    epoch(id: UInt53): Epoch
    failing: String!
    partly: Partly
    anyone: Being
    echo(text: String, filter: Filter): String
  }
  type Epoch { epochId: UInt53! }
  type Partly { fine: Int bad: Int worse: Int }
  interface Being { name: String }
  type Person implements Being { name: String age: Int }
  input Filter { tags: [String!] = ["x"] old: Int @deprecated }
  type Mutation { executeTransactionBlock(txBytes: String!): String }
`;

const refuse = (message: string, code?: string) => () => {
  throw Object.assign(new Error(message), {
    extensions: code ? { code, http: { status: 500 } } : { http: { status: 500 } },
  });
};

const resolvers = {
  Query: {
    chainIdentifier: () => '4c78adac',
    epoch: (_: unknown, { id }: { id?: number }) => ({ epochId: id ?? 7 }),
    failing: refuse('Requested data is outside the available range', 'BAD_USER_INPUT'),
    partly: () => ({ fine: 1, bad: refuse('bad', 'BAD_USER_INPUT'), worse: refuse('worse') }),
    anyone: () => ({ __typename: 'Person', name: 'Ada', age: 36 }),
    echo: (_: unknown, args: object) => JSON.stringify(args),
  },
  Mutation: { executeTransactionBlock: () => 'done' },
};

describe('a ledger in another process', () => {
  let ledger: ScriptedLedger;
  let gateway: TestGateway;

  const start = async (env: Record<string, string> = {}) => {
    ledger = await startScriptedLedger(typeDefs, resolvers);
    gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, ...env });
    ledger.requests.length = 0;
    ledger.headers.length = 0;
  };

  afterEach(async () => {
    await gateway?.close();
    await ledger?.close();
  });

  it('serves variables, fragments, aliases, directives and abstract types', async () => {
    await start();
    const answer = await gateway.query(
      `query ($id: UInt53, $skip: Boolean!) {
        a: epoch(id: $id) { ...E } b: epoch { ...E } chainIdentifier @skip(if: $skip)
        anyone { __typename name ... on Person { years: age } }
        echo(text: "x", filter: { old: 1 })
      } fragment E on Epoch { number: epochId }`,
      { id: 3, skip: true },
    );
    expect(answer).toMatchObject({
      status: 200,
      errors: undefined,
      data: {
        a: { number: 3 },
        b: { number: 7 },
        anyone: { __typename: 'Person', name: 'Ada', years: 36 },
        echo: '{"text":"x","filter":{"tags":["x"],"old":1}}',
      },
    });
    expect(ledger.requests).toHaveLength(1);
  });

  it('receives no header of the caller', async () => {
    await start();
    await gateway.query(
      '{ chainIdentifier }',
      {},
      { authorization: 'Bearer secret', cookie: 'a=b', 'x-ledger-rpc-show-usage': 'true' },
    );
    expect(Object.keys(ledger.headers[0] ?? {}).sort()).toEqual([
      'accept',
      'connection',
      'content-length',
      'content-type',
      'host',
    ]);
  });

  it('has its errors forwarded, without members that would set our status', async () => {
    await start();
    const answer = await gateway.query('{ partly { fine bad worse } }');
    expect(answer).toMatchObject({ status: 200, data: { partly: { fine: 1, bad: null, worse: null } } });
    expect(answer.errors?.map(({ message, path, extensions }) => ({ message, path, extensions }))).toEqual([
      { message: 'bad', path: ['partly', 'bad'], extensions: { code: 'BAD_USER_INPUT', retry: 'never' } },
      { message: 'worse', path: ['partly', 'worse'], extensions: { code: 'LEDGER_ERROR', retry: 'never' } },
    ]);
  });

  it('does not lose its real error behind fields that failed with it', async () => {
    await start();
    const { data, errors, status } = await gateway.query('{ chainIdentifier failing }');
    expect(status).toBe(200);
    expect(data).toBeNull();
    expect(new Set(errors?.map((error) => error.message))).toEqual(
      new Set(['Requested data is outside the available range']),
    );
  });

  it('has its version on every response, also after a change', async () => {
    await start();
    expect((await gateway.query('{ gateway { rpcVersion } }')).headers.get('x-ledger-rpc-version')).toBe(
      '2026.11.0-scripted',
    );
    ledger.version = '2026.12.0-next';
    await gateway.query('{ chainIdentifier }');
    const after = await gateway.query('{ gateway { rpcVersion } }');
    expect(after.headers.get('x-ledger-rpc-version')).toBe('2026.12.0-next');
    expect(after.data.gateway.rpcVersion).toBe('2026.12.0-next');
  });

  it.each([
    ['resets the connection', () => 'reset' as const, 'UPSTREAM_UNAVAILABLE', /ledger/],
    [
      'answers 502 with a page',
      () => ({ status: 502, body: '<h1>nginx secret</h1>', type: 'text/html' }),
      'UPSTREAM_UNAVAILABLE',
      /status 502/,
    ],
    ['answers what is no GraphQL', () => ({ status: 200, body: 'OK secret' }), 'UPSTREAM_BAD_RESPONSE', /not GraphQL/],
    ['does not answer', () => 'hang' as const, 'UPSTREAM_TIMEOUT', /in time/],
  ])('that %s costs only its own fields, and the error names the upstream', async (_, override, code, message) => {
    await start(code === 'UPSTREAM_TIMEOUT' ? { REQUEST_TIMEOUT_MS: '1000' } : {});
    ledger.override = override;
    const { data, errors, status, text } = await gateway.query(
      '{ epoch { epochId } again: epoch { epochId } gateway { networkProfile } }',
    );
    expect(status).toBe(200);
    expect(data).toEqual({ epoch: null, again: null, gateway: { networkProfile: 'ledger' } });
    expect(errors?.map(({ path }) => path)).toEqual([['epoch'], ['again']]);
    for (const error of errors ?? []) {
      expect(error.message).toMatch(message);
      expect(error.extensions.code).toBe(code);
      expect(error.extensions.upstream).toBe('ledger');
    }
    expect(text).not.toMatch(/secret|127\.0\.0\.1|nginx/);
  });

  it('that is down at start leaves the rest working, and is used once it is up', async () => {
    const placeholder = await startScriptedLedger(typeDefs, resolvers);
    const { url } = placeholder;
    await placeholder.close();
    gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: url });
    const before = await gateway.query('{ chainIdentifier }');
    expect(before.errors?.[0]).toMatchObject({ extensions: { code: 'UPSTREAM_UNAVAILABLE', upstream: 'ledger' } });
    expect((await gateway.query('{ gateway { networkProfile } }')).data).toEqual({
      gateway: { networkProfile: 'ledger' },
    });
    expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(503);

    ledger = await startScriptedLedger(typeDefs, resolvers, Number(new URL(url).port));
    await expect
      .poll(async () => (await gateway.query('{ chainIdentifier }')).data, { timeout: 5_000 })
      .toEqual({ chainIdentifier: '4c78adac' });
    expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(200);
  });

  it('whose schema has one of our names is rejected at start, with both named', async () => {
    ledger = await startScriptedLedger('type Query { sponsor: Int } type RpcEvent { a: Int }');
    await expect(createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url })).rejects.toThrow(
      /type RpcEvent: the gateway has its own, and the ledger has one too[\s\S]*query field sponsor/,
    );
  });

  it('whose schema changes is followed; a collision is rejected and the old schema stays', async () => {
    await start({ SCHEMA_POLL_MS: '1000' });
    const grown = await startScriptedLedger('type Query { chainIdentifier: String! brandNew: Int }');
    ledger.schema = grown.schema;
    await grown.close();
    await expect.poll(async () => (await gateway.query('{ brandNew }')).errors, { timeout: 8_000 }).toBeUndefined();

    const colliding = await startScriptedLedger('type Query { chainIdentifier: String! brandNew: Int gateway: Int }');
    ledger.schema = colliding.schema;
    await colliding.close();
    await expect
      .poll(() => gateway.log.some((line) => String(line.msg).includes('rejected')), { timeout: 8_000 })
      .toBe(true);
    expect((await gateway.query('{ brandNew gateway { networkProfile } }')).errors).toBeUndefined();
  });
});

/** Sends all operations on one connection before the first response. */
async function askInOrder(url: string, queries: readonly string[]): Promise<{ answers: Promise<string[]> }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const requests = queries.map((query, index) => {
    const body = JSON.stringify({ query });
    const closing = index === queries.length - 1 ? 'connection: close\r\n' : '';
    return `POST /graphql HTTP/1.1\r\nhost: localhost\r\n${closing}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  });
  await new Promise<void>((resolve) => socket.write(requests.join(''), () => resolve()));
  const answers = text(socket).then((all) => all.match(/^\{.*\}/gm) ?? []);
  return { answers };
}

describe('identical queries in flight', () => {
  it('are one ledger request, for any callers, transports and headers; mutations never are', async () => {
    let release = () => {};
    let held = Promise.resolve();
    const hold = () => {
      held = new Promise((resolve) => {
        release = resolve;
      });
    };
    const wait = () => held.then(() => 7);
    await using slow = await startScriptedLedger('type Query { slow: Int other: Int } type Mutation { pay: Int }', {
      Query: { slow: wait, other: wait },
      Mutation: { pay: wait },
    });
    await using asked = await createTestGateway({ LEDGER_GRAPHQL_URL: slow.url });
    const callers = ['Bearer one', 'Bearer two'].map((authorization) => ({ authorization }));
    const ask = (query: string) => callers.map((headers) => asked.query(query, {}, headers));
    const seen = () => slow.requests.map(({ query }) => query).sort();
    hold();
    const [queries, parts, mutations, other] = [
      ask('{ slow }'),
      ask('{ slow gateway { networkProfile } }'),
      ask('mutation { pay }'),
      asked.query('{ other }'),
    ];
    await expect.poll(seen).toEqual(['mutation { pay }', 'mutation { pay }', '{ other }', '{ slow }', '{slow}']);
    // Seen before, so served by the lane; later requests on one connection are sent later.
    const short = await askInOrder(asked.url, ['{ slow }', '{ last: other }']);
    await expect.poll(seen).toContain('{ last: other }');
    release();
    expect((await Promise.all(queries)).map(({ data }) => data)).toEqual([1, 2].map(() => ({ slow: 7 })));
    expect(await short.answers).toEqual(['{"data":{"slow":7}}', '{"data":{"last":7}}']);
    expect(slow.requests).toHaveLength(6);
    expect((await Promise.all(parts)).map(({ data }) => data)).toEqual(
      [1, 2].map(() => ({ slow: 7, gateway: { networkProfile: 'ledger' } })),
    );
    expect((await Promise.all(mutations)).map(({ data }) => data)).toEqual([{ pay: 7 }, { pay: 7 }]);
    expect((await other).data).toEqual({ other: 7 });
  });
});
