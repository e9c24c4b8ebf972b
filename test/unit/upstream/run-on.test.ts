import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { Pool } from 'undici';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import { watchCalls } from '../../../src/upstream/raw-call.ts';
import { letRunOn, RecentWriters } from '../../../src/upstream/run-on.ts';
import { createSendCall } from '../../../src/upstream/send-call.ts';
import { createUpstreamCall, type UpstreamResponse } from '../../../src/upstream/upstream-call.ts';
import { toCancelledError, UpstreamCallError } from '../../../src/upstream/upstream-call-error.ts';
import { createHealthWatch } from '../../../src/upstream/upstream-health.ts';
import { until } from '../../support/until.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A server that answers when it is told to, behind as many connections as given. */
async function setUp(connections = 1) {
  const held: ServerResponse[] = [];
  const seen = { requests: 0, cut: 0, isStopping: false };
  const server = createServer((_req, res) => {
    seen.requests += 1;
    held.push(res);
    res.on('close', () => {
      if (!res.writableFinished) seen.cut += 1;
    });
  });
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
  const watch = createHealthWatch(() => 7);
  const send = watchCalls(watch)(createSendCall({ dispatcher, maxResponseBytes: 1_000 }));
  const runOn = letRunOn({ watch, changes: { count: 0 }, gateway: seen });
  const call = createUpstreamCall(runOn(send));
  const late: (UpstreamResponse | UpstreamCallError)[] = [];
  /** Of one request: how often it was kept, and released. */
  const keeping = { kept: 0, released: 0 };
  const begin = ({ timeoutMs = 60_000, runOnMs = 60_000, cancellation = createCancellation() } = {}) => {
    cancellation.held = {
      keep() {
        keeping.kept += 1;
      },
      release() {
        keeping.released += 1;
      },
    };
    const answered: Promise<string> = call({
      method: 'POST',
      path: '/',
      body: '{}',
      timeoutMs,
      runOnMs,
      cancellation,
      late: (outcome) => void late.push(outcome),
    }).then(
      ({ body }) => body.toString(),
      (error: unknown) => (error instanceof UpstreamCallError ? error.failure : String(error)),
    );
    return { answered, cancellation };
  };
  const arrived = (count: number) => until(() => seen.requests === count, `request ${count} has arrived`);
  return { begin, held, seen, late, arrived, keeping, health: watch.health };
}

describe('a call that must not be cancelled', () => {
  it('is answered like any other', async () => {
    const { begin, held, arrived, late } = await setUp();
    const { answered } = begin();
    await arrived(1);
    held[0]?.end('done');
    expect(await answered).toBe('done');
    expect(late).toEqual([]);
  });

  it.each(['its own', 'its operation’s'])(
    'times out by %s timeout, continues, and reports its outcome later',
    async (whose) => {
      const { begin, held, arrived, seen, late, keeping } = await setUp();
      const { answered, cancellation } = begin(whose === 'its own' ? { timeoutMs: 300 } : {});
      await arrived(1);
      if (whose !== 'its own') cancellation.cancel('timeout');
      expect(await answered).toBe('timeout');
      expect(seen.cut).toBe(0);
      // Its request is in memory until then.
      expect(keeping).toEqual({ kept: 1, released: 0 });
      held[0]?.end('done after all');
      await until(() => late.length > 0, 'the answer is heard of');
      expect(keeping).toEqual({ kept: 1, released: 1 });
      expect(late.map((outcome) => ('body' in outcome ? outcome.body.toString() : outcome))).toEqual([
        'done after all',
      ]);
    },
  );

  describe('with an upstream that answers when the test says so', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    function begin(isSent = true) {
      const heard: string[] = [];
      const memory: string[] = [];
      let finish = () => {};
      let fail = (_: 'timeout' | 'unreachable') => {};
      const changes = { count: 0, writers: new RecentWriters() };
      const watch = {
        answered() {},
        failed: ({ failure }: UpstreamCallError) => void heard.push(`watched: ${failure}`),
      };
      const call = letRunOn({ watch, gateway: { isStopping: false }, changes })((request, listener) => {
        // Its response is never dropped to free memory.
        expect([request.isVital, request.timeoutMs]).toEqual([true, 61_000]);
        finish = () => listener.answered({ status: 200, headers: new Map(), chunks: [], size: 0 });
        fail = (failure) => listener.failed(new UpstreamCallError(failure, 'no answer'));
        return { isSent, cancel: (cause) => listener.failed(toCancelledError(cause)) };
      });
      const held = { keep: () => void memory.push('keep'), release: () => void memory.push('release') };
      const operation = { calls: 0, caller: 'somebody', held };
      const underWay = call(
        { method: 'POST', path: '/', headers: [], body: '{}', timeoutMs: 1_000, runOnMs: 60_000, operation },
        {
          answered: () => void heard.push('answered'),
          failed: ({ failure }) => void heard.push(failure),
          late: () => void heard.push('late'),
        },
      );
      return {
        underWay,
        heard,
        memory,
        changes,
        finish: () => finish(),
        fail: (how: 'timeout' | 'unreachable') => fail(how),
      };
    }

    const steps = ['finish', 'timeout', 'unreachable', 'aborted', 'operation timeout', 'second'] as const;
    it('reports once, its late outcome after a timeout only, and then holds no memory and no timer', () => {
      fc.assert(
        fc.property(fc.boolean(), fc.array(fc.constantFrom(...steps), { maxLength: 6 }), (isSent, events) => {
          const { underWay, heard, memory, changes, finish, fail } = begin(isSent);
          let isOver = false;
          const end = (how: () => void) => {
            if (!isOver) how();
            isOver = true;
          };
          for (const event of events) {
            if (event === 'finish') end(finish);
            else if (event === 'timeout' || event === 'unreachable') end(() => fail(event));
            else if (event === 'second') vi.advanceTimersByTime(1_000);
            else underWay.cancel(event === 'aborted' ? 'aborted' : 'timeout');
            const reports = heard.filter((each) => each !== 'late' && !each.startsWith('watched'));
            isOver ||= !isSent && reports.length > 0;
            expect(reports.length).toBeLessThanOrEqual(1);
            if (isOver) expect(reports).toHaveLength(1);
            expect(heard.filter((each) => each === 'late')).toHaveLength(isOver && reports[0] === 'timeout' ? 1 : 0);
            if (heard.includes('late')) expect(heard.at(-1)).toBe('late');
            expect(memory).toEqual(isOver ? ['keep', 'release'] : ['keep']);
            if (isOver) expect(vi.getTimerCount()).toBe(0);
            expect(changes.count > 0).toBe(reports.length > 0);
          }
          end(finish);
          expect(vi.getTimerCount()).toBe(0);
        }),
      );
    });

    it('makes its caller a recent writer from its beginning until 30 s after its end', () => {
      const { underWay, changes, finish } = begin();
      const isWriter = () => changes.writers.floorsOf('somebody', performance.now()) !== null;
      expect(isWriter()).toBe(true);
      underWay.cancel('timeout');
      vi.advanceTimersByTime(40_000);
      expect(isWriter()).toBe(false);
      finish();
      vi.advanceTimersByTime(29_999);
      expect(isWriter()).toBe(true);
      vi.advanceTimersByTime(1);
      expect(isWriter()).toBe(false);
    });

    it('does not affect its health once it is answered, and leaves no timer', () => {
      const { heard, finish } = begin();
      finish();
      expect(vi.getTimerCount()).toBe(0);
      vi.advanceTimersByTime(100_000);
      expect(heard).toEqual(['answered']);
    });

    it('reports its outcome after every timeout, also if the second one is noticed before the first one', () => {
      const { heard, fail } = begin();
      fail('timeout');
      expect(heard).toEqual(['timeout', 'late']);
      vi.advanceTimersByTime(100_000);
      expect(heard).toEqual(['timeout', 'late']);
      expect(vi.getTimerCount()).toBe(0);
    });

    it('counts as written at the timeout, and again when it ends', () => {
      const { underWay, changes, finish } = begin();
      expect(changes.count).toBe(0);
      underWay.cancel('timeout');
      const told = changes.count;
      finish();
      expect([told > 0, changes.count > told]).toEqual([true, true]);
    });

    it('reports its outcome once if its own timeout follows that of its operation', () => {
      const { underWay, heard, finish } = begin();
      underWay.cancel('timeout');
      vi.advanceTimersByTime(1_001);
      finish();
      expect(heard).toEqual(['timeout', 'watched: timeout', 'late']);
    });
  });

  it('continues after its caller has left, and would still answer it', async () => {
    const { begin, held, arrived, seen } = await setUp();
    const { answered, cancellation } = begin();
    await arrived(1);
    cancellation.cancel('aborted');
    held[0]?.end('done');
    expect(await answered).toBe('done');
    expect(seen.cut).toBe(0);
  });

  it('is abandoned in the end, and reports that too', async () => {
    const { begin, held, arrived, seen, late, health } = await setUp();
    // A connection is open: a busy machine may take longer to open one than the call may take.
    const before = begin();
    await arrived(1);
    held[0]?.end('done');
    await before.answered;
    const { answered } = begin({ timeoutMs: 50, runOnMs: 50 });
    expect(await answered).toBe('timeout');
    await arrived(2);
    await until(() => seen.cut === 1, 'the call is cut');
    expect(late).toMatchObject([{ failure: 'timeout' }]);
    expect(health().state).toBe('down');
  });

  it.each(['aborted', 'timeout'] as const)('is not begun for an operation that has ended: %s', async (cause) => {
    const { begin, held, arrived, seen } = await setUp();
    // A connection is open, and would take it at once.
    const before = begin();
    await arrived(1);
    held[0]?.end('done');
    await before.answered;
    const cancellation = createCancellation();
    cancellation.cancel(cause);
    expect(await begin({ cancellation }).answered).toBe('unsent');
    const after = begin();
    await arrived(2);
    held[1]?.end('done');
    await after.answered;
    expect(seen.requests).toBe(2);
  });

  it('is not begun when the gateway stops, and one that was begun continues', async () => {
    const { begin, held, arrived, seen, health } = await setUp(2);
    const first = begin();
    await arrived(1);
    seen.isStopping = true;
    expect(await begin().answered).toBe('stopping');
    held[0]?.end('done');
    expect(await first.answered).toBe('done');
    expect([seen.requests, health().state]).toEqual([1, 'up']);
  });
});

describe('a call that waits for a connection', () => {
  it.each([
    ['is never sent when its caller leaves meanwhile', 'aborted', 'unsent'],
    ['is never sent when the time of its operation is up', 'timeout', 'no-connection'],
  ] as const)('%s', async (_, cause, failure) => {
    const { begin, held, arrived, seen, health } = await setUp();
    const first = begin();
    await arrived(1);
    const second = begin();
    second.cancellation.cancel(cause);
    expect(await second.answered).toBe(failure);
    if (failure === 'unsent') expect(health().state).toBe('unknown');
    held[0]?.end('done');
    expect(await first.answered).toBe('done');
    const third = begin();
    await arrived(2);
    held[1]?.end('third');
    expect(await third.answered).toBe('third');
    expect(seen.requests).toBe(2);
  });

  it('is never sent after its own timeout', async () => {
    const { begin, held, arrived, seen, late } = await setUp();
    const first = begin();
    await arrived(1);
    expect(await begin({ timeoutMs: 20 }).answered).toBe('no-connection');
    held[0]?.end('done');
    await first.answered;
    const last = begin();
    await arrived(2);
    held[1]?.end('last');
    expect(await last.answered).toBe('last');
    expect([seen.requests, late]).toEqual([2, []]);
  });
});

it('forgets writers after 30 s, and the oldest of 10,000', () => {
  const writers = new RecentWriters();
  writers.note('a', 0);
  expect(writers.floorsOf('a', 29_999)).not.toBeNull();
  expect(writers.floorsOf('a', 30_000)).toBeNull();
  for (let index = 0; index < 10_000; index += 1) writers.note(`caller ${index}`, 0);
  expect(writers.floorsOf('a', 1)).toBeNull();
  expect(writers.floorsOf('caller 0', 1)).not.toBeNull();
  expect(writers.floorsOf(undefined, 1)).toBeNull();
});

it('keeps what a writer was shown when it writes again', () => {
  const writers = new RecentWriters();
  writers.note('a', 0);
  const floors = writers.floorsOf('a', 1);
  writers.note('a', 20_000);
  expect(writers.floorsOf('a', 40_000)).toBe(floors);
  writers.note('a', 60_000);
  expect(writers.floorsOf('a', 60_000)).not.toBe(floors);
});
