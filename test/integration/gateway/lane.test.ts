import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

const typeDefs = `
  scalar JSON
  type Query {
    chainIdentifier: String!
    epoch(id: Int): Epoch
    partly: Partly
    failing: String!
    json: JSON
    maybe: String
    place: String
  }
  "Zwischen Äonen: 𝄞 €"
  type Epoch { epochId: Int! totals(of: [String!]): [Int!]! }
  type Partly { fine: Int bad: Int }
  type Mutation { executeTransactionBlock(txBytes: String!): String }
`;

const refuse = (message: string) => () => {
  throw Object.assign(new Error(message), {
    extensions: { code: 'BAD_USER_INPUT', http: { status: 500 }, debug: 'x' },
  });
};

const resolvers = {
  Query: {
    chainIdentifier: () => '4c78adac',
    epoch: (_: unknown, { id }: { id?: number }) => ({ epochId: id ?? 7, totals: [1, 2] }),
    partly: () => ({ fine: 1, bad: refuse('bad') }),
    failing: refuse('out of range'),
    json: () => ({ errors: null, data: {}, text: '}}"errors":["extensions"' }),
    maybe: () => 'perhaps',
    place: () => 'Zürich, 東京 𝄞',
  },
  Mutation: { executeTransactionBlock: (_: unknown, { txBytes }: { txBytes: string }) => `done ${txBytes}` },
};

type Answer = (req: IncomingMessage, res: ServerResponse, body: string) => void;

/** A proxy in front of the ledger that can respond itself, and notices when the gateway disconnects. */
async function startFront(ledgerUrl: string) {
  let answer: Answer | undefined;
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', async () => {
      const body = Buffer.concat(chunks).toString();
      if (answer && !body.includes('__schema') && !body.includes('serviceConfig')) return answer(req, res, body);
      const upstream = await fetch(ledgerUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      const text = Buffer.from(await upstream.arrayBuffer());
      res.writeHead(upstream.status, {
        'content-type': 'application/json',
        'content-length': text.length,
        'x-ledger-rpc-version': upstream.headers.get('x-ledger-rpc-version') ?? '',
      });
      res.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    answerWith: (next: Answer | undefined) => {
      answer = next;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Asked {
  readonly body: object;
  readonly headers?: Record<string, string>;
  readonly path?: string;
}

/** Everything in a response that a client can observe. */
interface Seen {
  readonly status: number;
  readonly text: string;
  readonly headers: Record<string, string>;
  readonly contentLength: string | null;
}

const perRequest = new Set(['date', 'x-request-id', 'content-length', 'connection', 'keep-alive', 'transfer-encoding']);

let ledger: ScriptedLedger;
let front: Awaited<ReturnType<typeof startFront>>;
let gateway: TestGateway;
/** A gateway with a short timeout, for responses that never end. */
let hasty: TestGateway;

beforeAll(async () => {
  ledger = await startScriptedLedger(typeDefs, resolvers);
  front = await startFront(ledger.url);
  const env = { LEDGER_GRAPHQL_URL: front.url, TRUSTED_PROXIES: '127.0.0.1' };
  gateway = await createTestGateway(env);
  hasty = await createTestGateway({ ...env, REQUEST_TIMEOUT_MS: '400' });
  // With such a short timeout, the ledger may seem late.
  const isFound = async () => (await ask({ body: { query: '{ chainIdentifier }' } }, hasty)).text.includes('"data"');
  await until(isFound, 'the ledger to be found');
});
afterEach(() => front.answerWith(undefined));
afterAll(async () => {
  await gateway?.close();
  await hasty?.close();
  await front?.close();
  await ledger?.close();
});

/** A request with a query string goes to Yoga. */
const byYoga = '/graphql?by=yoga';

let clients = 0;

/** Each request comes from another address, because rejected ones of one address share a log line. */
async function ask({ body, headers = {}, path = '/graphql' }: Asked, target = gateway): Promise<Seen> {
  clients += 1;
  const client = { 'x-forwarded-for': `198.51.${100 + (clients >> 6)}.${100 + (clients & 63)}` };
  const response = await fetch(`${target.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...client, ...headers },
    body: JSON.stringify(body),
  });
  const text = (await response.text()).replace(client['x-forwarded-for'], 'client');
  const id = response.headers.get('x-request-id');
  await until(
    () => response.status === 429 || target.log.some(({ requestId, msg }) => requestId === id && msg === 'request'),
    'the log line, which follows the response',
  );
  return {
    status: response.status,
    text,
    headers: Object.fromEntries([...response.headers].filter(([name]) => !perRequest.has(name))),
    contentLength: response.headers.get('content-length'),
  };
}

/** The log line of a request follows its response. */
async function logged(target: TestGateway, count: number): Promise<Record<string, unknown>[]> {
  const withoutClient = (line: object) => JSON.parse(JSON.stringify(line).replace(/198\.51\.\d+\.\d+/, 'client'));
  const lines = () => target.log.filter(({ msg }) => msg === 'request').map(withoutClient);
  await expect.poll(() => lines().length).toBeGreaterThanOrEqual(count);
  return lines();
}

const requestLines = (target: TestGateway) => target.log.filter(({ msg }) => msg === 'request').length;

let unique = 0;
/** A document that was never sent before: a comment makes it unique. */
const fresh = (query: string) => `${query} # ${unique++}`;

/** Sends the same at first sight, later, and to Yoga; returns which ones the lane served. */
async function thrice(query: string, rest: object = {}, headers: Record<string, string> = {}) {
  const before = requestLines(gateway);
  const asked = { body: { query: fresh(query), ...rest }, headers };
  const cold = await ask(asked);
  const hot = await ask(asked);
  const ordinary = await ask({ ...asked, path: byYoga });
  const lines = (await logged(gateway, before + 3)).slice(before);
  return { cold, hot, ordinary, lanes: lines.map(({ lane }) => lane === true), lines };
}

describe('an operation', () => {
  test.each<[string, string, object?, Record<string, string>?]>([
    ['plain', '{ chainIdentifier }'],
    ['aliases, fragments, lists', '{ a: epoch { ...E } b: epoch(id: 2) { epochId } } fragment E on Epoch { totals }'],
    ['a typename', '{ __typename epoch { __typename } }'],
    ['variables', 'query ($id: Int) { epoch(id: $id) { epochId } }', { variables: { id: 3 } }],
    ['variables that are null', 'query ($id: Int) { epoch(id: $id) { epochId } }', { variables: null }],
    ['variables that nobody declared', '{ chainIdentifier }', { variables: { __proto__x: 1, more: [{}] } }],
    ['a default', 'query ($id: Int = 4) { epoch(id: $id) { epochId } }'],
    ['its name', 'query Chain { chainIdentifier }', { operationName: 'Chain' }],
    ['its name where it needs none', 'query Chain { chainIdentifier }', { operationName: null }],
    ['extensions', '{ chainIdentifier }', { extensions: { a: 1 } }],
    ['fields of treacherous names', '{ json }'],
    ['a mutation', 'mutation ($t: String!) { executeTransactionBlock(txBytes: $t) }', { variables: { t: 'AA' } }],
    [
      'usage',
      'query ($id: Int) { epoch(id: $id) { totals } }',
      { variables: { id: 1 } },
      { 'x-ledger-rpc-show-usage': '1' },
    ],
    ['usage not asked for', '{ chainIdentifier }', {}, { 'x-ledger-rpc-show-usage': 'false' }],
    ['any type', '{ chainIdentifier }', {}, { accept: '*/*' }],
    ['any application type', '{ chainIdentifier }', {}, { accept: 'text/html, application/*;q=0.5' }],
    ['JSON', '{ chainIdentifier }', {}, { accept: 'application/json' }],
    ['GraphQL JSON', '{ chainIdentifier }', {}, { accept: 'application/graphql-response+json' }],
    ['both', '{ chainIdentifier }', {}, { accept: 'application/graphql-response+json, application/json;q=0.9' }],
    [
      'both, the other first',
      '{ chainIdentifier }',
      {},
      { accept: 'application/json, application/graphql-response+json' },
    ],
    ['a stream or JSON', '{ chainIdentifier }', {}, { accept: 'text/event-stream, application/json' }],
    ['another charset', '{ chainIdentifier }', {}, { accept: 'application/graphql-response+json;charset=x, */*' }],
    ['a charset of its own', '{ chainIdentifier }', {}, { 'content-type': 'application/json; charset=UTF-8' }],
    ['an operation of several', 'query A { chainIdentifier } query B { maybe }', { operationName: 'B' }],
    [
      'directives at the root',
      'query ($s: Boolean!) { maybe @skip(if: $s) chainIdentifier }',
      { variables: { s: true } },
    ],
    ['our own fields', '{ viewer { id } }'],
    ['the schema', '{ __type(name: "Query") { name } }'],
    ['our own fields and usage', '{ gateway { networkProfile } }', {}, { 'x-ledger-rpc-show-usage': '1' }],
    ['fields of both', '{ b: gateway { networkProfile } chainIdentifier a: viewer { kind } epoch { epochId } }'],
    ['an origin', '{ chainIdentifier }', {}, { origin: 'https://dapp.example' }],
  ])('is answered by the lane as by Yoga, new or known: %s', async (_, query, rest = {}, headers = {}) => {
    const { cold, hot, ordinary, lanes, lines } = await thrice(query, rest, headers);
    expect(cold.status).toBe(200);
    expect([cold, hot]).toEqual([ordinary, ordinary]);
    expect(lanes).toEqual([true, true, false]);
    expect(lines[1]?.operations).toEqual(lines[0]?.operations);
    expect(lines[2]?.operations).toEqual(lines[0]?.operations);
    expect(hot.headers).toMatchObject({ 'x-ledger-rpc-version': '2026.11.0-scripted' });
  });

  test.each<[string, string, Record<string, string>?]>([
    ["the ledger's", '{ place }'],
    ["the ledger's, with usage", '{ place }', { 'x-ledger-rpc-show-usage': 'true' }],
    ["the ledger's beside our own", '{ place gateway { networkProfile } }'],
    ['our own', '{ __type(name: "Epoch") { description } }'],
    ['our own, with usage', '{ __type(name: "Epoch") { description } }', { 'x-ledger-rpc-show-usage': 'true' }],
  ])('whose answer is beyond ASCII is as long in the lane as it says, in bytes: %s', async (_, query, headers = {}) => {
    const { hot, cold, ordinary, lanes } = await thrice(query, {}, headers);
    expect(lanes).toEqual([true, true, false]);
    expect([cold.text, hot.text]).toEqual([ordinary.text, ordinary.text]);
    expect(hot.text).toMatch(/東京|Äonen/);
    expect(hot.contentLength).toBe(String(Buffer.byteLength(hot.text)));
  });

  test.each<[string, string, object?]>([
    ['no operation of that name', 'query A { chainIdentifier }', { operationName: 'C' }],
    ['variables of a wrong type', 'query ($id: Int) { epoch(id: $id) { epochId } }', { variables: { id: 'x' } }],
    [
      'a variable missing',
      'query ($t: String!, $id: Int) { maybe @include(if: true) epoch(id: $id) { totals(of: [$t]) } }',
    ],
    ['an unknown field', '{ nothing }'],
    ['no GraphQL', '{ chainIdentifier'],
    ['an empty name', 'query A { chainIdentifier }', { operationName: '' }],
  ])('that is refused is answered by the lane as by Yoga, new or known: %s', async (_, query, rest = {}) => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const { cold, hot, ordinary, lanes } = await thrice(query, rest, { accept });
      expect([cold, hot]).toEqual([ordinary, ordinary]);
      expect(ordinary.status).toBe(accept === 'application/json' ? 200 : 400);
      expect(lanes).toEqual([true, true, false]);
    }
  });

  test.each<[string, string, object?, Record<string, string>?]>([
    ['an event stream', '{ chainIdentifier }', {}, { accept: 'text/event-stream' }],
    ['a body with other keys', '{ chainIdentifier }', { more: 1 }],
    ['variables that are a list', '{ chainIdentifier }', { variables: [] }],
  ])('that is not for the lane is answered as ever: %s', async (_, query, rest = {}, headers = {}) => {
    const { cold, hot, ordinary, lanes } = await thrice(query, rest, headers);
    // The reconnect time is random, so that not all clients return at once.
    const shown = ({ status, text, headers: { 'content-type': type } }: Seen) => ({
      ...{ status, type },
      text: text.replace(/^retry: \d+$/m, 'retry'),
    });
    expect(shown(cold)).toEqual(shown(ordinary));
    expect(shown(hot)).toEqual(shown(ordinary));
    expect(lanes).toEqual([false, false, false]);
  });

  test.each([
    ['by its own text', '{ partly { bad } }'],
    ['where variables decide', 'query ($s: Boolean!) { partly @include(if: $s) { bad } epoch { epochId } }'],
    ['in parts', '{ partly { bad } gateway { networkProfile } }'],
  ])('is executed once, even if it fails and another part completes the response: %s', async (_, text) => {
    const asked = { body: { query: fresh(text), variables: { s: true } } };
    for (const sight of ['first', 'second']) {
      ledger.requests.length = 0;
      expect((await ask(asked)).text, sight).toContain('"errors"');
      expect(ledger.requests, sight).toHaveLength(1);
    }
  });

  test('of the sponsor is sent once, even if it fails and another part completes the response', async () => {
    let reservations = 0;
    const sponsor = createServer((req, res) => {
      if (req.method === 'POST') reservations += 1;
      res.writeHead(503).end();
    });
    await new Promise<void>((resolve) => sponsor.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(sponsor.address() as AddressInfo).port}`;
    await using own = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, SPONSOR_URL: url });
    const reserve = 'mutation { reserveGas(gasBudget: 5, reserveDurationSecs: 5) { reservationId } }';
    for (const sight of [1, 2, 3]) {
      expect((await own.query(reserve)).errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
      expect(reservations).toBe(sight);
    }
    sponsor.closeAllConnections();
    await new Promise((resolve) => sponsor.close(resolve));
  });

  test.each([
    ['errors in part of the data', '{ partly { fine bad } }'],
    ['data that are null', '{ failing }'],
    ['errors of our own', '{ queryEvents(first: 1) { nodes { type } } gateway { networkProfile } }'],
    ['errors of the ledger beside our own fields', '{ partly { fine bad } gateway { networkProfile } }'],
    ['data that are null beside our own fields', '{ failing gateway { networkProfile } }'],
    ['a mutation of our own', 'mutation { reserveGas(gasBudget: 5, reserveDurationSecs: 5) { reservationId } }'],
  ])('that fails responds as Yoga would: %s', async (_, query) => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const { cold, hot, ordinary, lines, lanes } = await thrice(
        query,
        {},
        { accept, 'x-ledger-rpc-show-usage': 'true' },
      );
      expect([cold, hot]).toEqual([ordinary, ordinary]);
      expect(cold.text).toContain('"errors"');
      expect(cold.text).toContain('"usage"');
      expect(lines[1]?.operations).toEqual(lines[0]?.operations);
      expect(lines[0]?.operations).toMatchObject([{ errors: JSON.parse(cold.text).errors.length }]);
      expect(lines[1]?.operations).toHaveLength(1);
      expect(lanes).toEqual([true, true, false]);
    }
  });
});

const type = { 'content-type': 'application/json' };
const ending =
  (status: number, headers: Record<string, string>, body: string | Buffer): Answer =>
  (_req, res) =>
    void res.writeHead(status, headers).end(body);

/** Longer than the inspected end of a response, and ends like data. */
const largeExtensions = JSON.stringify({ usage: { trace: 'x'.repeat(6_000) }, last: { a: {} } });

describe('a ledger with faulty responses', () => {
  test.each<[string, Answer]>([
    ['a server error', ending(500, type, '{"data":{"maybe":"x","a":{}}}')],
    ['too many requests', ending(429, type, '{}')],
    ['a page', ending(200, { 'content-type': 'text/html' }, '<html>}}')],
    ['data of another type', ending(200, { 'content-type': 'text/plain' }, '{"data":{"maybe":"x"}}')],
    ['another status', ending(203, type, '{"data":{"a":{}}}')],
    ['compressed', ending(200, { ...type, 'content-encoding': 'gzip' }, '{"data":{"a":{}}}')],
    [
      'a request error',
      ending(200, type, '{"errors":[{"message":"no such thing","extensions":{"code":"BAD_USER_INPUT"}}]}'),
    ],
    ['data null', ending(200, type, '{"data":null}')],
    ['data that are a list', ending(200, type, '{"data":[{"a":{}}]}')],
    ['errors first', ending(200, type, '{"errors":[{"message":"m","path":["maybe"]}],"data":{"maybe":null}}')],
    [
      'errors in the middle',
      ending(200, type, '{"data":{"maybe":null},"errors":[{"message":"m","path":["maybe"]}],"x":{"y":{}}}'),
    ],
    ['usage of its own', ending(200, type, '{"data":{"maybe":"x"},"extensions":{"usage":{"a":1}}}')],
    ['half of JSON', ending(200, type, '{"data":{"maybe":"x"')],
    ['extensions that are large', ending(200, type, `{"data":{"maybe":"x"},"extensions":${largeExtensions}}`)],
    [
      'where it broke',
      ending(200, type, '{"data":{"maybe":null},"errors":[{"message":"m","extensions":{"debug":"/srv/a.rs"}}]}'),
    ],
    [
      'half of JSON that ends like all of it, and nobody vouches for its end',
      (req) =>
        void req.socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"data":{"maybe":{"x":{"y":1}}'),
    ],
    ['nothing', ending(200, type, '')],
    [
      'less than it says',
      (_req, res) =>
        void res.writeHead(200, { ...type, 'content-length': '99' }).write('{"data":{"a":{}}}', () => res.destroy()),
    ],
    ['a broken chunk', (_req, res) => void res.writeHead(200, type).write('{"data":{"a":{}}}', () => res.destroy())],
    [
      'an end nobody vouches for',
      (req) => void req.socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"data":{"maybe":"x"}}'),
    ],
    ['nothing but a reset', (req) => void req.socket.resetAndDestroy()],
    ['too late', () => {}],
    ['never to its end', (_req, res) => void res.writeHead(200, type).write('{"data":{"maybe":"x"}}')],
  ])('is shown the same way in the lane: %s', async (what, answer) => {
    const target = what === 'too late' || what === 'never to its end' ? hasty : gateway;
    const query = fresh('{ maybe }');
    const headers = { accept: 'application/graphql-response+json' };
    // In memory from the start, so that the first faulty response is faulty for one of them only.
    await ask({ body: { query }, headers }, target);
    front.answerWith(answer);
    const hot = await ask({ body: { query }, headers }, target);
    const cold = await ask({ body: { query: fresh('{ maybe }') }, headers }, target);
    const ordinary = await ask({ body: { query: fresh('{ maybe }') }, headers, path: byYoga }, target);
    expect([cold, hot]).toEqual([ordinary, ordinary]);
  });

  test('that executed nothing: its messages are forwarded, none twice', async () => {
    const said = [
      { message: 'Cannot query field "maybe" on type "Query".', locations: [{ line: 1, column: 3 }] },
      { message: 'Query request timed out. Limit: 40s', extensions: { code: 'X', debug: '/srv/ledger.rs' } },
    ];
    const code = '"extensions":{"code":"GRAPHQL_VALIDATION_FAILED","retry":"never"}';
    const [first, second] = [
      '{"message":"Cannot query field \\"maybe\\" on type \\"Query\\"."',
      '{"message":"Query request timed out. Limit: 40s","extensions":{"code":"X","retry":"never"}}',
    ];
    front.answerWith(ending(200, type, JSON.stringify({ data: null, errors: said })));
    const passed = await thrice('{ maybe epoch { epochId } }', {}, { accept: 'application/graphql-response+json' });
    expect(passed.cold.text).toBe(
      `{"data":null,"errors":[${first},"locations":[{"line":1,"column":3}],${code}},${second}]}`,
    );
    expect([passed.hot, passed.ordinary]).toEqual([passed.cold, passed.cold]);
    // Beside others it costs only its own fields, and locations in a text that the client did not send are dropped.
    const split = await thrice('{ maybe gateway { networkProfile } }');
    expect(split.cold.text).toBe(
      `{"data":{"maybe":null,"gateway":{"networkProfile":"ledger"}},"errors":[${first},${code}},${second}]}`,
    );
    expect([split.hot, split.ordinary]).toEqual([split.cold, split.cold]);
    const stitched = await thrice('{ maybe __type(name: "Query") { name } epoch { epochId } }');
    expect(JSON.parse(stitched.cold.text)).toEqual({
      data: { maybe: null, __type: { name: 'Query' }, epoch: null },
      errors: JSON.parse(`[${first},${code}},${second}]`),
    });
    expect([stitched.hot, stitched.ordinary]).toEqual([stitched.cold, stitched.cold]);
  });

  test('that sends too much is abandoned', async () => {
    const query = fresh('{ maybe }');
    await ask({ body: { query } });
    front.answerWith((_req, res) => {
      res.writeHead(200, type);
      const piece = Buffer.alloc(1 << 20, 'x');
      const write = () => {
        while (!res.destroyed && res.write(piece));
        if (!res.destroyed) res.once('drain', write);
      };
      write();
    });
    const hot = await ask({ body: { query } });
    expect(hot.status).toBe(200);
    expect(hot.text).toMatch(/UPSTREAM_(BAD_RESPONSE|TIMEOUT)/);
  });

  test('is recorded in its health', async () => {
    const query = fresh('{ maybe }');
    await ask({ body: { query } });
    front.answerWith(ending(503, type, '{}'));
    await ask({ body: { query } });
    const health = '{ gateway { upstreams { name state } } }';
    const state = async () => JSON.parse((await ask({ body: { query: health } })).text);
    expect(JSON.stringify(await state())).toMatch(/"ledger","state":"DEGRADED"/i);
    front.answerWith(undefined);
    await ask({ body: { query } });
    expect(JSON.stringify(await state())).toMatch(/"ledger","state":"UP"/i);
  });
});

describe('a client that disconnects', () => {
  /** Disconnects once the ledger has the request; was the ledger's response cancelled? */
  const hangUpDuring = async (query: string, isCancelled: boolean) => {
    await ask({ body: { query } });
    const before = requestLines(gateway);
    const hangUp = new AbortController();
    const wasCut = new Promise<boolean>((resolve) => {
      front.answerWith((_req, res) => {
        res.once('close', () => resolve(!res.writableFinished));
        hangUp.abort();
        // By then the gateway has noticed. A cancelled call ends by itself, but its end may arrive after the log line.
        if (!isCancelled)
          void logged(gateway, before + 1).then(() => res.writeHead(200, type).end('{"data":{"maybe":"x"}}'));
      });
    });
    const asked = fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
      signal: hangUp.signal,
    });
    await expect(asked).rejects.toThrow();
    const line = (await logged(gateway, before + 1))[before];
    expect(line).toMatchObject({ lane: true, operations: [{ errors: 0 }] });
    return wasCut;
  };

  test('cancels a query', async () => {
    expect(await hangUpDuring(fresh('{ maybe }'), true)).toBe(true);
  });

  test('does not cancel a mutation', async () => {
    expect(await hangUpDuring(fresh('mutation { executeTransactionBlock(txBytes: "AA") }'), false)).toBe(false);
  });
});

describe('callers', () => {
  test('share a response only while it is in flight', async () => {
    const query = fresh('{ maybe }');
    await ask({ body: { query } });
    let count = 0;
    front.answerWith((_req, res) => ending(200, type, `{"data":{"maybe":"${count++}"}}`)(_req, res, ''));
    const answers = new Set<string>();
    for (const name of ['a', 'b', 'c', 'd']) {
      answers.add((await ask({ body: { query }, headers: { authorization: `Bearer ${name}` } })).text);
    }
    expect(answers.size).toBe(4);
  });

  test('get their own responses to concurrent requests, and the ledger receives nothing about them', async () => {
    const query = fresh('query ($id: Int) { epoch(id: $id) { epochId } }');
    await ask({ body: { query } });
    const before = requestLines(gateway);
    let received = '';
    front.answerWith((req, res, body) => {
      received += JSON.stringify(req.headers);
      const { id } = JSON.parse(body).variables;
      ending(200, type, `{"data":{"epoch":{"epochId":${id}}}}`)(req, res, body);
    });
    const ids = Array.from({ length: 20 }, (_, index) => index);
    const answers = await Promise.all(
      ids.map((id) =>
        ask({
          body: { query, variables: { id } },
          headers: {
            authorization: `Bearer caller-${id}`,
            'x-forwarded-for': `203.0.113.${id}`,
            'x-request-id': `id-${id}`,
          },
        }),
      ),
    );
    expect(answers.map(({ text }) => text)).toEqual(ids.map((id) => `{"data":{"epoch":{"epochId":${id}}}}`));
    expect(received).toContain('application/json');
    expect(received).not.toMatch(/caller-|203\.0\.113|id-\d/);
    const lines = (await logged(gateway, before + 20)).slice(before);
    expect(lines.every(({ lane }) => lane === true)).toBe(true);
    const callers = lines.map(({ requestId, operations }) => [requestId, operations]);
    expect(new Map(callers as [string, unknown][])).toEqual(
      new Map(
        ids.map((id) => [
          `id-${id}`,
          [expect.objectContaining({ caller: expect.stringMatching(/^(address|credential):/), name: null, errors: 0 })],
        ]),
      ),
    );
  });

  test('are counted once per request, and rejected as usual', async () => {
    const limited = await createTestGateway({
      LEDGER_GRAPHQL_URL: front.url,
      RATE_LIMIT_PER_MINUTE: '4',
      TRUSTED_PROXIES: '127.0.0.1',
    });
    try {
      const headers = { 'x-forwarded-for': '203.0.113.9', accept: 'application/json' };
      const asked = { body: { query: '{ partly { bad } chainIdentifier }' }, headers };
      const left = async (each: Asked) => (await ask(each, limited)).headers.ratelimit?.replace(/;t=.*/, '');
      expect(await left(asked)).toBe('"default";r=3');
      expect(await left(asked)).toBe('"default";r=2');
      const known = { body: { query: '{ chainIdentifier }' }, headers };
      expect(await left(known)).toBe('"default";r=1');
      expect(await left(known)).toBe('"default";r=0');
      const withoutTime = ({ status, text, headers: { ratelimit, 'retry-after': _, ...rest } }: Seen) => ({
        status,
        text: text.replace(/\d+ seconds?|"retryAfterMs":\d+/g, ''),
        rest,
        ratelimit: ratelimit?.replace(/;t=.*/, ''),
      });
      const hot = await ask(known, limited);
      const cold = await ask({ body: { query: '{ chainIdentifier } # new' }, headers }, limited);
      expect(hot.status).toBe(429);
      expect(withoutTime(hot)).toEqual(withoutTime(cold));
      expect(hot.headers['retry-after']).toMatch(/^\d+$/);
    } finally {
      await limited.close();
    }
  });
});
