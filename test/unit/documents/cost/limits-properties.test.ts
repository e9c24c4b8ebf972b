import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { type LimitRefusal, type Limits, shippedLimits } from '../../../../src/documents/cost/limits.ts';
import { measureDocument } from '../../../../src/documents/cost/measure-document.ts';
import { priceDocument } from '../../../../src/documents/prepared-document.ts';
import { arbitraryDocument, arbitraryVariables } from '../../../support/arbitrary-documents.ts';
import { checkLimits } from '../../../support/check-limits.ts';
import { plausibleDocument } from '../../../support/plausible-documents.ts';
import { referenceCount } from '../../../support/reference-counter.ts';
import { runs } from '../../../support/runs.ts';

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

function toPlain(refusal: LimitRefusal | null) {
  if (refusal === null) return null;
  const [location] = refusal.error.locations ?? [];
  return {
    message: refusal.error.message,
    at: location ? `${location.line}:${location.column}` : null,
    limit: refusal.error.extensions.limit ?? null,
  };
}

describe('compared with a counter that writes out every fragment', () => {
  test.each([
    ['whose fragments all exist and never circle', {}],
    ['with fragments that are missing', { hasUnknown: true }],
    ['with fragments in circles', { isCyclic: true }],
  ])(
    'all six numbers and the rejection agree for documents %s',
    (_, options) => {
      fc.assert(
        fc.property(arbitraryDocument(options), arbitraryVariables, limits, (text, variables, bounds) => {
          const expected = referenceCount(parse(text), text, variables, bounds);
          const measured = measure(text);
          if (expected.usage) expect(priceDocument(measured, variables, bounds)).toEqual(expected.usage);
          expect(toPlain(checkLimits(measured, variables, bounds))).toEqual(expected.refusal);
        }),
        { numRuns: runs(100) },
      );
    },
    60_000,
  );

  test.each([
    ['IOTA 2025.2', '@iota/iota-sdk/src/graphql/generated/2025.2/schema.graphql'],
    ['Sui 2024.4', '@mysten/sui/src/graphql/generated/2024.4/schema.graphql'],
  ])(
    'they agree for plausible documents for %s',
    (_, file) => {
      const sdl = readFileSync(new URL(`../../../../node_modules/${file}`, import.meta.url), 'utf8');
      const schema = buildSchema(sdl);
      fc.assert(
        fc.property(fc.nat(), limits, (seed, bounds) => {
          const { text, variables } = plausibleDocument(schema, seed);
          const document = parse(text);
          if (seed % 20 === 0) expect(validate(schema, document).map(({ message }) => message)).toEqual([]);
          const expected = referenceCount(document, text, variables, bounds);
          const measured = measureDocument(document, Buffer.byteLength(text));
          expect(priceDocument(measured, variables, bounds)).toEqual(expected.usage);
          expect(toPlain(checkLimits(measured, variables, bounds))).toEqual(expected.refusal);
        }),
        { numRuns: runs(100) },
      );
    },
    60_000,
  );
});
