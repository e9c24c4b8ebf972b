import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import { connectUpstream } from '../../../src/upstream/connect-upstream.ts';
import type { UpstreamRequest } from '../../../src/upstream/upstream-call.ts';
import { until } from '../../support/until.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A server, and an upstream at an address there. */
async function connect(
  handle: (req: IncomingMessage, res: ServerResponse) => void,
  { credentials = '', path = '/graphql' } = {},
) {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upstream = connectUpstream({
    name: 'ledger',
    urls: [`http://${credentials}127.0.0.1:${(server.address() as AddressInfo).port}${path}`],
    now: () => 7,
  });
  closers.push(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    () => upstream.close(),
  );
  return upstream;
}

const request: UpstreamRequest = { method: 'POST', path: '/', body: '{}', timeoutMs: 5_000 };

describe('calls beyond the number of connections', () => {
  it('wait up to a limit; above it one fails immediately, which does not affect the upstream’s health', async () => {
    const { rawCall, health } = await connect(() => {});
    const failures: string[] = [];
    const begin = (isMutation = false) =>
      rawCall(
        { method: 'POST', path: '/', headers: [], body: '{}', timeoutMs: 60_000, ...(isMutation && { runOnMs: 1 }) },
        { answered: () => {}, failed: ({ failure, mayHaveArrived }) => failures.push(`${failure} ${mayHaveArrived}`) },
      );
    const calls = Array.from({ length: 128 + 1_024 }, () => begin());
    expect(failures).toEqual([]);
    begin();
    begin(true);
    expect(failures).toEqual(['crowded false', 'crowded false']);
    expect(health()).toMatchObject({ state: 'unknown' });
    calls.at(-1)?.cancel('aborted');
    calls.push(begin());
    expect(failures).toEqual(['crowded false', 'crowded false', 'aborted true']);
    for (const call of calls) call.cancel('aborted');
  });

  it('wait with at most a limited number of body bytes', async () => {
    const { rawCall } = await connect(() => {});
    const failures: string[] = [];
    const body = Buffer.alloc(8 * 1024 * 1024);
    const begin = (size: number) =>
      rawCall(
        { method: 'POST', path: '/', headers: [], body: body.subarray(0, size), timeoutMs: 60_000 },
        { answered: () => {}, failed: ({ failure }) => failures.push(failure) },
      );
    const calls = Array.from({ length: 128 }, () => begin(1));
    for (let index = 0; index < 4; index += 1) calls.push(begin(body.length));
    expect(failures).toEqual([]);
    begin(1);
    expect(failures).toEqual(['crowded']);
    for (const call of calls) call.cancel('aborted');
  });

  it('are sent as others end, in any way', async () => {
    const held: ServerResponse[] = [];
    let served = 0;
    const { call } = await connect((_req, res) => {
      served += 1;
      if (served > 128) res.end('{}');
      else held.push(res);
    });
    const calls = Array.from({ length: 300 }, () =>
      call(request).then(
        () => 'answered',
        ({ failure }) => failure,
      ),
    );
    await until(() => held.length === 128, 'a call on each connection');
    for (const [index, res] of held.entries())
      if (index % 2 === 0) res.destroy();
      else res.end('{}');
    const ends = await Promise.all(calls);
    expect(ends.filter((end) => end === 'interrupted')).toHaveLength(64);
    expect(ends.filter((end) => end === 'answered')).toHaveLength(236);
  });
});

describe('a connected upstream', () => {
  it('uses path and query of its address', async () => {
    expect((await connect(() => {}, { path: '/v1/graphql?network=test' })).path).toBe('/v1/graphql?network=test');
  });

  it('stays healthy after a request that cannot be written', async () => {
    const { call, health } = await connect((_req, res) => res.end('{}'));
    await call(request);
    await expect(call({ ...request, headers: { authorization: 'Bearer a\nb' } })).rejects.toMatchObject({
      failure: 'unsendable',
      mayHaveArrived: false,
    });
    expect(health()).toMatchObject({ state: 'up' });
  });

  it.each([
    ['', undefined],
    ['user:p%40ss@', `Basic ${btoa('user:p@ss')}`],
    ['user:100%@', `Basic ${btoa('user:100%')}`],
    ['user@', `Basic ${btoa('user:')}`],
  ])('is called with the credentials of its address: %j', async (credentials, authorization) => {
    let seen: string | undefined;
    const handle = (req: IncomingMessage, res: ServerResponse) => {
      seen = req.headers.authorization;
      res.end();
    };
    const { call } = await connect(handle, { credentials });
    await call(request);
    expect(seen).toBe(authorization);
    await call({ ...request, headers: { authorization: 'Bearer own' } });
    expect(seen).toBe('Bearer own');
  });

  it('streams responses on at most half of its connections', async () => {
    let [asked, streamed] = [0, 0];
    const { rawCall } = await connect((_req, res) => {
      asked += 1;
      res.write('x'.repeat(20));
    });
    const sink = { data: () => true, end: () => {}, failed: () => {} };
    const calls = Array.from({ length: 128 }, () =>
      rawCall(
        { method: 'POST', path: '/', headers: [], body: '{}', timeoutMs: 5_000, streamAboveBytes: 10 },
        {
          answered: () => {},
          failed: () => {},
          stream: () => {
            streamed += 1;
            return sink;
          },
        },
      ),
    );
    await expect.poll(() => [asked, streamed]).toEqual([128, 64]);
    for (const call of calls) call.cancel('aborted');
  });

  it('records its health for every kind of call', async () => {
    const upstream = await connect((_req, res) => void res.writeHead(503).end());
    expect(upstream.health().state).toBe('unknown');
    await upstream.call(request);
    expect(upstream.health()).toMatchObject({ state: 'degraded', lastSeenMs: 7 });
  });

  it('is called once for identical concurrent reads that may be shared, and once for each that may not', async () => {
    const answers: ServerResponse[] = [];
    const { call } = await connect((_req, res) => void answers.push(res));
    const read = { ...request, isShareable: true };
    const all = [call(read), call(read), call(request), call(request)];
    await expect.poll(() => answers.length).toBe(3);
    for (const answer of answers) answer.end('x');
    expect((await Promise.all(all)).map(({ body }) => String(body))).toEqual(['x', 'x', 'x', 'x']);
    expect(answers).toHaveLength(3);
  });

  it('makes a call while others wait, each on its own connection', async () => {
    const slow: ServerResponse[] = [];
    const { call } = await connect((req, res) => void (req.url === '/slow' ? slow.push(res) : res.end('quick')));
    const waiting = Array.from({ length: 20 }, () => call({ ...request, path: '/slow' }));
    await expect.poll(() => slow.length).toBe(20);
    expect(String((await call(request)).body)).toBe('quick');
    for (const answer of slow) answer.end();
    await Promise.all(waiting);
  });

  it('closes when the calls in flight are done, and accepts no more', async () => {
    const answers: ServerResponse[] = [];
    const upstream = await connect((_req, res) => void answers.push(res));
    const before = upstream.call(request);
    await expect.poll(() => answers.length).toBe(1);
    let isClosed = false;
    const closing = upstream.close().then(() => {
      isClosed = true;
    });
    await expect(upstream.call(request)).rejects.toMatchObject({ failure: 'unreachable', mayHaveArrived: false });
    expect(isClosed).toBe(false);
    answers[0]?.end('done');
    expect(String((await before).body)).toBe('done');
    await closing;
  });
});

describe('an upstream whose last 20 calls failed', () => {
  // The time stands still, so that no trial is due before the test says so.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  async function fail() {
    const seen = { served: 0, status: 503, isSilent: false };
    const upstream = await connect((_req, res) => {
      seen.served += 1;
      if (!seen.isSilent) res.writeHead(seen.status).end();
    });
    const { call } = upstream;
    for (let count = 0; count < 20; count += 1) await call(request);
    const outcomes = async (count: number) => {
      const all: unknown[] = [];
      for (let each = 0; each < count; each += 1)
        all.push(
          await call(request).then(
            ({ status }) => status,
            ({ failure }) => failure,
          ),
        );
      return all;
    };
    return { seen, upstream, outcomes };
  }

  it('gets one call per trial, however many are refused', async () => {
    const { seen, upstream, outcomes } = await fail();
    expect(await outcomes(3)).toEqual(['refused', 'refused', 'refused']);
    // The pauses of 0.5, 1, 2 and 2 s vary by a fifth.
    for (const waitMs of [600, 1_200, 2_400, 2_400]) {
      vi.advanceTimersByTime(waitMs);
      expect(await outcomes(4)).toEqual([503, 'refused', 'refused', 'refused']);
    }
    expect(seen.served).toBe(24);
    expect(upstream.health().state).toBe('degraded');
  });

  it('gets all calls again after a trial that succeeds', async () => {
    const { seen, outcomes } = await fail();
    seen.status = 200;
    expect(await outcomes(1)).toEqual(['refused']);
    vi.advanceTimersByTime(600);
    expect(await outcomes(2)).toEqual([200, 200]);
    seen.status = 503;
    expect(await outcomes(20)).toEqual(Array(20).fill(503));
    expect(await outcomes(1)).toEqual(['refused']);
  });

  it('gets another trial at once if the client of one leaves', async () => {
    const { seen, upstream, outcomes } = await fail();
    vi.advanceTimersByTime(600);
    seen.isSilent = true;
    const cancellation = createCancellation();
    const left = upstream.call({ ...request, cancellation }).catch(({ failure }) => failure);
    await until(() => seen.served === 21, 'the trial');
    expect(await outcomes(1)).toEqual(['refused']);
    cancellation.cancel('aborted');
    expect(await left).toBe('aborted');
    seen.isSilent = false;
    expect(await outcomes(2)).toEqual([503, 'refused']);
  });
});
