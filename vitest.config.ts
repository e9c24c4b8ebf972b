import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { chaos } from './test/support/runs.ts';
import { StrictReporter } from './test/support/strict-reporter.ts';

/**
 * Sources import `graphql` as ES modules and Yoga loads it as CommonJS; two copies would break `instanceof GraphQLError`,
 * so both are pointed at the one CommonJS build.
 */
const alias = [{ find: /^graphql$/, replacement: 'graphql/index.js' }];

/** They look at what is in memory, so each has a process of its own: what other files left there would be looked at too. */
const memoryTests = [
  'test/unit/devnet/graphql/documents/document-cache.test.ts',
  'test/unit/devnet/transactions/parse-bcs.test.ts',
  'test/unit/documents/document-store.test.ts',
  'test/unit/documents/kept-bytes.test.ts',
  'test/unit/documents/refused-documents.test.ts',
  'test/unit/live/kept-keys.test.ts',
  'test/unit/upstream/share-reads.test.ts',
];

/** They count objects, handles or CPU time of their process, so each has a process of its own. */
const countingTests = [
  'test/faults/leak-guard.test.ts',
  'test/faults/memory-amplification.test.ts',
  'test/faults/live-leak-guard.test.ts',
  'test/faults/refused-first.test.ts',
  'test/faults/schema-generations.test.ts',
  'test/faults/upstream-sockets.test.ts',
];

const cores = availableParallelism();

const project = (name: string, options: Record<string, unknown> = {}) => ({
  resolve: { alias },
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    environment: 'node' as const,
    // Sets the seed of property tests, so that a change is accepted or refused by what it does and not by chance.
    setupFiles: ['test/support/runs.ts'],
    expect: {
      // A test whose loop finds nothing to look at would pass without having looked.
      requireAssertions: true,
      // Polls wait as long as `until` does, since 1 s is short on a busy machine.
      poll: { timeout: 60_000, interval: 20 },
    },
    ...options,
  },
});

const faults = { testTimeout: 300_000 * chaos, hookTimeout: 60_000 };

export default defineConfig({
  resolve: { alias },
  test: {
    // One more than there are cores, since some files wait for timeouts or for the processes that they start.
    maxWorkers: cores + 1,
    // Seven projects load the same modules: each is transformed once for all of them, and again only when it has changed.
    experimental: { fsModuleCache: true },
    // Elsewhere a missing browser or Redis is a skip with a reason; where a change is accepted, all of it has to run.
    reporters: process.env.CI ? ['dot', new StrictReporter()] : ['default'],
    projects: [
      // Files of one process share what they import, which takes longer to load than most tests take. The time is only to
      // end what hangs: some of them work for seconds where all cores are busy.
      project('unit', { exclude: memoryTests, isolate: false, testTimeout: 90_000 * chaos }),
      project('integration', { isolate: false, testTimeout: 90_000 * chaos, hookTimeout: 60_000 }),
      project('memory', { include: memoryTests, testTimeout: 120_000 }),
      project('conformance', { isolate: false, testTimeout: 120_000 * chaos, hookTimeout: 60_000 }),
      project('faults', { ...faults, exclude: countingTests, isolate: false }),
      project('counting', { ...faults, include: countingTests }),
      project('e2e', { isolate: false, testTimeout: 300_000 * chaos, hookTimeout: 300_000 }),
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/generated/**'],
      reporter: ['text-summary', 'json-summary'],
      reportOnFailure: true,
      // What was reached when this was written, rounded down: new code comes with its tests.
      thresholds: { lines: 95, branches: 88, functions: 93 },
    },
  },
});
