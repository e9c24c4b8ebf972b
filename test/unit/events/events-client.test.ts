import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { createEventsClient } from '../../../src/events/rpc-sources.ts';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import type { UpstreamRequest } from '../../../src/upstream/upstream-call.ts';
import { UpstreamCallError, type UpstreamFailure } from '../../../src/upstream/upstream-call-error.ts';

const names = { ...networkProfiles.iota.events, methods: networkProfiles.ledger.events.methods };
const event = {
  id: { txDigest: 'd', eventSeq: '0' },
  packageId: '0x2',
  transactionModule: 'coin',
  sender: '0x1',
  type: '0x2::coin::Minted',
  parsedJson: { amount: '5' },
  bcs: 'AQ==',
  bcsEncoding: 'base64',
  timestampMs: '17',
};

/** A client whose upstream answers what `answer` makes of the request. */
function clientOf(answer: (body: { id: number; method: string; params: unknown[] }) => unknown, status = 200) {
  const sent: UpstreamRequest[] = [];
  const client = createEventsClient({
    path: '/rpc',
    names,
    timeoutMs: 1000,
    call: async (request) => {
      sent.push(request);
      const body = answer(JSON.parse(String(request.body)));
      return { status, headers: new Map(), body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) };
    },
  });
  return { client, sent };
}

const request = { filter: { All: [] }, cursor: null, limit: 5, descending: false };
const page = (data: unknown[], more = {}) => ({ data, nextCursor: null, hasNextPage: false, ...more });
const result = (value: unknown) => (call: { id: number }) => ({ jsonrpc: '2.0', id: call.id, result: value });

test('a call is one JSON-RPC request with positional parameters', async () => {
  const { client, sent } = clientOf(result(page([event])));
  const cancellation = createCancellation();
  await client.queryEvents({ filter: { Sender: '0x1' }, cursor: event.id, limit: 5, descending: true, cancellation });
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({ method: 'POST', path: '/rpc', timeoutMs: 1000, cancellation });
  expect(JSON.parse(String(sent[0]?.body))).toEqual({
    jsonrpc: '2.0',
    id: 1,
    method: 'ledgerx_queryEvents',
    params: [{ Sender: '0x1' }, { txDigest: 'd', eventSeq: '0' }, 5, true],
  });
});

test('an event nested so deep that nobody could write it again is a bad answer', async () => {
  const parsedJson = '['.repeat(6_000) + ']'.repeat(6_000);
  const { client } = clientOf(({ id }) => {
    const whole = JSON.stringify({ jsonrpc: '2.0', id, result: page([{ ...event, parsedJson: null }]) });
    return whole.replace('"parsedJson":null', `"parsedJson":${parsedJson}`);
  });
  await expect(client.queryEvents(request)).rejects.toMatchObject({
    message: 'The events upstream sent something nested too deep.',
    extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
  });
});

test('transactions are asked for with filter and options in one parameter', async () => {
  const { client, sent } = clientOf(
    result(page([{ digest: 'd', checkpoint: 7, timestampMs: '17', extra: [1] }], { nextCursor: 'd' })),
  );
  const answer = await client.queryTransactionBlocks({ ...request, filter: null, options: { showInput: true } });
  expect(JSON.parse(String(sent[0]?.body))).toMatchObject({
    method: 'ledgerx_queryTransactionBlocks',
    params: [{ filter: null, options: { showInput: true } }, null, 5, false],
  });
  expect(answer).toEqual({
    data: [
      {
        digest: 'd',
        checkpoint: '7',
        timestampMs: '17',
        raw: { digest: 'd', checkpoint: 7, timestampMs: '17', extra: [1] },
      },
    ],
    nextCursor: 'd',
    hasNextPage: false,
  });
});

test('what some nodes leave out, or send as numbers, is taken', async () => {
  const { bcs, bcsEncoding, timestampMs, parsedJson, ...rest } = event;
  const { client } = clientOf(
    result({ data: [{ ...rest, id: { txDigest: 'd', eventSeq: 0 } }], hasNextPage: true, newField: 1 }),
  );
  const { data, nextCursor, hasNextPage } = await client.queryEvents(request);
  expect(data[0]).toMatchObject({ id: { eventSeq: '0' }, bcs: null, timestampMs: null });
  expect({ nextCursor, hasNextPage }).toEqual({ nextCursor: null, hasNextPage: true });
});

test('a page that is its data alone is taken, and says nothing of what follows', async () => {
  const { client } = clientOf(result({ data: [event] }));
  expect(await client.queryEvents(request)).toMatchObject({ nextCursor: null, hasNextPage: null });
  const { client: other } = clientOf(result({ data: [{ digest: 'd' }] }));
  const transactions = await other.queryTransactionBlocks({ ...request, filter: null, options: {} });
  expect(transactions).toMatchObject({ nextCursor: null, hasNextPage: null });
});

describe('a JSON-RPC error becomes', () => {
  const error = (code: number, message: string, cursor: typeof event.id | null = null, data?: unknown) =>
    clientOf(({ id }) => ({ jsonrpc: '2.0', id, error: { code, message, data } }))
      .client.queryEvents({ ...request, cursor })
      .then(
        () => expect.unreachable(),
        (thrown: { message: string; extensions: unknown }) => ({
          message: thrown.message,
          extensions: thrown.extensions,
        }),
      );

  test.each([
    [-32602, 'Invalid params: unknown variant `Foo`', 'BAD_USER_INPUT'],
    [-32600, 'This query type does not support filter combinations', 'BAD_USER_INPUT'],
    [-32002, 'Transaction refused', 'BAD_USER_INPUT'],
  ])("the caller's fault with the node's text for %i", async (rpcCode, message, code) => {
    expect(await error(rpcCode, message)).toEqual({
      message,
      extensions: { code, retry: 'never', rpcCode, upstream: 'events' },
    });
  });

  test.each([
    [-32050, 'Transient', 'UPSTREAM_UNAVAILABLE'],
    [-32009, 'Server is busy', 'UPSTREAM_UNAVAILABLE'],
    [-32604, 'Too many requests from 10.1.2.3', 'UPSTREAM_UNAVAILABLE'],
    [-32601, 'Method not found', 'UPSTREAM_BAD_RESPONSE'],
    [-32603, 'Error at http://db.internal:5432', 'UPSTREAM_BAD_RESPONSE'],
    [-32000, 'call failed', 'UPSTREAM_BAD_RESPONSE'],
  ])('a text of ours for %i %s', async (rpcCode, message, code) => {
    const became = await error(rpcCode, message);
    expect(became.extensions).toEqual({ code, retry: 'backoff', rpcCode, upstream: 'events' });
    expect(became.message).not.toContain(message);
    expect(became.message).not.toMatch(/10\.1|db\.internal/);
  });

  test.each(['see http://10.0.0.1/x', 'thread panicked', `long ${'x'.repeat(400)}`, 'two\nlines', 'at src/main.rs:17'])(
    'a text of ours where the node says %j',
    async (message) => {
      expect((await error(-32602, message)).message).toBe('The events upstream refused the query.');
    },
  );

  const unknown = 'Could not find the referenced transaction [TransactionDigest(abc)].';
  test('a stale cursor, if one was sent', async () => {
    expect((await error(-32602, unknown, event.id)).extensions).toMatchObject({ code: 'STALE_CURSOR' });
    expect((await error(-32602, unknown)).extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  test.each<[number, string, unknown]>([
    [-32602, 'Invalid params', 'cursor not found'],
    [-32602, 'Invalid params', 'Cursor 8qbH:3 does not exist'],
    [-32602, 'Invalid params', { reason: 'the cursor has expired' }],
    [-32602, 'Invalid params', ['Could not find cursor']],
    [-32602, 'Invalid params', 'unknown cursor'],
    [-32602, 'Invalid cursor: it was pruned', undefined],
    [-32603, 'Internal error', 'Transaction 8qbH not found'],
    [-32000, 'Event has been pruned', null],
    // iotaledger/iota
    [-32603, 'transaction 17 has been pruned (min available: 90)', undefined],
    [-32603, 'requested events not available', undefined],
  ])('a stale cursor where %i %s says so: %j', async (rpcCode, message, data) => {
    expect(await error(rpcCode, message, event.id, data)).toEqual({
      message: 'The events upstream no longer knows the position this cursor points to.',
      extensions: { code: 'STALE_CURSOR', retry: 'never', upstream: 'events', rpcCode },
    });
    expect((await error(rpcCode, message, null, data)).extensions).not.toMatchObject({ code: 'STALE_CURSOR' });
  });

  test.each<[number, string, unknown]>([
    [-32602, 'Invalid params', 'unknown variant `Foo`'],
    [-32602, 'Invalid params', undefined],
    [-32602, 'Invalid params', { limit: 5 }],
    [-32602, `Invalid params ${' '.repeat(2_000)} cursor not found`, undefined],
  ])('no stale cursor where %i %s says something else: %j', async (rpcCode, message, data) => {
    expect((await error(rpcCode, message, event.id, data)).extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  test('busy rather than stale where the node is both', async () => {
    expect((await error(-32050, 'Transient', event.id, 'cursor not found')).extensions).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
    });
  });
});

describe('an answer that is not of the contract is UPSTREAM_BAD_RESPONSE:', () => {
  test.each<[string, (call: { id: number }) => unknown]>([
    ['no JSON', () => '<html>'],
    ['no JSON-RPC', () => ({ hello: 1 })],
    ['the answer to another call', ({ id }) => ({ jsonrpc: '2.0', id: id + 1, result: page([]) })],
    ['no page', result({ data: 'none' })],
    ['an event without a type', result(page([{ ...event, type: undefined }]))],
    ['a hasNextPage that is neither', result({ data: [], nextCursor: null, hasNextPage: 'yes' })],
    ['a page without data', result({ nextCursor: null, hasNextPage: false })],
  ])('%s', async (_, answer) => {
    await expect(clientOf(answer).client.queryEvents(request)).rejects.toMatchObject({
      extensions: { code: 'UPSTREAM_BAD_RESPONSE', upstream: 'events' },
    });
  });

  test('an HTTP error', async () => {
    await expect(clientOf(result(page([])), 500).client.queryEvents(request)).rejects.toMatchObject({
      message: 'The events upstream answered with HTTP status 500.',
      extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
    });
  });
});

test.each([429, 502, 503, 504])(
  'HTTP status %i, from something in front of the node, is UPSTREAM_UNAVAILABLE',
  async (status) => {
    await expect(clientOf(() => 'slow down', status).client.queryEvents(request)).rejects.toMatchObject({
      extensions: { code: 'UPSTREAM_UNAVAILABLE', upstream: 'events' },
    });
  },
);

test.each<[UpstreamFailure, string]>([
  ['timeout', 'UPSTREAM_TIMEOUT'],
  ['unreachable', 'UPSTREAM_UNAVAILABLE'],
  ['interrupted', 'UPSTREAM_UNAVAILABLE'],
  ['too-large', 'UPSTREAM_BAD_RESPONSE'],
  ['aborted', 'REQUEST_TIMEOUT'],
])('a call that is %s becomes %s', async (failure, code) => {
  const client = createEventsClient({
    path: '/',
    names,
    timeoutMs: 1,
    call: () => Promise.reject(new UpstreamCallError(failure, 'socket 10.0.0.1')),
  });
  await expect(client.queryEvents(request)).rejects.toMatchObject({ extensions: { code, upstream: 'events' } });
});

test('a page of far more than was asked for is a bad answer, and nobody looks for what is wrong with each item', async () => {
  const { client } = clientOf(result(page(Array(5_000).fill({}))));
  await expect(client.queryEvents(request)).rejects.toMatchObject({
    message: 'The events upstream sent far more items than it was asked for.',
    extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
    originalError: undefined,
  });
});
