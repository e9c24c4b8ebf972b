import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHeart } from '../../../../src/shells/event-streams/heart.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('there is one timer for all streams, and none while there are none', () => {
  const heart = createHeart(15_000);
  expect(vi.getTimerCount()).toBe(0);
  const beats: string[] = [];
  const stops = ['a', 'b'].map((name) => heart.onBeat(() => beats.push(name)));
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(30_000);
  expect(beats).toEqual(['a', 'b', 'a', 'b']);
  stops[0]?.();
  stops[0]?.();
  vi.advanceTimersByTime(15_000);
  expect(beats.slice(4)).toEqual(['b']);
  stops[1]?.();
  expect(vi.getTimerCount()).toBe(0);
  const stopAgain = heart.onBeat(() => beats.push('c'));
  stops[1]?.();
  vi.advanceTimersByTime(15_000);
  expect(beats.slice(5)).toEqual(['c']);
  stopAgain();
  expect(vi.getTimerCount()).toBe(0);
});
