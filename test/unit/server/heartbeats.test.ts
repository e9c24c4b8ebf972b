import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHeartbeats } from '../../../src/server/heartbeats.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('there is one timer for all streams, and none without streams', () => {
  const beatsOfAll = createHeartbeats(15_000);
  expect(vi.getTimerCount()).toBe(0);
  const beats: string[] = [];
  const stops = ['a', 'b'].map((name) => beatsOfAll.onBeat(() => beats.push(name)));
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(30_000);
  expect(beats).toEqual(['a', 'b', 'a', 'b']);
  stops[0]?.();
  stops[0]?.();
  vi.advanceTimersByTime(15_000);
  expect(beats.slice(4)).toEqual(['b']);
  stops[1]?.();
  expect(vi.getTimerCount()).toBe(0);
  const stopAgain = beatsOfAll.onBeat(() => beats.push('c'));
  stops[1]?.();
  vi.advanceTimersByTime(15_000);
  expect(beats.slice(5)).toEqual(['c']);
  stopAgain();
  expect(vi.getTimerCount()).toBe(0);
});

test('few of many listeners are called in the same turn, and each every fifteen seconds', () => {
  const beatsOfAll = createHeartbeats(15_000);
  const beats = new Map<number, number>();
  let most = 0;
  const stops = Array.from({ length: 150 }, (_, index) =>
    beatsOfAll.onBeat(() => void beats.set(index, (beats.get(index) ?? 0) + 1)),
  );
  let before = 0;
  for (let second = 0; second < 60; second += 1) {
    vi.advanceTimersByTime(1_000);
    const now = [...beats.values()].reduce((sum, each) => sum + each, 0);
    most = Math.max(most, now - before);
    before = now;
  }
  expect(most).toBe(10);
  expect(beats.size).toBe(150);
  expect(new Set(beats.values())).toEqual(new Set([4]));
  for (const stop of stops) stop();
  expect(vi.getTimerCount()).toBe(0);
});
