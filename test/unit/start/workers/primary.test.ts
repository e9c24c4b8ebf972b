import { expect, test } from 'vitest';
import { toEndWithinMs } from '../../../../src/start/workers/primary.ts';

test('workers are given the time for which a mutation that was sent may go on, or for the longest query', () => {
  expect(toEndWithinMs({ queryMs: 15_000, mutationMs: 30_000 })).toBe(66_000);
  expect(toEndWithinMs({ queryMs: 90_000, mutationMs: 30_000 })).toBe(96_000);
});
