import { expect, it } from 'vitest';
import { ExactNumber } from '../../../../src/json/exact-json.ts';
import { checkUInt53, refuseArgument } from '../../../../src/ledger/values/check-argument.ts';

it.each([
  ['a number beyond 2^53 with all its digits', new ExactNumber('18446744073709551615'), '18446744073709551615'],
  ['a negative number', -1, '-1'],
  ['no number', Number.NaN, 'null'],
])('a rejected argument shows %s', (_, value, shown) => {
  const message = `Argument 'a' must be a whole number from 0 to 2^53-1; got ${shown}.`;
  expect(() => checkUInt53('a', value as number)).toThrow(message);
});

it('a rejected argument shows 64 characters of its value', () => {
  expect(() => refuseArgument('a', 'x'.repeat(100), 'is wrong')).toThrow(
    `Argument 'a' is wrong; got "${'x'.repeat(63)}….`,
  );
  expect(() => refuseArgument('a', undefined, 'is wrong')).toThrow("Argument 'a' is wrong; got undefined.");
});
