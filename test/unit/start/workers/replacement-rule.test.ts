import { describe, expect, test } from 'vitest';
import { createReplacementRule } from '../../../../src/start/workers/replacement-rule.ts';

const early = { servedMs: 100, othersServe: true };
const sound = { servedMs: 3_600_000, othersServe: true };
const never = { servedMs: null, othersServe: false };

/** The pauses after so many ends in a row. */
const pauses = (
  workers: number,
  ends: number,
  end: Parameters<ReturnType<typeof createReplacementRule>['afterEndOf']>[0],
) => {
  const rule = createReplacementRule(workers);
  return Array.from({ length: ends }, () => rule.afterEndOf(end));
};

describe('a worker that ended', () => {
  test('after hours is replaced at once, however often', () => {
    expect(pauses(1, 20, sound)).toEqual(Array(20).fill(0));
  });

  test('soon after it began is replaced after pauses that grow to ten seconds, as long as others serve', () => {
    expect(pauses(1, 9, early)).toEqual([0, 250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  test('together with all the others is one that ended', () => {
    expect(pauses(3, 7, early)).toEqual([0, 0, 0, 250, 250, 250, 500]);
  });

  test('makes the whole be given up when none serves and five in a row did not come up', () => {
    expect(pauses(1, 6, never)).toEqual([0, 250, 500, 1_000, 2_000, null]);
    expect(pauses(2, 11, never).indexOf(null)).toBe(10);
  });

  test('after a sound one begins a new row', () => {
    const rule = createReplacementRule(1);
    for (let end = 0; end < 5; end += 1) rule.afterEndOf(never);
    expect(rule.afterEndOf(sound)).toBe(0);
    expect(rule.afterEndOf(never)).toBe(0);
  });
});
