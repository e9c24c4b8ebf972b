/** The parts of a finished test run that are judged. */
export interface FinishedRun {
  /** Names of the expected projects. */
  readonly projects: readonly string[];
  readonly files: readonly { readonly project: string }[];
  readonly tests: readonly { readonly name: string; readonly state: 'passed' | 'failed' | 'skipped' | 'pending' }[];
}

/**
 * Why a run without failed tests still must not pass, one reason per line: a skipped test tested nothing, and a project whose
 * files no longer match its pattern would pass for ever.
 */
export function findRunFaults({ projects, files, tests }: FinishedRun): string[] {
  const empty = projects.filter((name) => files.every(({ project }) => project !== name));
  const untried = tests.filter(({ state }) => state === 'skipped' || state === 'pending');
  return [
    ...empty.map((name) => `the project ${name} has no test files`),
    ...untried.map(({ name }) => `not run: ${name}`),
  ];
}
