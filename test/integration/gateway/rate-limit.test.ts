import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

let ledger: ScriptedLedger;

beforeAll(async () => {
  ledger = await startScriptedLedger('type Query { chainIdentifier: String! numbers: [Int!]! }', {
    Query: { chainIdentifier: () => '4c78adac', numbers: () => [1, 2] },
  });
});
afterAll(() => ledger?.close());

/** Each test uses its own caller addresses, which the gateway takes from a trusted proxy. */
const start = (env: Record<string, string> = {}) =>
  createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, TRUSTED_PROXIES: '127.0.0.1', ...env });

const from = (address: string) => ({ 'x-forwarded-for': address });
const ask = '{ chainIdentifier }';
const viewer = '{ viewer { id kind scopes rate { limit remaining held resetsAt } gas { limit } } }';

async function remaining(gateway: TestGateway, address: string): Promise<number> {
  const { data } = await gateway.query(viewer, {}, from(address));
  return Number(data.viewer.rate.remaining);
}

describe('a caller', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await start({ RATE_LIMIT_PER_MINUTE: '3', BATCH_MAX: '5' });
  });
  afterAll(() => gateway?.close());

  test('sees its quota, then gets 429 with the time to retry', async () => {
    const headers = from('203.0.113.1');
    const answers = [];
    for (let attempt = 0; attempt < 4; attempt++) answers.push(await gateway.query(ask, {}, headers));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers.map((answer) => answer.headers.get('ratelimit')?.replace(/t=\d+/, 't'))).toEqual([
      '"default";r=2;t',
      '"default";r=1;t',
      '"default";r=0;t',
      '"default";r=0;t',
    ]);
    const refused = answers[3]!;
    expect(refused.headers.get('ratelimit-policy')).toBe('"default";q=3;w=60');
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(answers[0]?.headers.has('retry-after')).toBe(false);
    expect(JSON.parse(refused.text)).toEqual({
      errors: [
        {
          message: `Over the limit of 3 a minute; try again in ${seconds} seconds.`,
          extensions: { code: 'RATE_LIMITED', retry: 'backoff', retryAfterMs: seconds * 1_000 },
        },
      ],
    });
    expect(refused.headers.get('access-control-expose-headers')).toContain('retry-after');
    expect(refused.headers.get('x-ledger-rpc-version')).not.toBeNull();
  });

  test('gets 429 for any Accept header', async () => {
    const headers = { ...from('203.0.113.2'), accept: 'application/graphql-response+json' };
    for (let attempt = 0; attempt < 3; attempt++) await gateway.query(ask, {}, headers);
    expect((await gateway.query(ask, {}, headers)).status).toBe(429);
  });

  test('does not use another caller’s quota', async () => {
    for (let attempt = 0; attempt < 4; attempt++) await gateway.query(ask, {}, from('203.0.113.3'));
    expect((await gateway.query(ask, {}, from('203.0.113.4'))).status).toBe(200);
  });

  test('is a whole /64 of IPv6 addresses', async () => {
    for (let host = 1; host <= 3; host++) await gateway.query(ask, {}, from(`2001:db8:7:7::${host}`));
    expect((await gateway.query(ask, {}, from('2001:db8:7:7::99'))).status).toBe(429);
    expect((await gateway.query(ask, {}, from('2001:db8:7:8::1'))).status).toBe(200);
  });

  test('pays for rejected documents', async () => {
    const headers = from('203.0.113.5');
    await gateway.query('{', {}, headers);
    await gateway.query('{ nothing }', {}, headers);
    await gateway.query('', {}, headers);
    expect((await gateway.query(ask, {}, headers)).status).toBe(429);
  });

  test('pays for each entry of a batch, and gets the entries it can pay for', async () => {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...from('203.0.113.6') },
      body: JSON.stringify(Array.from({ length: 5 }, () => ({ query: ask }))),
    });
    const answers = (await response.json()) as { data?: unknown; errors?: { extensions: { code: string } }[] }[];
    expect(answers.filter(({ data }) => data)).toHaveLength(3);
    expect(answers.flatMap(({ errors }) => errors?.map(({ extensions }) => extensions.code) ?? [])).toEqual([
      'RATE_LIMITED',
      'RATE_LIMITED',
    ]);
    expect(response.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
  });

  test('pays for queries by GET', async () => {
    const url = `${gateway.url}/graphql?query=${encodeURIComponent(ask)}`;
    const get = () => fetch(url, { headers: from('203.0.113.7') });
    for (let attempt = 0; attempt < 3; attempt++) expect((await get()).status).toBe(200);
    expect((await get()).status).toBe(429);
  });

  test('pays nothing for health checks and preflights', async () => {
    const headers = from('203.0.113.8');
    for (let attempt = 0; attempt < 5; attempt++) {
      await (await fetch(`${gateway.url}/health/live`, { headers })).text();
      await (await fetch(`${gateway.url}/health/ready`, { headers })).text();
      const preflight = await fetch(`${gateway.url}/graphql`, { method: 'OPTIONS', headers });
      expect(preflight.headers.has('ratelimit')).toBe(false);
    }
    expect(await remaining(gateway, '203.0.113.8')).toBe(2);
  });

  test('sees itself, and pays once for it', async () => {
    const { data } = await gateway.query(viewer, {}, from('203.0.113.9'));
    expect(data.viewer).toEqual({
      id: 'address:203.0.113.9',
      kind: 'ANONYMOUS',
      scopes: ['read', 'sponsor', 'admin'],
      rate: { limit: '3', remaining: '2', held: null, resetsAt: expect.any(String) },
      gas: null,
    });
    const inMs = Date.parse(data.viewer.rate.resetsAt) - Date.now();
    expect(inMs).toBeGreaterThan(50_000);
    expect(inMs).toBeLessThanOrEqual(60_000);
    expect(await remaining(gateway, '203.0.113.9')).toBe(1);
  });

  test('pays the same over a WebSocket, and is rejected in the response', async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      headers: from('203.0.113.10'),
    });
    const messages: { type: string; id?: string; payload: [{ extensions: Record<string, unknown> }] }[] = [];
    const done = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        const message = JSON.parse(String(data));
        messages.push(message);
        const next = messages.filter(({ type }) => type === 'complete' || type === 'error').length;
        if (message.type === 'error') resolve();
        else if (message.type === 'connection_ack' || message.type === 'complete')
          socket.send(JSON.stringify({ id: String(next + 1), type: 'subscribe', payload: { query: ask } }));
      });
    });
    socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init' })));
    await done;
    socket.terminate();
    // The connection is one attempt, and its connection_init another.
    expect(messages.filter(({ type }) => type === 'next')).toHaveLength(1);
    expect(messages.at(-1)?.payload[0].extensions).toMatchObject({
      code: 'RATE_LIMITED',
      retry: 'backoff',
      retryAfterMs: expect.any(Number),
    });
  });
});

test('an untrusted proxy is identified by its own address, whatever it sends', async () => {
  await using gateway = await start({ RATE_LIMIT_PER_MINUTE: '2', TRUSTED_PROXIES: '10.0.0.0/8' });
  expect(await remaining(gateway, '203.0.113.1')).toBe(1);
  expect(await remaining(gateway, '203.0.113.2')).toBe(0);
  expect((await gateway.query(ask, {}, from('203.0.113.3'))).status).toBe(429);
});

test('without a limit, no caller is counted and no limit is shown', async () => {
  await using gateway = await start({ RATE_LIMIT_PER_MINUTE: '0' });
  const { headers, data } = await gateway.query(viewer);
  expect(data.viewer.rate).toBeNull();
  expect(headers.has('ratelimit')).toBe(false);
  expect(headers.has('ratelimit-policy')).toBe(false);
});

test('by usage, a large operation costs more than a small one', async () => {
  const env = { RATE_LIMIT_PER_MINUTE: '10', RATE_LIMIT_COST: 'usage', LIMIT_MAX_QUERY_NODES: '20' };
  await using gateway = await start(env);
  const left = async (query: string, address: string) => {
    const { headers } = await gateway.query(query, {}, from(address));
    return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
  };
  expect(await left(ask, '203.0.113.1')).toBe(9);
  // 11 of 20 nodes: 5 of 10 points, besides the one for the operation.
  const large = `{ ${Array.from({ length: 11 }, (_, index) => `a${index}: chainIdentifier`).join(' ')} }`;
  expect(await left(large, '203.0.113.2')).toBe(4);
  const refused = await gateway.query(large, {}, from('203.0.113.2'));
  expect(refused.status).toBe(429);
  expect(refused.data).toBeUndefined();
});

test('by usage, an operation that fails is counted once, whichever part completes it', async () => {
  await using gateway = await start({
    RATE_LIMIT_PER_MINUTE: '20',
    RATE_LIMIT_COST: 'usage',
    LIMIT_MAX_QUERY_NODES: '20',
  });
  // 11 of 20 nodes, without an events upstream.
  const failing = `{ queryEvents { nodes { type } } ${Array.from({ length: 8 }, (_, index) => `a${index}: chainIdentifier`).join(' ')} }`;
  for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
    const { headers, errors } = await gateway.query(failing, {}, from(address));
    expect(errors).toHaveLength(1);
    expect(headers.get('ratelimit')).toMatch(/r=14;/);
  }
});

describe('by usage, an estimate', () => {
  const env = { RATE_LIMIT_PER_MINUTE: '30', RATE_LIMIT_COST: 'usage', LIMIT_MAX_QUERY_NODES: '20' };
  // 11 of 20 nodes: 5 of 10 points, besides the one for the operation.
  const large = `{ ${Array.from({ length: 11 }, (_, index) => `a${index}: chainIdentifier`).join(' ')} }`;
  const estimates = (count: number, text: string) =>
    `{ ${Array.from({ length: count }, (_, index) => `e${index}: estimate(query: ${JSON.stringify(text)}) { ratePoints }`).join(' ')} }`;
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await start(env);
  });
  afterAll(() => gateway?.close());
  const ask = async (query: string, address: string) => {
    const answer = await gateway.query(query, {}, from(address));
    return { ...answer, left: Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]) };
  };

  test('costs its points, at first sight and later', async () => {
    const { data, left } = await ask(estimates(1, large), '203.0.113.21');
    expect(data.e0.ratePoints).toBe(6);
    const own = 30 - left - data.e0.ratePoints;
    const again = await ask(estimates(1, large), '203.0.113.21');
    expect(again.left).toBe(left - own - 6);
  });

  test('costs its points each time, also several in one document', async () => {
    const one = await ask(estimates(1, '{ chainIdentifier }'), '203.0.113.22');
    const three = await ask(estimates(3, large), '203.0.113.23');
    expect(Object.values(three.data)).toEqual(Array(3).fill({ ratePoints: 6 }));
    expect(30 - three.left).toBeGreaterThanOrEqual(1 + 3 * 6);
    expect(30 - one.left).toBeLessThan(30 - three.left);
  });

  const small = '{ chainIdentifier }';

  test('costs at most the caller’s quota', async () => {
    const address = '203.0.113.24';
    while ((await ask(small, address)).left > 4);
    const { data, errors, headers, left } = await ask(estimates(1, large), address);
    expect([data?.e0, errors, left]).toEqual([{ ratePoints: 6 }, undefined, 0]);
    expect(headers.has('retry-after')).toBe(false);
  });

  test('is counted before its work, so that one too many is rejected', async () => {
    const address = '203.0.113.25';
    while ((await ask(small, address)).left > 6);
    // Four of them for the operation, which has six nodes of twenty.
    const { status, errors } = await ask(estimates(3, small), address);
    expect([status, errors?.map(({ extensions }) => extensions.code)]).toEqual([429, ['RATE_LIMITED']]);
  });
});

describe.each(['request', 'usage'])('over %s, reservations and executions under aliases', (cost) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await createTestGateway({
      TRUSTED_PROXIES: '127.0.0.1',
      RATE_LIMIT_PER_MINUTE: '25',
      RATE_LIMIT_COST: cost,
      BATCH_MAX: '2',
    });
  });
  afterAll(() => gateway?.close());

  const reserve = (key: string) => `${key}: reserveGas(gasBudget: 1000, reserveDurationSecs: 5) { reservationId }`;
  const execute = (key: string) =>
    `${key}: executeTx(reservationId: "none", txBytes: "AAAA", userSig: "AAAA") { digest }`;
  const mutation = (...fields: readonly string[]) => `mutation { ${fields.join(' ')} }`;
  const keys = Array.from({ length: 10 }, (_, index) => `k${index}`);
  let callers = 0;
  const nextCaller = () => `198.51.100.${++callers}`;
  const costOf = async (query: string) => {
    const source = 'query ($query: String!) { estimate(query: $query) { ratePoints } }';
    const { data } = await gateway.query(source, { query }, from(nextCaller()));
    return data.estimate.ratePoints as number;
  };

  test.each([
    ['one', mutation(reserve('a')), 1],
    ['ten reservations', mutation(...keys.map(reserve)), 10],
    ['executions as well', mutation(...keys.slice(0, 5).map(execute), reserve('r')), 6],
    ['one that is selected twice', mutation(reserve('a'), reserve('a')), 1],
    [
      'those in a fragment, once',
      `${mutation('...F', '...F', reserve('c'))} fragment F on Mutation { ${reserve('a')} ${reserve('b')} }`,
      3,
    ],
    [
      'those that are left out',
      mutation(`${reserve('a')} b: ${reserve('b').slice(3).replace(' {', ' @skip(if: true) {')}`),
      2,
    ],
    ['other fields besides', mutation(reserve('a'), '__typename'), 1],
  ])('count each: %s', async (_, query, points) => {
    const caller = nextCaller();
    const before = await remaining(gateway, caller);
    const { text } = await gateway.query(query, {}, from(caller));
    expect(text).toContain('"data":{');
    // Reading the quota counts as well.
    expect(before - (await remaining(gateway, caller)) - 1).toBe(points);
    expect(await costOf(query)).toBe(points);
  });

  test('count in each entry of a batch, and none is made if one is too many', async () => {
    const ten = mutation(...keys.map(reserve));
    const caller = from(nextCaller());
    const reserved = () => gateway.log.filter(({ event }) => event === 'reserved').length;
    const before = reserved();
    const batch = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...caller },
      body: JSON.stringify([{ query: ten }, { query: ten }]),
    });
    expect(await batch.json()).toMatchObject([{ data: { k9: {} } }, { data: { k9: {} } }]);
    expect(reserved() - before).toBe(20);
    const { status, errors } = await gateway.query(ten, {}, caller);
    expect([status, errors?.[0]?.extensions?.code]).toEqual([429, 'RATE_LIMITED']);
    expect(reserved() - before).toBe(20);
  });
});
