import { expect, test } from 'vitest';
import { lightError } from '../../../src/errors/light-error.ts';
import { limitErrors, maxReportedCharacters, maxReportedErrors } from '../../../src/errors/reported-errors.ts';

const errors = (count: number, text = 'no') =>
  Array.from({ length: count }, (_, index) => lightError(text, { path: ['items', index] }));
const endsInMore = (told: readonly { readonly message: string }[]) => told.at(-1)?.message.startsWith('There are more');

test('as many errors as the limit are reported unchanged', () => {
  const all = errors(maxReportedErrors);
  expect(limitErrors(all)).toBe(all);
});

test('beyond the limit the first are reported, and that there are more', () => {
  const all = errors(maxReportedErrors + 5);
  const told = limitErrors(all);
  expect(told.slice(0, -1)).toEqual(all.slice(0, maxReportedErrors));
  expect(endsInMore(told)).toBe(true);
});

test('long messages, extensions and paths reduce the number; one error is reported at any length', () => {
  const long = 'x'.repeat(maxReportedCharacters / 8);
  const inExtensions = Array.from({ length: 20 }, () => lightError('', { extensions: { long } }));
  const inPaths = Array.from({ length: 20 }, () => lightError('', { path: Array(maxReportedCharacters / 8).fill(1) }));
  for (const all of [errors(20, long), inExtensions, inPaths]) {
    const told = limitErrors(all);
    expect(told.length).toBeLessThan(12);
    expect(endsInMore(told)).toBe(true);
  }
  expect(limitErrors(errors(2, long.repeat(9)))).toHaveLength(2);
});
