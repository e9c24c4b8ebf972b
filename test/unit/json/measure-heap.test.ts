import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/json/exact-json.ts';
import { measureHeap } from '../../../src/json/json-size.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapUsed(): number {
  // Twice: what finalizers let go of goes with the second.
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** What copies of a value take when each is parsed for itself, in bytes. @param write the text of one of them */
function measureCopies(write: (copy: number) => string): { readonly real: number; readonly measured: number } {
  // Of texts that are long in memory there are few, so that other things on the heap do not matter.
  const copies = Math.ceil(6_000_000 / measureHeap(parseJson(write(0))));
  const before = heapUsed();
  const kept = Array.from({ length: copies }, (_, copy) => parseJson(write(copy)));
  const real = heapUsed() - before;
  return { real, measured: kept.reduce<number>((sum, value) => sum + measureHeap(value), 0) };
}

const many = (part: (index: number) => string) =>
  `[${Array.from({ length: 1_000 }, (_, index) => part(index)).join(',')}]`;

describe('the memory of a parsed value', () => {
  it.each<[string, (copy: number) => string]>([
    ['empty objects', () => many(() => '{}')],
    ['empty lists', () => many(() => '[]')],
    ['numbers', () => many((index) => `${index}`)],
    ['fractions', () => many((index) => `${index + 0.5}`)],
    ['numbers that no double holds', () => many((index) => `${index + 1}00000000000000000001`)],
    ['objects of one form', () => many((index) => `{"amount":${index},"to":"a"}`)],
    ['objects of as many forms', (copy) => many((index) => `{"key_${copy}_${index}":1}`)],
    ['an object of many members', (copy) => `{${Array.from({ length: 500 }, (_, at) => `"key_${copy}_${at}":1`)}}`],
    ['nested objects', () => many(() => '{"a":{"b":{}}}')],
    ['nested lists', () => `${'['.repeat(90)}${']'.repeat(90)}`],
    ['short texts', (copy) => many((index) => `"text ${copy} ${index}"`)],
    ['a long text', (copy) => `"${copy}${'x'.repeat(20_000)}"`],
    ['a long text beyond Latin-1', (copy) => `"${copy}${'д'.repeat(20_000)}"`],
  ])('of %s is estimated at no less than two thirds, and no more than seven times', (_, write) => {
    const { real, measured } = measureCopies(write);
    expect(measured).toBeGreaterThan((real * 2) / 3);
    expect(measured).toBeLessThan(real * 7);
  });

  it('is estimated at half of it at least, for any value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4, stringUnit: 'grapheme' }), (text) => {
        const { real, measured } = measureCopies(() => `[${text}]`);
        expect(measured).toBeGreaterThan(real / 2);
      }),
      { numRuns: 4 },
    );
  });
});
