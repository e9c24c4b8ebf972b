import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRawClient, type RawClient } from '../support/raw-client.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';

let gateway: SpawnedGateway;

beforeAll(async () => {
  gateway = await spawnGateway({});
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

const maxBodyBytes = 1_048_576;
/** The bytes of them that count. */
const roomForLargest = 96;

const request = '{"query":"{ chainIdentifier }"';
/** A request of the maximum size, without its last brace. */
const largest = request + ' '.repeat(maxBodyBytes - 1 - request.length);
const head = (length: string) =>
  `POST /graphql HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n${length}\r\n\r\n`;

async function begin(text: string): Promise<RawClient> {
  const client = await openRawClient(gateway.port);
  await client.send(text);
  return client;
}

/** Proves that earlier bytes were read, and that others are served meanwhile. */
async function ask(): Promise<string> {
  const client = await begin(head(`content-length: ${request.length + 1}`) + request);
  await client.send('}');
  return client.whole();
}

test('the slowest and largest incomplete bodies are dropped when memory for bodies is full', async () => {
  const small = await begin(head(`content-length: ${request.length + 1}`) + request);
  const clients: RawClient[] = [];
  for (let index = 0; index < roomForLargest + 16; index += 1) {
    const keptAlive = head(`content-length: ${maxBodyBytes}`).replace('connection: close\r\n', '');
    const begun = index < 8 ? keptAlive : head(`content-length: ${maxBodyBytes}`);
    clients.push(await begin(begun + largest));
    if (index % 8 === 0) expect(await ask()).toMatch(/^HTTP\/1\.1 200 /);
  }
  for (const client of clients.slice(0, 8)) {
    const refusal = await client.whole();
    expect(refusal).toMatch(/^HTTP\/1\.1 503 /);
    expect(refusal).toMatch(/"code":"UNAVAILABLE"/);
    expect(refusal.toLowerCase()).toContain('\r\nconnection: close\r\n');
  }
  for (const client of [small, ...clients.slice(-8)]) {
    await client.send('}');
    expect(await client.whole()).toMatch(/^HTTP\/1\.1 200 /);
  }
  for (const client of clients) client.vanish('closing');
  expect(gateway.complaints()).toEqual([]);
});

test('a body sent byte by byte is rejected before it costs seconds, and a body in small pieces is served', async () => {
  const chunksOf = (text: string, size: number) =>
    text.replaceAll(new RegExp(`.{1,${size}}`, 'g'), (piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
  const spaced = `${request}${' '.repeat(100_000)}}`;

  const letters = await begin(head('transfer-encoding: chunked') + chunksOf(spaced.slice(0, 5_000), 1));
  const refusal = await letters.whole();
  expect(refusal).toMatch(/^HTTP\/1\.1 400 /);
  expect(refusal).toContain('too many small chunks');

  const pieces = await begin(`${head('transfer-encoding: chunked')}${chunksOf(spaced, 40)}0\r\n\r\n`);
  expect(await pieces.whole()).toMatch(/^HTTP\/1\.1 200 /);
});
