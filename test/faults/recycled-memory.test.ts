import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { buildSchema, graphqlSync } from 'graphql';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { recycledMemory } from '../../src/upstream/recycled-memory.ts';
import { openWebSocket } from '../support/open-websocket.ts';
import { openRawClient, type RawClient, toPostText } from '../support/raw-client.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

/**
 * Memory of responses is reused, but never while a client has yet to receive it. What is given back is overwritten, so that a
 * client that still needed it would see this.
 */

const schema = buildSchema('type Query { chainIdentifier: String! text(id: Int!, length: Int!): String! }');
const overwritten = '!';

interface Asked {
  readonly id: number;
  readonly length: number;
}

/** No two requests have the same text, and no part of one is a part of another. */
function textOf({ id, length }: Asked): string {
  const part = `${id}.`.padStart(8, '0');
  return part.repeat(Math.ceil(length / part.length)).slice(0, length);
}
const query = 'query ($id: Int!, $length: Int!) { text(id: $id, length: $length) }';
const bodyOf = (asked: Asked) => JSON.stringify({ data: { text: textOf(asked) } });

let ledger: ReturnType<typeof createServer>;
let gateway: TestGateway;
let port = 0;
let givenBack = 0;
const clients: RawClient[] = [];

beforeEach(async () => {
  givenBack = 0;
  const { giveBack } = recycledMemory;
  vi.spyOn(recycledMemory, 'giveBack').mockImplementation((chunks) => {
    for (const { buffer, length } of chunks) {
      if (length < 8 * 1024) continue;
      new Uint8Array(buffer).fill(overwritten.charCodeAt(0));
      givenBack += 1;
    }
    giveBack.call(recycledMemory, chunks);
  });
  ledger = createServer((req, res) => {
    let text = '';
    req.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    req.on('end', () => {
      const { query: source, variables } = JSON.parse(text);
      const isText = source.includes('text(');
      const answer = isText ? bodyOf(variables) : JSON.stringify(graphqlSync({ schema, source }));
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      // In pieces, like servers that stream.
      for (let at = 0; at < answer.length; at += 90_000) res.write(answer.slice(at, at + 90_000));
      res.end();
    });
  });
  await new Promise<void>((resolve) => ledger.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(ledger.address() as AddressInfo).port}/graphql`;
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: url });
  port = Number(new URL(gateway.url).port);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.vanish('resetting');
  await gateway.close();
  ledger.closeAllConnections();
  await new Promise((resolve) => ledger.close(resolve));
  vi.restoreAllMocks();
});

async function open(): Promise<RawClient> {
  const client = await openRawClient(port);
  clients.push(client);
  return client;
}

const toPost = (variables: Asked, headers: Record<string, string> = {}) => toPostText({ query, variables }, headers);

async function ask(asked: Asked, headers?: Record<string, string>): Promise<string> {
  return (await gateway.query(query, asked, headers)).text;
}

/** Responses that come and go, so that each block is reused. */
async function churn(from: number, lengths: readonly number[]): Promise<void> {
  const asked = lengths.map((length, index) => ({ id: from + index, length }));
  const answers = await Promise.all(asked.map((each) => ask(each)));
  expect(answers.map((answer, index) => answer === bodyOf(asked[index] as Asked))).toEqual(asked.map(() => true));
}

const manyLengths = Array.from({ length: 24 }, (_, index) => [9_000, 26_000, 70_000, 258_000][index % 4] as number);

test('clients that stop reading get their own responses, however often other responses reuse memory meanwhile', async () => {
  const slow = await Promise.all(Array.from({ length: 4 }, open));
  const asked = slow.map((_, client) =>
    Array.from({ length: 60 }, (__, at) => ({
      id: 1_000 * (client + 1) + at,
      length: [250_000, 120_000][client % 2] ?? 0,
    })),
  );
  for (const client of slow) client.stopReading();
  for (const [index, client] of slow.entries()) {
    const posts = (asked[index] ?? []).map((each, at) => toPost(each, at === 59 ? { connection: 'close' } : {}));
    void client.send(posts.join(''));
  }
  for (let round = 0; round < 8; round += 1) await churn(100_000 + 100 * round, manyLengths);
  // The first responses are in the memory of the kernel; the others are not.
  expect(givenBack).toBeGreaterThan(8 * manyLengths.length);
  const received = slow.map((client) => client.whole());
  for (const client of slow) client.resumeReading();
  for (const [index, text] of (await Promise.all(received)).entries()) {
    for (const [at, each] of (asked[index] ?? []).entries())
      expect(text.includes(bodyOf(each)), `response ${at} to client ${index}`).toBe(true);
    expect(text).not.toContain(overwritten);
  }
  expect(slow.length).toBe(4);
});

test('clients that vanish within a response do not harm the next one that has its memory', async () => {
  for (let round = 0; round < 10; round += 1) {
    const leaving = await Promise.all(Array.from({ length: 4 }, open));
    for (const [index, client] of leaving.entries()) {
      client.stopReading();
      const ids = Array.from({ length: 30 }, (_, at) => 1_000 * (round * 4 + index + 1) + at);
      void client.send(ids.map((id) => toPost({ id, length: 250_000 })).join('')).catch(() => {});
    }
    await churn(100_000 + 100 * round, manyLengths.slice(0, 8));
    for (const [index, client] of leaving.entries()) client.vanish(index % 2 ? 'closing' : 'resetting');
    await nextTurn();
    await churn(200_000 + 100 * round, manyLengths.slice(0, 8));
  }
  expect(givenBack).toBeGreaterThan(0);
});

test('requests that share a response all get it, and none gives its memory back', async () => {
  for (let id = 0; id < 10; id += 1) {
    const asked = { id, length: 100_000 };
    const answers = await Promise.all([...Array(5)].map(() => ask(asked)));
    expect(answers.every((answer) => answer === bodyOf(asked))).toBe(true);
  }
  const shared = givenBack;
  await churn(500, manyLengths);
  expect(givenBack).toBeGreaterThan(shared);
});

test('responses with usage and responses over a WebSocket are whole while others reuse memory', async () => {
  const { send, messages } = await openWebSocket(`${gateway.url.replace('http', 'ws')}/graphql`);
  send({ type: 'connection_init' });
  await until(() => messages.length > 0, 'the acknowledgement');
  const lengths = [9_000, 26_000, 120_000, 258_000];
  for (let round = 0; round < 6; round += 1) {
    const asked = lengths.map((length, index) => ({ id: round * 10 + index, length }));
    const before = messages.length;
    for (const each of asked) send({ id: String(each.id), type: 'subscribe', payload: { query, variables: each } });
    const spliced = Promise.all(
      asked.map((each) => ask({ ...each, id: each.id + 5_000 }, { 'x-ledger-rpc-show-usage': 'true' })),
    );
    await churn(100_000 + 100 * round, manyLengths);
    for (const [index, answer] of (await spliced).entries()) {
      const { data, extensions } = JSON.parse(answer);
      expect(data.text === textOf({ id: round * 10 + index + 5_000, length: lengths[index] ?? 0 })).toBe(true);
      expect(extensions.usage).toBeDefined();
    }
    await until(() => messages.length >= before + 2 * lengths.length, 'all responses');
    const texts = messages.filter(({ type }) => type === 'next').map(({ payload }) => payload.data.text);
    for (const each of asked) expect(texts.includes(textOf(each))).toBe(true);
  }
  expect(givenBack).toBeGreaterThan(0);
});
