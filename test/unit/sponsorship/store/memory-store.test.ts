import fc from 'fast-check';
import { test } from 'vitest';
import { createMemoryStore } from '../../../../src/sponsorship/store/memory-store.ts';
import { arbitrarySteps, newWorld, takeStep } from '../../../support/sponsorship-steps.ts';
import { describeSponsorshipStore } from '../../../support/sponsorship-store-suite.ts';

describeSponsorshipStore('in memory', () => ({
  open(bounds) {
    const store = createMemoryStore(bounds);
    return { one: store, other: store };
  },
  close: () => {},
}));

const runs = Number(process.env.SPONSORSHIP_RUNS ?? 100);

test('whatever callers do, held, settled and free are the budget, and each what its story says', async () => {
  let names = 0;
  await fc.assert(
    fc.asyncProperty(arbitrarySteps, async (steps) => {
      const world = newWorld([createMemoryStore()], `${++names}`);
      for (const [index, step] of steps.entries()) await takeStep(world, step, index);
    }),
    { numRuns: runs },
  );
});
