import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { measureDocument } from '../../../../src/documents/cost/measure-document.ts';
import { maxCount } from '../../../../src/documents/cost/usage.ts';

test('a large price does not change the price with smaller pages later', () => {
  const text = `query ($a: Int, $b: Int) {
    events(first: $a) { nodes { ...F timestamp } }
  } fragment F on Event { sendingModule { functions(first: $b) { nodes { name } } } }`;
  const { outputNodes } = measureDocument(parse(text), text.length);
  const small = 2 + 2 * (1 + 1 + 1 + 1 + 3);
  expect(outputNodes({ a: 2, b: 3 }, 20)).toBe(small);
  // Each page fits, their product does not, though the innermost field is multiplied by it.
  expect(outputNodes({ a: 100_000, b: 100_000 }, 20)).toBe(maxCount);
  expect(outputNodes({ a: 2, b: 3 }, 20)).toBe(small);
  // Beyond the counter by itself: told before all of it is gone through.
  expect(outputNodes({ a: 2 ** 33, b: 1 }, 20)).toBe(maxCount);
  expect(outputNodes({ a: 2, b: 3 }, 20)).toBe(small);
  expect(outputNodes({ a: 0, b: 2 ** 32 - 1 }, 20)).toBe(2);
  expect(outputNodes({}, 1)).toBe(2 + 1 * (1 + 1 + 1 + 1 + 1));
});
