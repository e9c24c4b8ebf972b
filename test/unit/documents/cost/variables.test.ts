import { expect, test } from 'vitest';
import { sentValue } from '../../../../src/documents/cost/usage.ts';

test('a variable has the value that was sent, and no inherited one', () => {
  expect(sentValue({ a: 1, b: null }, 'a')).toBe(1);
  expect(sentValue({ a: 1, b: null }, 'b')).toBeNull();
  expect(sentValue({}, 'toString')).toBeUndefined();
  expect(sentValue({}, '__proto__')).toBeUndefined();
  expect(sentValue(JSON.parse('{"__proto__": 5}') as Record<string, unknown>, '__proto__')).toBe(5);
});
