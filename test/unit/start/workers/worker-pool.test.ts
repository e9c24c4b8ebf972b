import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { WorkerEnd } from '../../../../src/start/workers/worker-processes.ts';
import { Metrics } from '../../../../src/telemetry/metrics.ts';
import { beginning, facts, pass, startCompletePool, startPool } from '../../../support/worker-puppets.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('at the start', () => {
  test('each worker gets its first message once it can receive it', () => {
    const { started } = startPool();
    expect(started.map(({ told }) => told)).toEqual([[], []]);
    started[1]?.says({ kind: 'hello' });
    expect(started.map(({ told }) => told)).toEqual([[], [{ kind: 'begin', beginning }]]);
  });

  test('it is complete when all workers serve, and each knows their number', async () => {
    const { pool, started, isComplete } = startPool();
    started[0]?.says({ kind: 'ready', facts });
    await pass();
    expect(isComplete()).toBe(false);
    started[1]?.says({ kind: 'ready', facts });
    expect(await pool.complete).toEqual(facts);
    expect(started.map(({ told }) => told.at(-1))).toEqual(Array(2).fill({ kind: 'serving', count: 2 }));
  });

  test('a worker that reports that it cannot start makes the start fail with its message', async () => {
    const { pool, started } = startPool();
    started[0]?.says({ kind: 'failed', reason: 'listen EADDRINUSE', stack: 'Error: …' });
    started[0]?.end();
    await expect(pool.failed).rejects.toThrow('listen EADDRINUSE');
  });

  test('one that hangs after its first message is killed and replaced', async () => {
    const { started, seen } = startPool();
    for (const puppet of started) puppet.says({ kind: 'hello' });
    for (let second = 0; second < 12; second += 1) {
      started[1]?.says({ kind: 'alive' });
      await pass(1_000);
    }
    const reason = 'it was killed: no sign of life for 11000 ms';
    expect(seen).toEqual([{ worker: 1, exitCode: null, signal: 'SIGKILL', reason, againInMs: 0 }]);
    expect(started).toHaveLength(3);
  });

  test('time in which this process was suspended does not count against a worker', async () => {
    const { started, seen } = startPool();
    for (const puppet of started) puppet.says({ kind: 'hello' });
    await pass(1_000);
    vi.setSystemTime(Date.now() + 3_600_000);
    await pass(1_000);
    expect(seen).toEqual([]);
  });

  test('one that has exited is not killed later: its process id may belong to another process', async () => {
    const { started, seen } = startPool();
    for (const puppet of started) puppet.says({ kind: 'hello' });
    started[0]?.end();
    for (let second = 0; second < 200; second += 1) {
      for (const puppet of started.slice(1)) puppet.says({ kind: second === 0 ? 'hello' : 'alive' });
      started.at(-1)?.says({ kind: 'ready', facts });
      started[1]?.says({ kind: 'ready', facts });
      await pass(1_000);
    }
    expect(started[0]?.kills).toBe(0);
    expect(seen.filter((event) => Object.hasOwn(event as object, 'worker'))).toHaveLength(1);
  });

  test('one that does not serve in time is killed and replaced, even if it sends heartbeats', async () => {
    const { started, seen } = startPool();
    for (const puppet of started) puppet.says({ kind: 'hello' });
    started[1]?.says({ kind: 'ready', facts });
    seen.length = 0;
    for (let second = 0; second < 91; second += 1) {
      expect(started).toHaveLength(2);
      for (const puppet of started) puppet.says({ kind: 'alive' });
      await pass(1_000);
    }
    const reason = 'it was killed: it did not serve within 90000 ms';
    expect(seen).toEqual([{ worker: 1, exitCode: null, signal: 'SIGKILL', reason, againInMs: 0 }]);
    expect(started).toHaveLength(3);
  });

  test.each<[string, WorkerEnd]>([
    ['signal SIGKILL', { exitCode: null, signal: 'SIGKILL' }],
    ['exit code 1', { exitCode: 1, signal: null }],
    ['the system did not start it', { exitCode: null, signal: null }],
  ])(
    'one that disappears is replaced, and workers that keep disappearing make the start fail: %s',
    async (says, end) => {
      const { pool, started } = startPool();
      const failed = expect(pool.failed).rejects.toThrow(
        `the workers keep ending before they serve, the last one: ${says}`,
      );
      for (let ended = 0; ended < 11; ended += 1) {
        started[ended]?.end(end);
        await pass(10_000);
      }
      await failed;
      expect(started).toHaveLength(12);
      // One is left.
      const stopped = pool.stop();
      started[11]?.end();
      await stopped;
      expect(vi.getTimerCount()).toBe(0);
    },
  );
});

describe('while they serve', () => {
  test('one that exits is replaced, and the others get the new number of workers', async () => {
    const { pool, started, seen } = await startCompletePool();
    started[0]?.end({ exitCode: null, signal: 'SIGKILL' });
    expect(started[1]?.told.at(-1)).toEqual({ kind: 'serving', count: 1 });
    await pass();
    started[2]?.says({ kind: 'ready', facts });
    expect(seen).toEqual([{ worker: 1, exitCode: null, signal: 'SIGKILL', againInMs: 0 }, { serves: 3 }]);
    expect(pool.serving().map(({ pid }) => pid)).toEqual([2, 3]);
  });

  test('one that ends leaves its counts behind', async () => {
    const { pool, started } = startPool();
    const ones = new Metrics().read().map(() => 1);
    started[0]?.says({ kind: 'alive', metrics: ones });
    expect(pool.metrics().retired).not.toContain(1);
    started[0]?.end();
    expect(pool.metrics().retired).toContain(1);
  });

  test('a new one that cannot start is replaced as well, while the others serve', async () => {
    const { pool, started, seen } = await startCompletePool();
    let hasFailed = false;
    pool.failed.catch(() => {
      hasFailed = true;
    });
    started[0]?.end();
    await pass();
    started[2]?.says({ kind: 'failed', reason: 'no memory', stack: '' });
    started[2]?.end();
    expect(seen.at(-1)).toMatchObject({ worker: 3, exitCode: 1, reason: 'no memory' });
    await pass(10_000);
    expect(started).toHaveLength(4);
    expect(hasFailed).toBe(false);
  });

  test.each([
    ['immediately if each served ten seconds', 10_000, 0],
    ['after a pause if each served less', 9_999, 10_000],
  ])('those that keep exiting are replaced %s', async (_, servedMs, againInMs) => {
    const { started, seen } = await startCompletePool();
    for (let ended = 1; ended < 20; ended += 1) {
      for (const puppet of started.slice(-2)) puppet.says({ kind: 'ready', facts });
      await pass(servedMs);
      started[ended]?.end();
      await pass(10_000);
    }
    expect([started.length, seen.at(-1)]).toMatchObject([21, { worker: 20, againInMs }]);
  });

  test('one that requests the metrics of all gets them', async () => {
    const { started, seen } = await startCompletePool();
    started[1]?.says({ kind: 'metrics requested' });
    expect(seen).toEqual([{ metricsRequested: 2 }]);
  });

  test('the metrics of each have its position, which its replacement takes over, and their age', async () => {
    const { pool, started } = await startCompletePool();
    const metrics = new Metrics().read();
    for (const puppet of started) puppet.says({ kind: 'alive', metrics });
    await pass(3_000);
    expect(pool.metrics().workers).toEqual([
      { worker: '1', values: metrics, ageSeconds: 3 },
      { worker: '2', values: metrics, ageSeconds: 3 },
    ]);
    started[0]?.end();
    await pass();
    started[2]?.says({ kind: 'alive', metrics });
    expect(pool.metrics().workers.map(({ worker }) => worker)).toEqual(['2', '1']);
  });

  test('a report about the schema is passed on', async () => {
    const { started, seen } = await startCompletePool();
    started[1]?.says({ kind: 'schema replaced', schema: 'new' });
    expect(seen).toEqual([{ schema: 'new', pid: 2 }]);
  });

  test('all receive the stop message, none is replaced, and the pool ends when all have exited', async () => {
    const { pool, started, seen } = await startCompletePool();
    const stopped = pool.stop();
    expect(started.map(({ told }) => told.at(-1))).toEqual(Array(2).fill({ kind: 'stop', drainMs: 0 }));
    for (const puppet of started) puppet.end({ exitCode: 0, signal: null });
    await stopped;
    await pass(60_000);
    expect(started).toHaveLength(2);
    expect(seen).toEqual([]);
  });

  test('one that was to be started after a pause is not started after the stop, and no timer remains', async () => {
    const { pool, started } = await startCompletePool();
    started[0]?.end();
    const stopped = pool.stop();
    started[1]?.end({ exitCode: 0, signal: null });
    await stopped;
    expect(vi.getTimerCount()).toBe(0);
    await pass(60_000);
    expect(started).toHaveLength(2);
  });

  test('a stop while none runs ends immediately', async () => {
    const { pool, started } = await startCompletePool();
    for (const puppet of started) puppet.end();
    await pool.stop();
    await pass(60_000);
    expect([started.length, vi.getTimerCount()]).toEqual([2, 0]);
  });

  test.each([0, 5_000])('one that does not exit in time is killed, after a drain of %i ms', async (drainMs) => {
    const { pool, started, seen } = await startCompletePool();
    const stopped = pool.stop(drainMs);
    expect(started[1]?.told.at(-1)).toEqual({ kind: 'stop', drainMs });
    started[0]?.end({ exitCode: 0, signal: null });
    await pass(drainMs + 19_999);
    expect(seen).toEqual([]);
    await pass(2);
    await stopped;
    expect(seen).toEqual([{ cut: [2] }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('one that was just being started receives the stop message when it reports', async () => {
    const { pool, started } = await startCompletePool();
    started[0]?.end();
    await pass();
    const stopped = pool.stop();
    started[2]?.says({ kind: 'hello' });
    expect(started[2]?.kinds).toEqual(['stop', 'stop']);
    for (const puppet of started.slice(1)) puppet.end({ exitCode: 0, signal: null });
    await stopped;
  });
});
