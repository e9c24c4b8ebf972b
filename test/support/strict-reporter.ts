import { mkdirSync, writeFileSync } from 'node:fs';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { findRunFaults } from './run-faults.ts';

/** The files of failed tests, one a line. Empty if the run failed for another reason, which a second attempt would hide. */
const failedFiles = 'test-results/failed-files';

/** Fails a run with skipped tests, lists the files of failed ones, and ends with one line: how many passed and failed. */
export class StrictReporter implements Reporter {
  #projects: readonly string[] = [];

  onInit(vitest: Vitest): void {
    this.#projects = vitest.projects.map(({ name }) => name);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => ({
        name: `${module.relativeModuleId} › ${test.fullName}`,
        state: test.result().state,
      })),
    );
    const files = modules.map(({ project }) => ({ project: project.name }));
    const faults = findRunFaults({ projects: this.#projects, files, tests });
    const count = (state: string) => tests.filter((test) => test.state === state).length;
    const failed = modules.filter((module) => module.state() === 'failed').map((module) => module.relativeModuleId);
    mkdirSync('test-results', { recursive: true });
    writeFileSync(failedFiles, faults.length + unhandledErrors.length > 0 ? '' : [...new Set(failed)].join('\n'));
    for (const fault of faults) process.stdout.write(`${fault}\n`);
    if (faults.length > 0) process.exitCode = 1;
    process.stdout.write(`${count('passed')} passed, ${count('failed') + faults.length} failed\n`);
  }
}
