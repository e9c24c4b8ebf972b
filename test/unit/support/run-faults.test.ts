import { describe, expect, test } from 'vitest';
import { findRunFaults } from '../../support/run-faults.ts';

describe('a run counts as passed', () => {
  const whole = {
    projects: ['unit', 'e2e'],
    files: [{ project: 'unit' }, { project: 'e2e' }],
    tests: [{ name: 'adds', state: 'passed' as const }],
  };

  test('when everything in it was tried', () => {
    expect(findRunFaults(whole)).toEqual([]);
  });

  test('not when a test was skipped or never came to its turn', () => {
    const tests = [
      { name: 'adds', state: 'passed' as const },
      { name: 'needs a browser', state: 'skipped' as const },
      { name: 'waits', state: 'pending' as const },
    ];
    expect(findRunFaults({ ...whole, tests })).toEqual(['not run: needs a browser', 'not run: waits']);
  });

  test('not when a project found no files', () => {
    expect(findRunFaults({ ...whole, files: [{ project: 'unit' }] })).toEqual(['the project e2e has no test files']);
  });
});
