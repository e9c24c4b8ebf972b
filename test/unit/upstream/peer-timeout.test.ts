import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startPeerTimeout } from '../../../src/upstream/peer-timeout.ts';
import { holdLoop } from '../../support/hold-loop.ts';
import { until } from '../../support/until.ts';

describe('with a clock that a test moves', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('it expires after its time, once', () => {
    const expired = vi.fn();
    startPeerTimeout(100, expired);
    vi.advanceTimersByTime(99);
    expect(expired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    expect(expired).toHaveBeenCalledTimes(1);
  });

  test('stopped before its time, or between its time and the next read, it never expires and leaves no timer', () => {
    const expired = vi.fn();
    const stop = startPeerTimeout(100, expired);
    vi.advanceTimersByTime(50);
    stop();
    const stopLater = startPeerTimeout(100, expired);
    setTimeout(stopLater, 100);
    vi.advanceTimersToNextTimer();
    vi.advanceTimersByTime(1_000);
    stopLater();
    expect(expired).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('while the event loop is blocked', () => {
  test('data that have arrived meanwhile are read first', async () => {
    const { port1, port2 } = new MessageChannel();
    let isExpired = false;
    const stop = startPeerTimeout(20, () => {
      isExpired = true;
    });
    const answered = new Promise((resolve) => {
      port1.on('message', resolve);
    });
    void answered.then(stop);
    port2.postMessage('answer');
    holdLoop(100);
    await answered;
    await nextTurn();
    expect(isExpired).toBe(false);
    port1.close();
  });

  test('the peer gets as much more time as the timer was late, at most twice the timeout', async () => {
    const spans: number[] = [];
    for (const heldMs of [0, 160, 600]) {
      const beganMs = performance.now();
      let isExpired = false;
      startPeerTimeout(100, () => {
        isExpired = true;
      });
      holdLoop(heldMs);
      await until(() => isExpired, 'it expires');
      spans.push(performance.now() - beganMs);
    }
    const [free = 0, late = 0, veryLate = 0] = spans;
    expect(free).toBeGreaterThanOrEqual(99);
    expect(late).toBeGreaterThanOrEqual(219);
    expect(veryLate).toBeGreaterThanOrEqual(699);
  });
});

test('thousands that end together expire in several turns of the event loop', async () => {
  const expired: number[] = [0];
  for (let index = 0; index < 1_000; index += 1)
    startPeerTimeout(20, () => {
      expired[expired.length - 1] = (expired.at(-1) ?? 0) + 1;
    });
  while (expired.reduce((sum, each) => sum + each) < 1_000) {
    expired.push(0);
    await nextTurn();
  }
  expect(Math.max(...expired)).toBeLessThan(100);
});
