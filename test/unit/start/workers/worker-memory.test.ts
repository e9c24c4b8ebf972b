import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FromWorker } from '../../../../src/start/workers/worker-messages.ts';
import { layouts } from '../../../../src/telemetry/metric-table.ts';
import { Metrics } from '../../../../src/telemetry/metrics.ts';
import { facts, pass, startCompletePool, startPool } from '../../../support/worker-puppets.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const rssAt = layouts.process_resident_memory_bytes.start;
const uses = (rssBytes: number): FromWorker => ({
  kind: 'alive',
  metrics: new Metrics().read().map((value, index) => (index === rssAt ? rssBytes : value)),
});
/** Lets time pass; all workers send heartbeats until they must stop. */
const passServing = async (whole: ReturnType<typeof startPool>, seconds: number) => {
  for (let second = 0; second < seconds; second += 1) {
    await pass(1_000);
    for (const puppet of whole.started) if (!puppet.kinds.includes('stop')) puppet.says(uses(1_000));
  }
};

test('one that uses too much memory stops once its successor serves; only one at a time', async () => {
  const whole = await startCompletePool();
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
  const whole = await startCompletePool();
  const { started, seen } = whole;
  started[0]?.says({ kind: 'hello' });
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
  const whole = await startCompletePool();
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
  const whole = await startCompletePool();
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
  const whole = await startCompletePool();
  await passServing(whole, 10);
  void whole.pool.stop();
  whole.started[0]?.says(uses(1_001));
  expect(whole.started).toHaveLength(2);
});

test('one that exits beside it is replaced as well, and its successor alone does not stop it', async () => {
  const whole = await startCompletePool();
  const { pool, started } = whole;
  await passServing(whole, 10);
  started[0]?.says(uses(1_001));
  started[1]?.end();
  await pass();
  started[3]?.says({ kind: 'ready', facts });
  expect([started[0]?.kinds.includes('stop'), pool.serving().map(({ pid }) => pid)]).toEqual([false, [1, 4]]);
  started[2]?.says({ kind: 'ready', facts });
  expect(started[0]?.kinds).toContain('stop');
});

test('one whose successor is to be started again when it exits gets no second one', async () => {
  const whole = await startCompletePool();
  const { started } = whole;
  await passServing(whole, 10);
  started[0]?.says(uses(1_001));
  started[2]?.end();
  started[0]?.end();
  await pass(10_000);
  expect(started).toHaveLength(4);
});

test('one is not replaced for its memory before all serve', async () => {
  const whole = startPool();
  whole.started[0]?.says({ kind: 'ready', facts });
  await passServing(whole, 10);
  for (const puppet of whole.started) puppet.says(uses(1_001));
  expect(whole.started).toHaveLength(2);
});

test('one that is starting is not replaced for its memory', async () => {
  const whole = await startCompletePool();
  const { started } = whole;
  await passServing(whole, 10);
  started[1]?.end();
  await pass();
  started[2]?.says(uses(1_001));
  expect(started).toHaveLength(3);
});
