import fc from 'fast-check';
import { parse } from 'graphql';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { exceedsFieldDepth, shippedLimits } from '../../../../src/documents/cost/limits.ts';
import { measureDocument } from '../../../../src/documents/cost/measure-document.ts';
import { arbitraryDocument } from '../../../support/arbitrary-documents.ts';
import { fragmentChain, maxFragments, maxLevels, nested, nestedField, queryOf } from '../../../support/documents.ts';
import { runs } from '../../../support/runs.ts';

const measure = (text: string) => measureDocument(parse(text), Buffer.byteLength(text));
const exceeds = (text: string, maxQueryDepth = 20, maxQueryNodes = 300) =>
  exceedsFieldDepth(measure(text), { maxQueryDepth, maxQueryNodes });

/** The package writes to the console before it throws. */
const written = vi.spyOn(console, 'error');
afterEach(() => {
  expect(written).not.toHaveBeenCalled();
  written.mockClear();
});

describe('the fast depth check', () => {
  test('rejects fields one level above the limit, and accepts them at the limit', () => {
    expect(exceeds(nested(20))).toBe(false);
    expect(exceeds(nested(21))).toBe(true);
    expect(exceeds('{ a }', 1)).toBe(false);
    expect(exceeds('{ a { b } }', 1)).toBe(true);
  });

  test('counts no fragment as a level', () => {
    expect(exceeds('{ ... { ...F } } fragment F on T { a }', 1)).toBe(false);
    expect(exceeds('{ ... { ...F } } fragment F on T { a { b } }', 1)).toBe(true);
  });

  test('rejects only what the exact count rejects', () => {
    let refused = 0;
    fc.assert(
      fc.property(
        fc.constantFrom({}, { hasUnknown: true }, { isCyclic: true }).chain(arbitraryDocument),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(300, 1_000_000),
        (text, maxQueryDepth, maxQueryNodes) => {
          const measured = measure(text);
          // Told that the exact count is over the limit, or it would not be asked.
          const told = { ...measured, depth: Math.max(measured.depth, maxQueryDepth + 1) };
          const isRefused = exceedsFieldDepth(told, { maxQueryDepth, maxQueryNodes });
          if (isRefused) refused += 1;
          expect(isRefused && measured.depth <= maxQueryDepth).toBe(false);
        },
      ),
      { numRuns: runs(300) },
    );
    expect(refused).toBeGreaterThan(8);
  }, 60_000);
});

describe('graphql-depth-limit is not called for', () => {
  test.each([
    ['fragments that contain themselves', '{ ...F } fragment F on T { a ...F }'],
    ['unknown fragments', `{ ...Missing ${nested(30).slice(1)}`],
    ['fragments named as what objects inherit', '{ ...constructor }'],
    ['doubling fragments', `{ ...F0 } ${fragmentChain(25, 2, `a ${nested(30)}`)}`],
    ['a long chain of fragments', `{ ...F0 } ${fragmentChain(maxFragments)}`],
    ['an operation named __proto__', `query __proto__ ${nested(30)}`],
    ['a fragment named __proto__', `{ ...__proto__ } fragment __proto__ on T ${nested(30)}`],
  ])('%s', (_, text) => {
    expect(exceeds(text, 20, 1_000_000_000)).toBe(false);
  });

  test('more selections than a call takes as arguments', () => {
    const wide = Array.from({ length: 150_000 }, (_, index) => `a${index}`).join(' ');
    expect(exceeds(`{ ${wide} }`, 20, 1_000_000)).toBe(false);
  });

  test('fields nested as deep as a document can be', () => {
    const measured = measureDocument(queryOf(nestedField(maxLevels)), 0);
    expect(exceedsFieldDepth(measured, { ...shippedLimits, maxQueryDepth: 30_000, maxQueryNodes: 30_000 })).toBe(false);
  });
});
