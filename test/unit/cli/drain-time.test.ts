import { expect, test } from 'vitest';
import { toDrainMs } from '../../../src/cli/run-serve.ts';

test.each([
  ['a supervisor', 'SIGTERM', false, null, 5_000],
  ['a person at a terminal', 'SIGINT', true, null, 0],
  ['whoever stops it from another terminal', 'SIGTERM', true, null, 0],
  ['Ctrl-C where the output goes to a file', 'SIGINT', false, null, 0],
  ['a supervisor that was told otherwise', 'SIGTERM', false, 20, 20],
  ['a supervisor that was told not to wait', 'SIGTERM', false, 0, 0],
  ['a person who configured it', 'SIGINT', true, 3_000, 3_000],
])('%s sets this drain time', (_, signal, isTerminal, drainMs, expected) => {
  expect(toDrainMs(drainMs, signal, isTerminal)).toBe(expected);
});
