import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const typeDefs = `
  scalar JSON
  type Query { rows: JSON other: JSON }
  type Mutation { pay: JSON }
`;
const resolvers = { Query: { rows: () => [], other: () => [] }, Mutation: { pay: () => 'done' } };

const mebibyte = 1024 * 1024;
const rowText = `{"row":"${'r'.repeat(1_000)}"}`;
const rows = (count: number): string => Array.from({ length: count }, () => rowText).join(',');
const type = { 'content-type': 'application/json' };
const timeoutMs = 1_500;

type Answer = (res: ServerResponse) => void;

let ledger: ScriptedLedger;
let gateway: TestGateway;
/** Responds in place of the ledger, and counts requests. */
let front: { url: string; answer: Answer | undefined; asked: number; close(): Promise<void> };

beforeAll(async () => {
  ledger = await startScriptedLedger(typeDefs, resolvers);
  const server = createServer(async (req, res) => {
    const body = await text(req);
    if (front.answer && !body.includes('__schema') && !body.includes('serviceConfig')) {
      front.asked += 1;
      return front.answer(res);
    }
    const answer = await fetch(ledger.url, { method: 'POST', headers: type, body });
    res.writeHead(answer.status, type).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  front = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    answer: undefined,
    asked: 0,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: front.url, REQUEST_TIMEOUT_MS: String(timeoutMs) });
  // From now on these documents are in memory and can take the lane.
  for (const query of ['{ rows }', 'mutation { pay }']) await gateway.query(query);
});
afterEach(() => {
  front.answer = undefined;
  front.asked = 0;
});
afterAll(async () => {
  await gateway?.close();
  await front?.close();
  await ledger?.close();
});

const ask = (headers: Record<string, string> = {}, query = '{ rows }', path = '/graphql') =>
  fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { ...type, ...headers },
    body: JSON.stringify({ query }),
  });

/** Whether a response was streamed: then it has no declared length. */
const isStreamed = (response: Response) => response.headers.get('transfer-encoding') === 'chunked';

const lastLine = () => gateway.log.filter(({ msg }) => msg === 'request').at(-1);

/** A connection that does not read by itself, with one request sent. */
function askSlowly(version = '1.1', url = gateway.url): Socket {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({ query: '{ rows }' });
  const socket = connect(Number(port), hostname);
  socket.pause();
  socket.write(
    `POST /graphql HTTP/${version}\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

/** An endless response in pieces of 64 KiB: how many were written, and when the connection closed. */
function endless() {
  const seen = { written: 0, isCut: false };
  function* pieces() {
    yield '{"data":{"rows":[';
    const piece = `${rows(64)},`;
    for (;;) {
      seen.written += 1;
      yield piece;
    }
  }
  const answer: Answer = (res) => {
    res.once('close', () => {
      seen.isCut = true;
    });
    Readable.from(pieces()).pipe(res.writeHead(200, type));
  };
  return { seen, answer };
}

/** Polls until a number stops changing. */
async function settled(read: () => number): Promise<number> {
  const seen: number[] = [];
  // The first bytes may take longer than the interval.
  const isSettled = () => seen.push(read()) > 1 && seen.at(-1) === seen.at(-2) && read() > 0;
  await expect.poll(isSettled, { interval: 100 }).toBe(true);
  return read();
}

describe('a large response', () => {
  test.each([
    ['plain', 3_000, ''],
    [
      'with errors',
      3_000,
      ',"errors":[{"message":"late","path":["rows"],"extensions":{"code":"X","http":{"status":500}}}]',
    ],
    ['with extensions of the ledger', 3_000, ',"extensions":{"usage":{"theirs":1}}'],
    ['that ends in names of the protocol', 3_000, '', '{"errors":[{}],"extensions":{"a":[]}}'],
  ])('%s equals Yoga’s', async (_, count, behind, last = rowText) => {
    const body = `{"data":{"rows":{"list":[${rows(count)}],"last":${last}}}${behind}}`;
    front.answer = (res) => void res.writeHead(200, type).end(body);
    for (const headers of [{}, { 'x-ledger-rpc-show-usage': 'true' }]) {
      const streamed = await ask(headers);
      expect([streamed.status, isStreamed(streamed), streamed.headers.get('content-length')]).toEqual([
        200,
        true,
        null,
      ]);
      const answer = JSON.parse(await streamed.text());
      // Goes to Yoga for its query string.
      const ordinary = await ask(headers, '{ rows }', '/graphql?by=yoga');
      expect(isStreamed(ordinary)).toBe(false);
      const expected = JSON.parse(await ordinary.text());
      expect(answer.data).toEqual(expected.data);
      expect(answer.errors).toEqual(expected.errors);
      expect('extensions' in answer).toBe('x-ledger-rpc-show-usage' in headers);
    }
  });

  test('logs its error codes', async () => {
    const errors = '[{"message":"late"},{"message":"later"}]';
    front.answer = (res) =>
      void res.writeHead(200, type).end(`{"data":{"rows":[${rows(3_000)}],"o":{}},"errors":${errors}}`);
    await (await ask()).text();
    await expect.poll(lastLine).toMatchObject({ status: 200, lane: true, operations: [{ errors: 2 }] });
  });

  test.each<[string, Answer]>([
    [
      'not JSON by its type',
      (res) => void res.writeHead(200, { 'content-type': 'text/html' }).end(`{"data":{"rows":[${rows(3_000)}]}}`),
    ],
    [
      'without data in front',
      (res) => void res.writeHead(200, type).end(`{"errors":[],"data":{"rows":[${rows(3_000)}]}}`),
    ],
    ['of another status', (res) => void res.writeHead(400, type).end(`{"data":{"rows":[${rows(3_000)}]}}`)],
    ['that is small', (res) => void res.writeHead(200, type).end(`{"data":{"rows":[${rows(500)}]}}`)],
  ])('is collected: %s', async (_, answer) => {
    front.answer = answer;
    const response = await ask();
    expect(isStreamed(response)).toBe(false);
    JSON.parse(await response.text());
  });

  test('is collected for a client without chunked encoding', async () => {
    const body = `{"data":{"rows":[${rows(3_000)}]}}`;
    front.answer = (res) => void res.writeHead(200, type).end(body);
    const answer = await text(askSlowly('1.0'));
    expect(answer).toContain(`content-length: ${body.length}\r\n`);
    expect(answer.endsWith(`\r\n\r\n${body}`)).toBe(true);
  });

  test('of a mutation is collected', async () => {
    front.answer = (res) => void res.writeHead(200, type).end(`{"data":{"pay":[${rows(3_000)}]}}`);
    expect(isStreamed(await ask({}, 'mutation { pay }'))).toBe(false);
  });

  const head = `{"data":{"rows":[${rows(3_000)}`;

  test.each<[string, Answer]>([
    ['breaks off', (res) => void res.writeHead(200, type).write(head, () => setImmediate(() => res.destroy()))],
    ['does not end in time', (res) => void res.writeHead(200, type).write(head)],
    ['ends in the middle', (res) => void res.writeHead(200, type).end(head)],
    ['ends in more than an answer', (res) => void res.writeHead(200, type).end(`${head}]}}x`)],
  ])('that %s is cut off, never ended as if it were whole', async (_, answer) => {
    front.answer = answer;
    const response = await ask();
    expect(response.status).toBe(200);
    const isWhole = await response.text().then(
      () => true,
      () => false,
    );
    expect(isWhole).toBe(false);
    await expect.poll(lastLine).toMatchObject({ lane: true, operations: [{ errors: 1 }] });
    front.answer = (res) => void res.writeHead(200, type).end('{"data":{"rows":[]}}');
    expect(await (await ask()).text()).toBe('{"data":{"rows":[]}}');
  });

  test('has the ledger’s version like any other', async () => {
    const body = `{"data":{"rows":[${rows(3_000)}]}}`;
    const version = '2026.12.0-of-the-large';
    front.answer = (res) =>
      void res.writeHead(200, { ...type, 'content-length': body.length, 'x-ledger-rpc-version': version }).end(body);
    expect(await (await ask()).text()).toBe(body);
    expect((await fetch(`${gateway.url}/health/live`)).headers.get('x-ledger-rpc-version')).toBe(version);
  });

  test('arrives no faster than the client reads, and a disconnect cancels it at the ledger', async () => {
    // No deadline ends the response before the client has read what the test wants.
    await using patient = await createTestGateway({ LEDGER_GRAPHQL_URL: front.url, REQUEST_TIMEOUT_MS: '60000' });
    const { seen, answer } = endless();
    await patient.query('{ rows }');
    front.answer = answer;
    const socket = askSlowly('1.1', patient.url);
    const stuck = await settled(() => seen.written);
    expect(stuck * 64 * 1_000).toBeGreaterThan(mebibyte);
    let received = 0;
    socket.on('data', ({ length }: Buffer) => {
      received += length;
      // Far more than all buffers hold.
      if (received > 2 * stuck * 64 * 1_000) socket.destroy();
    });
    socket.resume();
    await expect.poll(() => seen.isCut).toBe(true);
    expect(received).toBeGreaterThan(2 * stuck * 64 * 1_000);
    const last = () => patient.log.filter(({ msg }) => msg === 'request').at(-1);
    await expect.poll(last).toMatchObject({ lane: true, operations: [{ errors: 0 }] });
  });

  test('that a client stops reading is cut off after five seconds, at the ledger too', async () => {
    await using patient = await createTestGateway({ LEDGER_GRAPHQL_URL: front.url, REQUEST_TIMEOUT_MS: '60000' });
    const { seen, answer } = endless();
    await patient.query('{ rows }');
    front.answer = answer;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const socket = askSlowly('1.1', patient.url);
      socket.on('error', () => {});
      await settled(() => seen.written);
      vi.advanceTimersByTime(4_999);
      expect(seen.isCut).toBe(false);
      vi.advanceTimersByTime(1);
      await expect.poll(() => seen.isCut).toBe(true);
      // What was sent can still be read; the last chunk is missing.
      const received = await text(socket).catch(String);
      expect(received.endsWith('\r\n0\r\n\r\n')).toBe(false);
      const last = () => patient.log.filter(({ msg }) => msg === 'request').at(-1);
      await expect.poll(last).toMatchObject({ lane: true, operations: [{ errors: 1 }] });
    } finally {
      vi.useRealTimers();
    }
  });
});
