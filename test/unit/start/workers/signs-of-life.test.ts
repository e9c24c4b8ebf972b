import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchSignsOfLife } from '../../../../src/start/workers/signs-of-life.ts';
import type { WorkerProcess } from '../../../../src/start/workers/worker-processes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const toWorker = (pid: number, cpuMs: () => number | null = () => null): WorkerProcess => ({
  pid,
  cpuMs,
  send() {},
  onMessage() {},
  onEnd() {},
  kill() {},
});

function watch() {
  const workers = [toWorker(1), toWorker(2)];
  const frozen: [pid: number, silentMs: number][] = [];
  const signs = watchSignsOfLife({
    everyMs: 100,
    workers: () => workers,
    frozen: ({ pid }, silentMs) => frozen.push([pid, silentMs]),
  });
  const [one, other] = workers as [WorkerProcess, WorkerProcess];
  return { one, other, frozen, signs };
}

test('tells once of a worker that owes more than ten signs, and of none that gives them', () => {
  const { one, frozen, signs } = watch();
  for (let beat = 0; beat < 30; beat += 1) {
    vi.advanceTimersByTime(100);
    signs.noteSign(one);
  }
  expect(frozen).toEqual([[2, 1_100]]);
  signs.stop();
});

test('forgives what a worker owes when it gives a sign again', () => {
  const { one, other, frozen, signs } = watch();
  for (let times = 0; times < 3; times += 1) {
    vi.advanceTimersByTime(1_000);
    signs.noteSign(one);
    signs.noteSign(other);
  }
  expect(frozen).toEqual([]);
  signs.stop();
});

test('holds no time against a worker in which this process stood still', () => {
  const { frozen, signs } = watch();
  vi.advanceTimersByTime(100);
  vi.setSystemTime(Date.now() + 3_600_000);
  vi.advanceTimersByTime(100);
  expect(frozen).toEqual([]);
  signs.stop();
});

test('looks no more once it is stopped', () => {
  const { frozen, signs } = watch();
  signs.stop();
  vi.advanceTimersByTime(10_000);
  expect(frozen).toEqual([]);
});

test('lets a worker that computes owe three times as many, and one that stopped computing no more than others', () => {
  const clock = { ms: 0 };
  const loop = toWorker(1, () => clock.ms);
  const stopped = toWorker(2, () => Math.min(clock.ms, 50));
  const frozen: [pid: number, silentMs: number][] = [];
  const signs = watchSignsOfLife({
    everyMs: 100,
    workers: () => [loop, stopped],
    frozen: ({ pid }, silentMs) => frozen.push([pid, silentMs]),
  });
  for (let beat = 0; beat < 60; beat += 1) {
    clock.ms += 50;
    vi.advanceTimersByTime(100);
  }
  expect(frozen).toEqual([
    [2, 1_100],
    [1, 3_100],
  ]);
  signs.stop();
});
