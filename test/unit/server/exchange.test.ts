import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { gatewayError } from '../../../src/errors/gateway-error.ts';
import type { Compression } from '../../../src/server/compression.ts';
import { Exchange, type ExchangeOptions } from '../../../src/server/exchange.ts';
import { IncomingRequest, readBody } from '../../../src/server/read-body.ts';
import type { OperationFacts } from '../../../src/telemetry/request-line.ts';
import { countLiveObjects } from '../../support/count-live-objects.ts';
import { openRawClient } from '../../support/raw-client.ts';
import { toTestCaller } from '../../support/test-caller.ts';
import { until } from '../../support/until.ts';

const faults: [unknown, string | undefined][] = [];
const options: ExchangeOptions = {
  stamps: () => ['x-stamp', 'a'],
  usageHeaders: [],
  vary: 'accept',
  compression: null,
  telemetry: { errorMasked: (error, requestId) => void faults.push([error, requestId]) },
  turns: { run: (_key, _client, work) => work(), runNext: (_key, _client, work) => work() },
  stallMs: 1_000,
  idleMs: 9_000,
  onLongUnread: () => {},
  onStream: () => {},
  now: () => 0,
};

let close: (() => Promise<unknown>) | undefined;
afterEach(() => close?.());

/** Serves one request as told and asks for it. */
async function ask(serve: (exchange: Exchange) => void, given: Partial<ExchangeOptions> = {}): Promise<Response> {
  faults.length = 0;
  const server = createServer({ IncomingMessage: IncomingRequest }, (req, res) =>
    serve(new Exchange(req, res, req.url ?? '', { ...options, ...given })),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
    headers: { 'x-request-id': 'of-mine' },
  });
}

const fault = new Error('with the address of a database in it');

describe('an unexpected error', () => {
  it('before the response becomes a response without details', async () => {
    const response = await ask((exchange) => exchange.failWith(Promise.reject(fault)));
    expect([response.status, response.headers.get('x-stamp')]).toEqual([500, 'a']);
    expect(await response.json()).toEqual({
      errors: [{ message: 'Unexpected error.', extensions: { code: 'INTERNAL_SERVER_ERROR', retry: 'backoff' } }],
    });
    expect(faults).toEqual([[fault, 'of-mine']]);
  });

  it('during a response aborts it, so the client does not take it for complete', async () => {
    const response = await ask((exchange) => {
      exchange.writeHead(200, 'text/plain', null);
      exchange.res.write('half', () => exchange.fail(fault));
    });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect(faults).toEqual([[fault, 'of-mine']]);
  });
});

describe('an exchange that has ended', () => {
  it('calls a listener that comes after its client has left', async () => {
    let isCalled = false;
    const asked = ask((exchange) => {
      exchange.req.socket.destroy();
      exchange.onGone(() => {
        isCalled = true;
      });
    });
    await expect(asked).rejects.toThrow();
    expect(isCalled).toBe(true);
  });

  it('calls its listeners once, and keeps nothing of them', async () => {
    class Answer {
      giveUp(): void {
        given += 1;
      }
    }
    let given = 0;
    const kept: Exchange[] = [];
    await ask((exchange) => {
      for (let count = 0; count < 2; count += 1) {
        const answer = new Answer();
        exchange.onGone(() => answer.giveUp());
      }
      exchange.writeHead(200, 'text/plain', 0);
      exchange.res.end();
      void exchange.close();
      kept.push(exchange);
    });
    expect([given, kept.length, countLiveObjects(Answer)]).toEqual([2, 1, 0]);
  });

  it('leaves its connection with the usual idle timeout', async () => {
    const timeouts: (number | undefined)[] = [];
    await ask((exchange) => {
      const { socket } = exchange.req;
      exchange.boundReading();
      timeouts.push(socket.timeout);
      exchange.writeHead(200, 'text/plain', 0);
      exchange.res.end();
      void exchange.close();
      timeouts.push(socket.timeout);
    });
    expect(timeouts).toEqual([1_000, 9_000]);
  });

  it('no longer waits for its body', async () => {
    const [read, arrivals]: [string[], string[]] = [[], []];
    const arrival = { hold: () => void arrivals.push('held'), leave: () => void arrivals.push('left') };
    let refuse = () => {};
    const server = createServer({ IncomingMessage: IncomingRequest }, (req, res) => {
      const exchange = new Exchange(req, res, '/', options);
      exchange.isReading = true;
      readBody(req, '', { maxBytes: 100, arrivals: { enter: () => arrival } }, ({ kind }) => read.push(kind));
      res.on('close', () => exchange.close());
      refuse = () => exchange.abandon();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    close = () => new Promise((resolve) => server.close(resolve));
    const client = await openRawClient((server.address() as AddressInfo).port);
    await client.send('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nabc');
    await until(() => arrivals.length > 0, 'a part of the body');
    refuse();
    expect(await client.whole()).toMatch(/^HTTP\/1.1 503 /);
    await until(() => arrivals.length > 1, 'the body is given up');
    expect([read, arrivals]).toEqual([['aborted'], ['held', 'left']]);
  });

  it('releases the memory of its body, and the body', async () => {
    let released = 0;
    let kept: Exchange | undefined;
    await ask((exchange) => {
      kept = exchange;
      exchange.body = Buffer.from('{}');
      const release = () => {
        released += 1;
      };
      exchange.held = { keep() {}, release };
      exchange.writeHead(200, 'text/plain', 0);
      exchange.res.end();
      void exchange.close();
    });
    expect([released, kept?.body, kept?.held]).toEqual([1, null, undefined]);
  });
});

it('a request that has no response yet is recorded as left by its client', async () => {
  const statuses: number[] = [];
  await ask((exchange) => {
    statuses.push(exchange.toRecord().status);
    exchange.writeHead(206, 'text/plain', 0);
    exchange.res.end();
    statuses.push(exchange.toRecord().status);
  });
  expect(statuses).toEqual([499, 206]);
});

it('a batch takes its counted caller once', async () => {
  const caller = toTestCaller();
  const taken: unknown[] = [];
  await ask((exchange) => {
    const { takeCounted, turnKey } = exchange.toYogaContext(caller);
    taken.push(turnKey, takeCounted(), takeCounted());
    exchange.refuse('BAD_REQUEST', 'No.');
  });
  expect(taken).toEqual([caller.rate.key, caller, null]);
});

it.each(['before', 'after'])('the rest of the limit is in the headers if it is known %s they are set', async (when) => {
  const { headers } = await ask((exchange) => {
    if (when === 'after') exchange.stamp();
    exchange.onStanding({ limit: 5, remaining: 4, resetsAtMs: 60_000 });
    exchange.stamp();
    exchange.res.end();
  });
  expect([headers.get('ratelimit'), headers.get('x-stamp')]).toEqual(['"default";r=4;t=60', 'a']);
});

it('the rest of the limit that becomes known after the headers were sent changes nothing', async () => {
  const { status, headers } = await ask((exchange) => {
    exchange.stamp();
    exchange.writeHead(200, 'text/plain', 0);
    exchange.onStanding({ limit: 5, remaining: 4, resetsAtMs: 60_000 });
    exchange.res.end();
  });
  expect([status, headers.get('ratelimit')]).toEqual([200, null]);
});

it.each([
  ['queries', ['query', 'query'], 11, 'br', 'accept-encoding'],
  ['queries, if it is short', ['query'], 10, null, null],
  // Compressed, it would reveal what its secrets have in common with the client's text.
  ['a mutation beside a query', ['query', 'mutation'], 11, null, null],
  ['a mutation', ['mutation'], 11, null, null],
  ['no operation', [], 11, null, null],
] as const)('a response to %s has its encoding, and varies by it', async (_, types, size, encoding, vary) => {
  const chosen: unknown[] = [];
  const compression = { isFor: (bytes: number) => bytes > 10, choose: () => 'br' } as unknown as Compression;
  const { headers } = await ask(
    (exchange) => {
      exchange.operations.push(...types.map((type) => ({ type }) as OperationFacts));
      chosen.push(exchange.chooseEncoding(size));
      exchange.writeHead(200, 'text/plain', 0);
      exchange.res.end();
    },
    { compression },
  );
  expect([chosen, headers.get('vary')]).toEqual([[encoding], vary]);
});

const quota = { limit: 5, remaining: 0, resetsAtMs: 7_000 };
it.each([
  ['over the limit', { ...quota, isGranted: false, retryAfterSeconds: 7 } as const, '7', '"default";r=0;t=7'],
  ['within the limit', quota, '5', '"default";r=0;t=7'],
  ['without a limit', null, '5', null],
])('a rejection of a caller %s says once when to retry', async (_, standing, retryAfter, ratelimit) => {
  const { headers } = await ask((exchange) => {
    exchange.onStanding(standing);
    exchange.refuseWith(gatewayError('UNAVAILABLE', 'No.', { retryAfterMs: 4_001 }));
  });
  expect([headers.get('retry-after'), headers.get('ratelimit')]).toEqual([retryAfter, ratelimit]);
});

describe('an answer', () => {
  /** Answers one request. Returns whether the gateway bounds the reading, and whether it checks all unread bytes now. */
  async function answer(size: number, read: boolean): Promise<readonly [isAwaited: boolean, isChecked: boolean]> {
    let [isAwaited, isChecked] = [false, false];
    const onLongUnread = () => {
      isChecked = true;
    };
    let wasClosed = () => {};
    const closed = new Promise<void>((resolve) => {
      wasClosed = resolve;
    });
    const server = createServer({ IncomingMessage: IncomingRequest }, (req, res) => {
      const exchange = new Exchange(req, res, '/', { ...options, stallMs: 50, onLongUnread });
      req.socket.once('close', wasClosed);
      exchange.writeHead(200, 'text/plain', size);
      res.end(Buffer.alloc(size, 'x'));
      exchange.awaitReading();
      isAwaited = req.socket.timeout === 50;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = await openRawClient((server.address() as AddressInfo).port);
    if (!read) client.stopReading();
    await client.send('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    if (read) {
      await client.receive(/x$/);
      client.vanish('closing');
    }
    await closed;
    client.vanish('closing');
    await new Promise((resolve) => server.close(resolve));
    return [isAwaited, isChecked];
  }

  it('that the client does not read closes the connection', async () => {
    expect(await answer(64 * 1024 * 1024, false)).toEqual([true, true]);
  });

  it('that the system accepts immediately is not waited for', async () => {
    expect(await answer(100, true)).toEqual([false, false]);
  });
});
