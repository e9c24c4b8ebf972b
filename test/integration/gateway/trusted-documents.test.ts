import { hash } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { type DocumentNode, parse, print } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { hashApiKey, toApiKey } from '../../../src/config/client.ts';
import { type ChangingLedger, startChangingLedger } from '../../support/changing-ledger.ts';
import { readEventStream } from '../../support/event-stream-reader.ts';
import { openWebSocket } from '../../support/open-websocket.ts';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

const sha256 = (text: string) => hash('sha256', text);
const chain = '{ chainIdentifier }';
const introspection = '{ __schema { queryType { name } } }';
const move = 'mutation Move { move }';
const manifest = {
  chain,
  [`sha256:${sha256('query Named { chainIdentifier }')}`]: 'query Named { chainIdentifier }',
  version: '{ gateway { version } }',
  events: 'subscription { liveEvents { __typename } }',
  move,
};
const keyOf = (id: string) => toApiKey(id, new Uint8Array(32).fill(id.length)).reveal();
const clients = [
  { id: 'app', documents: 'only' },
  { id: 'admin-tool', documents: 'allow' },
  { id: 'new-app', documents: 'log' },
].map((client) => ({ ...client, hash: hashApiKey(keyOf(client.id)) }));
const files = { manifest: JSON.stringify(manifest), clients: JSON.stringify(clients) };
const app = { 'x-api-key': keyOf('app') };

let ledger: ScriptedLedger;
/** Without a manifest. */
let plain: TestGateway;
let gateway: TestGateway;

beforeAll(async () => {
  ledger = await startScriptedLedger('type Query { chainIdentifier: String! } type Mutation { move: Int }', {
    Query: { chainIdentifier: () => '4c78adac' },
    Mutation: { move: () => 1 },
  });
  const env = { LEDGER_GRAPHQL_URL: ledger.url, LEDGER_RPC_URL: ledger.url, BATCH_MAX: '3' };
  plain = await createTestGateway({ ...env, RATE_LIMIT_PER_MINUTE: '1000' });
  gateway = await createTestGateway(
    { ...env, TRUSTED_DOCUMENTS_FILE: 'manifest', CLIENTS_FILE: 'clients', SPONSOR_AUTH: 'forward' },
    files,
  );
});

afterAll(async () => {
  await plain?.close();
  await gateway?.close();
  await ledger?.close();
});

type Headers = Readonly<Record<string, string>>;

const post = ({ url }: TestGateway, body: unknown, headers: Headers = {}, path = '/graphql') =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const get = ({ url }: TestGateway, parameters: Record<string, string>, headers: Headers = {}) =>
  fetch(`${url}/graphql?${new URLSearchParams(parameters)}`, { headers });

type Ask = (to: TestGateway, body: Readonly<Record<string, unknown>>, headers?: Headers) => Promise<unknown>;

/** A request by every transport. */
const transports: readonly (readonly [name: string, ask: Ask])[] = [
  ['the lane', async (to, body, headers) => (await post(to, body, headers)).json()],
  ['Yoga', async (to, body, headers) => (await post(to, body, headers, '/graphql?by=yoga')).json()],
  [
    'a batch',
    async (to, body, headers) => {
      const [, answer] = (await (await post(to, [{ documentId: 'version' }, body], headers)).json()) as unknown[];
      return answer;
    },
  ],
  [
    'a GET',
    async (to, body, headers) => {
      const parameters = Object.entries(body).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
      return (await get(to, Object.fromEntries(parameters), headers)).json();
    },
  ],
  [
    'an event stream',
    async (to, body, headers) => {
      const text = await (await post(to, body, { ...headers, accept: 'text/event-stream' })).text();
      return JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
    },
  ],
  [
    'a WebSocket',
    async (to, body, headers) => {
      const { socket, messages, send } = await openWebSocket(`${to.url.replace('http', 'ws')}/graphql`);
      send({ type: 'connection_init', payload: headers ?? {} });
      await until(() => messages.some(({ type }) => type === 'connection_ack'), 'the acknowledgement');
      send({ id: '1', type: 'subscribe', payload: body });
      const answer = () => messages.find(({ id }) => id === '1');
      await until(() => answer() !== undefined, 'the answer');
      socket.terminate();
      return answer().type === 'error' ? { errors: answer().payload } : answer().payload;
    },
  ],
];

const served = { data: { chainIdentifier: '4c78adac' } };
const refused = (code: string, message: unknown) => ({ errors: [{ message, extensions: { code } }] });
const notFound = refused('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
const notSupported = refused('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
const forbidden = refused('FORBIDDEN', 'This caller may run only the documents of TRUSTED_DOCUMENTS_FILE.');

describe.each(transports)('by %s', (_name, ask) => {
  const named = sha256('query Named { chainIdentifier }');

  it.each([
    [{ documentId: 'chain' }],
    [{ doc_id: 'chain', variables: {} }],
    [{ id: 'chain', variables: {} }],
    [{ documentId: `sha256:${named}`, operationName: 'Named' }],
    [{ extensions: { persistedQuery: { version: 1, sha256Hash: named } } }],
    [{ query: chain }],
  ])('a trusted document is served: %j', async (body) => {
    expect(await ask(gateway, body)).toEqual(served);
    expect(await ask(gateway, body, app)).toEqual(served);
  });

  it('an unknown id is not found, and other documents run for callers that may run them', async () => {
    expect(await ask(gateway, { documentId: 'none' })).toMatchObject(notFound);
    expect(await ask(gateway, { query: '{ a: chainIdentifier }' })).toEqual({ data: { a: '4c78adac' } });
  });

  it('a caller of trusted documents may run no others', async () => {
    const hashed = { extensions: { persistedQuery: { version: 1, sha256Hash: named } } };
    for (const query of ['{ a: chainIdentifier }', `${chain} `, introspection, '{', '{ __typename }', move.slice(1)])
      expect(await ask(gateway, { query }, app)).toMatchObject(forbidden);
    expect(await ask(gateway, { query: introspection, ...hashed }, app)).toMatchObject(forbidden);
    expect(await ask(gateway, { documentId: 'none' }, app)).toMatchObject(notFound);
  });

  it('a gateway without trusted documents says so', async () => {
    expect(await ask(plain, { documentId: 'chain' })).toMatchObject(notSupported);
    const hashed = { extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } };
    expect(await ask(plain, hashed)).toMatchObject(notSupported);
    expect(await ask(plain, { query: chain, ...hashed })).toEqual(served);
  });
});

test.each([
  [{ query: introspection, documentId: 'chain' }, 'Unexpected parameter "documentId" in the request body.'],
  [{ documentId: 'chain', doc_id: 'version' }, 'The request has two different document ids.'],
  [{ documentId: 'chain', more: 1 }, 'Unexpected parameter "more" in the request body.'],
  [{ documentId: ['chain'] }, 'The parameter "documentId" must be the id of a document.'],
])('an ambiguous request is rejected: %j', async (body, message) => {
  const answer = await post(gateway, body, app);
  expect([answer.status, await answer.json()]).toMatchObject([400, refused('BAD_REQUEST', message)]);
});

test('a mutation is not run by GET', async () => {
  const before = ledger.requests.length;
  const answer = await get(gateway, { documentId: 'move' });
  expect(answer.status).toBe(405);
  expect(ledger.requests).toHaveLength(before);
  expect(await (await post(gateway, { documentId: 'move' })).json()).toEqual({ data: { move: 1 } });
});

test('unknown ids have status 400 for strict clients, and count like any other attempt', async () => {
  const strict = { accept: 'application/graphql-response+json' };
  expect((await post(plain, { documentId: 'none' }, strict)).status).toBe(400);
  expect((await post(plain, { documentId: 'none' })).status).toBe(200);
  expect((await post(gateway, { query: introspection }, { ...app, ...strict })).status).toBe(403);
  const remaining = async () =>
    Number(/r=(\d+)/.exec((await post(plain, { documentId: 'none' })).headers.get('ratelimit') ?? '')?.[1]);
  const before = await remaining();
  expect(await remaining()).toBe(before - 1);
});

test('documents of a caller that is being moved to trusted ones are served, logged once and counted', async () => {
  const { log } = gateway;
  const ask = async (query: string) =>
    (await post(gateway, { query }, { 'x-api-key': keyOf('new-app') })).json() as Promise<{ data: unknown }>;
  const logged = () => log.filter(({ msg }) => msg === 'served a document that is not in TRUSTED_DOCUMENTS_FILE');
  await ask(chain);
  for (const _ of [1, 2]) expect(await ask('query Other { chainIdentifier }')).toEqual(served);
  const hash = sha256('query Other { chainIdentifier }');
  expect(logged()).toMatchObject([{ caller: 'client:new-app', hash, operation: 'Other' }]);
  expect(await (await fetch(`${gateway.url}/metrics`)).text()).toContain('ledger_gateway_untrusted_documents_total 2');
});

test('with TRUSTED_DOCUMENTS_POLICY=only, a client may have more permissions than others', async () => {
  const env = { TRUSTED_DOCUMENTS_FILE: 'manifest', CLIENTS_FILE: 'clients', TRUSTED_DOCUMENTS_POLICY: 'only' };
  await using strict = await createTestGateway(env, files);
  const ask = async (headers: Headers = {}) => (await post(strict, { query: introspection }, headers)).json();
  expect(await ask()).toMatchObject(forbidden);
  expect(await ask({ 'x-api-key': keyOf('admin-tool') })).toMatchObject({ data: { __schema: {} } });

  const stream = await readEventStream(`${strict.url}/graphql?documentId=events`);
  await until(() => stream.results.length > 0, 'an event of a subscription by its id');
  expect(stream.results[0]).toHaveProperty('data.liveEvents.__typename');
  await stream.leave();
});

test('automatic persisted queries are registered once valid, and run for callers that may run them', async () => {
  const env = { LEDGER_GRAPHQL_URL: ledger.url, CLIENTS_FILE: 'clients', TRUSTED_DOCUMENTS_FILE: 'manifest' };
  await using automatic = await createTestGateway(
    { ...env, AUTOMATIC_PERSISTED_QUERIES: 'true', SPONSOR_AUTH: 'forward' },
    files,
  );
  const query = 'query Own { chainIdentifier }';
  const hashed = (text: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: sha256(text) } } });
  const ask = async (body: object, headers?: Headers) => (await post(automatic, body, headers)).json();
  expect(await ask(hashed(query))).toMatchObject(notFound);
  // A caller of trusted documents registers none.
  expect(await ask({ query, ...hashed(query) }, app)).toMatchObject(forbidden);
  expect(await ask({ query, ...hashed(chain) })).toMatchObject(refused('BAD_REQUEST', expect.stringMatching(/hash/)));
  expect(await ask(hashed(query))).toMatchObject(notFound);
  expect(await ask({ query, ...hashed(query) })).toEqual(served);
  expect(await ask(hashed(query))).toEqual(served);
  expect(await ask(hashed(query), app)).toMatchObject(forbidden);
  expect(await ask({ query: '{ nothing }', ...hashed('{ nothing }') })).toHaveProperty('errors');
  expect(await ask(hashed('{ nothing }'))).toMatchObject(notFound);
});

describe('Apollo Client', () => {
  /** The members of each request body, in order. */
  const createApollo = (url: string, sha256Hash: (document: DocumentNode) => string) => {
    const sent: string[][] = [];
    const counting: typeof fetch = (to, init) => {
      sent.push(Object.keys(JSON.parse(String(init?.body))));
      return fetch(to, init);
    };
    const link = new PersistedQueryLink({ generateHash: sha256Hash }).concat(
      new HttpLink({ uri: `${url}/graphql`, fetch: counting }),
    );
    return { client: new ApolloClient({ link, cache: new InMemoryCache() }), sent };
  };
  const ask = async ({ client }: ReturnType<typeof createApollo>, query: DocumentNode) =>
    (await client.query({ query, fetchPolicy: 'network-only' })).data;

  it('sends ids of the manifest', async () => {
    const apollo = createApollo(gateway.url, () => 'chain');
    expect(await ask(apollo, parse(chain))).toEqual(served.data);
    expect(apollo.sent).toEqual([['variables', 'extensions']]);
  });

  it('registers a document once, and sends its hash from then on', async () => {
    await using automatic = await createTestGateway({
      LEDGER_GRAPHQL_URL: ledger.url,
      AUTOMATIC_PERSISTED_QUERIES: 'true',
    });
    const apollo = createApollo(automatic.url, (document) => sha256(print(document)));
    for (const _ of [1, 2]) expect(await ask(apollo, parse('query Own { chainIdentifier }'))).toEqual(served.data);
    expect(apollo.sent.map((members) => members.includes('query'))).toEqual([false, true, false]);
  });

  it('sends texts to a gateway that stores none', async () => {
    const apollo = createApollo(plain.url, (document) => sha256(print(document)));
    for (const _ of [1, 2]) expect(await ask(apollo, parse('query Own { chainIdentifier }'))).toEqual(served.data);
    expect(apollo.sent.map((members) => members.includes('query'))).toEqual([false, true, true]);
  });
});

describe('a manifest on disk', () => {
  const broken = 'trusted documents do not fit the schema or its limits: requests for them are rejected';
  let folder = '';
  let changing: ChangingLedger;
  let watching: TestGateway;
  const path = () => join(folder, 'manifest.json');
  const put = async (content: object) => {
    await writeFile(`${path()}~`, JSON.stringify(content));
    await rename(`${path()}~`, path());
  };
  const linesOf = (message: string) => watching.log.filter(({ msg }) => msg === message);
  const documentsOf = (message: string) => linesOf(message).map(({ documents }) => documents);
  const ask = async (documentId: string) =>
    (await post(watching, { documentId })).json() as Promise<{ data: unknown; errors?: unknown }>;
  const first = { old: '{ epoch { generation0 } }', own: '{ viewer { kind } }', wrong: '{ nothing }' };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'documents-'));
    await put(first);
    changing = await startChangingLedger();
    const text = JSON.stringify(first);
    const env = { LEDGER_GRAPHQL_URL: changing.url, SCHEMA_POLL_MS: '20', TRUSTED_DOCUMENTS_FILE: path() };
    watching = await createTestGateway(env, { [path()]: text });
  });
  afterAll(async () => {
    await watching?.close();
    await changing?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  it('that has documents of no use is served, and the log names them', async () => {
    await until(() => linesOf(broken).length > 0, 'the broken document');
    expect(linesOf(broken)).toMatchObject([
      { level: 'warn', count: 1, documents: [expect.stringMatching(/^wrong: .*nothing/)] },
    ]);
    expect(await ask('old')).toEqual({ data: { epoch: { generation0: 0 } } });
    expect(await ask('wrong')).toMatchObject({ errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] });
  });

  it('is checked against each new schema, and the log names the documents that it breaks', async () => {
    changing.change(1);
    await until(() => linesOf(broken).length > 1, 'the document that broke');
    expect(documentsOf(broken).at(-1)).toEqual([expect.stringMatching(/^old: .*generation0/)]);
    expect(await ask('own')).toHaveProperty('data.viewer');
  });

  it('is reloaded after a change', async () => {
    await put({ own: first.own, new: '{ epoch { generation1 } }' });
    await until(() => linesOf('trusted documents reloaded').length > 0, 'the new documents');
    expect(linesOf('trusted documents reloaded')).toMatchObject([{ added: 1, removed: 2, changed: 0, documents: 2 }]);
    expect(await ask('new')).toEqual({ data: { epoch: { generation1: 1 } } });
    expect(await ask('old')).toMatchObject(notFound);
  });

  it('changes nothing if it has mistakes', async () => {
    await put({ own: 7 });
    await until(
      () => linesOf('trusted documents rejected; the previous ones stay in force').length > 0,
      'the rejection',
    );
    expect(await ask('new')).toEqual({ data: { epoch: { generation1: 1 } } });
  });
});

it('with the policy only for everyone, GraphiQL has no file with the schema', async () => {
  const schemaPath = /\/graphiql\/schema-[^"]+\.json/;
  const pageOf = async ({ url }: TestGateway) =>
    (await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })).text();
  const [path = ''] = schemaPath.exec(await pageOf(plain)) ?? [];
  expect((await fetch(plain.url + path)).status).toBe(200);
  await using closed = await createTestGateway(
    { LEDGER_GRAPHQL_URL: ledger.url, TRUSTED_DOCUMENTS_FILE: 'manifest', TRUSTED_DOCUMENTS_POLICY: 'only' },
    files,
  );
  expect(await pageOf(closed)).not.toMatch(schemaPath);
  expect((await fetch(closed.url + path)).status).toBe(404);
});
