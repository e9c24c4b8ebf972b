import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startSchemaPolling } from '../../../../src/start/workers/primary.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Three workers, and which of them were told to look since it was asked last. */
function start(pollMs: number) {
  const workers = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
  let told: string[] = [];
  const polling = startSchemaPolling({ pollMs, workers: () => workers, check: ({ name }) => void told.push(name) });
  const took = () => {
    const names = told.join('');
    told = [];
    return names;
  };
  return { workers, polling, took };
}

describe('workers', () => {
  test('poll one after another, together as often as one process would', () => {
    const { took } = start(60_000);
    vi.advanceTimersByTime(240_000);
    expect(took()).toBe('abca');
  });

  test('never poll by time if polling is off', () => {
    const { took } = start(0);
    vi.advanceTimersByTime(3_600_000);
    expect(took()).toBe('');
  });

  test('all poll when one of them saw a change, and not again for the same one', () => {
    const { workers, polling, took } = start(0);
    polling.replaced('second', workers[1]!);
    expect(took()).toBe('ac');
    for (const worker of workers) polling.replaced('second', worker);
    vi.advanceTimersByTime(10_000);
    expect(took()).toBe('');
    polling.replaced('third', workers[0]!);
    expect(took()).toBe('bc');
  });

  test('poll once a second during many changes, and get the last one', () => {
    const { workers, polling, took } = start(0);
    for (let change = 0; change < 100; change += 1) polling.replaced(`schema ${change % 2}`, workers[change % 3]!);
    expect(took()).toBe('bc');
    vi.advanceTimersByTime(10_000);
    expect(took()).toBe('abc');
  });

  test('receive nothing after they were stopped', () => {
    const { workers, polling, took } = start(1_000);
    polling.replaced('one', workers[0]!);
    polling.replaced('two', workers[0]!);
    took();
    polling.stop();
    vi.advanceTimersByTime(10_000);
    expect(took()).toBe('');
  });
});
