import fc from 'fast-check';
import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { checkLimits } from '../../../src/limits/check-limits.ts';
import { exceedsFieldDepth } from '../../../src/limits/exceeds-field-depth.ts';
import { type Limits, shippedLimits } from '../../../src/limits/limits.ts';
import { measureDocument } from '../../../src/limits/measure-document.ts';
import { priceDocument } from '../../../src/limits/price-document.ts';
import type { Refusal } from '../../../src/limits/refusal.ts';
import { arbitraryDocument, arbitraryVariables } from '../../support/arbitrary-documents.ts';
import { referenceCount } from '../../support/reference-counter.ts';

const measure = (text: string) => measureDocument(parse(text), Buffer.byteLength(text));

/** Small bounds, so that every one of them is the first to break often. */
const someLimits: fc.Arbitrary<Limits> = fc.record({
  maxQueryDepth: fc.integer({ min: 1, max: 25 }),
  maxQueryNodes: fc.integer({ min: 1, max: 120 }),
  maxOutputNodes: fc.integer({ min: 1, max: 2_000 }),
  maxQueryPayloadSize: fc.integer({ min: 1, max: 2_000 }),
  maxTransactionPayloadSize: fc.integer({ min: 1, max: 12 }),
  defaultPageSize: fc.integer({ min: 1, max: 30 }),
  maxPageSize: fc.constant(50),
});
const limits = fc.oneof(someLimits, fc.constant(shippedLimits));

function toPlain(refusal: Refusal | null) {
  if (refusal === null) return null;
  const [location] = refusal.error.locations ?? [];
  return {
    message: refusal.error.message,
    at: location ? `${location.line}:${location.column}` : null,
    limit: refusal.error.extensions.limit ?? null,
  };
}

describe('against a counter that writes every fragment out', () => {
  test.each([
    ['whose fragments all exist and never circle', {}],
    ['with fragments that are missing', { hasUnknown: true }],
    ['with fragments in circles', { isCyclic: true }],
  ])('all six numbers and the refusal agree on documents %s', (_, options) => {
    fc.assert(
      fc.property(arbitraryDocument(options), arbitraryVariables, limits, (text, variables, bounds) => {
        const expected = referenceCount(parse(text), text, variables, bounds);
        const measured = measure(text);
        if (expected.usage) expect(priceDocument(measured, variables, bounds)).toEqual(expected.usage);
        expect(toPlain(checkLimits(measured, variables, bounds))).toEqual(expected.refusal);
      }),
      { numRuns: 2_500 },
    );
  });
});
void exceedsFieldDepth;
