import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Page } from '../../../../../src/devnet/graphql/connections/page.ts';
import { type Bound, emptyPage, paginate } from '../../../../../src/devnet/graphql/connections/paginate.ts';

const ten = { from: 0, to: 10 };
const even = { ...ten, includes: (at: number) => at % 2 === 0 };
const page = (limit: number, bounds: Partial<Page<Bound>> = {}): Page<Bound> => ({
  after: undefined,
  before: undefined,
  limit,
  fromFront: true,
  ...bounds,
});
const member = (at: number): Bound => ({ at, exact: true });

describe('a page of ten', () => {
  test.each([
    ['first 3', page(3), [0, 1, 2], false, true],
    ['last 3', page(3, { fromFront: false }), [7, 8, 9], true, false],
    ['all of them', page(10), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], false, false],
    ['first 3 after 2', page(3, { after: member(2) }), [3, 4, 5], true, true],
    ['first 3 after 6', page(3, { after: member(6) }), [7, 8, 9], true, false],
    ['last 3 before 3', page(3, { before: member(3), fromFront: false }), [0, 1, 2], false, true],
    ['first 3 before 9', page(3, { before: member(9) }), [0, 1, 2], false, true],
    ['last 3 after 1', page(3, { after: member(1), fromFront: false }), [7, 8, 9], true, false],
    ['what lies between 3 and 6', page(10, { after: member(3), before: member(6) }), [4, 5], true, true],
  ])('%s', (_, asked, positions, hasPreviousPage, hasNextPage) => {
    expect(paginate(asked, ten)).toEqual({ positions, hasPreviousPage, hasNextPage });
  });

  test.each([
    ['of no size', page(0, { after: member(2) })],
    ['after the last', page(3, { after: member(9) })],
    ['before the first', page(3, { before: member(0), fromFront: false })],
    ['between neighbours', page(3, { after: member(4), before: member(5) })],
    ['between cursors the wrong way round', page(3, { after: member(6), before: member(4) })],
    ['after one that is no member', page(3, { after: { at: 4, exact: false } })],
    ['after one behind them all', page(3, { after: member(40) })],
    ['before one that is no member', page(3, { before: { at: 4, exact: false }, fromFront: false })],
  ])('%s is empty, without flags', (_, asked) => {
    expect(paginate(asked, ten)).toEqual(emptyPage);
  });
});

describe('a page of some of ten', () => {
  test('excludes other items', () => {
    expect(paginate(page(2, { after: member(2) }), even)).toEqual({
      positions: [4, 6],
      hasPreviousPage: true,
      hasNextPage: true,
    });
  });

  test('is empty after a foreign cursor', () => {
    expect(paginate(page(2, { after: member(3) }), even)).toEqual(emptyPage);
  });

  test('continues after the edge of a scan, whether or not it matches', () => {
    expect(paginate(page(2, { after: { at: 3, exact: true, scanned: true } }), even)).toEqual({
      positions: [4, 6],
      hasPreviousPage: false,
      hasNextPage: true,
    });
    expect(paginate(page(2, { after: { at: 4, exact: true, scanned: true } }), even).positions).toEqual([6, 8]);
  });

  test('scans no further than necessary', () => {
    const seen: number[] = [];
    paginate(page(2), { from: 0, to: 1_000_000, includes: (at) => seen.push(at) > 0 });
    expect(seen).toEqual([0, 1, 2, 3]);
  });
});

test('walking with any page sizes, forwards or backwards, visits every member once and in order', () => {
  const members = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 40 });
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(members, sizes, (chosen, limits) => {
      const set = new Set(chosen);
      const candidates = { from: 0, to: 61, includes: (at: number) => set.has(at) };
      const expected = [...set].sort((left, right) => left - right);
      const forward: number[] = [];
      for (let turn = 0, after: Bound | undefined; ; turn += 1) {
        const found = paginate(page(limits[turn % limits.length]!, { after }), candidates);
        forward.push(...found.positions);
        if (!found.hasNextPage) break;
        after = member(found.positions.at(-1)!);
      }
      const backward: number[] = [];
      for (let turn = 0, before: Bound | undefined; ; turn += 1) {
        const found = paginate(page(limits[turn % limits.length]!, { before, fromFront: false }), candidates);
        backward.unshift(...found.positions);
        if (!found.hasPreviousPage) break;
        before = member(found.positions[0]!);
      }
      expect(forward).toEqual(expected);
      expect(backward).toEqual(expected);
    }),
  );
});
