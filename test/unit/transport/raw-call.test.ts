import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { createRawCall, type RawResponse } from '../../../src/transport/raw-call.ts';
import type { UpstreamCallError } from '../../../src/transport/upstream-call.ts';
import { observeUpstream } from '../../../src/transport/upstream-health.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(handle: (req: IncomingMessage, res: ServerResponse) => void, connections = 8) {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const dispatcher = new Agent({ connections });
  closers.push(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    () => dispatcher.destroy(),
  );
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return createRawCall({ origin, dispatcher, maxResponseBytes: 1_000 });
}

type Outcome = { response?: RawResponse; error?: UpstreamCallError };

/** Calls; the outcomes are all that the listener ever hears. */
function start(call: ReturnType<typeof createRawCall>, timeoutMs = 5_000) {
  const outcomes: Outcome[] = [];
  let cancel = () => {};
  const first = new Promise<Outcome>((resolve) => {
    const hear = (outcome: Outcome) => {
      outcomes.push(outcome);
      resolve(outcome);
    };
    cancel = call(
      { path: '/graphql?a=1', headers: ['x-a', 'b'], body: '{"é":1}', timeoutMs },
      { answered: (response) => hear({ response }), failed: (error) => hear({ error }) },
    );
  });
  return { first, outcomes, cancel: () => cancel() };
}

describe('a raw call', () => {
  it('posts the body with its length, and hears the whole answer', async () => {
    const call = await serve((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        res.writeHead(203, {
          'x-a': `${req.method} ${req.url} ${req.headers['content-length']} ${req.headers['x-a']}`,
        });
        res.end(Buffer.concat(chunks));
      });
    });
    const { first, outcomes, cancel } = start(call);
    const { response } = await first;
    expect(response?.status).toBe(203);
    expect(response?.headers['x-a']).toBe('POST /graphql?a=1 8 b');
    expect(Buffer.concat(response?.chunks ?? []).toString()).toBe('{"é":1}');
    expect(response?.size).toBe(8);
    cancel();
    expect(outcomes).toHaveLength(1);
  });

  it.each<[string, string, (req: IncomingMessage, res: ServerResponse) => void]>([
    ['too-large', 'an answer over the bound', (_req, res) => void res.end('x'.repeat(1_001))],
    [
      'interrupted',
      'an answer cut short',
      (_req, res) => void res.writeHead(200, { 'content-length': 9 }).write('x', () => res.destroy()),
    ],
    ['interrupted', 'a connection that breaks', (req) => void req.socket.destroy()],
    ['timeout', 'no answer in time', () => {}],
  ])('fails as %s at %s', async (failure, _, handle) => {
    const { first } = start(await serve(handle), 300);
    expect((await first).error?.failure).toBe(failure);
  });

  it('fails as unreachable where nobody listens', async () => {
    const dispatcher = new Agent();
    closers.push(() => dispatcher.destroy());
    const call = createRawCall({ origin: 'http://127.0.0.1:1', dispatcher, maxResponseBytes: 1 });
    expect((await start(call).first).error?.failure).toBe('unreachable');
  });

  it('cancelled, is cut at the upstream and says so once', async () => {
    let arrived = () => {};
    const hasArrived = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    let cut = () => {};
    const isCut = new Promise<void>((resolve) => {
      cut = resolve;
    });
    const call = await serve((_req, res) => {
      res.once('close', cut);
      arrived();
    });
    const { first, outcomes, cancel } = start(call);
    await hasArrived;
    cancel();
    cancel();
    expect((await first).error?.failure).toBe('aborted');
    await isCut;
    expect(outcomes).toHaveLength(1);
  });

  it('waits for a connection no longer than for an answer, and is then not sent', async () => {
    const bodies: ServerResponse[] = [];
    const call = await serve((_req, res) => void bodies.push(res), 1);
    const before = start(call);
    const waiting = start(call, 50);
    expect((await waiting.first).error?.failure).toBe('timeout');
    await expect.poll(() => bodies.length).toBe(1);
    bodies[0]?.end('{}');
    expect((await before.first).response?.size).toBe(2);
    const after = start(call);
    await expect.poll(() => bodies.length).toBe(2);
    bodies[1]?.end('{"a":1}');
    expect((await after.first).response?.size).toBe(7);
    expect(bodies).toHaveLength(2);
  });

  it('tells of the upstream health as other calls do, and nothing when it was cancelled', async () => {
    let status = 200;
    const raw = await serve((_req, res) => {
      if (status === 0) res.destroy();
      else if (status > 0) res.writeHead(status).end();
    });
    const upstream = observeUpstream({ rawCall: raw, call: () => Promise.reject(new Error('not asked')) }, () => 7);
    expect(upstream.health().state).toBe('unknown');
    await start(upstream.rawCall).first;
    expect(upstream.health()).toEqual({ state: 'up', lastSeenMs: 7, detail: null });
    status = 503;
    await start(upstream.rawCall).first;
    expect(upstream.health()).toMatchObject({ state: 'degraded', detail: 'answered with HTTP status 503' });
    status = 0;
    await start(upstream.rawCall).first;
    expect(upstream.health().state).toBe('down');
    status = 200;
    await start(upstream.rawCall).first;
    status = -1;
    const { first, cancel } = start(upstream.rawCall);
    cancel();
    await first;
    expect(upstream.health().state).toBe('up');
  });
});
