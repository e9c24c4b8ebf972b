import { expect, test } from 'vitest';
import { toEndWithinMs } from '../../../../src/start/workers/primary.ts';

test('workers get the time for which a sent mutation may run on, or the longest query timeout', () => {
  expect(toEndWithinMs({ queryMs: 15_000, mutationMs: 30_000 })).toBe(66_000);
  expect(toEndWithinMs({ queryMs: 90_000, mutationMs: 30_000 })).toBe(96_000);
});
