import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkReserveDuration } from '../../../../src/subschemas/sponsor/check-reserve-duration.ts';

describe('checkReserveDuration', () => {
  it('passes exactly 1 to 600 seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: -5, max: 650 }), (seconds) => {
        const passes = seconds >= 1 && seconds <= 600;
        if (passes) checkReserveDuration(seconds);
        else expect(() => checkReserveDuration(seconds)).toThrow('from 1 to 600');
      }),
      { numRuns: 500 },
    );
  });

  it.each([1, 600])('lets the bound %d pass', (seconds) => {
    expect(checkReserveDuration(seconds)).toBeUndefined();
  });

  it.each([0, 601, 1.5])('names argument, value and rule for %d', (seconds) => {
    expect(() => checkReserveDuration(seconds)).toThrow(
      `Argument "reserveDurationSecs" has value "${seconds}": it must be a whole number of seconds from 1 to 600.`,
    );
  });
});
