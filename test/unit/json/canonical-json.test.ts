import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEqualJson, toCanonicalJson } from '../../../src/json/canonical-json.ts';
import { ExactNumber } from '../../../src/json/exact-json.ts';
import { runs } from '../../support/runs.ts';

/** Few of each, so that two of them are equal often enough, or nearly so. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, 'a', '', 'a"', 0, 1, 10, -1, 0.5, new ExactNumber('1.0'), new ExactNumber('10')),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '"', '__proto__'), tie('value'), { maxKeys: 2 }),
  ),
})).value;

describe('comparing two values', () => {
  it.each<[unknown, unknown, boolean]>([
    [{ b: [1, '2'], a: null }, { a: null, b: [1, '2'] }, true],
    [new ExactNumber('100.0'), 1e2, true],
    [[1], [1, 1], false],
    [[], [], true],
    [{}, {}, true],
    [{}, [], false],
    ['', '', true],
    [1, '1', false],
    [undefined, null, false],
  ])('takes %j for %j: %s', (one, other, isEqual) => {
    expect(isEqualJson(one, other)).toBe(isEqual);
  });

  it('agrees with comparing both canonical texts', () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        expect(isEqualJson(one, one)).toBe(true);
        expect(isEqualJson(one, other)).toBe(toCanonicalJson(one) === toCanonicalJson(other));
      }),
      { numRuns: runs(300) },
    );
  });

  it('stops at the first difference, however large the value is', () => {
    let looked = 0;
    const watched = (value: object) =>
      new Proxy(value, {
        get(target, name, receiver) {
          looked += 1;
          return Reflect.get(target, name, receiver);
        },
      });
    const list = watched(Array.from({ length: 100_000 }, (_, index) => index));
    expect(isEqualJson(list, [1, 2])).toBe(false);
    const members = watched(Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`name${index}`, index])));
    expect(isEqualJson(members, { name0: 5 })).toBe(false);
    expect(looked).toBeLessThan(20);
  });

  it('goes no deeper than the other value', () => {
    let deep: unknown = 0;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(isEqualJson(deep, [[[0]]])).toBe(false);
  });
});
