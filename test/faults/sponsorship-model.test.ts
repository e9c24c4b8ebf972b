import { setTimeout as pause } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sponsorServices } from '../support/hostile-sponsor.ts';
import {
  judgeAllowances,
  judgeAnswers,
  judgeAudit,
  judgeBooks,
  judgeRecall,
  judgeRecovery,
} from '../support/judge-sponsorship.ts';
import { redisMissing } from '../support/redis-server.ts';
import { chaos, runs, seed } from '../support/runs.ts';
import { courses, type Played } from '../support/sponsorship-commands.ts';
import { SponsorshipHistory } from '../support/sponsorship-history.ts';
import {
  callerNames,
  type SponsorshipWorld,
  type SponsorshipWorldOptions,
  secrets,
  startSponsorshipWorld,
} from '../support/sponsorship-world.ts';

const courseCount = runs(12);
/** Worlds that run courses concurrently, because most of the time is waiting. */
const worlds = chaos > 1 ? 6 : 1;

/** Worlds so far: their sponsors speak as different services, in turn. */
let services = 0;
let budgets = 0;
/** One to four million of the smallest unit, with a unique remainder. */
const nextBudget = (around: number) => around * 1_000_000 + (budgets++ % 900_000) + 1;

async function conclude({ world, history }: Played): Promise<void> {
  world.ledger.manner = 'knows';
  await history.settle();
  await world.sponsor.idle();
  judgeBooks(world, history);
  judgeAnswers(world, history);
  await untilTrue(() => judgeRecall(world, history));
  judgeBooks(world, history);
  for (let instance = 0; instance < world.size; instance += 1)
    await untilTrue(() => judgeRecovery(world, history, instance, nextBudget));
  world.advance(610_000);
  await untilTrue(() => judgeAllowances(world, history));
  await untilTrue(async () => judgeAudit(world, history));
  // All lines of one caller have one name, and none shows more of a credential's hash than its requests do.
  const names = world.log().filter(({ msg }) => msg === 'sponsorship');
  expect(new Set(names.map(({ caller }) => caller)).size).toBeLessThanOrEqual(callerNames.length);
  const log = JSON.stringify(world.log());
  // The sponsor's own numbers are worthless without a credential.
  const leases = world.isForward ? [] : history.leases.map(({ id }) => id);
  const unsaid = [...secrets, ...leases, ...history.executions.map(({ tx }) => tx.txBytes)];
  expect(unsaid.filter((secret) => log.includes(secret))).toEqual([]);
}

/** On an idle machine these attempts take more than 20 s; on a busy one, each may take seconds. */
const enoughAttempts = 100;

/**
 * Repeats a check until it holds, because an instance may write after its responses. Fails after 20 s, and after a minimum
 * number of attempts: slow calls on a busy machine say nothing about the gateway.
 */
async function untilTrue(judge: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + 20_000;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await judge();
    } catch (error) {
      if (attempts >= enoughAttempts && performance.now() > deadline) throw error;
    }
    await pause(5);
  }
}

async function tryCourses(world: SponsorshipWorld, numRuns: number, from: number): Promise<void> {
  let course = 0;
  await fc.assert(
    fc.asyncProperty(courses, async (commands) => {
      world.nextDay();
      world.ledger.manner = 'knows';
      course += 1;
      const history = new SponsorshipHistory(world, `course-${course}`);
      const played = { world, history, nextBudget, budgetOfKey: new Map<string, number>() };
      // There is always something to gain.
      await Promise.all([
        history.reserve(0, 'rich', nextBudget(2), 60, null),
        history.reserve(0, 'poor', nextBudget(1), 600, null),
        history.reserve(0, 'boundless', nextBudget(3), 60, null),
      ]);
      await fc.asyncModelRun(() => ({ model: {}, real: played }), commands);
      await conclude(played);
    }),
    { numRuns, seed: from, endOnFailure: true, verbose: 1 },
  );
}

/** Token mode only: forward mode has no budgets. */
const policies = ['off', 'warn', 'enforce'] as const;

async function tryWorlds(
  store: SponsorshipWorldOptions['store'],
  numRuns: number,
  auth: 'forward' | 'token',
): Promise<void> {
  process.stdout.write(`courses of sponsorship from seed ${seed}\n`);
  const inEach = Math.ceil(numRuns / worlds);
  await Promise.all(
    Array.from({ length: worlds }, async (_, index) => {
      // The rules of all policies are checked in each run.
      const lenient = policies[(seed + index) % 2] ?? 'off';
      const policy = store === 'memory' ? lenient : (policies[(seed + index) % 3] ?? 'enforce');
      const preflight = auth === 'token' ? policy : 'warn';
      const service = sponsorServices[(services++ + seed) % sponsorServices.length] ?? 'older station';
      process.stdout.write(`over ${store} in ${auth} mode with ${service}\n`);
      await using world = await startSponsorshipWorld({ store, auth, mutationMs: 300, preflight, service });
      await tryCourses(world, inEach, seed + index);
    }),
  );
}

const title = `is dispatched once and accounted for, whatever happens (SEED=${seed})`;
const timeout = 3_600_000;

test.skipIf(redisMissing)(`every lease of two instances on one Redis ${title}`, { timeout }, () =>
  tryWorlds('redis', courseCount, 'token'),
);

test(`every lease of an instance with its own memory ${title}`, { timeout }, () =>
  tryWorlds('memory', Math.ceil(courseCount / 3), 'token'),
);

test(`every lease of an instance with a journal ${title}`, { timeout }, () =>
  tryWorlds('journal', courseCount, 'token'),
);

test.skipIf(redisMissing)(`every number of the sponsor’s, with two instances on one Redis, ${title}`, { timeout }, () =>
  tryWorlds('redis', Math.ceil(courseCount / 3), 'forward'),
);

test(`every number of the sponsor’s, with an instance of its own memory, ${title}`, { timeout }, () =>
  tryWorlds('memory', Math.ceil(courseCount / 6), 'forward'),
);
