import { expect, onTestFinished, test, vi } from 'vitest';
import type { FoundTransaction, PayingCoin } from '../../../../src/ledger/find-transaction.ts';
import type { ExecutionFact } from '../../../../src/sponsor/execution/execution-order.ts';
import { toExecutionPace } from '../../../../src/sponsor/execution/execution-order.ts';
import { watchOverdueExecutions } from '../../../../src/sponsor/execution/executions.ts';
import { createMemoryStore } from '../../../../src/sponsor/store/memory-store.ts';
import { StoreUnavailableError } from '../../../../src/sponsor/store/sponsorship-store.ts';
import { failingStore, type StoreFault } from '../../../support/failing-store.ts';
import { allowanceOf, noon, reserve } from '../../../support/sponsorship-flow.ts';
import { until } from '../../../support/until.ts';

const gas = { key: 'gas', perDay: 1_000_000 };
const idempotency = { key: 'once', bodyHash: 'body-1' };
const onLedger: FoundTransaction = { gasUsed: 30 };

/** Processes that are left, of one store, and a ledger that knows what a test says. */
function setUp(processes = 1) {
  const store = createMemoryStore();
  const away: { fault: StoreFault } = { fault: null };
  const time = { nowMs: noon };
  const asked: string[] = [];
  const facts: ExecutionFact[] = [];
  const ledger = {
    canFind: true,
    find: async (_: string): Promise<FoundTransaction | null> => null,
    isDead: async (_: string, _coin: PayingCoin): Promise<boolean> => false,
  };
  let claims = 0;
  let canFinds = 0;
  const failing = failingStore(
    {
      ...store,
      claimOverdue(claim) {
        claims += 1;
        return store.claimOverdue(claim);
      },
    },
    () => away.fault,
  );
  const watches = Array.from({ length: processes }, () =>
    watchOverdueExecutions(
      {
        store: failing,
        ledger: {
          canFind: () => {
            canFinds += 1;
            return ledger.canFind;
          },
          find: (digest) => {
            asked.push(digest);
            return ledger.find(digest);
          },
          isDead: (...args) => ledger.isDead(...args),
        },
        audit: (fact) => facts.push(fact),
        now: () => time.nowMs,
        pace: { ...toExecutionPace(1_000), overdue: { firstMs: 1, longestMs: 4 } },
      },
      { maxLooks: 4 },
    ),
  );
  onTestFinished(() => {
    for (const watch of watches) watch.close();
  });
  /** How often anything was asked. */
  const countSteps = () => claims + asked.length + canFinds;
  const rounds = async (more = 5) => {
    const enough = claims + more;
    await until(() => claims >= enough, 'the store is asked again and again');
  };
  return { store, away, time, asked, facts, ledger, rounds, watches, countSteps };
}

test.each([
  ['the gas that it used', 30, 30],
  ['all held gas where the ledger does not tell', null, 100],
])('an unfinished execution of a dead process is settled once, by %s, and reported to repeats', async (...row) => {
  const [, gasUsed, settled] = row;
  const { store, time, asked, facts, ledger, rounds } = setUp(3);
  const { caller, leaseId, execution } = await reserve(store, { gas });
  await store.beginExecution(execution({ idempotency }));
  ledger.find = async () => ({ gasUsed });
  await rounds();
  expect(asked).toEqual([]);
  time.nowMs = noon + 30_000;
  await until(() => facts.length > 0, 'it is found');
  await rounds();
  expect(asked).toEqual(['digest-1']);
  expect(facts).toEqual([
    {
      ...{ event: 'recovered', caller, leaseId, digest: 'digest-1', budget: 100, gasUsed, code: null },
      requestId: 'request-1',
    },
  ]);
  expect(await allowanceOf(store, gas, time.nowMs)).toMatchObject({ held: 0, settled });
  const answer = JSON.stringify({ digest: 'digest-1', outcome: 'RECOVERED' });
  expect(await store.beginExecution(execution({ idempotency }))).toEqual({ kind: 'replay', answer });
});

test('a transaction that is not in the ledger stays held, and is looked up again only after a while', async () => {
  const { store, time, asked, facts, ledger, rounds } = setUp();
  const { execution } = await reserve(store, { gas });
  await store.beginExecution(execution());
  time.nowMs = noon + 30_000;
  await rounds();
  expect(asked).toEqual(['digest-1']);
  expect(facts).toEqual([]);
  expect(await allowanceOf(store, gas, time.nowMs)).toMatchObject({ held: 100, settled: 0 });
  time.nowMs += 30_000;
  ledger.find = async () => onLedger;
  await until(() => facts.length > 0, 'it is found later');
  expect(await allowanceOf(store, gas, time.nowMs)).toMatchObject({ held: 0, settled: 30 });
});

test('a transaction whose gas coin has moved on without it is over: its gas is free, and repeats get a final answer', async () => {
  const { store, time, facts, ledger, rounds } = setUp(2);
  const coin = { objectId: '0xc', version: '7' };
  const { caller, leaseId, execution } = await reserve(store, { gas });
  await store.beginExecution(execution({ idempotency, coin }));
  const asked: unknown[] = [];
  ledger.isDead = async (...args) => {
    asked.push(args);
    return true;
  };
  // As long as a node of the ledger may be behind, it is not asked.
  time.nowMs = noon + 30_000;
  await rounds();
  expect([asked, facts]).toEqual([[], []]);
  time.nowMs = noon + 61_000;
  await until(() => facts.length > 0, 'it is over');
  await rounds();
  expect(asked).toEqual([['digest-1', coin]]);
  expect(facts).toMatchObject([{ event: 'refused', caller, leaseId, gasUsed: null, code: 'SPONSOR_REJECTED' }]);
  expect(await allowanceOf(store, gas, time.nowMs)).toMatchObject({ held: 0, settled: 0 });
  expect(await store.beginExecution(execution({ idempotency, nowMs: time.nowMs }))).toEqual({
    kind: 'replay',
    answer: expect.stringContaining('never will'),
  });
});

test.each([
  ['found', onLedger, 'recovered'],
  ['dead', null, 'refused'],
] as const)(
  'of one that is %s, the line is written before the end: a process that dies in between loses none',
  async (...row) => {
    const [, found, event] = row;
    const { store, away, time, facts, ledger } = setUp();
    const { execution } = await reserve(store, { gas });
    await store.beginExecution(execution({ coin: { objectId: '0xc', version: '7' } }));
    ledger.isDead = async () => true;
    ledger.find = async () => {
      away.fault = 'before';
      return found;
    };
    time.nowMs = noon + 61_000;
    await until(() => facts.length > 0, 'it is logged');
    expect(facts).toMatchObject([{ event }]);
    expect(await allowanceOf(store, gas, time.nowMs)).toMatchObject({ held: 100, settled: 0 });
  },
);

test('of many, a few at a time are looked up, without pauses in between', async () => {
  const { store, time, asked, ledger } = setUp();
  let [atOnce, most] = [0, 0];
  ledger.find = async () => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise(setImmediate);
    atOnce -= 1;
    return onLedger;
  };
  for (let count = 0; count < 50; count += 1) {
    const { execution } = await reserve(store, { gas });
    await store.beginExecution(execution());
  }
  time.nowMs = noon + 30_000;
  await until(async () => (await allowanceOf(store, gas, time.nowMs)).held === 0, 'all are settled');
  expect(asked).toHaveLength(50);
  expect(most).toBe(4);
});

test('while ledger or store is unavailable, nothing is settled, and only a few due ones are claimed', async () => {
  const { store, away, time, asked, facts, ledger, rounds } = setUp();
  for (let count = 0; count < 20; count += 1) {
    const { execution } = await reserve(store, { gas });
    await store.beginExecution(execution());
  }
  ledger.canFind = false;
  away.fault = 'before';
  time.nowMs = noon + 30_000;
  ledger.find = async () => {
    throw new Error('the ledger is away');
  };
  ledger.canFind = true;
  away.fault = null;
  await rounds(2);
  // Four in each round: the next ones are left to others, who may have a ledger.
  expect(asked.length).toBeLessThanOrEqual(12);
  expect(facts).toEqual([]);
  expect(await allowanceOf(store, gas, time.nowMs)).toMatchObject({ held: 2_000, settled: 0 });
  ledger.find = async () => onLedger;
  time.nowMs += 60_000;
  await until(async () => (await allowanceOf(store, gas, time.nowMs)).settled === 600, 'all are settled');
});

test('once ledger and store answer again, the store is asked as often as before', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let [claims, isAway] = [0, true];
  const claimOverdue = async () => {
    claims += 1;
    if (isAway) throw new StoreUnavailableError();
    return [];
  };
  const watch = watchOverdueExecutions({
    store: { ...createMemoryStore(), claimOverdue },
    ledger: { canFind: () => true, find: async () => null, isDead: async () => false },
    audit() {},
    now: () => noon,
    pace: { ...toExecutionPace(1_000), overdue: { firstMs: 100, longestMs: 100_000 } },
  });
  while (claims < 8) await vi.advanceTimersByTimeAsync(1_000);
  isAway = false;
  while (claims < 9) await vi.advanceTimersByTimeAsync(1_000);
  await vi.advanceTimersByTimeAsync(1_500);
  expect(claims).toBeGreaterThan(15);
  watch.close();
  expect(vi.getTimerCount()).toBe(0);
});

test('one that is closed during a store call makes no more calls, and settles nothing', async () => {
  const other = setUp();
  const { store, time, facts, asked, ledger, rounds, watches, countSteps } = setUp();
  const { execution } = await reserve(store, { gas });
  await store.beginExecution(execution());
  let find = (_: FoundTransaction) => {};
  ledger.find = () => new Promise((resolve) => (find = resolve));
  await rounds(1);
  time.nowMs = noon + 30_000;
  await until(() => asked.length > 0, 'the ledger is asked');
  for (const watch of watches) watch.close();
  find(onLedger);
  const steps = countSteps();
  // As long as another goes on several times.
  await other.rounds(10);
  expect([countSteps(), facts]).toEqual([steps, []]);
  expect(await allowanceOf(store, gas, time.nowMs)).toMatchObject({ held: 100, settled: 0 });
});
