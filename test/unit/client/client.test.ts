import { getEventListeners } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type Client,
  type ClientOptions,
  createClient,
  type ErrorEntry,
  type SponsoredTransaction,
} from '../../../src/client/client.ts';
import { GatewayError, toDelayMs, wait } from '../../../src/client/gateway-error.ts';

interface Received {
  readonly query: string;
  readonly documentId?: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
}

type Answer = object | ((response: ServerResponse) => unknown);

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A gateway whose responses a test scripts: JSON, or what the function writes. */
async function scriptGateway(answer: (request: Received) => Answer, options: Partial<ClientOptions> = {}) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const one = { ...(body as Received), headers: request.headers };
      received.push(one);
      const said = answer(one);
      if (typeof said === 'function') said(response);
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { received, url, client: createClient({ url, ...options }) };
}

const lose: Answer = (response: ServerResponse) => response.destroy();
const fail = (code: string, retry: string, more: object = {}): Answer => ({
  data: { executeTx: null },
  errors: [{ message: code, extensions: { code, retry, ...more } }],
});

describe('request', () => {
  test('throws the first error with its code, its advice and the partial data', async () => {
    const errors: ErrorEntry[] = [
      { message: 'first', extensions: { code: 'RATE_LIMITED', retry: 'backoff', retryAfterMs: 7 } },
      { message: 'second' },
    ];
    const { client } = await scriptGateway(() => ({ data: { a: 1, b: null }, errors }));
    await expect(client.request('{ a b }')).rejects.toMatchObject({
      message: 'first',
      code: 'RATE_LIMITED',
      retry: 'backoff',
      retryAfterMs: 7,
      data: { a: 1, b: null },
      errors,
    });
  });

  test.each([
    ['a proxy that is overloaded', 503, 'BAD_RESPONSE', 'same-key'],
    ['a proxy that does not know the path', 404, 'BAD_RESPONSE', 'never'],
  ])('reports %s', async (_, status, code, retry) => {
    const { client } = await scriptGateway(() => (response) => response.writeHead(status).end('<h1>no</h1>'));
    await expect(client.request('{ a }')).rejects.toMatchObject({ code, retry });
  });

  test('reports a lost response, one cut off in the middle, and one that does not arrive in time', async () => {
    const cut: Answer = (response: ServerResponse) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"data":');
      response.socket?.end();
    };
    for (const answer of [lose, cut, () => {}]) {
      const { client } = await scriptGateway(() => answer, { timeoutMs: 1_000 });
      for (const options of [{}, { signal: new AbortController().signal }])
        await expect(client.request('{ a }', {}, options)).rejects.toMatchObject({
          code: 'NETWORK_ERROR',
          retry: 'same-key',
        });
    }
  });

  test('throws the reason of its signal', async () => {
    const { client } = await scriptGateway(() => () => {});
    const signal = AbortSignal.abort(new Error('left'));
    await expect(client.request('{ a }', {}, { signal })).rejects.toThrow('left');
  });

  test('sends the id of a document, if the app wants ids and the document has one', async () => {
    const { client, received } = await scriptGateway(() => ({ data: {} }), { documentIds: true });
    class TypedText extends String {
      __meta__ = { hash: 'sha256:1' };
    }
    await client.request(new TypedText('{ text }') as unknown as string);
    await client.request('{ plain }');
    expect(received.map(({ documentId, query }) => [documentId, query])).toEqual([
      ['sha256:1', undefined],
      [undefined, '{ plain }'],
    ]);
  });

  test('sends documents of every form, with headers that are made for each request', async () => {
    let token = 0;
    const { client, received } = await scriptGateway(() => ({ data: {} }), {
      headers: async () => ({ authorization: `Bearer ${++token}` }),
      print: () => '{ printed }',
    });
    class TypedText extends String {}
    const texts = [
      '{ plain }',
      new TypedText('{ text }'),
      { kind: 'Document', loc: { source: { body: '{ parsed }' } } },
      { kind: 'Document' },
    ];
    for (const document of texts) await client.request(document as string);
    expect(received.map(({ query }) => query)).toEqual(['{ plain }', '{ text }', '{ parsed }', '{ printed }']);
    expect(received.map(({ headers }) => headers.authorization)).toEqual([1, 2, 3, 4].map((each) => `Bearer ${each}`));
  });
});

test('pages go forwards only with the variable $after, not with one whose name begins in the same way', async () => {
  const pageInfo = { hasNextPage: true, endCursor: 'end', hasPreviousPage: true, startCursor: 'start' };
  const { client, received } = await scriptGateway(() => ({ data: { events: { pageInfo } } }));
  for (const name of ['$after: String', '$before: String, $afterCheckpoint: Int']) {
    let pages = 0;
    const query = `query (${name}) { events { pageInfo { hasNextPage } } }`;
    for await (const page of client.pages<{ events: { pageInfo: typeof pageInfo } }, object, never>(
      query,
      {},
      ({ events }) => events as never,
    )) {
      expect(page).toEqual({ pageInfo });
      pages += 1;
      if (pages === 2) break;
    }
  }
  expect(received.map(({ variables }) => variables)).toEqual([{}, { after: 'end' }, {}, { before: 'start' }]);
});

describe('sponsor', () => {
  const signed = { bytes: 'dHg=', signature: 'c2ln' };
  const reservation = { reservationId: 'r', sponsorAddress: '0x1', gasBudget: 5, gasCoins: [], state: 'ACTIVE' };
  const executed = { digest: 'd', outcome: 'EXECUTED', effects: null };
  const done: Answer = { data: { executeTx: executed } };
  const recovered = { digest: 'd', outcome: 'RECOVERED' };

  /** @param executions the responses to `executeTx`, one after the other @param isInLedger the result of the look-up */
  async function script(executions: Answer[], isInLedger = false, states = ['ACTIVE'], lookUps: Answer[] = []) {
    const entries = new Map<string, string>();
    /** What the store has when each request arrives. */
    const kept: Record<string, unknown>[] = [];
    const gateway = await scriptGateway(({ query }) => {
      kept.push(JSON.parse(entries.get('order') ?? '{}'));
      if (query.includes('reserveGas('))
        return { data: { reserveGas: { ...reservation, state: states.shift() ?? 'ACTIVE' } } };
      if (query.includes('executeTx(')) return executions.shift() ?? done;
      return lookUps.shift() ?? { data: { found: isInLedger ? { digest: 'd' } : null } };
    });
    const store = {
      getItem: async (key: string) => entries.get(key) ?? null,
      setItem: async (key: string, value: string) => void entries.set(key, value),
      removeItem: async (key: string) => void entries.delete(key),
    };
    const sent = (field: string) => gateway.received.filter(({ query }) => query.includes(`${field}(`));
    const order = { gasBudget: 5, sign: () => signed, store, storeKey: 'order' };
    return { ...gateway, entries, kept, order, sent };
  }
  const outcome = (client: Client, order: Parameters<Client['sponsor']>[0]) =>
    client.sponsor(order).catch(({ code }: { code: string }) => code);

  test.each([
    ['temporary errors', [fail('UPSTREAM_UNAVAILABLE', 'backoff'), fail('UNAVAILABLE', 'backoff')]],
    ['an unknown outcome', [fail('EXECUTION_OUTCOME_UNKNOWN', 'same-key', { digest: 'd' })]],
    ['lost responses', [lose, lose]],
  ])('repeats after %s, with the same key and transaction', async (_, failures) => {
    const { client, order, sent } = await script([...failures]);
    expect(await client.sponsor(order)).toEqual(executed);
    const [reserve, ...calls] = [...sent('reserveGas'), ...sent('executeTx')].map(({ variables }) => variables);
    expect(calls).toHaveLength(failures.length + 1);
    const { idempotencyKey } = reserve ?? {};
    for (const call of calls)
      expect(call).toEqual({ reservationId: 'r', txBytes: signed.bytes, userSig: signed.signature, idempotencyKey });
  });

  test.each(['SPONSOR_REJECTED', 'SPONSOR_EXHAUSTED', 'RESERVATION_NOT_FOUND', 'BAD_USER_INPUT'])(
    'throws %s of the only request at once, and forgets the transaction',
    async (code) => {
      const retry = code === 'BAD_USER_INPUT' ? 'never' : 'look-up';
      // With an argument, the gateway itself rejected the reservation.
      const refused = fail(code, retry, { digest: 'd', argument: 'reservationId' });
      const { client, order, sent, entries } = await script([refused]);
      expect(await outcome(client, order)).toBe(code);
      expect([sent('executeTx').length, sent('transactionBlock').length, entries.size]).toEqual([1, 0, 0]);
    },
  );

  describe('if the sponsor has no such reservation', () => {
    const gone = fail('RESERVATION_NOT_FOUND', 'look-up', { digest: 'd' });

    /** Each look-up takes a minute. @param foundAfter minutes */
    async function search(executions: Answer[], foundAfter: number) {
      let minutes = 0;
      const startMs = Date.now();
      vi.spyOn(Date, 'now').mockImplementation(() => startMs + minutes * 60_000);
      vi.spyOn(Math, 'random').mockReturnValue(0);
      onTestFinished(() => void vi.restoreAllMocks());
      const lookUp: Answer = (response: ServerResponse) => {
        minutes += 1;
        response.end(JSON.stringify({ data: { found: minutes >= foundAfter ? { digest: 'd' } : null } }));
      };
      const lookUps = Array(60).fill(lookUp);
      const { client, order, sent, entries } = await script(executions, false, [], lookUps);
      const result = await outcome(client, order);
      return { result, minutes, entries, executions: sent('executeTx').length };
    }

    test.each([[[gone]], [[lose, gone]]])(
      'looks for a transaction that a copy of the request may execute for 10 minutes: %#',
      async (executions) => {
        const searched = await search([...executions], 9);
        expect(searched).toMatchObject({ result: recovered, minutes: 9, executions: executions.length });
      },
    );

    test('forgets a transaction that the ledger does not have after 10 minutes', async () => {
      const { result, minutes, entries } = await search([gone], 60);
      expect([result, minutes, entries.size]).toEqual(['RESERVATION_NOT_FOUND', 10, 0]);
    });

    test('keeps a transaction while it looks, for a page that reloads', async () => {
      const { client, order, entries, sent } = await script([gone, gone]);
      for (let loads = 1; loads <= 2; loads += 1) {
        const page = new AbortController();
        const onRetry = () => page.abort(new Error('reloaded'));
        await expect(client.sponsor({ ...order, signal: page.signal, onRetry })).rejects.toThrow('reloaded');
        expect([sent('reserveGas').length, sent('executeTx').length, entries.size]).toEqual([1, loads, 1]);
      }
    });
  });

  test('keeps the entry after a conflict, which proves that a transaction of its key was sent', async () => {
    const conflict = fail('IDEMPOTENCY_CONFLICT', 'never', { digest: 'd' });
    const { client, order, entries, sent } = await script([conflict, conflict]);
    for (let calls = 1; calls <= 2; calls += 1) {
      expect(await outcome(client, order)).toBe('IDEMPOTENCY_CONFLICT');
      expect([sent('reserveGas').length, sent('executeTx').length, entries.size]).toEqual([1, calls, 1]);
    }
  });

  test.each(['{"key":', '{}', 'null', '5'])('reports a damaged entry once: %s', async (damaged) => {
    const { client, order, entries, sent } = await script([]);
    entries.set('order', damaged);
    await expect(client.sponsor(order)).rejects.toThrow(`Damaged order: ${damaged}`);
    expect(sent('reserveGas')).toEqual([]);
    expect(await client.sponsor(order)).toEqual(executed);
  });

  describe('two processes with one store', () => {
    // Node 24 has Web Locks, which processes do not share.
    beforeEach(() => void vi.stubGlobal('navigator', {}));
    afterEach(() => void vi.unstubAllGlobals());

    const add = (entries: Map<string, string>) => async (key: string, value: string) =>
      !entries.has(key) && Boolean(entries.set(key, value));

    test('use one key if the store can add', async () => {
      const { client, url, order, entries, sent } = await script([]);
      const other = createClient({ url });
      const store = { ...order.store, add: add(entries) };
      // Both have read that there is no entry.
      let reads = 0;
      let bothHaveRead = () => {};
      const reading = new Promise<void>((resolve) => (bothHaveRead = resolve));
      const getItem = async (key: string) => {
        const value = entries.get(key) ?? null;
        reads += 1;
        if (reads === 2) bothHaveRead();
        if (reads <= 2) await reading;
        return value;
      };
      const results = await Promise.all(
        [client, other].map((each) => each.sponsor({ ...order, store: { ...store, getItem } })),
      );
      expect(results).toEqual([executed, executed]);
      const calls = [...sent('reserveGas'), ...sent('executeTx')];
      expect(new Set(calls.map(({ variables }) => variables.idempotencyKey)).size).toBe(1);
    });

    test('execute what was signed first', async () => {
      const { client, url, order, entries, sent } = await script([]);
      const other = createClient({ url });
      const store = { ...order.store, add: add(entries) };
      const sign = async () => {
        expect(await other.sponsor({ ...order, store })).toEqual(executed);
        return { bytes: 'c2xvdw==', signature: 'c2ln' };
      };
      expect(await client.sponsor({ ...order, store, sign })).toEqual(executed);
      expect(sent('executeTx').map(({ variables }) => variables.txBytes)).toEqual([signed.bytes]);
    });

    test('do not forget what the other began', async () => {
      const rejection: Answer = (response: ServerResponse) => {
        entries.set('order', '{"key":"of-the-other"}');
        response.end(JSON.stringify(fail('SPONSOR_REJECTED', 'never', { digest: 'd' })));
      };
      const { client, order, entries } = await script([rejection]);
      expect(await outcome(client, order)).toBe('SPONSOR_REJECTED');
      expect([...entries]).toEqual([['order', '{"key":"of-the-other"}']]);
    });
  });

  test.each(['RESERVATION_NOT_FOUND', 'FORBIDDEN', 'SPONSOR_REJECTED'])(
    'looks the transaction up if %s follows a lost response',
    async (code) => {
      const refused = fail(code, 'never', { digest: 'd' });
      const found = await script([lose, refused], true);
      expect(await outcome(found.client, found.order)).toEqual(recovered);
      expect(await outcome(found.client, found.order)).toEqual(recovered);
      expect(found.sent('executeTx')).toHaveLength(2);
    },
  );

  test('looks the transaction up by the field that the ledger has', async () => {
    const refused = fail('RESERVATION_NOT_FOUND', 'look-up', { digest: 'd' });
    const lookUps = [fail('UNAVAILABLE', 'backoff'), fail('GRAPHQL_VALIDATION_FAILED', 'never')];
    const { client, order, received } = await script([lose, refused, refused], true, [], lookUps);
    expect(await client.sponsor(order)).toEqual(recovered);
    const fields = received.map(({ query }) => /transaction\w*/.exec(query)?.[0]).filter(Boolean);
    expect(fields).toEqual(['transactionBlock', 'transactionBlock', 'transaction']);
  });

  test('keeps a transaction that may have run and that the ledger does not have yet', async () => {
    const refused = fail('RESERVATION_NOT_FOUND', 'never', { digest: 'd' });
    const { client, order, sent, entries } = await script([lose, refused, refused]);
    expect(await outcome(client, order)).toBe('RESERVATION_NOT_FOUND');
    expect(await outcome(client, order)).toBe('RESERVATION_NOT_FOUND');
    expect([sent('reserveGas').length, sent('executeTx').length, entries.size]).toEqual([1, 3, 1]);
  });

  test('does not take the transaction of another caller for its own', async () => {
    const refused = fail('RESERVATION_NOT_FOUND', 'never', { digest: 'other' });
    const { client, order } = await script([lose, refused], true);
    expect(await outcome(client, { ...order, sign: () => ({ ...signed, digest: 'd' }) })).toBe('RESERVATION_NOT_FOUND');
  });

  test('takes a result with an error in a join for a result', async () => {
    const { client, order } = await script([{ data: { executeTx: executed }, errors: [{ message: 'join' }] }]);
    expect(await client.sponsor(order)).toEqual(executed);
  });

  test('returns the result although the store is full', async () => {
    const { client, order } = await script([]);
    const setItem = async (key: string, value: string) => {
      if (value.includes('"result"')) throw new Error('full');
      await order.store.setItem(key, value);
    };
    expect(await client.sponsor({ ...order, store: { ...order.store, setItem } })).toEqual(executed);
  });

  test('stores the key before it reserves, and the signed transaction before it executes, for a page that reloads', async () => {
    const { client, order, received, kept, entries } = await script([lose]);
    await client.sponsor(order);
    const key = received[0]?.variables.idempotencyKey;
    expect(key).toMatch(/^\d+,\d+,\d+,\d+$/);
    expect(kept).toEqual([{ key }, { key, reservationId: 'r', signed }, { key, reservationId: 'r', signed }]);
    expect(JSON.parse(entries.get('order') ?? '')).toEqual({ key, result: executed });
  });

  describe('with the kind of a transaction', () => {
    const kind = 'a2luZA==';
    const completed = { bytes: 'Ynl0ZXM=', digest: 'd' };

    async function scriptKind(executions: Answer[], states: string[] = []) {
      const sponsorTransaction = () => ({
        ...completed,
        reservation: { ...reservation, state: states.shift() ?? 'ACTIVE' },
      });
      const gateway = await scriptGateway(({ query }) => {
        if (query.includes('sponsorTransaction(')) return { data: { sponsorTransaction: sponsorTransaction() } };
        return query.includes('executeTx(') ? (executions.shift() ?? done) : { data: { found: { digest: 'd' } } };
      });
      const sign = vi.fn((_: SponsoredTransaction) => ({ signature: 'c2ln' }));
      return { ...gateway, sign, order: { kind, sender: '0x5', sign } };
    }

    test('needs nothing but the kind, its sender and a signature', async () => {
      const { client, received, order, sign } = await scriptKind([]);
      expect(await client.sponsor(order)).toEqual(executed);
      expect(sign.mock.calls).toMatchObject([[{ ...completed, reservation }]]);
      const [sponsored, execution] = received.map(({ variables }) => variables);
      const idempotencyKey = expect.any(String);
      expect(sponsored).toEqual({ kind, sender: '0x5', reserveDurationSecs: 60, idempotencyKey });
      const signed = { txBytes: completed.bytes, userSig: 'c2ln' };
      expect(execution).toEqual({ reservationId: 'r', ...signed, idempotencyKey: sponsored?.idempotencyKey });
    });

    test('is another transaction in each call without a store', async () => {
      const { client, received, order } = await scriptKind([]);
      await Promise.all([client.sponsor(order), client.sponsor(order)]);
      expect(new Set(received.map(({ variables }) => variables.idempotencyKey)).size).toBe(2);
    });

    test('looks up the digest that the gateway gave, and completes the transaction again after an expiry', async () => {
      const unknown = fail('EXECUTION_OUTCOME_UNKNOWN', 'look-up');
      const { client, received, order, sign } = await scriptKind([unknown], ['EXPIRED']);
      expect(await client.sponsor(order)).toEqual(recovered);
      expect(sign).toHaveBeenCalledOnce();
      expect(received.at(-1)?.variables).toEqual({ digest: 'd' });
      const [first, second] = received.map(({ variables }) => variables.idempotencyKey);
      expect(second).toBe(`${first}+`);
    });

    test('asks the wallet once, although the page is reloaded', async () => {
      const { client, order, sign, url } = await scriptKind([lose]);
      const entries = new Map<string, string>();
      const store = {
        getItem: (key: string) => entries.get(key) ?? null,
        setItem: (key: string, value: string) => entries.set(key, value),
        removeItem: (key: string) => entries.delete(key),
      };
      const page = new AbortController();
      const onRetry = () => page.abort(new Error('reloaded'));
      const stored = { ...order, store, storeKey: 'constructor' };
      await expect(client.sponsor({ ...stored, signal: page.signal, onRetry })).rejects.toThrow('reloaded');
      expect(await createClient({ url }).sponsor(stored)).toEqual(executed);
      expect(sign).toHaveBeenCalledOnce();
    });
  });

  test('is one transaction for concurrent calls with one name, and another one for another name', async () => {
    const names: string[] = [];
    const request = (name: string, work: () => unknown) => names.push(name) && work();
    vi.stubGlobal('navigator', { locks: { request } });
    const { client, order, sent, entries } = await script([]);
    const other = { ...order, storeKey: 'other' };
    const results = await Promise.all([client.sponsor(order), client.sponsor(order), client.sponsor(other)]);
    vi.unstubAllGlobals();
    expect(results).toEqual([executed, executed, executed]);
    expect(names).toEqual(['ledger-gateway order', 'ledger-gateway other']);
    const keys = () => sent('reserveGas').map(({ variables }) => variables.idempotencyKey);
    expect([sent('executeTx').length, new Set(keys()).size]).toEqual([2, 2]);
    // The app has processed it, and the next one with this name is a new one.
    entries.delete('order');
    await client.sponsor(order);
    expect(new Set(keys()).size).toBe(3);
  });

  test.each([
    ['never', 1, 0],
    ['backoff', 2, 1],
  ])('forgets the key of a reservation only if it must %s be repeated', async (retry, requests, size) => {
    const answers = [fail('BAD_USER_INPUT', retry), { data: { reserveGas: { ...reservation, state: 'ACTIVE' } } }];
    const { client, received } = await scriptGateway(
      ({ query }) => (query.includes('reserveGas(') && answers.shift()) || done,
    );
    const { entries, order } = await script([]);
    await outcome(client, order);
    const reserving = received.filter(({ query }) => query.includes('reserveGas('));
    expect(reserving.map(({ variables }) => variables)).toEqual(Array(requests).fill(reserving[0]?.variables));
    expect(entries.size).toBe(size);
  });

  test('does not repeat longer than two minutes, and not after its signal', async () => {
    const late = await script([fail('UNAVAILABLE', 'backoff', { retryAfterMs: 120_001 })]);
    expect(await outcome(late.client, late.order)).toBe('UNAVAILABLE');
    const left = await script([fail('UNAVAILABLE', 'backoff', { retryAfterMs: 110_000 })]);
    const tab = new AbortController();
    const delays: number[] = [];
    const onRetry = (_: unknown, delayMs: number) => {
      delays.push(delayMs);
      setImmediate(() => tab.abort(new Error('left')));
    };
    await expect(left.client.sponsor({ ...left.order, signal: tab.signal, onRetry })).rejects.toThrow('left');
    expect(delays).toEqual([110_000]);
    for (const { entries, sent } of [late, left]) expect([sent('executeTx').length, entries.size]).toEqual([1, 1]);
  });

  test('reserves with another key if the reservation of the kept one has expired', async () => {
    const { client, order, sent } = await script([], false, ['ACTIVE', 'EXPIRED']);
    const declined = () => {
      throw new Error('declined');
    };
    await expect(client.sponsor({ ...order, sign: declined })).rejects.toThrow('declined');
    await client.sponsor(order);
    const [first, second, third] = sent('reserveGas').map(({ variables }) => variables.idempotencyKey);
    expect([second === first, third === first]).toEqual([true, false]);
    expect(sent('executeTx')[0]?.variables.idempotencyKey).toBe(third);
  });
});

test('delays double up to 10 s, are at least what the gateway says, and leave no listener', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(1);
  const after = (retryAfterMs: number | null) => Object.assign(new GatewayError({}), { retryAfterMs });
  const delays = [1, 2, 3, 5, 6, 60].map((failures) => toDelayMs(after(null), failures));
  expect(delays).toEqual([500, 1_000, 2_000, 8_000, 10_000, 10_000]);
  expect([toDelayMs(after(499), 1), toDelayMs(after(501), 1)]).toEqual([500, 501]);
  random.mockReturnValue(0.5);
  expect(toDelayMs(after(null), 1)).toBe(250);
  random.mockRestore();
  const { signal } = new AbortController();
  await wait(1, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

describe('tail', () => {
  const stream =
    (...events: string[]): Answer =>
    (response: ServerResponse) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join(''));
  const item = (id: string, data: object) => `event: next\nid: ${id}\ndata: ${JSON.stringify({ data })}\n\n`;
  const failed = (code: string, retry: string) =>
    `event: next\ndata: ${JSON.stringify(fail(code, retry)).replace('"data":{"executeTx":null},', '')}\n\nevent: complete\ndata:\n\n`;

  async function read(streams: Answer[], after?: string) {
    const left = [...streams];
    const { client, received } = await scriptGateway(() => left.shift() ?? stream(failed('FORBIDDEN', 'never')));
    const items: unknown[] = [];
    const codes: string[] = [];
    const onRetry = ({ code }: { code: string }) => codes.push(code);
    const end = await (async () => {
      for await (const { data, cursor } of client.tail('subscription', {}, { after, onRetry }))
        items.push([cursor, data]);
    })().catch(({ code }: { code: string }) => code);
    return { items, codes, end, resumed: received.map(({ headers }) => headers['last-event-id']) };
  }

  test('resumes after the last result, and throws an error that must not be repeated', async () => {
    const { items, codes, end, resumed } = await read(
      [
        stream('retry: 5\n:\n\n', 'id: begin\n\n', ':\n\n'),
        stream(item('1', { n: 1 }), item('2', { n: 2 })),
        lose,
        stream(item('3', { n: 3 }), failed('UNAVAILABLE', 'backoff')),
        (response: ServerResponse) => response.writeHead(502).end('proxy'),
      ],
      'saved',
    );
    expect(items).toEqual([1, 2, 3].map((n) => [String(n), { n }]));
    expect(resumed).toEqual(['saved', 'begin', '2', '2', '3', '3']);
    expect(codes).toEqual(['NETWORK_ERROR', 'NETWORK_ERROR', 'NETWORK_ERROR', 'UNAVAILABLE', 'BAD_RESPONSE']);
    expect(end).toBe('FORBIDDEN');
  });

  test('continues with the items that a LiveMissed reports as skipped', async () => {
    const missed = (count: number) => ({ liveEvents: { count, resumeAfter: '1' } });
    const { items, codes, resumed } = await read([
      stream(item('1', { n: 1 }), item('1', missed(3)), item('5', { n: 5 })),
      stream(item('2', { n: 2 }), item('2', missed(0))),
    ]);
    expect(items).toEqual([
      ['1', { n: 1 }],
      ['1', missed(3)],
      ['2', { n: 2 }],
      ['2', missed(0)],
    ]);
    expect(resumed).toEqual([undefined, '1', '2']);
    expect(codes).toEqual(['NETWORK_ERROR']);
  });

  test('stores the cursor once an item is processed, and drops one that the gateway rejects', async () => {
    const extensions = { code: 'CURSOR_KEY_UNKNOWN', retry: 'never', argument: 'Last-Event-ID' };
    const rejected = `data: ${JSON.stringify({ errors: [{ message: 'rejected', extensions }] })}\n\n`;
    const streams = [
      stream(item('1', { n: 1 }), item('2', { n: 2 })),
      stream(rejected),
      stream('id: begin\n\n', item('9', { n: 9 })),
    ];
    const { client, received } = await scriptGateway(() => streams.shift() ?? stream(failed('FORBIDDEN', 'never')));
    const kept = new Map([['events', 'old']]);
    const store = {
      getItem: async (key: string) => kept.get(key) ?? null,
      setItem: async (key: string, value: string) => kept.set(key, value),
      removeItem: async (key: string) => kept.delete(key),
    };
    const seen: unknown[] = [];
    const reported: unknown[] = [];
    const onRetry = ({ code }: { code: string }) => reported.push([code, kept.get('events')]);
    const tail = client.tail('subscription', {}, { store, storeKey: 'events', onRetry });
    const end = await (async () => {
      for await (const { data } of tail) seen.push([data, kept.get('events')]);
    })().catch(({ code }: { code: string }) => code);
    // The stored cursor is that of the item before, or the one at which the stream begins.
    expect(seen).toEqual([
      [{ n: 1 }, 'old'],
      [{ n: 2 }, '1'],
      [{ n: 9 }, 'begin'],
    ]);
    expect(reported).toEqual([
      ['NETWORK_ERROR', '2'],
      ['CURSOR_KEY_UNKNOWN', undefined],
      ['NETWORK_ERROR', '9'],
    ]);
    expect(received.map(({ headers }) => headers['last-event-id'])).toEqual(['old', '2', undefined, '9']);
    expect([end, kept.get('events')]).toEqual(['FORBIDDEN', '9']);
  });

  test('reads results that arrive in pieces', async () => {
    const bytes = Buffer.from(item('1', { text: 'Grüße\n\n' }));
    const pieces: Answer = async (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      for (const byte of bytes) {
        response.write(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
      response.end();
    };
    expect((await read([pieces])).items).toEqual([['1', { text: 'Grüße\n\n' }]]);
  });

  test('ends without an error when its signal aborts', async () => {
    const { client } = await scriptGateway(() => (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(item('1', { n: 1 }));
    });
    const tab = new AbortController();
    const items: unknown[] = [];
    for await (const { data } of client.tail('subscription', {}, { signal: tab.signal })) {
      items.push(data);
      setImmediate(() => tab.abort());
    }
    expect(items).toEqual([{ n: 1 }]);
    expect(getEventListeners(tab.signal, 'abort')).toEqual([]);
  });
});
