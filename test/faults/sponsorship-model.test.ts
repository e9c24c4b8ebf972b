import { setTimeout as pause } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  judgeAllowances,
  judgeAnswers,
  judgeAudit,
  judgeBooks,
  judgeRecall,
  judgeRecovery,
} from '../support/judge-sponsorship.ts';
import { redisMissing } from '../support/redis-server.ts';
import { chaos } from '../support/runs.ts';
import { courses, type Played } from '../support/sponsorship-commands.ts';
import { SponsorshipHistory } from '../support/sponsorship-history.ts';
import { callerNames, type SponsorshipWorld, secrets, startSponsorshipWorld } from '../support/sponsorship-world.ts';

/** How many courses are tried, and from which seed: another one each time, unless one is to be seen again. */
const runs = Number(process.env.SPONSORSHIP_RUNS ?? 12 * chaos);
/** Worlds in which they are tried side by side: most of the time is waiting. */
const worlds = Number(process.env.SPONSORSHIP_WORLDS ?? 1);
const seed = Number(process.env.SPONSORSHIP_SEED ?? Date.now() % 2 ** 31);

let budgets = 0;
/** From one to four millions of the smallest unit, and a number of its own below that. */
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
  // Of one caller all lines have one name, and none has more of a credential's hash than that of its requests.
  const names = world.log().filter(({ msg }) => msg === 'sponsorship');
  expect(new Set(names.map(({ caller }) => caller)).size).toBeLessThanOrEqual(callerNames.length);
  const log = JSON.stringify(world.log());
  // The sponsor's own numbers are worth nothing without a credential.
  const leases = world.isForward ? [] : history.leases.map(({ id }) => id);
  const unsaid = [...secrets, ...leases, ...history.executions.map(({ tx }) => tx.txBytes)];
  expect(unsaid.filter((secret) => log.includes(secret))).toEqual([]);
}

/** On an idle machine so many attempts take longer than 20 s, on a busy one each of them may take seconds. */
const enoughAttempts = 100;

/**
 * Repeats a judgement until it holds: what an instance still had to write comes after its answers. Fails after 20 s, but not
 * before it had enough attempts: one whose calls all come too late on a busy machine says nothing about the gateway.
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
      // There is always something to be won.
      await Promise.all([
        history.reserve(0, 'rich', nextBudget(2), 60, null),
        history.reserve(0, 'poor', nextBudget(1), 600, null),
        history.reserve(0, 'boundless', nextBudget(3), 60, null),
      ]);
      await fc.asyncModelRun(() => ({ model: {}, real: played }), commands);
      await conclude(played);
    }),
    { numRuns, seed: from, endOnFailure: process.env.SPONSORSHIP_SHRINK === undefined, verbose: 1 },
  );
}

/** With the gateway's token; of the other one there is nothing to count. */
const policies = ['off', 'warn', 'enforce'] as const;

async function tryWorlds(store: 'redis' | 'memory', numRuns: number, auth: 'forward' | 'token'): Promise<void> {
  process.stdout.write(`courses of sponsorship from seed ${seed}\n`);
  const inEach = Math.ceil(numRuns / worlds);
  await Promise.all(
    Array.from({ length: worlds }, async (_, index) => {
      // What holds in every policy is tried in each run.
      const lenient = policies[(seed + index) % 2] ?? 'off';
      const policy = store === 'memory' ? lenient : (policies[(seed + index) % 3] ?? 'enforce');
      const preflight = auth === 'token' ? policy : 'warn';
      await using world = await startSponsorshipWorld({ store, auth, mutationMs: 300, preflight });
      await tryCourses(world, inEach, seed + index);
    }),
  );
}

const title = `is dispatched once and accounted for, whatever happens (seed ${seed})`;
const timeout = 3_600_000;

test.skipIf(redisMissing)(`every lease of two instances on one Redis ${title}`, { timeout }, () =>
  tryWorlds('redis', runs, 'token'),
);

test(`every lease of an instance with its own memory ${title}`, { timeout }, () =>
  tryWorlds('memory', Math.ceil(runs / 3), 'token'),
);

test.skipIf(redisMissing)(`every number of the sponsor’s, with two instances on one Redis, ${title}`, { timeout }, () =>
  tryWorlds('redis', Math.ceil(runs / 3), 'forward'),
);

test(`every number of the sponsor’s, with an instance of its own memory, ${title}`, { timeout }, () =>
  tryWorlds('memory', Math.ceil(runs / 6), 'forward'),
);
