import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkGasBudget } from '../../../../src/subschemas/sponsor/check-gas-budget.ts';

const max = 2_000_000_000;

describe('checkGasBudget', () => {
  it.each([1, 5_000_000, max - 1])('lets %d pass', (gasBudget) => {
    expect(checkGasBudget(gasBudget, max)).toBeUndefined();
  });

  it.each([0, -1, max, max + 1, 1.5, Number.NaN, 2 ** 53])('refuses %d', (gasBudget) => {
    expect(() => checkGasBudget(gasBudget, max)).toThrow('from 1 to 1999999999');
  });

  it('names argument, value and rule', () => {
    expect(() => checkGasBudget(0, 100)).toThrow(
      expect.objectContaining({
        message: 'Argument "gasBudget" has value "0": it must be a whole number from 1 to 99.',
        extensions: { code: 'BAD_USER_INPUT', argument: 'gasBudget' },
      }),
    );
  });

  it('passes exactly the whole numbers between 0 and the maximum, both left out', () => {
    fc.assert(
      fc.property(fc.integer({ min: -10, max: 1_010 }), (gasBudget) => {
        const passes = gasBudget > 0 && gasBudget < 1_000;
        if (passes) checkGasBudget(gasBudget, 1_000);
        else expect(() => checkGasBudget(gasBudget, 1_000)).toThrow();
      }),
    );
  });
});
