import { describe, expect, test } from 'vitest';
import { shippedLimits, stricterLimits } from '../../../../src/documents/cost/limits.ts';

describe('the effective limits', () => {
  test('are those of the ledger', () => {
    const upstream = { ...shippedLimits, maxQueryDepth: 50, maxOutputNodes: 7, defaultPageSize: 10, maxPageSize: 25 };
    expect(stricterLimits({}, upstream)).toEqual(upstream);
    expect(stricterLimits({ maxQueryDepth: null, maxQueryNodes: undefined }, upstream)).toEqual(upstream);
  });

  test('are the smaller of the configured and the ledger’s value, each on its own', () => {
    expect(
      stricterLimits(
        { maxQueryDepth: 10, maxQueryNodes: 1_000, maxTransactionPayloadSize: 5 },
        { maxQueryDepth: 20, maxQueryNodes: 300, maxOutputNodes: 9 },
      ),
    ).toEqual({
      ...shippedLimits,
      maxQueryDepth: 10,
      maxQueryNodes: 300,
      maxOutputNodes: 9,
      maxTransactionPayloadSize: 5,
    });
  });

  test('have the ledger’s page sizes', () => {
    expect(stricterLimits({ maxQueryDepth: 1 }, { defaultPageSize: 30, maxPageSize: 60 })).toMatchObject({
      defaultPageSize: 30,
      maxPageSize: 60,
    });
  });

  test.each([[null], [undefined], [0], [-1], [1.5], ['20'], [Number.NaN], [2 ** 53]])(
    'are the shipped ones if the ledger reports %s',
    (told) => {
      expect(stricterLimits({}, { maxQueryDepth: told, defaultPageSize: told })).toEqual(shippedLimits);
      expect(stricterLimits({ maxQueryDepth: 99 }, { maxQueryDepth: told }).maxQueryDepth).toBe(20);
    },
  );
});
