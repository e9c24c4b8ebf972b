import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { findRunFaults } from './run-faults.ts';

/** Fails a run with skipped tests, and ends it with one line: how many passed and failed. */
export class StrictReporter implements Reporter {
  #projects: readonly string[] = [];

  onInit(vitest: Vitest): void {
    this.#projects = vitest.projects.map(({ name }) => name);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => ({
        name: `${module.relativeModuleId} › ${test.fullName}`,
        state: test.result().state,
      })),
    );
    const files = modules.map(({ project }) => ({ project: project.name }));
    const faults = findRunFaults({ projects: this.#projects, files, tests });
    const count = (state: string) => tests.filter((test) => test.state === state).length;
    for (const fault of faults) process.stdout.write(`${fault}\n`);
    if (faults.length > 0) process.exitCode = 1;
    process.stdout.write(`${count('passed')} passed, ${count('failed') + faults.length} failed\n`);
  }
}
