import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Cancellation, createCancellation } from '../../../src/upstream/cancellation.ts';
import { createRoom, type PlaceFor } from '../../../src/upstream/quota.ts';
import {
  type CallInFlight,
  type CallWatch,
  type RawCall,
  type RawRequest,
  type RawResponse,
  watchCalls,
} from '../../../src/upstream/raw-call.ts';
import { createSendCall, type SendCallOptions } from '../../../src/upstream/send-call.ts';
import { createUpstreamCall, type UpstreamRequest } from '../../../src/upstream/upstream-call.ts';
import type { UpstreamCallError } from '../../../src/upstream/upstream-call-error.ts';
import { createHealthWatch } from '../../../src/upstream/upstream-health.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Handle = (req: IncomingMessage, res: ServerResponse) => void;

async function serve(handle: Handle, connections = 8, options: Partial<SendCallOptions> = {}) {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const dispatcher = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections });
  closers.push(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    () => dispatcher.destroy(),
  );
  return createSendCall({ dispatcher, maxResponseBytes: 1_000, ...options });
}

/** Says what it was sent. */
const echo: Handle = (req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const { 'content-length': length = 'none', 'x-a': a = 'none', authorization = 'none' } = req.headers;
    res.writeHead(203, { 'x-a': `${req.method} ${req.url} ${length} ${a} ${authorization}` });
    res.end(Buffer.concat(chunks));
  });
};

const failures: readonly [failure: string, at: string, handle: Handle][] = [
  ['too-large', 'an answer over the bound', (_req, res) => void res.end('x'.repeat(1_001))],
  [
    'interrupted',
    'an answer cut short of its length',
    (_req, res) => void res.writeHead(200, { 'content-length': 9 }).write('x', () => res.destroy()),
  ],
  ['interrupted', 'a chunked answer without its end', (_req, res) => void res.write('x', () => res.destroy())],
  ['interrupted', 'a connection that breaks', (req) => void req.socket.destroy()],
  ['timeout', 'no answer in time', () => {}],
  ['timeout', 'an answer that does not end in time', (_req, res) => void res.write('x')],
];

type Outcome = { response?: RawResponse; error?: UpstreamCallError };

/** Calls; the outcomes are all that the listener ever hears. */
function start(call: RawCall, timeoutMs = 5_000, request: Partial<RawRequest> = {}) {
  const outcomes: Outcome[] = [];
  let underWay: CallInFlight | undefined;
  const first = new Promise<Outcome>((resolve) => {
    const hear = (outcome: Outcome) => {
      outcomes.push(outcome);
      resolve(outcome);
    };
    underWay = call(
      { method: 'POST', path: '/graphql?a=1', headers: ['x-a', 'b'], body: '{"é":1}', timeoutMs, ...request },
      { answered: (response) => hear({ response }), failed: (error) => hear({ error }) },
    );
  });
  return { first, outcomes, cancel: () => underWay?.cancel('aborted') };
}

/** An upstream that never answers, what has arrived there, and when the connection is gone. */
async function silence(): Promise<{ call: RawCall; arrived: Promise<void>; cut: Promise<void> }> {
  let [hasArrived, isCut] = [() => {}, () => {}];
  const arrived = new Promise<void>((resolve) => {
    hasArrived = resolve;
  });
  const cut = new Promise<void>((resolve) => {
    isCut = resolve;
  });
  const call = await serve((_req, res) => {
    res.once('close', isCut);
    hasArrived();
  });
  return { call, arrived, cut };
}

describe('responses being received', () => {
  const kib = 1024;
  const half: Handle = (req, res) => {
    const size = Number(req.headers['x-size']);
    res.writeHead(200, { 'content-length': size + 1 }).write('x'.repeat(size));
    if (req.headers['x-whole']) res.end('x');
  };
  const sized = (size: number) => ({ headers: ['x-size', String(size)] });

  it('are dropped if all together take too much memory, the oldest large one first', async () => {
    const arrivals = createRoom(300 * kib);
    const call = await serve(half, 8, { maxResponseBytes: 1_000 * kib, arrivals });
    const small = start(call, 60_000, sized(60 * kib));
    const vital = start(call, 60_000, { ...sized(200 * kib), isVital: true });
    const first = start(call, 60_000, sized(140 * kib));
    const second = start(call, 60_000, sized(140 * kib));
    const third = start(call, 60_000, sized(140 * kib));
    const lost = await Promise.race([first.first, second.first, third.first]);
    expect(lost.error?.failure).toBe('crowded-out');
    const others = [small, vital, first, second, third].filter(({ outcomes }) => outcomes.length === 0);
    expect(others).toHaveLength(4);
    expect(others).toEqual(expect.arrayContaining([small, vital]));
    for (const each of others) each.cancel();
  });

  it('take no memory once they are complete', async () => {
    const counts = { begun: 0, left: 0 };
    const arrivals: PlaceFor = {
      enter() {
        counts.begun += 1;
        return {
          hold() {},
          leave() {
            counts.left += 1;
          },
        };
      },
    };
    const call = await serve(half, 8, { maxResponseBytes: 1_000 * kib, arrivals });
    const whole = start(call, 60_000, { headers: [...sized(200 * kib).headers, 'x-whole', '1'] });
    expect((await whole.first).response?.size).toBe(200 * kib + 1);
    expect(counts).toEqual({ begun: 1, left: 1 });
  });
});

describe('a raw call', () => {
  it.each<[string, RawRequest['body'], string]>([
    ['text', '{"é":1}', 'POST /graphql?a=1 8 b none'],
    ['bytes', new TextEncoder().encode('{"é":1}'), 'POST /graphql?a=1 8 b none'],
  ])('posts %s with its length, and hears the whole answer', async (_, body, seen) => {
    const { first, outcomes, cancel } = start(await serve(echo), 5_000, { body });
    const { response } = await first;
    expect(response?.status).toBe(203);
    expect(response?.headers.get('x-a')).toBe(seen);
    expect(Buffer.concat(response?.chunks ?? []).toString()).toBe('{"é":1}');
    expect(response?.size).toBe(8);
    cancel();
    expect(outcomes).toHaveLength(1);
  });

  it('gets without a body', async () => {
    const { response } = await start(await serve(echo), 5_000, { method: 'GET', body: null, headers: [] }).first;
    expect(response?.headers.get('x-a')).toBe('GET /graphql?a=1 none none none');
  });

  it('follows no redirect, and takes an interim answer for none', async () => {
    const call = await serve((_req, res) => {
      res.writeEarlyHints({ link: '</a>; rel=preload', 'x-b': '1' });
      res.writeHead(307, { location: '/other' }).end();
    });
    const { response } = await start(call).first;
    expect([response?.status, response?.headers.get('location'), response?.headers.get('x-b')]).toEqual([
      307,
      '/other',
      undefined,
    ]);
  });

  it.each([
    [['x-a', 'b'], 'Basic eA=='],
    [['authorization', 'Bearer own'], 'Bearer own'],
    [['x-a', 'authorization'], 'Basic eA=='],
  ])('with headers %j is authorized as %s', async (headers, authorization) => {
    const call = await serve(echo, 1, { added: { list: ['authorization', 'Basic eA=='] } });
    const { response } = await start(call, 5_000, { headers }).first;
    expect(String(response?.headers.get('x-a')).endsWith(` ${authorization}`)).toBe(true);
  });

  it.each(failures)('fails as %s at %s', async (failure, _, handle) => {
    const { first, outcomes } = start(await serve(handle), 300);
    expect((await first).error?.failure).toBe(failure);
    expect(outcomes).toHaveLength(1);
  });

  it('fails as unreachable if nothing listens, and if no more calls are accepted', async () => {
    const dispatcher = new Pool('http://127.0.0.1:1');
    const call = createSendCall({ dispatcher, maxResponseBytes: 1 });
    expect((await start(call).first).error?.failure).toBe('unreachable');
    await dispatcher.close();
    expect((await start(call).first).error?.failure).toBe('unreachable');
  });

  it('that is cancelled is cut at the upstream and reports it once', async () => {
    const { call, arrived, cut } = await silence();
    const { first, outcomes, cancel } = start(call);
    await arrived;
    cancel();
    cancel();
    expect((await first).error?.failure).toBe('aborted');
    await cut;
    expect(outcomes).toHaveLength(1);
  });

  it('waits for a connection no longer than for a response, and is then not sent', async () => {
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

  it('updates the health of the upstream, except if it was cancelled', async () => {
    let status = 200;
    const watch = createHealthWatch(() => 7);
    const answer: Handle = (_req, res) => {
      if (status === 0) res.destroy();
      else if (status === 413) res.end('x'.repeat(1_001));
      else if (status > 0) res.writeHead(status).end();
    };
    const call = watchCalls(watch)(await serve(answer));
    expect(watch.health()).toEqual({ state: 'unknown', lastSeenMs: null, detail: null });
    await start(call).first;
    expect(watch.health()).toEqual({ state: 'up', lastSeenMs: 7, detail: null });
    status = 503;
    await start(call).first;
    expect(watch.health()).toMatchObject({ state: 'degraded', detail: 'answered with HTTP status 503' });
    status = 0;
    await start(call).first;
    expect(watch.health()).toMatchObject({ state: 'down', lastSeenMs: 7 });
    status = 413;
    await start(call).first;
    expect(watch.health().state).toBe('degraded');
    status = 200;
    await start(call).first;
    status = -1;
    const { first, cancel } = start(call);
    cancel();
    await first;
    expect(watch.health().state).toBe('up');
  });
});

describe('a large response', () => {
  interface Streamed extends Outcome {
    readonly begun: number;
    readonly text: string;
    readonly isWhole: boolean;
  }

  /** Takes the answer as it comes, if it is over 10 bytes; `onData` says whether there is room for more. */
  function stream(
    call: RawCall,
    onData: (resume: () => void) => boolean = () => true,
    timeoutMs = 5_000,
  ): { done: Promise<Streamed>; underWay: CallInFlight } {
    let underWay: CallInFlight = { isSent: false, cancel: () => {} };
    const done = new Promise<Streamed>((resolve) => {
      let text = '';
      let begun = 0;
      const settle = (how: Partial<Streamed>) => resolve({ begun, text, isWhole: false, ...how });
      underWay = call(
        { method: 'POST', path: '/', headers: [], body: '{}', timeoutMs, streamAboveBytes: 10 },
        {
          answered: (response) => settle({ response }),
          failed: (error) => settle({ error }),
          stream: ({ chunks, size, status }, resume) => {
            if (status !== 200) return null;
            begun = size;
            text = Buffer.concat(chunks).toString();
            return {
              data: (chunk) => {
                text += String(chunk);
                return onData(resume);
              },
              end: () => settle({ isWhole: true }),
              failed: (error) => settle({ error }),
            };
          },
        },
      );
    });
    return { done, underWay };
  }

  const large = 'x'.repeat(900);

  it('is streamed to a listener that accepts it', async () => {
    const call = await serve((_req, res) => void res.write('x'.repeat(20), () => res.end(large)));
    const { begun, text, isWhole } = await stream(call).done;
    expect([begun, text.length, isWhole]).toEqual([20, 920, true]);
  });

  it('is collected if the listener does not accept it', async () => {
    const call = await serve((_req, res) => void res.writeHead(203).write('x'.repeat(20), () => res.end('y')));
    expect((await stream(call).done).response?.size).toBe(21);
  });

  describe.each([
    ['taken as it comes', 200],
    ['collected', 203],
  ])('%s', (_, status) => {
    it.each([
      [1_000, 'whole'],
      [1_001, 'too-large'],
    ])('of %i bytes is %s, because it is limited in both cases', async (size, outcome) => {
      const call = await serve(
        (_req, res) => void res.writeHead(status).write('x'.repeat(20), () => res.end('x'.repeat(size - 20))),
      );
      const { text, isWhole, response, error } = await stream(call).done;
      expect(error?.failure ?? 'whole').toBe(outcome);
      if (outcome === 'whole') expect(response?.size ?? text.length).toBe(size);
      expect(isWhole).toBe(outcome === 'whole' && status === 200);
    });
  });

  it('whose announced length is too large is rejected before anything is passed on', async () => {
    const call = await serve((_req, res) => {
      // The rest does not come: nothing else could show that it is too large.
      res.writeHead(200, { 'content-length': 1_001 }).write('x'.repeat(20));
    });
    const { begun, error } = await stream(call).done;
    expect([begun, error?.failure]).toEqual([0, 'too-large']);
  });

  it('is delivered whole below the streaming threshold', async () => {
    expect((await stream(await serve((_req, res) => void res.end('x'.repeat(10)))).done).response?.size).toBe(10);
  });

  it('arrives no faster than it is read', async () => {
    const mebibyte = Buffer.alloc(1024 * 1024, 'x');
    let written = 0;
    function* answer() {
      for (; written < 64; written += 1) yield mebibyte;
    }
    const call = await serve((_req, res) => void Readable.from(answer()).pipe(res), 1, {
      maxResponseBytes: 64 * mebibyte.length,
    });
    let pauses = 0;
    let goOn = () => {};
    const take = (resume: () => void) => {
      goOn = resume;
      pauses += 1;
      return pauses > 1;
    };
    const { done } = stream(call, take, 60_000);
    // What sockets hold is not unlimited, so that the server gets stuck.
    await expect.poll(() => pauses).toBe(1);
    const seen: number[] = [];
    await expect.poll(() => seen.push(written) > 1 && seen.at(-1) === seen.at(-2), { interval: 100 }).toBe(true);
    expect(written).toBeLessThan(64);
    expect(pauses).toBe(1);
    goOn();
    const { text, isWhole } = await done;
    expect([text.length, isWhole]).toEqual([64 * 1024 * 1024, true]);
  });

  it.each<[string, string, Handle]>([
    ['interrupted', 'breaks off', (_req, res) => void res.write(large, () => setImmediate(() => res.destroy()))],
    ['timeout', 'does not end in time', (_req, res) => void res.write(large)],
  ])('says that it is %s when it %s', async (failure, _, handle) => {
    const { error, text, isWhole } = await stream(await serve(handle), () => true, 300).done;
    expect([error?.failure, text, isWhole]).toEqual([failure, large, false]);
  });

  it('that is abandoned is cut at the upstream', async () => {
    let cut = () => {};
    const isCut = new Promise<void>((resolve) => {
      cut = resolve;
    });
    const call = await serve((_req, res) => void res.once('close', cut).write(large));
    const { done, underWay } = stream((request, listener) =>
      call(request, {
        ...listener,
        stream: (begun, resume) => {
          setImmediate(() => underWay.cancel('aborted'));
          return listener.stream?.(begun, resume) ?? null;
        },
      }),
    );
    expect((await done).error?.failure).toBe('aborted');
    await isCut;
  });
});

describe('a paused response', () => {
  /** What undici tells a call, told by a test. */
  type Told = Required<Pick<Dispatcher.DispatchHandler, 'onConnect' | 'onHeaders' | 'onData' | 'onComplete'>>;

  const piece = Buffer.alloc(20, 'x');
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Calls that take all answers over 10 bytes as they come, have room when a test says so, and say what they heard. */
  function open(options: Partial<SendCallOptions> = {}, watch: CallWatch = { answered() {}, failed() {} }) {
    const handlers: Told[] = [];
    const dispatcher = { dispatch: (_options: unknown, handler: Told) => handlers.push(handler) };
    const call = watchCalls(watch)(
      createSendCall({ dispatcher: dispatcher as unknown as Dispatcher, maxResponseBytes: 1_000, ...options }),
    );
    /** A call of which 20 bytes have come. */
    return (onBegun: (underWay: CallInFlight) => void = () => {}) => {
      const heard: string[] = [];
      const reader = { hasRoom: false, resume: () => {} };
      const fail = ({ failure }: UpstreamCallError) => void heard.push(failure);
      const underWay = call(
        { method: 'POST', path: '/', headers: [], body: '{}', timeoutMs: 60_000, streamAboveBytes: 10 },
        {
          answered: () => void heard.push('answered'),
          failed: fail,
          stream: (_begun, resume) => {
            heard.push('streamed');
            reader.resume = resume;
            onBegun(underWay);
            return { data: () => reader.hasRoom, end: () => void heard.push('ended'), failed: fail };
          },
        },
      );
      const told = handlers.at(-1);
      if (!told) throw new Error('the call was not made');
      told.onConnect(() => heard.push('cut'));
      told.onHeaders(200, [], () => heard.push('resumed'), 'OK');
      told.onData(piece);
      return { told, heard, reader, underWay };
    };
  }

  it('is cut after five seconds, which does not affect the upstream’s health', async () => {
    const watch = createHealthWatch(() => 7);
    const { told, heard } = open({}, watch)();
    expect(told.onData(piece)).toBe(false);
    await vi.advanceTimersByTimeAsync(4_000);
    // What was on its way does not begin the wait anew.
    expect(told.onData(piece)).toBe(false);
    await vi.advanceTimersByTimeAsync(999);
    expect(heard).toEqual(['streamed']);
    await vi.advanceTimersByTimeAsync(2);
    expect(heard).toEqual(['streamed', 'cut', 'aborted']);
    expect(watch.health().state).toBe('unknown');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that is resumed in time may take any time in total', async () => {
    const { told, heard, reader } = open()();
    for (let pause = 0; pause < 10; pause += 1) {
      expect(told.onData(piece)).toBe(false);
      await vi.advanceTimersByTimeAsync(4_999);
      reader.resume();
    }
    reader.hasRoom = true;
    expect(told.onData(piece)).toBe(true);
    await vi.advanceTimersByTimeAsync(9_000);
    told.onComplete([]);
    expect(heard).toEqual(['streamed', ...Array.from({ length: 10 }, () => 'resumed'), 'ended']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that is paused again is cut all the same', async () => {
    const { told, heard, reader } = open()();
    told.onData(piece);
    reader.resume();
    told.onData(piece);
    await vi.advanceTimersByTimeAsync(5_001);
    expect(heard).toEqual(['streamed', 'resumed', 'cut', 'aborted']);
  });

  it('counts data in transit as the same pause', async () => {
    const { told, heard, reader } = open()();
    for (let count = 0; count < 3; count += 1) expect(told.onData(piece)).toBe(false);
    expect(vi.getTimerCount()).toBe(2);
    reader.resume();
    reader.hasRoom = true;
    // Only the deadline of the call is left.
    expect(vi.getTimerCount()).toBe(1);
    for (let count = 0; count < 3; count += 1) expect(told.onData(piece)).toBe(true);
    await vi.advanceTimersByTimeAsync(30_000);
    told.onComplete([]);
    expect(heard).toEqual(['streamed', 'resumed', 'ended']);
  });

  it('that ends meanwhile is neither waited for nor resumed', () => {
    const { told, heard, reader, underWay } = open()();
    told.onData(piece);
    underWay.cancel('aborted');
    reader.resume();
    expect(heard).toEqual(['streamed', 'cut', 'aborted']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('counts against a limit; responses beyond it are collected, and each one that ends makes room', () => {
    const begin = open({ maxStreams: 2 });
    const [first, second, third] = [begin(), begin(), begin()];
    expect([first, second, third].map(({ heard }) => heard)).toEqual([['streamed'], ['streamed'], []]);
    expect(third.told.onData(piece)).toBe(true);
    first.underWay.cancel('aborted');
    const fourth = begin();
    expect(fourth.heard).toEqual(['streamed']);
    second.told.onComplete([]);
    third.told.onComplete([]);
    expect([second.heard, third.heard]).toEqual([['streamed', 'ended'], ['answered']]);
    expect([begin(), begin()].map(({ heard }) => heard)).toEqual([['streamed'], []]);
  });

  it('that is abandoned immediately takes no room from others', () => {
    const begin = open({ maxStreams: 1 });
    expect(begin((underWay) => underWay.cancel('aborted')).heard).toEqual(['streamed', 'cut', 'aborted']);
    expect(begin().heard).toEqual(['streamed']);
  });
});

describe('an upstream call', () => {
  const request: UpstreamRequest = { method: 'POST', path: '/graphql?a=1', body: '{"é":1}', timeoutMs: 30_000 };

  it('resolves with the body in one piece, however many it came in', async () => {
    const call = createUpstreamCall(
      await serve((_req, res) => void res.write('one ', () => setImmediate(() => res.end('two')))),
    );
    expect(String((await call(request)).body)).toBe('one two');
  });

  it('sends headers by their names', async () => {
    const call = createUpstreamCall(await serve(echo));
    const { headers, status } = await call({ ...request, headers: { 'x-a': 'b', authorization: 'c' } });
    expect([status, headers.get('x-a')]).toEqual([203, 'POST /graphql?a=1 8 b c']);
  });

  it.each(failures)('rejects as %s at %s', async (failure, _, handle) => {
    const timeoutMs = failure === 'timeout' ? 300 : request.timeoutMs;
    const call = createUpstreamCall(await serve(handle));
    await expect(call({ ...request, timeoutMs })).rejects.toMatchObject({ failure });
  });

  it.each(['aborted', 'timeout'] as const)('is cancelled if its operation is %s', async (cause) => {
    const { call, arrived, cut } = await silence();
    const cancellation = createCancellation();
    const answer = createUpstreamCall(call)({ ...request, timeoutMs: 5_000, cancellation });
    const rejected = expect(answer).rejects.toMatchObject({ failure: cause });
    await arrived;
    cancellation.cancel(cause);
    await rejected;
    await cut;
  });

  it.each([
    ['answered', (_req: IncomingMessage, res: ServerResponse) => void res.end()],
    ['failed', (req: IncomingMessage) => void req.socket.destroy()],
  ])('that has %s is not kept by an operation that continues', async (_, handle) => {
    const call = createUpstreamCall(await serve(handle));
    const cancellation = createCancellation();
    let listening = 0;
    const counted: Cancellation = {
      cause: null,
      bytesRead: 0,
      calls: 0,
      signal: cancellation.signal,
      onCancel: (listener) => {
        const stop = cancellation.onCancel(listener);
        listening += 1;
        return () => {
          listening -= 1;
          stop();
        };
      },
    };
    await call({ ...request, cancellation: counted }).catch(() => {});
    expect(listening).toBe(0);
  });

  it('counts its bytes for its operation', async () => {
    const call = createUpstreamCall(await serve((_req, res) => void res.end('x'.repeat(100))));
    const cancellation = createCancellation();
    await call({ ...request, cancellation });
    await call({ ...request, cancellation });
    expect(cancellation.bytesRead).toBe(200);
  });

  it('of an operation that has ended is not made', async () => {
    let asked = 0;
    const call = createUpstreamCall(
      await serve((_req, res) => {
        asked += 1;
        res.end();
      }),
    );
    const over = createCancellation();
    over.cancel('timeout');
    await expect(call({ ...request, cancellation: over })).rejects.toMatchObject({ failure: 'timeout' });
    await call(request);
    expect(asked).toBe(1);
  });
});
