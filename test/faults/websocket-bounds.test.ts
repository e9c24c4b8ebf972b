import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FaultyLedger, startFaultyLedger } from '../support/faulty-ledger.ts';
import { type OpenWebSocket, openWebSocket } from '../support/open-websocket.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

let ledger: FaultyLedger;
let gateway: TestGateway;
const opened: OpenWebSocket[] = [];

beforeEach(async () => {
  ledger = await startFaultyLedger();
});

afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.terminate();
  await gateway.close();
  await ledger[Symbol.asyncDispose]();
});

async function start(env: Record<string, string> = {}): Promise<void> {
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, REQUEST_TIMEOUT_MS: '600000', ...env });
}

async function open(headers: Record<string, string> = {}): Promise<OpenWebSocket> {
  const client = await openWebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, headers);
  opened.push(client);
  return client;
}

/** An acknowledged WebSocket. */
async function greet(payload?: object, headers: Record<string, string> = {}): Promise<OpenWebSocket> {
  const client = await open(headers);
  client.send({ type: 'connection_init', payload });
  await until(
    () => client.messages.length > 0 || client.socket.readyState !== client.socket.OPEN,
    'an acknowledgement',
  );
  return client;
}

const subscribe = (client: OpenWebSocket, id: string, query = '{ chainIdentifier }') =>
  client.send({ id, type: 'subscribe', payload: { query } });

/** The messages for one operation. */
async function answerTo(client: OpenWebSocket, id: string) {
  const answer = () => client.messages.find((message) => message.id === id);
  await until(() => answer() !== undefined, `an answer to ${id}`);
  return answer();
}

const refusedFor = (code: string) => ({ type: 'error', payload: [{ extensions: { code } }] });

describe('before the acknowledgement', () => {
  it.each([
    ['one large message', [JSON.stringify({ type: 'connection_init', payload: { a: 'x'.repeat(17_000) } })]],
    [
      'many small ones',
      Array.from({ length: 200 }, () => JSON.stringify({ type: 'ping', payload: { a: 'x'.repeat(90) } })),
    ],
  ])('a client that sends too much, as %s, is told to go', async (_, messages) => {
    await start();
    const client = await open();
    for (const message of messages) client.socket.send(message);
    expect((await client.closed).code).toBe(1009);
    expect(client.messages.filter(({ type }) => type === 'connection_ack')).toEqual([]);
  });

  it('a message without an end is not buffered', async () => {
    await start();
    const client = await open();
    // The beginning of a frame of one megabyte.
    for (let piece = 0; piece < 10; piece += 1) client.socket.send('x'.repeat(90_000), { fin: false });
    expect((await client.closed).code).toBeGreaterThan(1000);
  });

  it('a silent client is disconnected', async () => {
    await start();
    expect(await (await open()).closed).toMatchObject({ code: 4408 });
  });

  it('later messages have the size limit of any body', async () => {
    await start();
    const client = await greet({ note: 'x'.repeat(15_000) });
    subscribe(client, '1', `{ chainIdentifier } #${'x'.repeat(4_000)}`);
    subscribe(client, '2', `{ chainIdentifier } #${'x'.repeat(500_000)}`);
    expect(await answerTo(client, '1')).toMatchObject({ type: 'next' });
    expect(await answerTo(client, '2')).toMatchObject(refusedFor('BAD_USER_INPUT'));
  });
});

describe('incomplete messages', () => {
  it('are dropped when memory is full, oldest first', async () => {
    await start();
    const clients: OpenWebSocket[] = [];
    for (let index = 0; index < 105; index += 1) {
      const client = await greet();
      client.socket.send(' '.repeat(1_000_000), { fin: false });
      clients.push(client);
    }
    await Promise.all(clients.slice(0, 4).map(({ closed }) => closed));
    const newest = clients.slice(-4);
    for (const { socket } of newest) {
      expect(socket.readyState).toBe(socket.OPEN);
      socket.send('{"id":"1","type":"subscribe","payload":{"query":"{ chainIdentifier }"}}', { fin: true });
    }
    for (const client of newest) expect(await answerTo(client, '1')).toMatchObject({ type: 'next' });
  });
});

describe('the number of WebSockets', () => {
  it('is limited per address, behind proxies too, and a disconnect frees a slot', async () => {
    await start({ WEBSOCKET_MAX_PER_ADDRESS: '2', TRUSTED_PROXIES: '127.0.0.1' });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const [first] = [await open(from('203.0.113.1')), await open(from('203.0.113.1'))];
    await expect(open(from('203.0.113.1'))).rejects.toMatchObject({
      status: 429,
      headers: { 'retry-after': '10', 'x-request-id': expect.any(String) },
      body: expect.stringContaining('"code":"RATE_LIMITED","retry":"backoff","retryAfterMs":10000'),
    });
    await open(from('203.0.113.2'));
    await open(from('2001:db8::1'));
    await open(from('2001:db8::2'));
    await expect(open(from('2001:db8::3'))).rejects.toMatchObject({ status: 429 });
    first?.socket.terminate();
    await until(
      () =>
        open(from('203.0.113.1')).then(
          () => true,
          () => false,
        ),
      'a place',
    );
    await until(() => gateway.log.filter(({ msg }) => msg === 'request').length >= 8, 'every upgrade is logged');
    expect(gateway.log.filter(({ status }) => status === 101)).toHaveLength(6);
  });

  it('is limited per process', async () => {
    await start({ WEBSOCKET_MAX: '1' });
    await open();
    await expect(open()).rejects.toMatchObject({
      status: 503,
      headers: { 'retry-after': '10' },
      body: expect.stringContaining('"code":"UNAVAILABLE"'),
    });
  });
});

describe('the rate limit of an address', () => {
  it('counts upgrades, rejected ones too', async () => {
    await start({ RATE_LIMIT_PER_MINUTE: '3', WEBSOCKET_MAX: '1' });
    const { socket } = await open();
    await expect(open()).rejects.toMatchObject({ status: 503 });
    await expect(open()).rejects.toMatchObject({ status: 503, headers: { ratelimit: expect.stringContaining('r=0') } });
    await expect(open()).rejects.toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
    socket.terminate();
    await until(
      () =>
        open().then(
          () => false,
          ({ body }) => String(body).includes('Over the limit of 3 a minute'),
        ),
      'a place that is refused for the count alone',
    );
    expect((await gateway.query('{ chainIdentifier }')).status).toBe(429);
  });

  it('counts connection_init messages, with any credential', async () => {
    await start({ RATE_LIMIT_PER_MINUTE: '5' });
    for (const index of [1, 2]) await greet({ authorization: `Bearer ${index}` });
    const third = await open();
    third.send({ type: 'connection_init', payload: { authorization: 'Bearer 3' } });
    expect(await third.closed).toMatchObject({ code: 1013, reason: expect.stringContaining('Over the limit of 5') });
  });
});

describe('on one WebSocket', () => {
  it('the limit of concurrent operations rejects and counts one more, and accepts again afterwards', async () => {
    await start({ WEBSOCKET_MAX_OPERATIONS: '3', RATE_LIMIT_PER_MINUTE: '8' });
    ledger.manner = () => 'held';
    const client = await greet();
    for (const id of ['1', '2', '3']) subscribe(client, id);
    subscribe(client, '4');
    expect(await answerTo(client, '4')).toMatchObject(refusedFor('RATE_LIMITED'));
    // A client that has lost interest has not ended its operations.
    client.send({ id: '1', type: 'complete' });
    subscribe(client, '5');
    expect(await answerTo(client, '5')).toMatchObject(refusedFor('RATE_LIMITED'));
    await until(() => ledger.waiting > 0, 'the ledger was asked');
    ledger.manner = () => 'whole';
    ledger.release();
    expect(await answerTo(client, '3')).toMatchObject({ type: 'next' });
    subscribe(client, '6');
    expect(await answerTo(client, '6')).toMatchObject({ type: 'next' });
    subscribe(client, '7');
    expect((await answerTo(client, '7')).payload[0].message).toContain('Over the limit of 8 a minute');
  });

  it.each([
    ['pings', { type: 'ping', payload: { a: 'x'.repeat(10_000) } }],
    ['pongs', { type: 'pong', payload: { a: 'x'.repeat(10_000) } }],
    ['completions', { id: '1', type: 'complete', padding: 'x'.repeat(10_000) }],
  ])('endless %s are not free', async (_, message) => {
    await start();
    const client = await greet();
    for (let index = 0; index < 100; index += 1) client.send(message);
    expect((await client.closed).code).toBe(1008);
    expect(client.messages.length).toBeLessThan(40);
  });

  it('endless unsolicited pongs are not free either', async () => {
    await start();
    const client = await greet();
    for (let index = 0; index < 6_000; index += 1) client.socket.pong();
    expect((await client.closed).code).toBe(1008);
  });

  it('operation ids are short, because each result of a stream repeats them', async () => {
    await start({ RATE_LIMIT_PER_MINUTE: '6' });
    const client = await greet();
    const stream = 'subscription { liveEvents { __typename } }';
    const [most, more] = ['x'.repeat(128), 'x'.repeat(129)];
    subscribe(client, more, stream);
    expect(await answerTo(client, more)).toMatchObject(refusedFor('BAD_REQUEST'));
    subscribe(client, most);
    expect(await answerTo(client, most)).toMatchObject({ type: 'next' });
    for (const id of [`${more}1`, `${more}2`]) subscribe(client, id, stream);
    await answerTo(client, `${more}2`);
    subscribe(client, 'last');
    expect(await answerTo(client, 'last')).toMatchObject(refusedFor('RATE_LIMITED'));
  });

  it('operations over the rate limit are not free either, and operations within it continue', async () => {
    await start({ RATE_LIMIT_PER_MINUTE: '100' });
    const client = await greet();
    const query = `{ chainIdentifier } #${'x'.repeat(4_000)}`;
    for (let index = 0; index < 98; index += 1) subscribe(client, String(index), query);
    expect(await answerTo(client, '97')).toMatchObject({ type: expect.stringMatching(/next|error/) });
    for (let index = 98; index < 300; index += 1) subscribe(client, String(index), query);
    expect((await client.closed).code).toBe(1008);
  });

  it('a client that does not read its results is not read from either', async () => {
    await start();
    const client = await greet();
    subscribe(client, 'first', '{ events(first: 300) { id json } }');
    await answerTo(client, 'first');
    client.socket.pause();
    const query = '{ events(first: 3000) { id json } }';
    for (let index = 0; index < 10; index += 1) subscribe(client, String(index), `# ${index}\n${query}`);
    const others = await greet();
    // Three megabytes each: more than the kernel buffers.
    await until(
      () => ledger.served === 11,
      () => `${ledger.served} answers have come`,
    );
    for (let index = 10; index < 20; index += 1) subscribe(client, String(index), `# ${index}\n${query}`);
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      subscribe(others, id);
      await answerTo(others, id);
    }
    expect(ledger.served).toBe(16);
    client.socket.resume();
    expect(await answerTo(client, '19')).toMatchObject({ type: 'next' });
  });
});
