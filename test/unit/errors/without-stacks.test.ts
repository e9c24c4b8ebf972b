import { expect, test } from 'vitest';
import { withoutStacks } from '../../../src/errors/without-stacks.ts';

test('errors made within say nothing of where, those made after do', () => {
  expect(withoutStacks(() => new Error('within')).stack).toBe('Error: within');
  expect(new Error('after').stack).toContain('without-stacks.test.ts');
});

test('what is thrown within is thrown, and stacks are noted again', () => {
  const fail = () => {
    throw new RangeError('no');
  };
  expect(() => withoutStacks(fail)).toThrow(RangeError);
  expect(new Error('after').stack).toContain('without-stacks.test.ts');
});
