import { expect, test } from 'vitest';
import { readVariable } from '../../../../src/documents/cost/usage.ts';

test('a variable has the value that was sent, and no inherited one', () => {
  expect(readVariable({ a: 1, b: null }, 'a')).toBe(1);
  expect(readVariable({ a: 1, b: null }, 'b')).toBeNull();
  expect(readVariable({}, 'toString')).toBeUndefined();
  expect(readVariable({}, '__proto__')).toBeUndefined();
  expect(readVariable(JSON.parse('{"__proto__": 5}') as Record<string, unknown>, '__proto__')).toBe(5);
});
