import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toExactNumber } from '../../../src/json/exact-json.ts';
import { exceedsLength, exceedsLengthInSteps } from '../../../src/json/json-size.ts';

test('a value is about as long as its JSON', () => {
  const value = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(value, (each) => {
      const { length } = JSON.stringify(each);
      expect(exceedsLength(each, 3 * length + 20)).toBe(false);
      // Escapes count as what they stand for.
      if (length > 140) expect(exceedsLength(each, length / 7 - 20)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('exact numbers count with all their digits', () => {
  const long = toExactNumber('9'.repeat(500));
  expect([exceedsLength([long], 400), exceedsLength([long], 600)]).toEqual([true, false]);
});

test('reading stops at the bound', () => {
  let looks = 0;
  const item = {
    get text() {
      looks += 1;
      return 'x'.repeat(100);
    },
  };
  expect(exceedsLength(Array(10_000).fill(item), 1_000)).toBe(true);
  expect(exceedsLength({ ...Array(10_000).fill(item) }, 1_000)).toBe(true);
  expect(looks).toBeLessThan(30);
});

test('of a long value is measured in steps, with the same outcome', () => {
  const steps = (value: unknown, characters: number) => {
    const all = exceedsLengthInSteps(value, characters, 1_000);
    for (let count = 1; ; count += 1) {
      const step = all.next();
      if (step.done) return { count, exceeds: step.value };
    }
  };
  const long = { list: Array(500).fill({ a: 'x'.repeat(50), b: [1, null, { c: true }] }), text: 'y'.repeat(5_000) };
  const { length } = JSON.stringify(long);
  expect(steps(long, length / 2)).toMatchObject({ exceeds: true });
  expect(steps(long, 2 * length)).toEqual({ exceeds: false, count: expect.any(Number) });
  expect(steps(long, 2 * length).count).toBeGreaterThan(20);
});
