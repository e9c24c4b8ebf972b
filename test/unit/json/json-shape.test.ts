import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exceedsNesting, isTooComplex } from '../../../src/json/json-size.ts';

const isNestedOver = (json: Uint8Array, max: number) => isTooComplex(json, max, 1_000);

const bytes = (text: string) => new TextEncoder().encode(text);
const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

/** The obvious way, for values that are not too deep for it. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

describe('the nesting of JSON', () => {
  it('is within the bound or over it', () => {
    expect(isNestedOver(bytes(lists(128)), 128)).toBe(false);
    expect(isNestedOver(bytes(lists(129)), 128)).toBe(true);
    expect(isNestedOver(bytes(`{"a":${lists(128)}}`), 128)).toBe(true);
    expect(isNestedOver(bytes('['.repeat(500_000)), 128)).toBe(true);
  });

  it('ignores brackets in strings, with escaped quotes and backslashes', () => {
    const text = JSON.stringify({ a: `${'['.repeat(500)}"\\"{[`, b: '\\', c: [1] });
    expect(isNestedOver(bytes(text), 2)).toBe(false);
    expect(isNestedOver(bytes(text), 1)).toBe(true);
  });

  it('is bounded across chunks too, without strings', () => {
    const text = JSON.stringify({ list: Array(11).fill(1), text: ','.repeat(50) });
    expect(isTooComplex(bytes(text), 8, 11)).toBe(false);
    expect(isTooComplex(bytes(text), 8, 10)).toBe(true);
  });

  it('is also bounded in object members, which cost more', () => {
    const text = JSON.stringify([{ a: 1, b: { c: 'd:e:f' } }, { 'x:y': 2 }]);
    expect(isTooComplex(bytes(text), 8, 100, 4)).toBe(false);
    expect(isTooComplex(bytes(text), 8, 100, 3)).toBe(true);
  });

  it('agrees with a walk over the parsed value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (value, max) => {
        const text = JSON.stringify(value).padEnd(2 * max, ' ');
        expect(isNestedOver(bytes(text), max)).toBe(depthOf(value) > max);
        expect(exceedsNesting(value, max)).toBe(depthOf(value) > max);
      }),
    );
  });
});
