import { describe, expect, test } from 'vitest';
import { createHeartbeatMonitor, createReplacementRule } from '../../../../src/start/workers/worker-failures.ts';

const early = { servedMs: 100, othersServe: true };
const sound = { servedMs: 3_600_000, othersServe: true };
const never = { servedMs: null, othersServe: false };

/** The pauses after so many ends in a row. */
const pauses = (workers: number, ends: number, end: Parameters<ReturnType<typeof createReplacementRule>>[0]) => {
  const rule = createReplacementRule(workers);
  return Array.from({ length: ends }, () => rule(end));
};

describe('a worker that exited', () => {
  test('after hours is replaced immediately, any number of times', () => {
    expect(pauses(1, 20, sound)).toEqual(Array(20).fill(0));
  });

  test('soon after its start is replaced after pauses that grow to ten seconds, while others serve', () => {
    const longest = Array(100).fill(10_000);
    expect(pauses(1, 107, early)).toEqual([0, 250, 500, 1_000, 2_000, 4_000, 8_000, ...longest]);
  });

  test('together with all the others counts as one', () => {
    expect(pauses(3, 7, early)).toEqual([0, 0, 0, 250, 250, 250, 500]);
  });

  test('makes the gateway give up if none serves and five in a row failed to start', () => {
    expect(pauses(1, 6, never)).toEqual([0, 250, 500, 1_000, 2_000, null]);
    expect(pauses(2, 11, never).indexOf(null)).toBe(10);
  });

  test('after a healthy one starts a new count', () => {
    const rule = createReplacementRule(1);
    for (let end = 0; end < 5; end += 1) rule(never);
    expect(rule(sound)).toBe(0);
    expect(rule(never)).toBe(0);
  });
});

describe('a worker that sends no heartbeats', () => {
  /** What each of so many checks says. */
  const checks = (times: number, cpuMs: (check: number) => number | null = () => null) => {
    let check = 0;
    const monitor = createHeartbeatMonitor({ cpuMs: () => cpuMs(check) }, 100);
    return Array.from({ length: times }, () => {
      check += 1;
      return monitor.check();
    });
  };
  const firstAt = (results: readonly (number | null)[]) => results.findIndex((silentMs) => silentMs !== null) + 1;

  test('is frozen after more than ten missed heartbeats', () => {
    expect(checks(11)).toEqual([...Array(10).fill(null), 1_100]);
  });

  test('may miss three times as many while it computes', () => {
    expect(firstAt(checks(60, (check) => check * 50))).toBe(31);
  });

  test('and has stopped computing may miss no more than others', () => {
    expect(firstAt(checks(60, () => 50))).toBe(11);
  });

  test('is no longer frozen once it sends one', () => {
    const monitor = createHeartbeatMonitor({ cpuMs: () => null }, 100);
    for (let times = 0; times < 30; times += 1) {
      expect(monitor.check()).toBeNull();
      if (times % 10 === 9) monitor.noteHeartbeat();
    }
  });

  test('is judged by its processor time since the last heartbeat', () => {
    let cpuMs = 0;
    const monitor = createHeartbeatMonitor({ cpuMs: () => cpuMs }, 100);
    for (let beat = 0; beat < 20; beat += 1) {
      cpuMs += 1_000;
      monitor.check();
      monitor.noteHeartbeat();
    }
    const results = Array.from({ length: 11 }, () => monitor.check());
    expect(firstAt(results)).toBe(11);
  });
});
