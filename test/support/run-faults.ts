/** What a finished run says of itself, as far as it is judged. */
export interface FinishedRun {
  /** Names of the projects that were to run. */
  readonly projects: readonly string[];
  readonly files: readonly { readonly project: string }[];
  readonly tests: readonly { readonly name: string; readonly state: 'passed' | 'failed' | 'skipped' | 'pending' }[];
}

/**
 * Why a run in which no test failed must not count as passed all the same, each reason a line: what was skipped has not
 * been tried, and a project whose files have moved away from its pattern passes for ever.
 */
export function findRunFaults({ projects, files, tests }: FinishedRun): string[] {
  const empty = projects.filter((name) => files.every(({ project }) => project !== name));
  const untried = tests.filter(({ state }) => state === 'skipped' || state === 'pending');
  return [
    ...empty.map((name) => `the project ${name} has no test files`),
    ...untried.map(({ name }) => `not run: ${name}`),
  ];
}
