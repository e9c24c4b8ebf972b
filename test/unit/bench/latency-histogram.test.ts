import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLatencyHistogram } from '../../bench/load/latency-histogram.ts';

test('where nothing was counted every quantile is nothing', () => {
  expect(createLatencyHistogram().quantile(0.99)).toBe(0);
});

test('a quantile is the duration that so many stay within, or at most a twentieth more', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.01, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 200 }),
      fc.constantFrom(0.5, 0.9, 0.99, 1),
      (durations, part) => {
        const histogram = createLatencyHistogram();
        for (const each of durations) histogram.add(each);
        const sorted = [...durations].sort((left, right) => left - right);
        const right = sorted[Math.ceil(durations.length * part) - 1] ?? Number.NaN;
        const found = histogram.quantile(part);
        expect(found).toBeGreaterThanOrEqual(right * 0.999_999);
        expect(found).toBeLessThanOrEqual(right * 1.050_001);
      },
    ),
  );
});

test('what is longer than a minute counts as the longest', () => {
  const histogram = createLatencyHistogram();
  histogram.add(3_600_000);
  expect(histogram.quantile(0.5)).toBeGreaterThan(60_000);
});

test('cleared, it starts again', () => {
  const histogram = createLatencyHistogram();
  histogram.add(1_000);
  histogram.clear();
  histogram.add(1);
  expect(histogram.quantile(1)).toBeLessThan(1.06);
});
