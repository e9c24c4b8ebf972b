import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey, toApiKey } from '../../src/config/api-key.ts';
import type { Devnet } from '../../src/devnet/start-devnet.ts';
import { type EventStreamReader, readEventStream } from '../support/event-stream-reader.ts';
import { quickPolls, startTickedDevnet } from '../support/live-network.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

const key = toApiKey('app', new Uint8Array(32).fill(7)).reveal();
const keyed = { 'x-api-key': key };
const clients = JSON.stringify([{ id: 'app', hash: hashApiKey(key), scopes: ['read'] }]);

let devnet: Devnet;
let gateway: TestGateway;

beforeAll(async () => {
  devnet = await startTickedDevnet();
  gateway = await createTestGateway(
    {
      LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
      LEDGER_RPC_URL: devnet.rpcUrl,
      ...quickPolls,
      WEBSOCKET_MAX_OPERATIONS: '3',
      LIVE_MAX_STREAMS_PER_CALLER: '4',
      CLIENTS_FILE: '/clients',
      CORS_ORIGINS: 'https://app.example',
    },
    { '/clients': clients },
  );
});
afterAll(async () => {
  await gateway?.close();
  await devnet?.close();
});

type Headers = Readonly<Record<string, string>>;

const tokenHeader = 'x-graphql-event-stream-token';
const live = 'subscription Live { liveEvents { __typename } }';
const address = () => `${gateway.url}/graphql`;

async function reserve(headers: Headers = {}): Promise<string> {
  const response = await fetch(address(), { method: 'PUT', headers });
  expect(response.status).toBe(201);
  return response.text();
}
const open = (token: string, headers: Headers = {}): Promise<EventStreamReader> =>
  readEventStream(address(), { headers: { ...headers, [tokenHeader]: token } });
const post = (token: string, body: unknown, headers: Headers = {}) =>
  fetch(address(), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, [tokenHeader]: token },
    body: JSON.stringify(body),
  });
const operate = (token: string, query: string, operationId: unknown, headers: Headers = {}) =>
  post(token, { query, extensions: { operationId } }, headers);
const end = (token: string, id: string) =>
  fetch(`${address()}?operationId=${id}`, { method: 'DELETE', headers: { [tokenHeader]: token } });

/** Reserves and opens a stream, and leaves it when the test is done with it. */
async function withStream(use: (token: string, reader: EventStreamReader) => Promise<void>): Promise<void> {
  const token = await reserve();
  const reader = await open(token);
  try {
    await use(token, reader);
  } finally {
    await reader.leave();
  }
  // Its place is free when the gateway has seen it go.
  await until(async () => (await operate(token, '{ __typename }', 'x')).status === 404, 'the end of the stream');
}
const ofOperation = (reader: EventStreamReader, id: string) =>
  reader.blocks.filter(({ data = '{}' }) => JSON.parse(data).id === id);

describe('a stream of several operations', () => {
  it('carries queries and subscriptions side by side, each under its id', () =>
    withStream(async (token, reader) => {
      expect(reader.headers.get('content-type')).toBe('text/event-stream');
      expect((await operate(token, live, 'live')).status).toBe(202);
      expect((await operate(token, '{ __typename }', 'query')).status).toBe(202);
      await until(() => ofOperation(reader, 'query').length === 2, 'an answer');
      expect(ofOperation(reader, 'query')).toEqual([
        { event: 'next', data: '{"id":"query","payload":{"data":{"__typename":"Query"}}}' },
        { event: 'complete', data: '{"id":"query"}' },
      ]);
      await until(() => {
        devnet.tick();
        return ofOperation(reader, 'live').length > 0;
      }, 'an event');
      expect((await end(token, 'live')).status).toBe(200);
      const ended = () => gateway.log.filter(({ msg }) => msg === 'operation over an event stream').length;
      await until(() => ended() >= 2, 'the lines of both in the log');
      // Its id can be used again.
      expect((await operate(token, live, 'live')).status).toBe(202);
    }));

  it.each([
    ['is not valid', '{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['cannot be read', '{', 'GRAPHQL_PARSE_FAILED'],
    ['is refused where it begins', 'subscription { liveEvents(after: "AAAA") { __typename } }', 'BAD_USER_INPUT'],
  ])(
    'tells there what is wrong with one that %s: clients take another answer for a broken connection',
    (_, query, code) =>
      withStream(async (token, reader) => {
        expect((await operate(token, query, 'wrong')).status).toBe(202);
        await until(() => ofOperation(reader, 'wrong').length === 2, 'a refusal');
        const [refusal, end] = ofOperation(reader, 'wrong');
        const { errors, data } = JSON.parse(refusal?.data ?? '').payload;
        expect(errors).toMatchObject([{ extensions: { code } }]);
        expect(JSON.stringify(errors)).not.toContain('"http"');
        expect(data ?? null).toBeNull();
        expect(end?.event).toBe('complete');
      }),
  );

  it('is opened once, and before its operations begin', async () => {
    const token = await reserve();
    expect((await operate(token, live, 'early')).status).toBe(409);
    const reader = await open(token);
    expect((await open(token)).status).toBe(409);
    await reader.leave();
    await until(async () => (await operate(token, live, 'late')).status === 404, 'the end of the stream');
    expect((await open(token)).status).toBe(404);
    expect((await end(token, 'late')).status).toBe(404);
  });

  it('is opened by an EventSource too, which can name it in the address alone', async () => {
    const reader = await readEventStream(`${address()}?token=${await reserve()}`);
    expect(reader.status).toBe(200);
    await until(() => reader.blocks.length > 0, 'a comment at once');
    await reader.leave();
    const other = await readEventStream(
      `${address()}?${new URLSearchParams({ token: 'mine', query: '{ __typename }' })}`,
    );
    await until(() => other.isComplete, 'its own answer');
    expect(other.results).toEqual([{ data: { __typename: 'Query' } }]);
  });

  it('is nobody’s but its owner’s: others learn no more of it than of one that there is not', async () => {
    const token = await reserve(keyed);
    const reader = await open(token, keyed);
    const made = 'A'.repeat(token.length);
    const told = async (response: Response) => [response.status, await response.text()];
    const id = { 'x-request-id': 'same' };
    for (const ask of [
      (of: string) => operate(of, live, 'a', id),
      (of: string) => fetch(address(), { headers: { ...id, accept: 'text/event-stream', [tokenHeader]: of } }),
      (of: string) => fetch(`${address()}?operationId=a`, { method: 'DELETE', headers: { ...id, [tokenHeader]: of } }),
    ]) {
      const answers = [await told(await ask(token)), await told(await ask(made))];
      expect(answers[0]).toEqual(answers[1]);
      expect(answers[0]?.[0]).toBe(404);
    }
    expect((await operate(token, live, 'a', keyed)).status).toBe(202);
    await reader.leave();
  });

  it('has as many operations at once as a WebSocket has, and each id once', () =>
    withStream(async (token) => {
      for (const id of ['a', 'b', 'c']) expect((await operate(token, live, id)).status).toBe(202);
      expect((await operate(token, live, 'a')).status).toBe(409);
      const refused = await operate(token, live, 'd');
      expect(refused.status).toBe(429);
      expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
      await end(token, 'a');
      expect((await operate(token, live, 'd')).status).toBe(202);
    }));

  it.each([
    ['no id', { query: live }],
    ['an empty id', { query: live, extensions: { operationId: '' } }],
    ['an id that is no text', { query: live, extensions: { operationId: 1 } }],
    ['an id that each event would repeat at length', { query: live, extensions: { operationId: 'x'.repeat(900_000) } }],
    ['a batch', [{ query: live, extensions: { operationId: 'a' } }]],
    ['no query', { extensions: { operationId: 'a' } }],
    ['variables that are a list', { query: live, variables: [], extensions: { operationId: 'a' } }],
  ])('begins nothing that has %s', (_, body) =>
    withStream(async (token) => {
      const response = await post(token, body);
      expect(response.status).toBe(400);
      const text = await response.text();
      expect(JSON.parse(text)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
      expect(text.length).toBeLessThan(400);
    }),
  );

  it('is not begun, or added to, by what a page of another site can send without asking', async () => {
    const origin = 'https://evil.example';
    for (const method of ['PUT', 'DELETE']) {
      const headers = { origin, 'access-control-request-method': method };
      const preflight = await fetch(address(), { method: 'OPTIONS', headers });
      expect(preflight.headers.get('access-control-allow-methods')).toBeNull();
    }
    const allowed = await fetch(address(), {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-headers': tokenHeader },
    });
    expect(allowed.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, DELETE, OPTIONS');
    expect(allowed.headers.get('access-control-allow-headers')).toBe(tokenHeader);
    const form = await fetch(address(), { method: 'POST', headers: { [tokenHeader]: 'x' }, body: 'query={a}' });
    expect(form.status).toBe(415);
  });

  it('is over when its client is gone, even while it waits for its turn on the connection', async () => {
    const token = await reserve();
    const { port } = new URL(gateway.url);
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
    const ask = (target: string) =>
      socket.write(`GET ${target} HTTP/1.1\r\nhost: a\r\naccept: text/event-stream\r\n\r\n`);
    ask(`/graphql?query=${encodeURIComponent(live)}`);
    ask(`/graphql?token=${token}`);
    await until(async () => (await operate(token, live, 'a')).status === 202, 'the stream');
    socket.destroy();
    await until(async () => (await operate(token, live, 'b')).status === 404, 'the end of the stream');
  });

  it('is one of so many of its caller, reserved or open', async () => {
    const tokens = await Promise.all(Array.from({ length: 4 }, () => reserve(keyed)));
    const refused = await fetch(address(), { method: 'PUT', headers: keyed });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
    const reader = await open(tokens[0] ?? '', keyed);
    expect((await fetch(address(), { method: 'PUT', headers: keyed })).status).toBe(429);
    await reader.leave();
    await until(async () => (await fetch(address(), { method: 'PUT', headers: keyed })).status === 201, 'a place');
  });

  it('ends with each of its operations where the gateway stops', async () => {
    const token = await reserve();
    const reader = await open(token);
    const idle = await open(await reserve());
    for (const id of ['a', 'b']) await operate(token, live, id);
    await until(() => {
      devnet.tick();
      return ofOperation(reader, 'a').length > 0 && ofOperation(reader, 'b').length > 0;
    }, 'an event for both');
    await gateway.close();
    await until(() => reader.isOver && idle.isOver, 'their end');
    for (const id of ['a', 'b']) {
      const [last, end] = ofOperation(reader, id).slice(-2);
      expect(last?.data).toContain('LiveMissed');
      expect(end?.event).toBe('complete');
    }
  });
});
