import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exceedsNesting } from '../../../src/json/json-size.ts';

/** Counted on the text, as the value is written. */
function depthOf(value: unknown): number {
  let [depth, deepest] = [0, 0];
  for (const [token] of JSON.stringify(value).matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') depth += 1;
    if (token === ']' || token === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

describe('nesting', () => {
  it('exceeds every bound below its depth, and no other', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(8), (value, max) => {
        expect(exceedsNesting(value, max)).toBe(depthOf(value) > max);
      }),
    );
  });

  it.each([
    ['objects', '{"a":', '}'],
    ['lists', '[', ']'],
    ['objects with more behind', '{"a":', ',"b":1}'],
    ['lists with more before', '[1,"[",', ']'],
  ])('of %s is found at any depth', (_, open, close) => {
    for (const depth of [2_000, 2_001, 100_000]) {
      const value: unknown = JSON.parse(`${open.repeat(depth)}1${close.repeat(depth)}`);
      expect(exceedsNesting(value, 2_000)).toBe(depth > 2_000);
    }
  });
});
