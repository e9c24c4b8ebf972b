import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FromWorker, ToWorker } from '../../../../src/start/workers/worker-messages.ts';
import { startWorkerPool } from '../../../../src/start/workers/worker-pool.ts';
import type { WorkerEnd, WorkerProcess } from '../../../../src/start/workers/worker-processes.ts';
import { layoutOf } from '../../../../src/telemetry/metric-table.ts';
import { Metrics } from '../../../../src/telemetry/metrics.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const shared = { workers: 2, network: null, secret: 's' };
const beginning = { shared, port: 4000, cursorKeys: null, files: {}, heartbeatMs: 1_000 };
const facts = { url: 'http://127.0.0.1:4000', graphqlUrl: 'http://127.0.0.1:4000/graphql', schema: 'ledger' };

/** A process that does what the test has it do. */
class Puppet implements WorkerProcess {
  readonly pid: number;
  readonly told: ToWorker[] = [];
  #hear: (message: FromWorker) => void = () => {};
  #tell: (end: WorkerEnd) => void = () => {};

  constructor(pid: number) {
    this.pid = pid;
  }
  cpuMs() {
    return null;
  }
  send(message: ToWorker) {
    this.told.push(message);
  }
  onMessage(hear: (message: FromWorker) => void) {
    this.#hear = hear;
  }
  onEnd(tell: (end: WorkerEnd) => void) {
    this.#tell = tell;
  }
  kills = 0;
  kill() {
    this.kills += 1;
    this.end({ exitCode: null, signal: 'SIGKILL' });
  }
  says(message: FromWorker) {
    this.#hear(message);
  }
  end(end: WorkerEnd = { exitCode: 1, signal: null }) {
    this.#tell(end);
  }
  get kinds() {
    return this.told.map(({ kind }) => kind);
  }
}

/** Two are wanted. */
function start() {
  const started: Puppet[] = [];
  const seen: unknown[] = [];
  const pool = startWorkerPool({
    count: 2,
    beginning: () => beginning,
    startProcess: () => {
      const puppet = new Puppet(started.length + 1);
      started.push(puppet);
      return puppet;
    },
    now: () => Date.now(),
    startWithinMs: 90_000,
    endWithinMs: 20_000,
    maxRssBytes: 1_000,
    drainMs: 5_000,
    events: {
      grown: (...facts) => seen.push({ grown: facts }),
      lost: (loss) => seen.push(loss),
      cut: (pids) => seen.push({ cut: pids }),
      serves: (pid) => seen.push({ serves: pid }),
      schemaReplaced: (schema, { pid }) => seen.push({ schema, pid }),
      metricsRequested: ({ pid }) => seen.push({ metricsRequested: pid }),
    },
  });
  let isComplete = false;
  void pool.complete.then(() => {
    isComplete = true;
  });
  return { pool, started, seen, isComplete: () => isComplete };
}

const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

describe('at the start', () => {
  test('each worker gets its first message once it can receive it', () => {
    const { started } = start();
    expect(started.map(({ told }) => told)).toEqual([[], []]);
    started[1]?.says({ kind: 'hello' });
    expect(started.map(({ told }) => told)).toEqual([[], [{ kind: 'begin', beginning }]]);
  });

  test('it is complete when all workers serve, and each knows their number', async () => {
    const { pool, started, isComplete } = start();
    started[0]?.says({ kind: 'ready', facts });
    await pass();
    expect(isComplete()).toBe(false);
    started[1]?.says({ kind: 'ready', facts });
    expect(await pool.complete).toEqual(facts);
    expect(started.map(({ told }) => told.at(-1))).toEqual(Array(2).fill({ kind: 'serving', count: 2 }));
  });

  test('a worker that reports that it cannot start makes the start fail with its message', async () => {
    const { pool, started } = start();
    started[0]?.says({ kind: 'failed', reason: 'listen EADDRINUSE', stack: 'Error: …' });
    started[0]?.end();
    await expect(pool.failed).rejects.toThrow('listen EADDRINUSE');
  });

  test('one that hangs after its first message is killed and replaced', async () => {
    const { started, seen } = start();
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
    const { started, seen } = start();
    for (const puppet of started) puppet.says({ kind: 'hello' });
    await pass(1_000);
    vi.setSystemTime(Date.now() + 3_600_000);
    await pass(1_000);
    expect(seen).toEqual([]);
  });

  test('one that has exited is not killed later: its process id may belong to another process', async () => {
    const { started, seen } = start();
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
    const { started, seen } = start();
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

  test('one that disappears is replaced, and workers that keep disappearing make the start fail', async () => {
    const { pool, started } = start();
    const failed = expect(pool.failed).rejects.toThrow(
      'the workers keep ending before they serve, the last one: signal SIGKILL',
    );
    for (let ended = 0; ended < 11; ended += 1) {
      started[ended]?.end({ exitCode: null, signal: 'SIGKILL' });
      await pass(10_000);
    }
    await failed;
    expect(started).toHaveLength(12);
  });
});

describe('while they serve', () => {
  const startComplete = async () => {
    const whole = start();
    for (const puppet of whole.started) puppet.says({ kind: 'ready', facts });
    await whole.pool.complete;
    whole.seen.length = 0;
    return whole;
  };

  test('one that exits is replaced, and the others get the new number of workers', async () => {
    const { pool, started, seen } = await startComplete();
    started[0]?.end({ exitCode: null, signal: 'SIGKILL' });
    expect(started[1]?.told.at(-1)).toEqual({ kind: 'serving', count: 1 });
    await pass();
    started[2]?.says({ kind: 'ready', facts });
    expect(seen).toEqual([{ worker: 1, exitCode: null, signal: 'SIGKILL', againInMs: 0 }, { serves: 3 }]);
    expect(pool.serving().map(({ pid }) => pid)).toEqual([2, 3]);
  });

  test('one that ends leaves its counts behind', async () => {
    const { pool, started } = start();
    const ones = new Metrics().read().map(() => 1);
    started[0]?.says({ kind: 'alive', metrics: ones });
    expect(pool.metrics().retired).not.toContain(1);
    started[0]?.end();
    expect(pool.metrics().retired).toContain(1);
  });

  test('a new one that cannot start is replaced as well, while the others serve', async () => {
    const { started, seen } = await startComplete();
    started[0]?.end();
    await pass();
    started[2]?.says({ kind: 'failed', reason: 'no memory', stack: '' });
    started[2]?.end();
    expect(seen.at(-1)).toMatchObject({ worker: 3, exitCode: 1, reason: 'no memory' });
    await pass(10_000);
    expect(started).toHaveLength(4);
  });

  const rssAt = layoutOf('process_resident_memory_bytes').start;
  const uses = (rssBytes: number): FromWorker => ({
    kind: 'alive',
    metrics: new Metrics().read().map((value, index) => (index === rssAt ? rssBytes : value)),
  });
  /** Lets time pass; all workers send heartbeats. */
  const passServing = async (whole: ReturnType<typeof start>, seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      await pass(1_000);
      for (const puppet of whole.started) puppet.says(uses(1_000));
    }
  };

  test('one that uses too much memory stops once its successor serves; only one at a time', async () => {
    const whole = await startComplete();
    const { pool, started, seen } = whole;
    await passServing(whole, 9);
    started[0]?.says(uses(1_001));
    expect(started).toHaveLength(2);
    await passServing(whole, 1);
    started[0]?.says(uses(1_001));
    started[1]?.says(uses(1_001));
    expect([started.length, seen]).toEqual([3, [{ grown: [1, 1_001, 1_000] }]]);
    expect(started[0]?.kinds).not.toContain('stop');

    started[2]?.says({ kind: 'ready', facts });
    expect(started[0]?.told.filter(({ kind }) => kind === 'stop')).toEqual([
      { kind: 'stop', drainMs: 5_000, isReplaced: true },
    ]);
    expect(started[1]?.told.at(-1)).toEqual({ kind: 'serving', count: 2 });
    expect(pool.serving().map(({ pid }) => pid)).toEqual([2, 3]);
    started[1]?.says(uses(1_001));
    expect(started).toHaveLength(3);

    started[0]?.end({ exitCode: 0, signal: null });
    await passServing(whole, 20);
    expect([started.length, started[0]?.kills]).toEqual([3, 0]);
    expect(seen.slice(1)).toEqual([{ serves: 3 }]);
    started[1]?.says(uses(1_001));
    expect(started).toHaveLength(4);
  });

  test('one that does not stop in time after its successor serves is killed', async () => {
    const whole = await startComplete();
    const { started, seen } = whole;
    await passServing(whole, 10);
    started[0]?.says(uses(1_001));
    started[2]?.says({ kind: 'ready', facts });
    await passServing(whole, 24);
    expect(started[0]?.kills).toBe(0);
    await passServing(whole, 2);
    expect([started[0]?.kills, started.length]).toEqual([1, 3]);
    expect(seen.at(-1)).toEqual({ cut: [1] });
  });

  test('a successor that exits is replaced, and the one with too much memory serves until then', async () => {
    const whole = await startComplete();
    const { pool, started } = whole;
    await passServing(whole, 10);
    started[0]?.says(uses(1_001));
    started[2]?.end();
    await passServing(whole, 1);
    expect([started.length, pool.serving().map(({ pid }) => pid)]).toEqual([4, [1, 2]]);
    started[3]?.says({ kind: 'ready', facts });
    expect(pool.serving().map(({ pid }) => pid)).toEqual([2, 4]);
  });

  test('one that exits while its successor starts gets no second one', async () => {
    const whole = await startComplete();
    const { pool, started, seen } = whole;
    await passServing(whole, 10);
    started[0]?.says(uses(1_001));
    started[0]?.end();
    started[2]?.says({ kind: 'ready', facts });
    await passServing(whole, 20);
    expect([started.length, pool.serving().map(({ pid }) => pid)]).toEqual([3, [2, 3]]);
    expect(seen).toContainEqual({ worker: 1, exitCode: 1, signal: null, againInMs: 0 });
    started[1]?.end();
    await pass();
    expect(started).toHaveLength(4);
  });

  test('one that is above the limit is not replaced while all stop', async () => {
    const whole = await startComplete();
    await passServing(whole, 10);
    void whole.pool.stop();
    whole.started[0]?.says(uses(1_001));
    expect(whole.started).toHaveLength(2);
  });

  test('a report about the schema is passed on', async () => {
    const { started, seen } = await startComplete();
    started[1]?.says({ kind: 'schema replaced', schema: 'new' });
    expect(seen).toEqual([{ schema: 'new', pid: 2 }]);
  });

  test('all receive the stop message, none is replaced, and the pool ends when all have exited', async () => {
    const { pool, started, seen } = await startComplete();
    const stopped = pool.stop();
    expect(started.map(({ told }) => told.at(-1))).toEqual(Array(2).fill({ kind: 'stop', drainMs: 0 }));
    for (const puppet of started) puppet.end({ exitCode: 0, signal: null });
    await stopped;
    await pass(60_000);
    expect(started).toHaveLength(2);
    expect(seen).toEqual([]);
  });

  test('one that was to be started after a pause is not started after the stop, and no timer remains', async () => {
    const { pool, started } = await startComplete();
    started[0]?.end();
    const stopped = pool.stop();
    started[1]?.end({ exitCode: 0, signal: null });
    await stopped;
    expect(vi.getTimerCount()).toBe(0);
    await pass(60_000);
    expect(started).toHaveLength(2);
  });

  test.each([0, 5_000])('one that does not exit in time is killed, after a drain of %i ms', async (drainMs) => {
    const { pool, started, seen } = await startComplete();
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
    const { pool, started } = await startComplete();
    started[0]?.end();
    await pass();
    const stopped = pool.stop();
    started[2]?.says({ kind: 'hello' });
    expect(started[2]?.kinds).toEqual(['stop', 'stop']);
    for (const puppet of started.slice(1)) puppet.end({ exitCode: 0, signal: null });
    await stopped;
  });
});
