import { expect, test } from 'vitest';
import { createRandom } from '../support/course-random.ts';
import { type CourseStores, journalStores, memoryStores, redisStores } from '../support/course-stores.ts';
import { playPolicyCourse } from '../support/policy-course.ts';
import { redisMissing } from '../support/redis-server.ts';
import { runs, seed } from '../support/runs.ts';

const stepsOfCourse = 40;

async function playCourses(stores: CourseStores, count: number): Promise<void> {
  const denied = new Map<string, number>();
  let [sponsored, executed] = [0, 0];
  for (let course = 0; course < count; course += 1) {
    const report = await playPolicyCourse(stores, seed * 100_000 + course, stepsOfCourse);
    sponsored += report.sponsored;
    executed += report.executed;
    for (const [rule, times] of report.denied) denied.set(rule, (denied.get(rule) ?? 0) + times);
  }
  const refusals = [...denied].sort(([one], [other]) => (one < other ? -1 : 1));
  process.stdout.write(
    `${count} courses: ${sponsored} sponsored, ${executed} executed; ${refusals.map(([rule, times]) => `${rule} ${times}`).join(', ')}\n`,
  );
  expect(executed).toBeGreaterThan(count / 4);
}

const timeout = 3_600_000;
const title = `no rule is exceeded or applied too early, and every account adds up (SEED=${seed})`;

test(`under policies that change, with a store in memory, ${title}`, { timeout }, async () => {
  await using stores = memoryStores();
  await playCourses(stores, runs(40));
});

test(`under policies that change, with a journal, ${title}`, { timeout }, async () => {
  await using stores = journalStores(createRandom(seed));
  await playCourses(stores, runs(20));
});

test.skipIf(redisMissing)(
  `under policies that change, with two processes on Redis, ${title}`,
  { timeout },
  async () => {
    await using stores = await redisStores(20_000);
    await playCourses(stores, runs(8));
  },
);
