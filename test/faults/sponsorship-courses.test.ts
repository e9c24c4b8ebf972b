import { expect, test } from 'vitest';
import { type CourseReport, playCourse } from '../support/course.ts';
import { createRandom } from '../support/course-random.ts';
import { type CourseStores, journalStores, memoryStores, redisStores } from '../support/course-stores.ts';
import { redisMissing } from '../support/redis-server.ts';
import { chaos, runs, seed } from '../support/runs.ts';

const stepsOfCourse = 22;

async function playCourses(stores: CourseStores, mode: 'token' | 'forward', count: number): Promise<void> {
  const reports: CourseReport[] = [];
  for (let course = 0; course < count; course += 1)
    reports.push(await playCourse(stores, mode, seed * 100_000 + course, stepsOfCourse));
  const dispatched = reports.reduce((sum, report) => sum + report.dispatched, 0);
  const longestMs = Math.max(...reports.map(({ endedWithinMs }) => endedWithinMs));
  const disturbances = reports.flatMap((report) => report.disturbances);
  process.stdout.write(
    `${count} courses in ${mode} mode: ${dispatched} dispatched, ${disturbances.length} disturbances of the store, all ended ${longestMs / 1_000} s after the ledger could tell\n`,
  );
  expect(dispatched).toBeGreaterThan(count);
}

const timeout = 3_600_000;
const title = `is dispatched once, ends in bounded time, and is accounted for (SEED=${seed})`;

test.each(['token', 'forward'] as const)(
  `each lease with a store in memory, in %s mode, ${title}`,
  { timeout },
  async (mode) => {
    await using stores = memoryStores();
    await playCourses(stores, mode, runs(mode === 'token' ? 100 : 25));
  },
);

test.each(['token', 'forward'] as const)(
  `each lease with a journal, in %s mode, ${title}`,
  { timeout },
  async (mode) => {
    await using stores = journalStores(createRandom(seed));
    await playCourses(stores, mode, runs(mode === 'token' ? 60 : 15));
  },
);

test.skipIf(redisMissing).each(['token', 'forward'] as const)(
  `each lease with two processes on Redis, in %s mode, ${title}`,
  { timeout },
  async (mode) => {
    // Thousands of courses run beside other work, which must not make the store look away.
    await using stores = await redisStores(chaos > 1 ? 1_500 : undefined);
    await playCourses(stores, mode, runs(mode === 'token' ? 20 : 5));
  },
);
